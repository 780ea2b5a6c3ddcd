"""Options that several commands share, each as one decorator."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import click

from rag.cli.terminal import Terminal

Command = TypeVar("Command", bound=Callable[..., Any])


def common(command: Command) -> Command:
    """The options that every command has; the command gets a Terminal instead of them."""

    @click.option("--store", metavar="DIR", help="Index folder.  [default: index_store]")
    @click.option("--json", "as_json", is_flag=True, help="JSON on stdout.")
    @click.option("-q", "--quiet", is_flag=True, help="No notes or progress on stderr.")
    @click.pass_context
    @wraps(command)
    def wrapper(
        context: click.Context,
        /,
        store: str | None,
        as_json: bool,
        quiet: bool,
        **rest: Any,
    ) -> Any:
        from rag.config import NAMES, load

        before = context.obj or {}
        flags = {name: rest.pop(name) for name in NAMES if name in rest}
        flags["store"] = store or before.get("store")
        terminal = Terminal(
            load(flags),
            as_json or before.get("as_json", False),
            quiet or before.get("quiet", False),
            flags,
        )
        return command(terminal, **rest)

    return wrapper  # type: ignore[return-value]


def modelled(command: Command) -> Command:
    """The options of a command that may ask a model: settings all of them, so ``common``, which
    has to be there too, takes them."""
    for option in reversed(_MODELLED):
        command = option(command)
    return command


rewordable = click.option(
    "--no-reword", "reword", flag_value="no", help="Search for the question's own words alone."
)
"""The option of a command whose questions a model may put into other words; ``common`` takes it
too."""

several = click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    help="Requests at once to a model.  [default: 4; 1 to a server on this machine]",
)
"""The option of a command that has many requests to make."""

prompted = click.option("--prompts", metavar="DIR", help="Prompts in the place of ours.")
"""The option of a command that reads prompts; ``common`` takes it too."""

_MODELLED = (
    click.option("--engine", metavar="NAME", help="Who writes the answer: extractive or llm."),
    click.option("--model", metavar="NAME", help="The model that writes."),
    click.option("--base-url", metavar="URL", help="A server of models, if not OpenAI's."),
    prompted,
    click.option("--strict", is_flag=True, default=None, help="Drop what no quote supports."),
    click.option("--budget", metavar="USD", type=float, help="Stop before more is spent."),
    click.option("--no-cache", "cache", flag_value="no", help="Ask again what has been asked."),
)


def _years(context: click.Context, option: click.Parameter, years: str | None) -> str | None:
    """The years as given, if they are any."""
    from rag.errors import QuestionError
    from rag.retrieve.filters import span

    try:
        _ = span(years) if years else None
    except QuestionError as error:
        raise click.BadParameter(f"{error.message} Please {error.fix}.", context, option) from error
    return years


def filtered(command: Command) -> Command:
    """The options that narrow down the papers; the command gets Filters."""

    @click.option("--author", metavar="NAME", help="Only papers by this author: Kim, or J. Kim.")
    @click.option("--area", help="Only papers whose area contains this.")
    @click.option("--venue", help="Only papers whose venue contains this.")
    @click.option(
        "--status",
        help="Papers of this status, such as oral or reject; all for those not accepted, too.",
    )
    @click.option(
        "--year",
        metavar="YEARS",
        callback=_years,
        help="Only papers of these years: 2031, 2029-2031, 2029- or -2031.",
    )
    @click.option("--paper", "papers", multiple=True, help="Only this paper_id; can be repeated.")
    @wraps(command)
    def wrapper(
        *args: Any,
        author: str | None,
        area: str | None,
        venue: str | None,
        status: str | None,
        year: str | None,
        papers: tuple[str, ...],
        **rest: Any,
    ) -> Any:
        from rag.retrieve.filters import Filters

        filters = Filters(area, venue, status, year, papers, author)
        return command(*args, filters=filters, **rest)

    return wrapper  # type: ignore[return-value]
