"""The index in good order: doctor, rebuild."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rag.cli.options import common
from rag.cli.terminal import GATE, Bar, Terminal
from rag.errors import RagError
from rag.opening import open_embedder, open_home, update_copy

if TYPE_CHECKING:
    from rag.store.doctor import Check


@click.command()
@click.option("--fix", is_flag=True, help="Mend what can be mended without losing or paying.")
@common
def doctor(terminal: Terminal, fix: bool) -> None:
    """Check the index, and the servers that the settings name, and say how to mend what is wrong.

    With --fix the safe repairs are made, and all is checked again.
    """
    checks = _checks(terminal)
    findings = {check.name for check in checks if not check.ok}
    if fix and findings:
        done = _mended(terminal, findings)
        for what in done or ["nothing could be mended"]:
            terminal.note(what)
        _show(terminal, _checks(terminal), {"fixed": done})
    else:
        _show(terminal, checks, {"fixed": []} if fix else {})


@click.command()
@click.option("--no-wait", is_flag=True, help="Fail if another process is writing.")
@common
def rebuild(terminal: Terminal, no_wait: bool) -> None:
    """Make the index anew from the records that it keeps, without the original files."""
    from rag.retrieve.indexing import write_index
    from rag.store.ingest import rebuild as rebuild_store

    store, embedder, bar = terminal.settings.store, open_embedder(terminal), Bar(terminal)
    report = rebuild_store(
        store, embedder, write_index, bar, wait=not no_wait, home=open_home(terminal)
    )
    terminal.note(f"{report.papers:,} papers, {report.embedded:,} of them embedded again")
    _show(terminal, _checks(terminal), asdict(report))


def _mended(terminal: Terminal, findings: Collection[str]) -> list[str]:
    from rag.config import embed_endpoint
    from rag.retrieve.indexing import write_index
    from rag.store.home import Shared
    from rag.store.mend import mend

    store, embedder, bar = terminal.settings.store, open_embedder(terminal), Bar(terminal)
    free = embed_endpoint(terminal.settings) is None
    home = open_home(terminal)
    if isinstance(home, Shared):
        from rag.store.copying import mend_shared

        return mend_shared(store, home, write_index, findings, bar)
    return mend(store, embedder, write_index, findings, bar, may_embed=free)


def _checks(terminal: Terminal) -> list[Check]:
    from rag.store.doctor import diagnose
    from rag.store.home import Shared

    embedder = open_embedder(terminal, one_shot=True)
    store, home = terminal.settings.store, open_home(terminal)
    servers, chroma = _servers(terminal), None
    if isinstance(home, Shared):
        with suppress(RagError):  # which the checks will find, too
            update_copy(terminal)
        from rag.store.inspect_server import around, contents

        servers, chroma = {**around(store, home), **servers}, contents(store, home)
    return diagnose(store, embedder, _open_bm25, servers, chroma)


def _servers(terminal: Terminal) -> dict[str, Callable[[], str]]:
    """A check for each server that the settings name, by what it is for."""
    from rag.config import embed_endpoint, endpoint, judge_endpoint
    from rag.endpoint.client import reached

    settings = terminal.settings
    named = {
        "server": endpoint(settings) if settings.engine == "llm" else None,
        "embedding server": embed_endpoint(settings),
        "judging server": judge_endpoint(settings),
    }
    return {name: partial(reached, each) for name, each in named.items() if each}


def _show(terminal: Terminal, checks: Sequence[Check], report: Mapping[str, Any]) -> None:
    """Print every check of the index, after ``report`` in JSON; exit 3 if one fails."""
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
