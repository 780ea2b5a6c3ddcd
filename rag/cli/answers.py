"""Questions to the index: search, ask, and both over a file of questions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rag.cli.costs import NO_MODEL, show_estimate, spent
from rag.cli.opening import open_asker, open_retriever
from rag.cli.options import common, filtered, modelled
from rag.cli.terminal import Terminal
from rag.errors import ConfigError, RagError, SourceError

if TYPE_CHECKING:
    from rag.batch import Row
    from rag.engine.answer import Asker
    from rag.retrieve.filters import Filters
    from rag.types import Answer


@click.command()
@click.argument("query", nargs=-1)
@click.option("-k", "top_k", type=click.IntRange(min=1), help="How many papers.  [default: 10]")
@click.option("--batch", metavar="FILE.jsonl", help='Rows {"id", "question"}; JSON Lines out.')
@filtered
@common
def search(terminal: Terminal, query: Sequence[str], batch: str | None, filters: Filters) -> None:
    """Find the papers nearest to a query, each with its best passages."""
    from rag.render import hits_text

    k, text = terminal.settings.top_k, _question(query, batch)
    retriever = open_retriever(terminal, text)
    if batch is not None:

        def results(row: Row) -> dict[str, Any]:
            hits = retriever.search(row.question, k, filters)
            return {"results": [hit.to_json() for hit in hits]}

        _run_batch(terminal, batch, results)
        return
    hits = retriever.search(text, k, filters)
    if terminal.as_json:
        for hit in hits:
            terminal.emit(hit.to_json())
    elif hits:
        click.echo(hits_text(hits, terminal.style))


@click.command()
@click.argument("question", nargs=-1)
@click.option(
    "--batch", metavar="FILE.jsonl", help='Rows {"id", "question", "history"}; JSON Lines out.'
)
@click.option("--dry-run", is_flag=True, help="Say what a model would cost, and ask none.")
@click.option("--no-stream", is_flag=True, help="Show the answer when all of it is there.")
@modelled
@filtered
@common
def ask(
    terminal: Terminal,
    question: Sequence[str],
    batch: str | None,
    dry_run: bool,
    no_stream: bool,
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
            return asker.ask(row.question, row.history, filters).to_json()

        _run_batch(terminal, batch, reply)
    elif no_stream or terminal.as_json or not asker.writer:
        _keep(terminal, show_answer(terminal, asker.ask(text, filters=filters)), filters)
    else:
        ask_it = partial(asker.ask, text, filters=filters)
        _keep(terminal, show_streamed(terminal, ask_it), filters)


def _keep(terminal: Terminal, answer: Answer, filters: Filters) -> None:
    """Keep the answer for rag eval add, now that it has been read."""
    from rag.evaluate.said import remember, row_of

    sys.stdout.flush()
    remember(terminal.settings.store, row_of(answer, filtered=bool(filters)))


def show_answer(terminal: Terminal, answer: Answer) -> Answer:
    from rag.render import answer_text

    if terminal.as_json:
        terminal.emit(answer.to_json())
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
