"""The group ``rag store``: an index as one file, and back."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rag.cli.options import common
from rag.cli.terminal import Terminal
from rag.errors import ConfigError

if TYPE_CHECKING:
    from rag.store.pack import PackReport


@click.group("store")
def store() -> None:
    """Keep an index as one file, and restore it."""


@store.command()
@click.argument("file", type=click.Path(path_type=Path))
@common
def pack(terminal: Terminal, file: Path) -> None:
    """Write the index to FILE: its records and vectors, and what is kept beside them.

    FILE is replaced if it is there, once the new one is whole. It holds your chats and judgements,
    too, but no keys.
    """
    from rag.store.pack import pack as packed

    _show(terminal, packed(terminal.settings.store, file), f"packed to {file}")


@store.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Replace an index that is there.")
@common
def unpack(terminal: Terminal, file: Path, force: bool) -> None:
    """Make an index of FILE, once all of it is known to be as it was packed."""
    from rag.retrieve.indexing import write_index
    from rag.store.pack import unpack as unpacked

    if terminal.settings.chroma_url:
        fix = "unset RAG_CHROMA_URL and unpack; rag rebuild with it puts that on an empty server"
        raise ConfigError("A pack is unpacked into a folder, not onto a server.", fix)
    folder = terminal.settings.store
    report = unpacked(file, folder, write_index, terminal.note, force=force)
    _show(terminal, report, f"unpacked to {folder}")


def _show(terminal: Terminal, report: PackReport, done: str) -> None:
    if terminal.as_json:
        terminal.emit(asdict(report))
    else:
        size = f"{report.files:,} files, {report.bytes / 1e6:,.1f} MB"
        click.echo(f"{report.papers:,} papers {done} ({size})")
