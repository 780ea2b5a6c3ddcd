"""References among the paths that a person gives, asked for as the settings say."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rag.cli.terminal import Terminal
from rag.errors import SourceError

if TYPE_CHECKING:
    from rag.cli.intake import Intake
    from rag.corpus.online.access import Access

FOLDER = "online"
"""Of the index, in which servers' answers are kept."""
SHOWN_CHARS = 40
"""Of a reference, before its bar."""


def told_apart(paths: Sequence[str]) -> tuple[list[str], list[str]]:
    """Paths of files, and references; a file that is called like one is a file."""
    from rag.corpus.online import is_reference

    every = list(dict.fromkeys(paths))
    references = [path for path in every if is_reference(path) and not os.path.lexists(path)]
    return [path for path in every if path not in references], references


def ask(
    terminal: Terminal,
    intake: Intake,
    references: Sequence[str],
    limit: int | None,
    *,
    refresh: bool,
) -> None:
    """Take what references name, ``limit`` papers of each at most, with a bar for each."""
    from rag.corpus.online import read_reference

    access = _access(terminal, limit, refresh=refresh)
    for reference in references:
        shown = reference[:SHOWN_CHARS] + "…" * (len(reference) > SHOWN_CHARS)
        try:
            with terminal.reporting(shown) as progress:
                reading = read_reference(reference, replace(access, progress=progress))
        except SourceError as error:
            intake.failures.append((reference, error))
            continue
        if intake.known.get(reading.file) == reading.digest:
            intake.unchanged += 1
            continue
        intake.readings.append(reading)
        if reading.problem:
            intake.failures.append((reference, reading.problem))


def _access(terminal: Terminal, limit: int | None, *, refresh: bool) -> Access:
    from rag.corpus.online.access import Access

    settings = terminal.settings
    urls = {
        "openreview": settings.openreview_url,
        "openreview_v1": settings.openreview_v1_url,
        "arxiv": settings.arxiv_url,
        "doi": settings.crossref_url,
    }
    return Access(
        cache=settings.store / FOLDER,
        limit=limit,
        refresh=refresh,
        mailto=settings.mailto,
        timeout=settings.timeout,
        urls={name: url for name, url in urls.items() if url},
        note=terminal.note,
    )
