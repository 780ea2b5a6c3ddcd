"""Chroma brought in step with a generation, out of that generation's own vectors.

Knows no embedder: whatever Chroma may hold or have lost, nothing is embedded for it.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from itertools import chain

from rag.errors import StoreDamaged
from rag.store.chroma import Collection, chunk_ids, chunks_of, readable_ids
from rag.store.files import writing
from rag.store.home import HERE, Home, Shared
from rag.store.snapshot import Snapshot

GROUP = 128
"""Papers in one write."""


def sync(snapshot: Snapshot, home: Home = HERE) -> tuple[int, int]:
    """Make Chroma hold the chunks of a generation and no others; the caller holds the write lock.

    Returns how many were put in and how many taken out. Raises StoreUnwritable.
    """
    with writing(snapshot.store):
        if not isinstance(home, Shared):
            _drop_unreadable(snapshot)
        wanted = expected_ids(snapshot)
        with home.collection(snapshot.store, snapshot.manifest.embedder) as collection:
            present = collection.ids()
            if present.isdisjoint(chain.from_iterable(wanted)):
                collection.clear()  # of vectors of another length, perhaps
            lacking = [row for row, ids in enumerate(wanted) if not present.issuperset(ids)]
            for begin in range(0, len(lacking), GROUP):
                _put(snapshot, lacking[begin : begin + GROUP], collection)
            extra = present.difference(*wanted)
            collection.delete(sorted(extra))
    return sum(len(wanted[row]) for row in lacking), len(extra)


def expected_ids(snapshot: Snapshot) -> list[list[str]]:
    """The ids of each paper's chunks, in row order."""
    embedder = snapshot.manifest.embedder
    return [
        chunk_ids(paper, snapshot.spans(row), embedder)
        for row, paper in enumerate(snapshot.papers())
    ]


def _drop_unreadable(snapshot: Snapshot) -> None:
    folder = snapshot.store / "chroma"
    try:
        if folder.exists():
            readable_ids(snapshot.store)
    except StoreDamaged:
        shutil.rmtree(folder)


def _put(snapshot: Snapshot, rows: Sequence[int], collection: Collection) -> None:
    import numpy as np

    embedder = snapshot.manifest.embedder
    chunks = [
        chunk
        for row in rows
        for chunk in chunks_of(snapshot.paper(row), snapshot.spans(row), embedder)
    ]
    collection.upsert(chunks, np.vstack([snapshot.paper_vectors(row) for row in rows]))
