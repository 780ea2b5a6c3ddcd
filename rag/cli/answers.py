"""Questions to the index: search, ask, and both over a file of questions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rag.cli.costs import NO_MODEL, show_estimate, spent
from rag.cli.explaining import Why, explainable, explanation_text, search_explanation
from rag.cli.options import common, filtered, modelled, rewordable
from rag.cli.terminal import Terminal, say
from rag.errors import ConfigError, RagError, SourceError
from rag.opening import open_asker, open_retriever

if TYPE_CHECKING:
    from rag.batch import Row
    from rag.engine.answer import Asker
    from rag.retrieve.filters import Filters
    from rag.retrieve.hybrid import Retriever
    from rag.types import Answer, Hit


@click.command()
@click.argument("query", nargs=-1)
@click.option("-k", "top_k", type=click.IntRange(min=1), help="How many papers.  [default: 10]")
@click.option("--batch", metavar="FILE.jsonl", help='Rows {"id", "question"}; JSON Lines out.')
@explainable
@filtered
@common
def search(
    terminal: Terminal, query: Sequence[str], batch: str | None, explain: bool, filters: Filters
) -> None:
    """Find the papers nearest to a query, each with its best passages."""
    from rag.render import hits_text
    from rag.retrieve.filters import told_left_out

    k, text = terminal.settings.top_k, _question(query, batch)
    retriever = open_retriever(terminal, text)
    if batch is not None:

        def results(row: Row) -> dict[str, Any]:
            hits = retriever.search(row.question, k, filters)
            return {"results": _hits_json(retriever, row.question, hits, filters, explain)}

        _run_batch(terminal, batch, results)
        return
    hits = retriever.search(text, k, filters)
    if terminal.as_json:
        for data in _hits_json(retriever, text, hits, filters, explain):
            terminal.emit(data)
    elif hits:
        click.echo(hits_text(hits, terminal.style))
        if explain:
            why = search_explanation(retriever, text, hits, filters)
            say(f"\n{explanation_text(why)}")
    if note := retriever.foreign(text):
        terminal.note(note)
    if note := told_left_out(retriever.snapshot, filters):
        terminal.note(note)


@click.command()
@click.argument("paper_id", metavar="PAPER")
@click.option("-k", "top_k", type=click.IntRange(min=1), help="How many papers.  [default: 10]")
@filtered
@common
def similar(terminal: Terminal, paper_id: str, filters: Filters) -> None:
    """Find the papers most like one, each with its passages that are nearest to it.

    PAPER is an id, or a name or title as rag list shows it. What counts is nearness in meaning, and
    the rarest words that both have.
    """
    from rag.engine.listing.similar import similar as papers_like
    from rag.render import hits_text
    from rag.retrieve.filters import told_left_out

    retriever = open_retriever(terminal)
    row = retriever.snapshot.find(paper_id)
    if note := told_left_out(retriever.snapshot, filters):
        terminal.note(note)
    hits = papers_like(retriever, row, terminal.settings.top_k, filters)
    if terminal.as_json:
        for hit in hits:
            terminal.emit(hit.to_json())
    elif hits:
        click.echo(hits_text(hits, terminal.style))
    else:
        terminal.note("there is no other paper")


def _hits_json(
    retriever: Retriever, query: str, hits: Sequence[Hit], filters: Filters, explain: bool
) -> list[dict[str, Any]]:
    """Each hit as an object, with what explains it if that is wanted."""
    if not (explain and hits):
        return [hit.to_json() for hit in hits]
    why = search_explanation(retriever, query, hits, filters)
    question = why.to_json()["understood"]
    return [
        {**hit.to_json(), "explain": {"understood": question, "paper": asdict(paper)}}
        for hit, paper in zip(hits, why.papers, strict=True)
    ]


@click.command()
@click.argument("question", nargs=-1)
@click.option(
    "--batch", metavar="FILE.jsonl", help='Rows {"id", "question", "history"}; JSON Lines out.'
)
@click.option("--dry-run", is_flag=True, help="Say what a model would cost, and ask none.")
@click.option("--no-stream", is_flag=True, help="Show the answer when all of it is there.")
@explainable
@rewordable
@modelled
@filtered
@common
def ask(
    terminal: Terminal,
    question: Sequence[str],
    batch: str | None,
    dry_run: bool,
    no_stream: bool,
    explain: bool,
    filters: Filters,
) -> None:
    """Answer a question with exact quotes, or say that the abstracts do not."""
    text = _question(question, batch)
    asker = open_asker(terminal, text)
    if dry_run:
        from rag.batch import Row

        rows = [Row(None, text)] if batch is None else _rows(batch)
        _estimate(terminal, asker, rows, filters)
    elif batch is not None:

        def reply(row: Row) -> dict[str, Any]:
            why = Why(asker, wanted=explain)
            answer = asker.ask(row.question, row.history, filters, on_considered=why.hear)
            return why.json(answer)

        _run_batch(terminal, batch, reply)
    else:
        why = Why(asker, wanted=explain)
        ask_it = partial(asker.ask, text, filters=filters, on_considered=why.hear)
        if no_stream or terminal.as_json or not asker.writer:
            answer = show_answer(terminal, ask_it(), why)
        else:
            answer = show_streamed(terminal, ask_it)
        if not terminal.as_json:
            why.tell(answer)
        _keep(terminal, answer, filters)


def _keep(terminal: Terminal, answer: Answer, filters: Filters) -> None:
    """Keep the answer for rag eval add, now that it has been read."""
    from rag.evaluate.said import remember, row_of

    sys.stdout.flush()
    remember(terminal.settings.store, row_of(answer, filtered=bool(filters)))


def show_answer(terminal: Terminal, answer: Answer, why: Why | None = None) -> Answer:
    from rag.render import answer_text

    if terminal.as_json:
        terminal.emit(why.json(answer) if why else answer.to_json())
    else:
        click.echo(answer_text(answer, terminal.style))
    tell(terminal, answer)
    return answer


def show_streamed(terminal: Terminal, ask: Callable[..., Answer]) -> Answer:
    """Show an answer while it is being written: sentence by sentence, then its sources."""
    from rag.render import Flow, sources_text

    flow = Flow()
    answer = ask(on_text=lambda piece: click.echo(flow.add(piece), nl=False))
    click.echo(f"\n\n{sources_text(answer, terminal.style)}")
    tell(terminal, answer)
    return answer


def tell(terminal: Terminal, answer: Answer) -> None:
    """How the answer came about and what it took."""
    for note in answer.notes:
        terminal.note(note)
    if not answer.model:
        return
    from rag.engine.writing import NOT_ASKED

    usage = answer.usage
    if usage.input_tokens:
        terminal.note(f"{answer.model}: {spent(usage)}")
    elif NOT_ASKED not in answer.notes:
        terminal.note(f"{answer.model}: answered from the cache")


def _estimate(terminal: Terminal, asker: Asker, rows: Sequence[Row], filters: Filters) -> None:
    """Print what questions would cost at most with a model, leaving out what is rewritten."""
    writer = asker.writer
    if not writer:
        raise ConfigError(*NO_MODEL)
    asked = [asker.messages(row.question, row.history, filters) for row in rows if not row.error]
    requests = [(messages, writer.limit) for messages in asked if messages]
    again = "sentences without support are asked for once more"
    if writer.searches:
        again += ", and unsure searches for other words first"
    show_estimate(terminal, writer.model, requests, again)


def _question(words: Sequence[str], batch: str | None) -> str:
    """The question of a command; raises UsageError unless there is just one of words and batch."""
    text = " ".join(words)
    if text.strip() and batch is not None:
        message = "--batch takes its questions from the file"
        raise click.UsageError(message, click.get_current_context())
    if not text.strip() and batch is None:
        raise click.UsageError("a question is missing", click.get_current_context())
    return text


def _run_batch(terminal: Terminal, path: str, reply: Callable[[Row], dict[str, Any]]) -> None:
    """Answer each row of a JSON Lines file in order; a bad one costs only itself."""
    from tqdm import tqdm

    hidden = terminal.quiet or not sys.stderr.isatty()
    for row in tqdm(_rows(path), unit=" questions", disable=hidden):
        try:
            if row.error:
                raise row.error
            terminal.emit({"id": row.id, **reply(row)})
        except RagError as error:
            terminal.emit({"id": row.id, "error": error.to_json()})
            terminal.note(f"error: {error.message}\n  fix: {error.fix}")


def _rows(path: str) -> list[Row]:
    """The rows of a batch file, or of stdin for "-"."""
    from rag.batch import parse_rows

    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise SourceError(f"{path} cannot be read: {error}", "name a JSON Lines file") from error
    return list(parse_rows(text, path))
