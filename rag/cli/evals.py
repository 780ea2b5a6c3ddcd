"""The group ``rag eval``: its commands, and the options that several of them have."""

from __future__ import annotations

import click

from rag.cli.lazy import LazyGroup

COMMANDS = {
    "lint": "cases:lint",
    "schema": "cases:schema",
    "add": "cases:add",
    "draft": "cases:draft",
    "compare": "evaluating:compare_runs",
    "run": "evaluating:run",
}
"""Commands under ``rag eval``; where none is named, ``run`` is meant. Only the one that runs is
imported."""


class Evals(LazyGroup):
    """``rag eval`` runs the cases itself unless its first word is one of its commands."""

    commands_at = COMMANDS

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for name in COMMANDS if name != "run"]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not (args and args[0] in COMMANDS or set(args) & {"-h", "--help"}):
            args = ["run", *args]
        return super().parse_args(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The help of ``run``, then the other commands."""
        run = self.get_command(ctx, "run")
        assert run
        run.format_help(ctx, formatter)
        self.format_commands(ctx, formatter)


@click.group("eval", cls=Evals)
def evals() -> None:
    """Measure the answers on questions of your own, and say whether they got worse."""


cases_folder = click.option(
    "--cases", "evals", metavar="DIR", help="Folder of cases.  [default: evals]"
)
