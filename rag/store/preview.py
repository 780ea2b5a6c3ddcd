"""What an ingest would do to an index, without doing it: nothing is embedded, locked or written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rag.corpus.merge import merge
from rag.errors import StoreMissing
from rag.store.ingest import Batch, IngestReport, compared, replace_batches
from rag.store.snapshot import Snapshot


def preview(store: Path, batches: Sequence[Batch], *, keep: bool) -> IngestReport:
    """The report that an ingest would give; its ``chunks`` are those of today, as texts are not
    cut into sentences for it. Raises StoreError's kinds, not StoreMissing."""
    try:
        before = Snapshot.open(store)
    except StoreMissing:
        before = None
    old = list(before.records()) if before else []
    records = replace_batches(old, batches, keep=keep)
    papers = merge(records)
    known = set(before.manifest.hashes.values()) if before else set()
    new = sum(paper.text_hash not in known for paper in papers)
    chunks = before.manifest.chunks if before else 0
    return compared(list(before.papers()) if before else [], papers, records, chunks, new)
