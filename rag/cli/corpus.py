"""The corpus as a whole: its numbers, itself in other formats, papers that may be there twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rag.cli.choosing import chosen
from rag.cli.options import common, filtered
from rag.cli.output import check, save
from rag.cli.terminal import Terminal
from rag.opening import open_snapshot

if TYPE_CHECKING:
    from rag.retrieve.dupes import Dupe
    from rag.retrieve.filters import Filters

FORMATS = {".jsonl": "jsonl", ".bib": "bib", ".json": "csl", ".ris": "ris", ".csv": "csv"}
"""The format of a file by how its name ends."""

matching = click.option(
    "--match", metavar="TERM", help="Only papers that mention this word or phrase."
)


@click.command()
@filtered
@common
def stats(terminal: Terminal, filters: Filters) -> None:
    """Count the papers by area, status, year and venue, their keywords, lengths and sources."""
    from rag.digest.statistics import statistics
    from rag.publish.statistics import statistics_text

    snapshot = open_snapshot(terminal)
    rows = chosen(terminal, snapshot, (), _any_status(filters))
    sentences = sum(len(snapshot.spans(row)) for row in rows)
    found = statistics([snapshot.paper(row) for row in rows], sentences)
    if terminal.as_json:
        terminal.emit(asdict(found))
    else:
        click.echo(statistics_text(found, terminal.style))


def _any_status(filters: Filters) -> Filters:
    """Where what became of papers is not asked for, all of them: to be counted and compared they
    need not be accepted."""
    from rag.retrieve.filters import ALL

    return replace(filters, status=ALL) if filters.only_accepted else filters


@click.command()
@click.argument("named", nargs=-1, metavar="[PAPER]…")
@click.option(
    "--format",
    "shape",
    type=click.Choice([*FORMATS.values()]),
    help="What to write; csl is CSL-JSON.  [default: by the name of the file, else jsonl]",
)
@click.option("-o", "--output", metavar="FILE", help="Write to this file.")
@matching
@filtered
@common
def export(
    terminal: Terminal,
    named: Sequence[str],
    shape: str | None,
    output: str | None,
    match: str | None,
    filters: Filters,
) -> None:
    """Write the papers as JSON Lines, BibTeX, CSL-JSON, RIS or CSV.

    All of them, those that pass the filters, or those named by id, name or title. Whatever the
    format, rag ingest reads the same papers back from it.
    """
    from rag.corpus.writers import WRITERS

    shape = _shape(shape, output, terminal.as_json)
    if output is not None:
        check(output)
    snapshot = open_snapshot(terminal)
    rows = chosen(terminal, snapshot, named, filters, match)
    text = WRITERS[shape]([snapshot.paper(row) for row in rows])
    told = f"{len(rows):,} of {len(snapshot):,} papers"
    if output is None:
        click.echo(text, nl=False)
        terminal.note(told)
    else:
        save(output, text)
        terminal.note(f"{told} in {output}")


def _shape(shape: str | None, output: str | None, as_json: bool) -> str:
    """The format asked for; raises UsageError where two are, or where a file's name tells none."""
    context = click.get_current_context()
    if as_json and shape not in (None, "jsonl"):
        raise click.UsageError(f"--json is not --format {shape}", context)
    named = FORMATS.get(Path(output or "").suffix.lower())
    if output is not None and not (as_json or shape or named):
        message = f"{output}: give --format, or a name that ends in {', '.join(FORMATS)}"
        raise click.UsageError(message, context)
    return "jsonl" if as_json else shape or named or "jsonl"


@click.command()
@filtered
@common
def dupes(terminal: Terminal, filters: Filters) -> None:
    """Find papers that may be the same, though they were not merged when they were read.

    Pairs with nearly one title or with much of the text in common, the likest first. Whether they
    are one is for you to say; the command under a pair removes the one of which less is known.
    """
    from rag.render import place, safe
    from rag.retrieve.dupes import dupes as alike

    snapshot = open_snapshot(terminal)
    found = alike(snapshot, chosen(terminal, snapshot, (), _any_status(filters)))
    for dupe in found:
        fix = _removal(terminal, dupe)
        if terminal.as_json:
            pair = [dupe.kept.to_json(), dupe.other.to_json()]
            reason = {"likeness": dupe.likeness, "reason": dupe.reason}
            terminal.emit({**reason, "papers": pair, "fix": fix})
            continue
        click.echo(terminal.style.bold(f"{dupe.likeness:.2f}  {dupe.reason}"))
        for paper in (dupe.kept, dupe.other):
            click.echo(f"    {safe(paper.paper_id)}  {safe(paper.name)}")
            click.echo(terminal.style.dim(f"        {place(paper)}"))
        click.echo(f"    {safe(fix)}")
    pairs = "1 pair" if len(found) == 1 else f"{len(found):,} pairs"
    terminal.note(f"{pairs} that may be the same paper")


def _removal(terminal: Terminal, dupe: Dupe) -> str:
    """The command that leaves one of the two."""
    import shlex

    store = shlex.quote(str(terminal.settings.store))
    return f"rag remove {shlex.quote(dupe.other.paper_id)} --store {store}"
