"""Groups of commands of which only the one that runs is imported."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import ClassVar

import click


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
