"""How the settings let papers online be asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rag.cli.terminal import Terminal

if TYPE_CHECKING:
    from rag.corpus.online.access import Access

FOLDER = "online"
"""Of the index, in which servers' answers are kept."""


def open_access(terminal: Terminal, limit: int | None, *, refresh: bool) -> Access:
    """``limit`` papers of each reference at most; ``refresh`` where no kept answer is to do."""
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
