"""The papers of an index: demo, show, list."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rag.cli.answers import show_answer
from rag.cli.digests import write_page
from rag.cli.ingesting import SAMPLE, batch_of, take_over
from rag.cli.options import common, filtered
from rag.cli.terminal import Terminal
from rag.errors import StoreError
from rag.opening import open_asker, open_snapshot

if TYPE_CHECKING:
    from rag.retrieve.filters import Filters
    from rag.store.ingest import Batch

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
    report = take_over(terminal, [sample])
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
@click.argument("paper_id")
@common
def show(terminal: Terminal, paper_id: str) -> None:
    """Show one paper: its clean text, and with --json also the raw one."""
    from rag.corpus.suspicion import suspicions
    from rag.render import paper_text

    snapshot = open_snapshot(terminal)
    paper = snapshot.paper(snapshot.find(paper_id))
    marks = suspicions(paper)
    if terminal.as_json:
        told = [asdict(mark) for mark in marks]
        texts = {"text": paper.text, "raw": paper.raw, "suspicious": told}
        terminal.emit({**paper.to_json(), **texts})
    else:
        click.echo(paper_text(paper, terminal.style))
    for mark in marks:
        terminal.note(f"this abstract has {mark.kind}, which nothing obeys: {mark.passage}")


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

    batch = batch_of(read_file(str(Path(__file__).parent.parent / SAMPLE)))
    records = [
        replace(paper, sources=(replace(paper.sources[0], path=SAMPLE, file=SAMPLE),))
        for paper in batch.records
    ]
    return replace(batch, path=SAMPLE, file=SAMPLE, records=tuple(records))


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
