"""Which papers a command is about: some by name, or all that pass the filters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rag.cli.terminal import Terminal
    from rag.retrieve.filters import Filters
    from rag.store.snapshot import Snapshot


def chosen(
    terminal: Terminal,
    snapshot: Snapshot,
    names: Sequence[str],
    filters: Filters,
    match: str | None = None,
) -> list[int]:
    """Rows of the papers meant, each once: of those named in their order, else of all that pass
    and, with ``match``, mention it, with a note of how many were left out unasked. Raises
    UsageError, PaperNotFound or, if none passes the filters, QuestionError."""
    from rag.retrieve.filters import passing, told_left_out
    from rag.retrieve.lexical import mentions

    if names and (filters or match is not None):
        message = "name papers, or narrow them down by filters, not both"
        raise click.UsageError(message, click.get_current_context())
    if names:
        return list(dict.fromkeys(map(snapshot.find, names)))
    if note := told_left_out(snapshot, filters):
        terminal.note(note)
    rows = passing(snapshot, filters)
    return [row for row in rows if match is None or mentions(snapshot.paper(row), match)]
