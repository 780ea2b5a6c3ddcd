"""The command that takes papers into the index."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from difflib import get_close_matches
from time import perf_counter
from typing import TYPE_CHECKING

import click

from rag.cli.intake import Intake
from rag.cli.online import ask, told_apart
from rag.cli.options import common
from rag.cli.rejections import missed, rejection_lines, show_missed
from rag.cli.terminal import FAILED, Bar, Terminal, say
from rag.corpus.fields import FIELDS
from rag.corpus.files import ReadAs
from rag.corpus.readers import FORMATS
from rag.errors import StoreMissing
from rag.opening import open_embedder, open_home, open_snapshot, update_copy

if TYPE_CHECKING:
    from rag.corpus import FileReading
    from rag.store.ingest import Batch, IngestReport
    from rag.types import OnConflict

SAMPLE = "sample/iclr2026_notes.jsonl"


def _format(_: click.Context, option: click.Parameter, name: str | None) -> str | None:
    if name is None or name in FORMATS:
        return name
    raise click.BadParameter(_unknown("format", name, list(FORMATS)), param=option)


def _names(_: click.Context, option: click.Parameter, maps: Sequence[str]) -> dict[str, str]:
    """Our field → the file's name for it, out of OURS=THEIRS."""
    names = {}
    for map in maps:
        ours, equals, theirs = map.partition("=")
        if not equals or not theirs.strip():
            raise click.BadParameter(f"{map!r} is not like title=Headline", param=option)
        if ours.strip().casefold() not in FIELDS:
            raise click.BadParameter(_unknown("field", ours, FIELDS), param=option)
        names[ours.strip().casefold()] = theirs.strip()
    return names


def _unknown(what: str, name: str, known: Sequence[str]) -> str:
    near = get_close_matches(name.casefold(), known, n=1, cutoff=0.5)
    meant = f"; did you mean {near[0]}?" if near else "."
    return f"there is no {what} {name!r}{meant} There are: {', '.join(known)}."


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@click.option(
    "--format",
    metavar="NAME",
    callback=_format,
    help=f"Do not guess the format of the files: {', '.join(FORMATS)}.",
)
@click.option(
    "--map",
    "names",
    multiple=True,
    metavar="OURS=THEIRS",
    callback=_names,
    help="A field's name in the files, such as title=Headline or abstract=Blurb; can be repeated."
    f" Ours are {', '.join(FIELDS)}.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help="Papers at most of each reference online.  [default: all; of an arXiv query 1,000]",
)
@click.option("--refresh", is_flag=True, help="Ask servers again for what they answered today.")
@click.option("--dry-run", is_flag=True, help="Show what would be read, and write nothing.")
@click.option("--keep", is_flag=True, help="Keep papers that have gone from their file.")
@click.option(
    "--on-conflict",
    type=click.Choice(["keep", "replace", "both"]),
    help="Of another version of a paper here: keep ours, take theirs, or both.  [default: longest]",
)
@click.option("--no-wait", is_flag=True, help="Fail if another process is writing.")
@common
def ingest(
    terminal: Terminal,
    paths: Sequence[str],
    format: str | None,
    names: dict[str, str],
    limit: int | None,
    refresh: bool,
    dry_run: bool,
    keep: bool,
    on_conflict: OnConflict | None,
    no_wait: bool,
) -> None:
    """Read lists of abstracts into the index.

    A PATH is a file in any of the formats, told by its content; a folder, with all that is in it;
    a quoted pattern such as 'lists/*.bib'; or - for standard input. Files may be gzipped or in a
    zip archive. Reading a file again takes over its changes: new, changed and removed papers.

    A PATH may also name papers online: openreview:ICLR.cc/2026/Conference, a venue with all that
    was submitted to it; openreview:ID,…; arxiv:2401.01234,…; arxiv:cat:cs.LG+AND+all:plasticity;
    doi:10.…; or the address of such a page. What a server answers is kept for a day, and an ingest
    that was cut off goes on.
    """
    from rag.store.manifest import known_files

    with suppress(StoreMissing):
        update_copy(terminal)
    started = perf_counter()
    anew = dry_run or on_conflict is not None
    known = {} if anew else known_files(terminal.settings.store)
    files, references = told_apart(paths)
    with terminal.counting("reading", " records") as on_record:
        intake = Intake(ReadAs(format, names), known, terminal.note, on_record)
        intake.take(files)
    ask(terminal, intake, references, limit, refresh=refresh)
    intake.check(paths)
    batches = [batch_of(reading) for reading in intake.readings if reading.records]
    if dry_run:
        from rag.cli.dry_run import show_dry_run

        show_dry_run(terminal, intake, batches, keep=keep)
    elif batches or intake.unchanged:
        how = {"keep": keep, "wait": not no_wait}
        report = take_over(terminal, batches, on_conflict, **how)
        _warn_of_sample(terminal)
        _show_report(terminal, report, intake, round(perf_counter() - started, 1))
    else:
        _show_failure(terminal, intake)
    if intake.failures:
        raise SystemExit(FAILED)


def batch_of(reading: FileReading) -> Batch:
    """What the store takes of a file. One with rejections is read each time, to tell them."""
    from rag.store.ingest import Batch

    digest = "" if reading.rejected else reading.digest
    return Batch(reading.path, reading.file, reading.records, reading.is_whole, digest)


def take_over(
    terminal: Terminal,
    batches: Sequence[Batch],
    on_conflict: OnConflict | None = None,
    *,
    keep: bool = False,
    wait: bool = True,
) -> IngestReport:
    """Bring the index to what files hold, with the embedder of the settings."""
    from rag.retrieve.indexing import write_index
    from rag.store.ingest import ingest as ingest_batches

    store, embedder, bar = terminal.settings.store, open_embedder(terminal), Bar(terminal)
    return ingest_batches(
        store,
        batches,
        embedder,
        write_index,
        bar,
        keep=keep,
        on_conflict=on_conflict,
        wait=wait,
        home=open_home(terminal),
    )


def _warn_of_sample(terminal: Terminal) -> None:
    """Say so if somebody's own papers have come to stand beside the sample."""
    places = {source.path for paper in open_snapshot(terminal).papers() for source in paper.sources}
    if SAMPLE in places and not places <= {SAMPLE}:
        store = terminal.settings.store
        terminal.note(f"{store} also holds the sample; for an index of your own name one: --store")


def _show_report(terminal: Terminal, report: IngestReport, intake: Intake, seconds: float) -> None:
    show_missed(terminal, intake)
    if terminal.as_json:
        terminal.emit({**asdict(report), **missed(intake), "seconds": seconds})
        return
    click.echo(f"{report.papers:,} papers in {terminal.settings.store} ({counts(report)})")


def counts(report: IngestReport) -> str:
    """What became of the papers, in words."""
    names = ("added", "updated", "unchanged", "removed", "merged")
    return ", ".join(f"{getattr(report, name):,} {name}" for name in names if getattr(report, name))


def _show_failure(terminal: Terminal, intake: Intake) -> None:
    """Where nothing could be read: the errors alone, and why."""
    for line in rejection_lines(intake.readings):
        terminal.note(line)
    for _, error in intake.failures:
        say(f"error: {error.message}\n  fix: {error.fix}")
    if terminal.as_json:
        terminal.emit(missed(intake))
