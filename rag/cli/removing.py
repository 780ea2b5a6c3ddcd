"""Papers out of the index, after a look at which they are."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rag.cli.choosing import chosen
from rag.cli.options import common, filtered
from rag.cli.terminal import Bar, Terminal
from rag.errors import SourceError
from rag.opening import open_embedder, open_home, open_snapshot

if TYPE_CHECKING:
    from rag.retrieve.filters import Filters
    from rag.store.snapshot import Snapshot
    from rag.types import Paper

SHOWN = 10
"""Papers that are named before they go."""


@click.command()
@click.argument("named", nargs=-1, metavar="[PAPER]…")
@click.option("--source", metavar="FILE", help="All that came from this file.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask; needed where there is no terminal.")
@click.option("--dry-run", is_flag=True, help="Say what would go, and leave it.")
@click.option("--no-wait", is_flag=True, help="Fail if another process is writing.")
@filtered
@common
def remove(
    terminal: Terminal,
    named: Sequence[str],
    source: str | None,
    yes: bool,
    dry_run: bool,
    no_wait: bool,
    filters: Filters,
) -> None:
    """Take papers out of the index: some by id, name or title, those that pass the filters, or
    those of a file.

    Filters take what rag list shows with them. No file is touched, and nothing is remembered: the
    next rag ingest of a file that has a removed paper brings it back, even if the file has not
    changed. With --source, a paper that other files have too stays, as they have it.
    """
    from rag.retrieve.indexing import write_index
    from rag.store.ingest import remove as take_out

    _check_choice(named, source, filters)
    snapshot = open_snapshot(terminal)
    file = _file(snapshot, source) if source is not None else None
    if file is not None:
        gone = _of_file(snapshot, file)
    else:
        gone = [snapshot.paper(row) for row in chosen(terminal, snapshot, named, filters)]
    if dry_run:
        _tell(terminal, gone, left=len(snapshot) - len(gone), removed=False)
        return
    if not (yes or _confirmed(gone)):
        terminal.note("nothing is removed")
        return
    ids = {paper.paper_id for paper in gone}
    store, embedder, bar = terminal.settings.store, open_embedder(terminal), Bar(terminal)
    report = take_out(
        store, ids, file, embedder, write_index, bar, wait=not no_wait, home=open_home(terminal)
    )
    _tell(terminal, gone, left=report.papers, removed=True)


def _check_choice(named: Sequence[str], source: str | None, filters: Filters) -> None:
    """Raise UsageError unless it is said in just one way which papers are meant."""
    ways = sum(map(bool, (named, source is not None, filters)))
    if ways != 1:
        message = "say which papers: by name, by --source FILE, or by filters"
        several = ", not by several of them" if ways else ""
        raise click.UsageError(message + several, click.get_current_context())


def _file(snapshot: Snapshot, name: str) -> str:
    """The absolute path of a source, given as at its ingest or from here."""
    here = str(Path(name).resolve())
    sources = [source for paper in snapshot.papers() for source in paper.sources]
    files = {source.file for source in sources if source.file == here}
    files = files or {source.file for source in sources if source.path == name}
    if len(files) != 1:
        known = sorted({source.file if files else source.path for source in sources})
        what = f"Several files were given as {name}" if files else f"No paper came from {name}"
        raise SourceError(f"{what}.", f"there are: {'; '.join(known[:20])}")
    return files.pop()


def _of_file(snapshot: Snapshot, file: str) -> list[Paper]:
    """Papers that no other file has."""
    return [
        paper for paper in snapshot.papers() if all(source.file == file for source in paper.sources)
    ]


def _confirmed(gone: Sequence[Paper]) -> bool:
    """Whether papers may go; raises UsageError where nobody can be asked."""
    if not sys.stdin.isatty():
        message = "--yes is needed where nobody can be asked; --dry-run shows what would go"
        raise click.UsageError(message, click.get_current_context())
    from rag.render import list_line

    for paper in gone[:SHOWN]:
        click.echo(list_line(paper), err=True)
    more = f"and {len(gone) - SHOWN:,} more: " if len(gone) > SHOWN else ""
    return click.confirm(f"{more}remove {_papers(len(gone))}?", err=True)


def _tell(terminal: Terminal, gone: Sequence[Paper], *, left: int, removed: bool) -> None:
    from rag.render import list_line

    store = terminal.settings.store
    paths = list(dict.fromkeys(source.path for paper in gone for source in paper.sources))
    if terminal.as_json:
        ids = [paper.paper_id for paper in gone]
        terminal.emit({"paper_ids": ids, "files": paths, "removed": removed, "papers": left})
        return
    if removed:
        click.echo(f"{_papers(len(gone))} removed, {left:,} left in {store}")
        if gone:
            named = ", ".join(paths[:3]) + (f" and {len(paths) - 3:,} more" * (len(paths) > 3))
            terminal.note(f"what {named} has comes back when it is ingested again")
        return
    for paper in gone:
        click.echo(list_line(paper))
    terminal.note(f"{_papers(len(gone))} would go, {left:,} would be left in {store}")


def _papers(count: int) -> str:
    return "1 paper" if count == 1 else f"{count:,} papers"
