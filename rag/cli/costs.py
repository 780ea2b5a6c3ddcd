"""What models cost, said before and after."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from rag.cli.terminal import Terminal
from rag.errors import ConfigError
from rag.opening import open_price
from rag.types import Usage

if TYPE_CHECKING:
    from rag.models import Message, Model
    from rag.store.snapshot import Snapshot
    from rag.summarize import Summarizer

    Request = tuple[Sequence[Message], int]
    """Messages, and the most tokens of the reply."""

NO_MODEL = "No model is asked, so nothing is spent.", "--engine llm --model NAME"
"""What is wrong with asking for an estimate then, and the fix."""


def spent(usage: Usage) -> str:
    """Tokens and dollars in words."""
    cost = f", ${usage.cost_usd:.4f}" if usage.cost_usd else ""
    return f"{usage.input_tokens:,} tokens read, {usage.output_tokens:,} written{cost}"


def show_estimate(
    terminal: Terminal, model: Model, requests: Iterable[Request], again: str, **more: Any
) -> None:
    """Print what requests would cost at most; ``again`` says what may be asked once more, ``more``
    stands in the JSON, too."""
    from rag.models.budget import estimate, tell_if_estimated
    from rag.render import safe

    price = open_price(terminal, model)
    tell_if_estimated(model, terminal.note)
    each = [estimate(messages, limit, model, price) for messages, limit in requests]
    report = {
        "model": model.name,
        **more,
        "requests": len(each),
        "input_tokens": sum(e.input_tokens for e in each),
        "output_tokens": sum(e.output_tokens for e in each),
        "cost_usd": sum(e.cost_usd or 0.0 for e in each) if price else None,
    }
    if terminal.as_json:
        terminal.emit(report)
    else:
        click.echo(safe(f"{_told(report)}; {again}"))


def requests_for_lines(
    summarizer: Summarizer, snapshot: Snapshot, rows: Iterable[int]
) -> tuple[Model, list[Request]]:
    """A model, and what it would be asked first about the papers that have no line yet. Raises
    ConfigError without a model."""
    from rag.summarize.kept import Kept
    from rag.summarize.written import Written

    if not isinstance(summarizer, Kept) or not isinstance(summarizer.summarizer, Written):
        raise ConfigError(*NO_MODEL)
    written = summarizer.summarizer
    new = (row for row in rows if not summarizer.find(snapshot.paper(row)))
    asked = (written.messages(snapshot.paper(row), snapshot.spans(row)) for row in new)
    return written.model, [(messages, written.limit) for messages in asked if messages]


def _told(report: dict[str, Any]) -> str:
    count, cost = report["requests"], report["cost_usd"]
    requests = "1 request" if count == 1 else f"{count:,} requests"
    if cost is None:
        price = "at a price that is not known"
    else:
        price = f"for at most ${cost:.4f}" if cost else "for nothing"
    return (
        f"{requests} to {report['model']}: {report['input_tokens']:,} tokens to read, at most "
        f"{report['output_tokens']:,} to write, {price}"
    )
