"""What can still be had from a store that may be damaged: its source records, its vectors.

Knows nothing about Chroma: all that it holds can be made from these two.
"""

from __future__ import annotations

from pathlib import Path

from rag.errors import StoreDamaged, StoreTooNew
from rag.store.manifest import generations, load_manifest, missing
from rag.store.snapshot import UNREADABLE, Snapshot, read_papers
from rag.types import Paper


def salvage(store: Path, embedder: str) -> tuple[list[Paper], Snapshot | None]:
    """The newest source records that can be read, and the newest generation with vectors.

    The generation's own manifest counts, not the store's; it is None where no generation is
    whole and of this embedder. Raises StoreMissing, StoreTooNew, or StoreDamaged where no
    records are left.
    """
    _refuse_newer(store)
    folders = generations(store)[::-1]
    if not folders and not (store / "manifest.json").exists():
        raise missing(store)
    opened = (_whole(store, folder, embedder) for folder in folders)
    return _records(store, folders), next(filter(None, opened), None)


def _refuse_newer(store: Path) -> None:
    """Raise StoreTooNew, so that an old program cannot "repair" what it does not know."""
    try:
        load_manifest(store)
    except UNREADABLE:
        return


def _records(store: Path, folders: list[Path]) -> list[Paper]:
    for folder in folders:
        try:
            return list(read_papers(folder / "records.jsonl"))
        except UNREADABLE:
            continue
    message = f"The index in {store} is damaged, and its source records cannot be read."
    fix = f"remove {store} or name another folder, and rag ingest the original files again"
    raise StoreDamaged(message, fix)


def _whole(store: Path, folder: Path, embedder: str) -> Snapshot | None:
    """The generation in ``folder`` if all its parts fit and its vectors are this embedder's."""
    try:
        snapshot = Snapshot(store, load_manifest(folder))
        snapshot.check()
    except (*UNREADABLE, StoreTooNew):
        return None
    return snapshot if snapshot.manifest.embedder == embedder else None
