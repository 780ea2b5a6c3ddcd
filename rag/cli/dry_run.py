"""What an ingest would take from files, shown before anything is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from rag.cli.ingesting import counts
from rag.cli.intake import Intake
from rag.cli.rejections import missed, show_missed
from rag.cli.terminal import Terminal
from rag.corpus.wanting import counted, listed
from rag.render import safe
from rag.store.preview import preview

if TYPE_CHECKING:
    from rag.corpus import FileReading
    from rag.render import Style
    from rag.store.ingest import Batch
    from rag.types import Paper

EXAMPLES = 3
OPENING_CHARS = 160
"""Of an example's text."""


def show_dry_run(
    terminal: Terminal, intake: Intake, batches: Sequence[Batch], *, keep: bool
) -> None:
    """Each file with its format, its fields and some papers, and what would become of the index."""
    report = preview(terminal.settings.store, batches, keep=keep)
    if terminal.as_json:
        found = {name: count for name, count in asdict(report).items() if name != "chunks"}
        files = [_as_json(reading) for reading in intake.readings]
        terminal.emit({"dry_run": True, "files": files, **found, **missed(intake)})
    else:
        for reading in intake.readings:
            click.echo(_as_text(reading, terminal.style))
    show_missed(terminal, intake)
    if not terminal.as_json:
        click.echo(
            f"{terminal.settings.store} would have {counted(report.papers, 'paper')}"
            f" ({counts(report) or 'none'}; {report.embedded:,} to embed). Nothing was written."
        )


def _as_json(reading: FileReading) -> dict[str, Any]:
    return {
        "path": reading.path,
        "format": reading.format,
        "records": len(reading.records) + len(reading.rejected),
        "with_abstract": len(reading.records),
        "rejected": [asdict(rejection) for rejection in reading.rejected],
        "fields": {ours: list(names) for ours, names in reading.fields.taken.items()},
        "unused": list(reading.fields.unused),
        "examples": [_example(paper) for paper in _examples(reading.records)],
    }


def _example(paper: Paper) -> dict[str, Any]:
    opening = paper.text[:OPENING_CHARS]
    return {
        "paper_id": paper.paper_id,
        "title": paper.title,
        "authors": list(paper.authors),
        "year": paper.year,
        "text": opening if opening == paper.text else f"{opening}…",
    }


def _examples(papers: Sequence[Paper]) -> list[Paper]:
    """The first, a middle and the last one: what is cut off or shifted shows at the end."""
    places = dict.fromkeys((0, len(papers) // 2, len(papers) - 1))
    return [papers[place] for place in places] if papers else []


def _as_text(reading: FileReading, style: Style) -> str:
    """A file's lines for a person."""
    taken, rejected = len(reading.records), len(reading.rejected)
    total = (
        f"{counted(taken + rejected, 'record')}, {taken:,} with an abstract, {rejected:,} not taken"
    )
    lines = [
        f"{style.bold(safe(reading.path))}: {reading.format}, {total}",
        *map(safe, _mapping(reading)),
    ]
    for paper in _examples(reading.records):
        lines += ["", *map(safe, _shown(_example(paper)))]
    return "\n".join([*lines, ""])


def _mapping(reading: FileReading) -> list[str]:
    fields = reading.fields
    taken = [f"{ours} ← {', '.join(names)}" for ours, names in fields.taken.items()]
    lines = [f"  {'; '.join(taken)}"] if taken else []
    return [*lines, f"  not used: {listed(fields.unused)}"] if fields.unused else lines


def _shown(example: dict[str, Any]) -> list[str]:
    authors, year = example["authors"], example["year"]
    others = f" and {len(authors) - 2} more" if len(authors) > 2 else ""
    who = f"{', '.join(authors[:2])}{others}" if authors else ""
    about = ", ".join(filter(None, (who, str(year or ""))))
    title = example["title"] or "(no title)"
    return [f"  {title}{f' — {about}' if about else ''}", f"    {example['text']}"]
