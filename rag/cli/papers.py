"""Papers into the index and out of it: demo, ingest, show, list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rag.cli.answers import show_answer
from rag.cli.digests import write_page
from rag.cli.opening import open_asker, open_embedder, open_snapshot
from rag.cli.options import common, filtered
from rag.cli.terminal import FAILED, Bar, Terminal
from rag.errors import SourceError, StoreError

if TYPE_CHECKING:
    from rag.corpus import FileReading
    from rag.retrieve.filters import Filters
    from rag.store.ingest import Batch, IngestReport
    from rag.types import OnConflict, Rejection

SAMPLE = "sample/iclr2026_notes.jsonl"
DEMO_QUESTIONS = (
    "How does FIRE measure plasticity?",
    "How many GPUs was DRIFT trained on?",
)
"""One that the sample answers and one that it does not."""
QUOTED = "The quotes are of notes that retell the abstracts."


@click.command()
@common
def demo(terminal: Terminal) -> None:
    """Ingest the bundled sample, ask it two questions, and write a page about it."""
    sample = _sample()
    _only_sample(terminal)
    report = _ingest(terminal, [sample])
    terminal.note(f"{report.papers} notes on ICLR 2026 papers in {terminal.settings.store}\n")
    asker = open_asker(terminal)
    for question in DEMO_QUESTIONS:
        answer = asker.ask(question)
        if not terminal.as_json:
            click.echo(terminal.style.dim(f"? {question}"))
        show_answer(terminal, answer)
        if not terminal.as_json:
            click.echo()
    page = terminal.settings.store / "digest.html"
    write_page(terminal, asker.retriever.snapshot, page, QUOTED)
    if not terminal.as_json:
        click.echo(f"What the papers are about, topic by topic, to open in a browser: {page}")
    terminal.note(f'{QUOTED}\nNext: rag ask "…", or rag ingest YOUR_LIST.txt --store my_index')


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="FILE…")
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
    keep: bool,
    on_conflict: OnConflict | None,
    no_wait: bool,
) -> None:
    """Read lists of abstracts into the index.

    A file is a plain-text list (abstracts parted by blank lines), JSON Lines, or JSON. Reading
    a file again takes over its changes: new, changed and removed papers.
    """
    from time import perf_counter

    started = perf_counter()
    batches, rejected, failures = _read(terminal, paths, anew=on_conflict is not None)
    if len(failures) == len(set(paths)):
        raise failures[0]
    report = _ingest(terminal, batches, keep=keep, on_conflict=on_conflict, wait=not no_wait)
    seconds = round(perf_counter() - started, 1)
    _warn_of_sample(terminal)
    _show_report(terminal, report, rejected, failures, seconds)
    if failures:
        raise SystemExit(FAILED)


@click.command()
@click.argument("paper_id")
@common
def show(terminal: Terminal, paper_id: str) -> None:
    """Show one paper: its clean text, and with --json also the raw one."""
    from rag.render import paper_text

    snapshot = open_snapshot(terminal)
    paper = snapshot.paper(snapshot.find(paper_id))
    if terminal.as_json:
        terminal.emit({**paper.to_json(), "text": paper.text, "raw": paper.raw})
    else:
        click.echo(paper_text(paper, terminal.style))


@click.command("list")
@click.option("--match", metavar="TERM", help="Only papers that mention this word or phrase.")
@click.option("--merged", is_flag=True, help="Papers of several sources: which, and why one.")
@filtered
@common
def list_papers(terminal: Terminal, match: str | None, merged: bool, filters: Filters) -> None:
    """List the papers, one a line."""
    from rag.corpus.merge import why_merged
    from rag.render import list_line, merged_lines
    from rag.retrieve.filters import passing, told_left_out
    from rag.retrieve.lexical import mentions

    snapshot = open_snapshot(terminal)
    papers = map(snapshot.paper, passing(snapshot, filters))
    found = [paper for paper in papers if match is None or mentions(paper, match)]
    why = why_merged(found, snapshot.records()) if merged else {}
    if merged:
        found = [paper for paper in found if paper.paper_id in why]
    for paper in found:
        reasons = why.get(paper.paper_id)
        if terminal.as_json:
            terminal.emit({**paper.to_json(), **({"merged_by": reasons} if reasons else {})})
        else:
            click.echo(merged_lines(paper, reasons) if reasons else list_line(paper))
    population = told_left_out(snapshot, filters) or f"of {len(snapshot):,} papers"
    terminal.note(f"{len(found):,} {population[0].lower()}{population[1:]}")


def _sample() -> Batch:
    """The bundled notes, under a name that does not tell where the package is installed: they
    are the same ones wherever that is."""
    from rag.corpus import read_file

    batch = _batch(read_file(str(Path(__file__).parent.parent / SAMPLE)))
    records = [
        replace(paper, sources=(replace(paper.sources[0], path=SAMPLE, file=SAMPLE),))
        for paper in batch.records
    ]
    return replace(batch, path=SAMPLE, file=SAMPLE, records=tuple(records))


def _batch(reading: FileReading) -> Batch:
    from rag.store.ingest import Batch

    whole = not reading.rejected
    return Batch(reading.path, reading.file, reading.records, whole, reading.digest)


def _read(
    terminal: Terminal, paths: Sequence[str], *, anew: bool
) -> tuple[list[Batch], list[Rejection], list[SourceError]]:
    """Read every file that is not as it was, or all of them ``anew``; one that cannot be read
    costs only itself."""
    from rag.corpus import file_digest, read_file
    from rag.store.manifest import known_files
    from rag.types import Rejection

    known = {} if anew else known_files(terminal.settings.store)
    batches, rejected, failures = [], [], []
    for path in dict.fromkeys(paths):
        try:
            if known.get(str(Path(path).resolve())) == file_digest(path):
                continue
            reading = read_file(path)
        except SourceError as error:
            failures.append(error)
            rejected.append(Rejection(path, None, error.message))
            continue
        batches.append(_batch(reading))
        rejected += reading.rejected
    return batches, rejected, failures


def _ingest(
    terminal: Terminal,
    batches: Sequence[Batch],
    *,
    keep: bool = False,
    on_conflict: OnConflict | None = None,
    wait: bool = True,
) -> IngestReport:
    from rag.retrieve.lexical import write_bm25
    from rag.store.ingest import ingest as ingest_batches

    store, embedder, bar = terminal.settings.store, open_embedder(terminal), Bar(terminal)
    how = {"keep": keep, "wait": wait}
    return ingest_batches(store, batches, embedder, write_bm25, bar, on_conflict=on_conflict, **how)


def _only_sample(terminal: Terminal) -> None:
    """Refuse to mix the sample into somebody's own index."""
    from rag.errors import StoreMissing

    try:
        papers = open_snapshot(terminal).papers()
    except StoreMissing:
        return
    if any(source.path != SAMPLE for paper in papers for source in paper.sources):
        message = f"{terminal.settings.store} holds papers of yours."
        raise StoreError(message, "rag demo --store demo_index")


def _warn_of_sample(terminal: Terminal) -> None:
    """Say so if somebody's own papers have come to stand beside the sample."""
    places = {source.path for paper in open_snapshot(terminal).papers() for source in paper.sources}
    if SAMPLE in places and not places <= {SAMPLE}:
        store = terminal.settings.store
        terminal.note(f"{store} also holds the sample; for an index of your own name one: --store")


def _show_report(
    terminal: Terminal,
    report: IngestReport,
    rejected: Sequence[Rejection],
    failures: Sequence[SourceError],
    seconds: float,
) -> None:
    for rejection in rejected:
        line = f", line {rejection.line}" if rejection.line else ""
        terminal.note(f"not taken: {rejection.path}{line}: {rejection.reason}")
    for failure in failures:
        terminal.note(f"error: {failure.message}\n  fix: {failure.fix}")
    if terminal.as_json:
        rows = [asdict(rejection) for rejection in rejected]
        error = {"error": failures[0].to_json()} if failures else {}
        terminal.emit({**asdict(report), "rejected": rows, "seconds": seconds, **error})
        return
    counts = ("added", "updated", "unchanged", "removed", "merged")
    parts = [f"{getattr(report, name):,} {name}" for name in counts if getattr(report, name)]
    click.echo(f"{report.papers:,} papers in {terminal.settings.store} ({', '.join(parts)})")
