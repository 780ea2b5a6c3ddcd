"""A machine's copy of the generation that counts on a Chroma server, and back from such a copy.

The copy is made as an ingest makes a generation: of the source records, with the vectors that are
known here or lie on the server, and the index of words made here. So it is, byte for byte, what an
ingest of the same records would have written. Nothing is embedded for it.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path

from rag.corpus.merge import merge
from rag.embed import Embedder
from rag.errors import ServerFailed, StoreError
from rag.store.files import writing
from rag.store.home import Shared, State, copied, refuse_own, stranger, write_copy
from rag.store.ingest import (
    Indexer,
    IngestReport,
    Plan,
    Progress,
    apply,
    draft_of,
    make_valid,
    resume,
    reuse,
    write_draft,
)
from rag.store.lock import write_lock
from rag.store.manifest import fingerprint, unfinished
from rag.store.salvage import salvage
from rag.store.snapshot import Snapshot
from rag.store.sync import sync
from rag.types import Paper

COPIED = frozenset({"index", "manifest", "generation", "papers", "sentences", "vectors", "bm25"})
"""Findings that a new copy is the cure of."""


def refresh(store: Path, home: Shared, indexer: Indexer, note: Callable[[str], None]) -> None:
    """Bring the copy to the generation that counts; one small request where it is that.

    Raises StoreMissing for a server without an index, ServerFailed, and StoreError's other kinds.
    """
    head = home.head()
    if head is None:
        raise home.missing()
    if head != copied(store, home.address):
        with write_lock(store, wait=True, note=note):
            take_copy(store, home, indexer)


def current(store: Path, home: Shared, indexer: Indexer) -> bool:
    """Bring the copy up to date for a writer; returns whether the store is what to begin with: not
    where the server has nothing and the store is a copy of something else."""
    take_copy(store, home, indexer)
    return not stranger(store, home.address)


def take_copy(store: Path, home: Shared, indexer: Indexer, *, anew: bool = False) -> None:
    """The same for who holds the write lock. What is here stays where the server has nothing;
    ``anew`` takes nothing over from it."""
    while (state := home.state()) and (anew or state.head != copied(store, home.address)):
        refuse_own(store)
        try:
            _copy(store, home, state, indexer, anew=anew)
            return
        except ServerFailed:
            if home.head() == state.head:
                raise  # else a writer has moved on, and tidied up


def _copy(store: Path, home: Shared, state: State, indexer: Indexer, *, anew: bool) -> None:
    papers, manifest = merge(state.records), state.manifest
    if fingerprint(papers) != manifest.corpus:
        raise _other_version(home, "its records make other papers here")
    plan = Plan(papers, manifest.embedder, manifest.files)
    before = None if anew else _opened(store)
    if before and before.manifest.embedder == manifest.embedder:
        reuse(plan, before)
    with writing(store):
        draft = draft_of(store)
        with home.collection(store, manifest.embedder) as collection:
            new = [p.paper_id for p in papers if p.paper_id not in plan.vectors]
            present = collection.present([id for paper_id in new for id in plan.ids[paper_id]])
            resume(plan, present, collection)
        if lacking := len(papers) - len(plan.vectors):
            raise _other_version(home, f"the vectors of {lacking:,} papers are not there")
        own = write_draft(store, draft, plan, state.records, manifest.dimensions, indexer)
        write_copy(draft, home.address, state.head)
        make_valid(store, draft, own)


def rebuild_shared(
    store: Path,
    embedder: Embedder,
    indexer: Indexer,
    progress: Progress,
    home: Shared,
    *,
    wait: bool,
) -> IngestReport:
    """Publish the next generation, made anew of the records of the one that counts; of this
    machine's own where the server has none that can be read."""
    with home.writing(store, wait=wait, note=progress.note):
        records, source = list[Paper](), None
        with suppress(StoreError):
            records, source = salvage(store, embedder.identity)
        try:
            state = home.state()
        except ServerFailed:
            if not records:
                raise
            state = None
        if state is None and not records:
            raise home.missing()
        records = state.records if state else records
        return apply(store, None, source, records, {}, embedder, indexer, progress, home)


def mend_shared(
    store: Path, home: Shared, indexer: Indexer, findings: Collection[str], progress: Progress
) -> list[str]:
    """Repair what can be repaired of a server's index and of this machine's copy of it, without
    embedding anything; returns what was done. Raises StoreError's kinds."""
    done: list[str] = []
    with home.writing(store, wait=True, note=progress.note):
        if COPIED.intersection(findings):
            take_copy(store, home, indexer, anew=True)
            done.append("took a new copy from the server")
        if not home.has(store):
            return done
        snapshot = Snapshot.open(store)
        if {"chroma", "chroma recall"}.intersection(findings):
            added, removed = sync(snapshot, home)
            done.append(f"put {added:,} chunks onto the server and took {removed:,} off")
        shutil.rmtree(unfinished(store), ignore_errors=True)
        home.tidy(store, snapshot.manifest.embedder)
    return done


def _opened(store: Path) -> Snapshot | None:
    try:
        return Snapshot.open(store)
    except StoreError:
        return None


def _other_version(home: Shared, why: str) -> ServerFailed:
    message = f"The index on {home.address.place} cannot be copied: {why}."
    fix = "use the version of this program that wrote it, or rag rebuild to make it anew with this"
    return ServerFailed(message, fix)
