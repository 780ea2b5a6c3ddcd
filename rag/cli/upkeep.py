"""The index in good order: doctor, rebuild."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from rag.cli.options import common
from rag.cli.terminal import GATE, Bar, Terminal
from rag.opening import open_embedder


@click.command()
@common
def doctor(terminal: Terminal) -> None:
    """Check the index and say how to mend what is wrong."""
    _check(terminal, {})


@click.command()
@click.option("--no-wait", is_flag=True, help="Fail if another process is writing.")
@common
def rebuild(terminal: Terminal, no_wait: bool) -> None:
    """Make the index anew from the records that it keeps, without the original files."""
    from rag.retrieve.indexing import write_index
    from rag.store.ingest import rebuild as rebuild_store

    store, embedder, bar = terminal.settings.store, open_embedder(terminal), Bar(terminal)
    report = rebuild_store(store, embedder, write_index, bar, wait=not no_wait)
    terminal.note(f"{report.papers:,} papers, {report.embedded:,} of them embedded again")
    _check(terminal, asdict(report))


def _check(terminal: Terminal, report: Mapping[str, Any]) -> None:
    """Print every check of the index, after ``report`` in JSON; exit 3 if one fails."""
    from rag.store.doctor import diagnose

    checks = diagnose(terminal.settings.store, open_embedder(terminal, one_shot=True), _open_bm25)
    if terminal.as_json:
        terminal.emit({**report, "checks": [asdict(check) for check in checks]})
    else:
        for check in checks:
            mark = "ok  " if check.ok else "BAD "
            fix = "" if check.ok else f"\n     fix: {check.fix}"
            click.echo(f"{mark} {check.name}: {check.detail}{fix}")
    if not all(check.ok for check in checks):
        raise SystemExit(GATE)


def _open_bm25(folder: Path) -> None:
    from rag.retrieve.lexical import Lexical

    Lexical(folder)
