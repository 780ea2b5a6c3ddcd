"""What the program works with, and what it has spent: config, prompts, usage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from rag.cli.options import common, modelled, prompted
from rag.cli.terminal import Terminal
from rag.errors import PromptError

if TYPE_CHECKING:
    from rag.models.ledger import Row
    from rag.prompts import Task


@click.command()
@modelled
@common
def config(terminal: Terminal) -> None:
    """Show every setting and where it comes from. Of a key only the end is shown."""
    from rag.config import embed_endpoint, endpoint, explain, judge_endpoint

    settings = terminal.settings
    server = endpoint(settings).place if settings.engine == "llm" else None
    embedder, judge = embed_endpoint(settings), judge_endpoint(settings)
    embeds, judges = (each.place if each else None for each in (embedder, judge))
    found = explain(terminal.flags)
    if terminal.as_json:
        rows = [{"name": each.name, "value": each.value, "source": each.place} for each in found]
        servers = {"answers": server, "embeddings": embeds, "judges": judges}
        terminal.emit({"settings": rows, "servers": servers})
        return
    _columns(terminal, [(each.name, _plain(each.value), each.place) for each in found])
    click.echo(f"\nanswers: {settings.engine}, {_where(server)}")
    click.echo(f"embeddings: {'a model' if embeds else 'built-in'}, {_where(embeds)}")
    if judges:
        click.echo(f"judges: a model, {_where(judges)}")


@click.command()
@click.argument("name", required=False)
@prompted
@common
def prompts(terminal: Terminal, name: str | None) -> None:
    """List the texts that a model is given, or show those of one task."""
    from rag.prompts import load_tasks

    tasks = [task for task in load_tasks(terminal.settings.prompts) if name in (None, task.name)]
    if not tasks:
        raise PromptError(f"There is no prompt {name!r}.", "rag prompts lists them")
    if terminal.as_json:
        terminal.emit({"prompts": [_as_json(task) for task in tasks]})
    elif name is None:
        rows = [
            (f"{task.name}/{part}", task.identity, str(prompt.path))
            for task in tasks
            for part, prompt in task.messages.items()
        ]
        _columns(terminal, rows)
    else:
        _show_texts(terminal, tasks[0])


@click.command()
@click.option("--by-day", is_flag=True, help="Sums of each day (UTC) instead of all.")
@common
def usage(terminal: Terminal, by_day: bool) -> None:
    """Show what the models have used over this index: requests, tokens, US dollars."""
    from rag.models.ledger import read, summary

    rows = summary(read(terminal.settings.store), by_day=by_day)
    if terminal.as_json:
        terminal.emit({"usage": [asdict(row) for row in rows]})
    elif rows:
        heads = ("", "requests", "tokens in", "tokens out", "USD")
        _columns(terminal, [heads, *(_amounts(row) for row in rows)])
    else:
        terminal.note("no model has been asked yet")
    if unpriced := sum(row.unpriced for row in rows):
        terminal.note(f"requests at a price that is not known, which count as 0: {unpriced:,}")


def _amounts(row: Row) -> tuple[str, ...]:
    name = " ".join(filter(None, (row.day, row.model, "at", row.place)))
    tokens = (f"{row.input_tokens:,}", f"{row.output_tokens:,}")
    cost = "not known" if row.unpriced == row.requests else f"{row.cost_usd:.4f}"
    return name, f"{row.requests:,}", *tokens, cost


def _as_json(task: Task) -> dict[str, Any]:
    messages = [
        {"name": part, "file": str(prompt.path), "text": prompt.text}
        for part, prompt in task.messages.items()
    ]
    return {"name": task.name, "identity": task.identity, "messages": messages}


def _show_texts(terminal: Terminal, task: Task) -> None:
    from rag.render import safe

    click.echo(terminal.style.bold(task.identity))
    for part, prompt in task.messages.items():
        click.echo(terminal.style.dim(safe(f"\n── {part}: {prompt.path}\n")))
        click.echo(safe(prompt.text))


def _plain(value: Any) -> str:
    """A value as it stands in rag.toml."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.10g}"
    return "not set" if value is None else str(value)


def _where(server: str | None) -> str:
    return f"at {server}" if server else "on this machine"


def _columns(terminal: Terminal, rows: Sequence[Sequence[str]]) -> None:
    """Print a table, the last column of it less prominent."""
    from rag.render import safe

    table = [[safe(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for *cells, last in table:
        padded = [f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=False)]
        click.echo("  ".join([*padded, terminal.style.dim(last)]))
