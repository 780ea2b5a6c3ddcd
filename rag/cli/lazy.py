"""Groups of commands of which only the one that runs is imported."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import ClassVar

import click

LONGEST = 200
"""Characters that a command's first sentence may have in the help."""


class LazyGroup(click.Group):
    """Commands that are imported when they are asked for; ``commands_at`` has each one's module
    and function, such as ``papers:ingest``, in the order of the help."""

    commands_at: ClassVar[Mapping[str, str]]

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands_at)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.commands_at:
            return None
        module, _, function = self.commands_at[cmd_name].partition(":")
        command: click.Command = getattr(import_module(f"rag.cli.{module}"), function)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Each command with the whole of its first sentence, over lines where it takes them."""
        names = self.list_commands(ctx)
        commands = [command for name in names if (command := self.get_command(ctx, name))]
        told = [command.get_short_help_str(LONGEST) for command in commands]
        with formatter.section("Commands"):
            formatter.write_dl(list(zip(names, told, strict=True)))
