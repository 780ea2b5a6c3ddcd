"""The repairs that a doctor may do unasked: no record is given up for them, and nothing is paid.

What is left to the user: to choose between embedders, and to go back to older records.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterator
from pathlib import Path

from rag.corpus.merge import merge
from rag.embed import Embedder
from rag.errors import StoreError
from rag.store.files import writing
from rag.store.ingest import Indexer, Progress, adopt, draft_of, rebuild
from rag.store.lock import write_lock
from rag.store.manifest import fingerprint, generations, load_manifest, unfinished
from rag.store.snapshot import UNREADABLE, Snapshot, read_papers
from rag.store.sync import sync

REBUILT = frozenset({"manifest", "generation", "papers", "sentences", "vectors"})
"""Findings that take a new generation, made of the records of the valid one."""


def mend(
    store: Path,
    embedder: Embedder,
    indexer: Indexer,
    findings: Collection[str],
    progress: Progress,
    *,
    may_embed: bool,
) -> list[str]:
    """Repair what the findings, names of checks, can be repaired of; returns what was done.

    ``may_embed`` says whether a text whose vectors are lost may be embedded again. Raises
    StoreError's kinds.
    """
    if not generations(store):
        return []
    with write_lock(store, wait=True, note=progress.note), writing(store):
        done = ["took over what a writer had completed"] if adopt(store) else []
    if _opens(store) and (done or not REBUILT.intersection(findings)):
        with write_lock(store, wait=True, note=progress.note), writing(store):
            return done + list(_repairs(Snapshot.open(store), indexer, findings))
    if may_embed and _rebuildable(store, embedder):
        report = rebuild(store, embedder, indexer, progress)
        made = f"made {report.papers:,} papers anew from their records"
        done.append(f"{made}, {report.embedded:,} of them embedded again")
    return done


def _repairs(snapshot: Snapshot, indexer: Indexer, findings: Collection[str]) -> Iterator[str]:
    """Repair what lies beside the records; says what was done."""
    if {"chroma", "leftovers"}.intersection(findings):
        added, removed = sync(snapshot)
        if added or removed:
            yield f"put {added:,} chunks into Chroma and took {removed:,} out"
    if unfinished(snapshot.store).exists():
        shutil.rmtree(unfinished(snapshot.store))
        yield "removed what an unfinished change had left"
    if "bm25" in findings:
        _index_anew(snapshot, indexer)
        yield "indexed the words anew"
    for folder in _superfluous(snapshot):
        shutil.rmtree(folder)
        yield f"removed generation {folder.name}"


def _index_anew(snapshot: Snapshot, indexer: Indexer) -> None:
    """Write what readers want beside the records aside, then in the place of what is there."""
    draft = draft_of(snapshot.store)
    indexer(draft, list(snapshot.papers()))
    for path in draft.iterdir():
        place = snapshot.folder / path.name
        shutil.rmtree(place, ignore_errors=True)
        path.rename(place)
    draft.rmdir()


def _superfluous(snapshot: Snapshot) -> list[Path]:
    """Generations but for the valid one and the one before it."""
    older = [f for f in generations(snapshot.store) if f.name < snapshot.manifest.folder]
    kept = {snapshot.manifest.folder, *(folder.name for folder in older[-1:])}
    return [folder for folder in generations(snapshot.store) if folder.name not in kept]


def _opens(store: Path) -> bool:
    try:
        Snapshot.open(store)
    except StoreError:
        return False
    return True


def _rebuildable(store: Path, embedder: Embedder) -> bool:
    """Whether the newest records are all there, and the embedder is theirs."""
    newest = generations(store)[-1]
    try:
        manifest = load_manifest(newest)
        papers = merge(read_papers(newest / "records.jsonl"))
    except (*UNREADABLE, StoreError):
        return False
    return (manifest.embedder, manifest.corpus) == (embedder.identity, fingerprint(papers))
