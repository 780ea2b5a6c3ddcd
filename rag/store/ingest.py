"""Files that were read → an index that is whole at every moment.

The plan compares the papers that should be there with those that are; only texts that are
new get embedded, and what an interrupted ingest had already put into Chroma is taken from
there. Vectors go to Chroma group by group; the manifest is replaced last.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from rag.corpus.merge import merge
from rag.corpus.sentences import sentence_spans
from rag.embed import Document, Embedder
from rag.errors import BudgetError, EndpointError, StoreDamaged, StoreMissing
from rag.store.conflicts import marks, settled
from rag.store.files import writing
from rag.store.home import HERE, Home, Shared
from rag.store.manifest import (
    FORMAT,
    Manifest,
    check_embedder,
    fingerprint,
    generations,
    load_manifest,
    missing,
    unfinished,
    write_manifest,
)
from rag.store.snapshot import UNREADABLE, Snapshot, is_unit, write_generation
from rag.types import OnConflict, Paper, Source

if TYPE_CHECKING:
    from rag.embed import Matrix
    from rag.store.chroma import Collection

Spans = tuple[tuple[int, int], ...]
Indexer = Callable[[Path, Sequence[Paper]], None]
"""Writes further files that readers want into a generation's folder, such as BM25's."""

GROUP = 32
"""Papers in one write to Chroma: each has a fixed cost, and a group is what a kill can lose."""


class Progress(Protocol):
    """How an ingest tells what it is doing: a note, or a growing count of papers."""

    def note(self, text: str) -> None: ...

    def embedding(self, total: int) -> None: ...

    def advance(self, papers: int) -> None: ...


@dataclass(frozen=True, slots=True)
class Batch:
    """What one file holds now: ``file`` is its absolute path, ``whole`` is False where
    a part could not be read, so that what stood there must not be taken for removed.
    ``digest`` tells whether the file would be read the same again."""

    path: str
    file: str
    records: tuple[Paper, ...]
    whole: bool
    digest: str = ""


@dataclass(frozen=True, slots=True)
class IngestReport:
    """Counts of papers, and of chunks in the index afterwards; ``embedded`` counts papers."""

    added: int
    updated: int
    unchanged: int
    removed: int
    merged: int
    papers: int
    chunks: int
    embedded: int


@dataclass(slots=True)
class Plan:
    """Spans and, once known, vectors of every paper that the index will hold, by paper_id;
    ``files`` as in the manifest."""

    papers: list[Paper]
    embedder: str
    files: dict[str, str]
    vectors: dict[str, Matrix] = field(default_factory=dict)
    spans: dict[str, Spans] = field(init=False)
    ids: dict[str, list[str]] = field(init=False)

    def __post_init__(self) -> None:
        from rag.store.chroma import chunk_ids

        self.spans = {p.paper_id: tuple(sentence_spans(p.text)) for p in self.papers}
        self.ids = {
            p.paper_id: chunk_ids(p, self.spans[p.paper_id], self.embedder) for p in self.papers
        }


def ingest(
    store: Path,
    batches: Sequence[Batch],
    embedder: Embedder,
    indexer: Indexer,
    progress: Progress,
    *,
    keep: bool = False,
    on_conflict: OnConflict | None = None,
    wait: bool = True,
    home: Home = HERE,
) -> IngestReport:
    """Bring the index to what the files hold; files of earlier ingests stay as they were.

    ``keep`` keeps papers that have gone from their file. ``on_conflict`` says which version of a
    paper counts; without it a file's present one, of several files' the longest. Raises
    StoreError's kinds.
    """
    with home.writing(store, wait=wait, note=progress.note):
        before = _current(store, embedder, indexer, home)
        old = list(before.records()) if before else []
        if on_conflict:
            batches = list(_settled(old, batches, on_conflict))
        records = replace_batches(old, batches, keep=keep, moved=not isinstance(home, Shared))
        same = before and records == old and home.has(store)
        if before and same and not unfinished(store).exists():
            papers = list(before.papers())
            return compared(papers, papers, records, before.manifest.chunks, 0)
        files = dict(before.manifest.files) if before else {}
        for batch in batches:
            files.pop(batch.file, None)
            if batch.whole and batch.digest and not keep:
                files[batch.file] = batch.digest
        return apply(store, before, before, records, files, embedder, indexer, progress, home)


def remove(
    store: Path,
    ids: Set[str],
    file: str | None,
    embedder: Embedder,
    indexer: Indexer,
    progress: Progress,
    *,
    wait: bool = True,
    home: Home = HERE,
) -> IngestReport:
    """Take papers out of the index, and all records of a ``file`` (its absolute path).

    Nothing is remembered of them: their files are read again when they are next ingested, even
    unchanged. A paper that other files have too stays, as they have it. Raises StoreError's kinds.
    """
    with home.writing(store, wait=wait, note=progress.note):
        before = _current(store, embedder, indexer, home)
        if before is None:
            raise missing(store)
        chosen = (paper for paper in before.papers() if paper.paper_id in ids)
        places = {_key(source) for paper in chosen for source in paper.sources}
        kept, touched = [], set()
        for record in before.records():
            source = record.sources[0]
            if source.file == file or _key(source) in places:
                touched.add(source.file)
            else:
                kept.append(record)
        files = {f: digest for f, digest in before.manifest.files.items() if f not in touched}
        return apply(store, before, before, kept, files, embedder, indexer, progress, home)


def _key(source: Source) -> tuple[str, str, int, int]:
    return source.file, source.path, source.ordinal, source.line


def rebuild(
    store: Path,
    embedder: Embedder,
    indexer: Indexer,
    progress: Progress,
    *,
    wait: bool = True,
    home: Home = HERE,
) -> IngestReport:
    """Make the whole index anew from its own source records, without the original files.

    Vectors are kept where they fit, Chroma's where a generation has lost its own; a store built
    with another embedder is embedded again, and a rebuild that was interrupted at it goes on
    where it was.
    """
    from rag.store.salvage import salvage

    if isinstance(home, Shared):
        from rag.store.copying import rebuild_shared

        return rebuild_shared(store, embedder, indexer, progress, home, wait=wait)
    if not store.exists():
        raise missing(store)
    with home.writing(store, wait=wait, note=progress.note):
        records, source = salvage(store, embedder.identity)
        needed = unfinished(store).exists() or not _whole(source, records)
        with writing(store):
            draft_of(store)
            if not (needed and _readable(store)):
                _remove(store / "chroma")
        return apply(store, None, source, records, {}, embedder, indexer, progress, home)


def _whole(source: Snapshot | None, records: Sequence[Paper]) -> bool:
    """Whether a generation has the vectors of all records; else Chroma may be the only one that
    has some, perhaps of an embedding that was paid for and cut off."""
    if source is None or not is_unit(source.vectors).all():
        return False
    known = set(source.manifest.hashes.values())
    return all(paper.text_hash in known for paper in merge(records))


def _readable(store: Path) -> bool:
    from rag.store.chroma import readable_ids

    try:
        return bool(readable_ids(store))
    except (StoreDamaged, OSError):
        return False


def _remove(path: Path) -> None:
    """Remove whatever is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def replace_batches(
    records: Iterable[Paper], batches: Iterable[Batch], *, keep: bool, moved: bool = True
) -> list[Paper]:
    """The records after the batches' files were read again, in an order that does not depend
    on how often: a file keeps its place, kept records follow its present ones. ``moved`` says
    whether a file that is not there may have been moved; it may be on another machine."""
    files: dict[str, list[Paper]] = {}
    given: dict[str, list[str]] = {}
    for record in records:
        source = record.sources[0]
        if source.file not in files:
            given.setdefault(source.path, []).append(source.file)
        files.setdefault(source.file, []).append(record)
    for batch in batches:
        place = _place(batch, files, given.get(batch.path, ()) if moved else ())
        present = {record.paper_id for record in batch.records}
        gone = [r for r in files.get(place, ()) if r.paper_id not in present]
        files[place] = [*batch.records, *(gone if keep or not batch.whole else ())]
    return list(chain.from_iterable(files.values()))


def _settled(
    records: Sequence[Paper], batches: Sequence[Batch], on_conflict: OnConflict
) -> Iterator[Batch]:
    """The batches with their records as they count beside ``records``."""
    marked = marks(records, {batch.file for batch in batches}, on_conflict)
    for batch in batches:
        before = [record for record in records if record.sources[0].file == batch.file]
        found = settled(before, batch.records, on_conflict, marked)
        yield replace(batch, records=tuple(found))


def _place(batch: Batch, files: Mapping[str, list[Paper]], same_path: Iterable[str]) -> str:
    """The file that a batch is a new state of: the one of its absolute path, else one that was
    given by the same path, is no longer there and held some of the same papers, as when a whole
    folder was moved. A pipe has the same path every time and is never there any more."""
    if batch.file in files:
        return batch.file
    present = {record.paper_id for record in batch.records}
    for file in same_path:
        shared = any(record.paper_id in present for record in files[file])
        if shared and not Path(file).exists():
            return file
    return batch.file


def _current(store: Path, embedder: Embedder, indexer: Indexer, home: Home) -> Snapshot | None:
    adopt(store)
    if isinstance(home, Shared):
        from rag.store.copying import current

        if not current(store, home, indexer):
            return None
    try:
        snapshot = Snapshot.open(store)
    except StoreMissing:
        return None
    check_embedder(store, snapshot.manifest, embedder.identity)
    return snapshot


def adopt(store: Path) -> bool:
    """Make a generation valid that a writer completed and was killed before it could say so;
    returns whether there was one."""
    newest = generations(store)[-1:]
    try:
        if newest and not unfinished(store).exists():
            manifest = load_manifest(newest[0])
            valid = load_manifest(store) if (store / "manifest.json").exists() else None
            if valid is None or valid.generation < manifest.generation:
                Snapshot(store, manifest).check()
                write_manifest(store, manifest)
                return True
    except UNREADABLE:
        pass  # opening will say what is wrong
    return False


def apply(
    store: Path,
    before: Snapshot | None,
    source: Snapshot | None,
    records: Sequence[Paper],
    files: dict[str, str],
    embedder: Embedder,
    indexer: Indexer,
    progress: Progress,
    home: Home,
) -> IngestReport:
    """Make ``records`` the content of the store; the caller holds the write lock.

    The report compares with ``before``; vectors are taken from ``source`` where they fit.
    """
    papers = merge(records)
    plan = Plan(papers, embedder.identity, files)
    if source:
        reuse(plan, source)
    with writing(store):
        draft = draft_of(store)
        with home.collection(store, embedder.identity) as collection:
            embedded = _fill(plan, collection, embedder, progress)
        manifest = write_draft(store, draft, plan, records, embedder.dimensions, indexer)
        home.publish(store, draft, records, manifest)
        make_valid(store, draft, manifest)
        home.tidy(store, embedder.identity)
    old = list(before.papers()) if before else []
    return compared(old, papers, records, manifest.chunks, embedded)


def reuse(plan: Plan, source: Snapshot) -> None:
    """Take over the vectors of texts that are as they were and cut into the same sentences."""
    rows = {text: source.row_of[id] for id, text in source.manifest.hashes.items()}
    for paper in plan.papers:
        row = rows.get(paper.text_hash)
        if row is None or source.spans(row) != list(plan.spans[paper.paper_id]):
            continue
        vectors = source.paper_vectors(row)
        if is_unit(vectors).all():
            plan.vectors[paper.paper_id] = vectors


def draft_of(store: Path) -> Path:
    """An empty folder for the next generation; it marks the store as being changed."""
    draft = unfinished(store)
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    return draft


def _fill(plan: Plan, collection: Collection, embedder: Embedder, progress: Progress) -> int:
    """Complete the plan's vectors and make Chroma hold just them; returns papers embedded."""
    present = collection.ids()
    if present.isdisjoint(chain.from_iterable(plan.ids.values())):
        # Perhaps of an embedder that was given up, whose vectors have another length.
        collection.clear()
        present = set()
    resume(plan, present, collection)
    absent = [p for p in plan.papers if not present.issuperset(plan.ids[p.paper_id])]
    _put(plan, (p for p in absent if p.paper_id in plan.vectors), collection)
    new = [p for p in plan.papers if p.paper_id not in plan.vectors]
    if new:
        _put(plan, _embed(plan, new, embedder, progress), collection)
    collection.delete(sorted(present.difference(*plan.ids.values())))
    return len(new)


def resume(plan: Plan, present: set[str], collection: Collection) -> None:
    """Take from Chroma the vectors that are nowhere else: of an ingest that did not finish, or of
    another machine's."""
    wanted = [
        paper_id
        for paper_id, ids in plan.ids.items()
        if paper_id not in plan.vectors and present.issuperset(ids)
    ]
    for begin in range(0, len(wanted), GROUP):
        group = wanted[begin : begin + GROUP]
        ids = [id for paper_id in group for id in plan.ids[paper_id]]
        found = _on_grid(collection.vectors(ids))
        ends = np.cumsum([len(plan.ids[paper_id]) for paper_id in group])
        for paper_id, vectors in zip(group, np.split(found, ends[:-1]), strict=True):
            if is_unit(vectors).all():
                plan.vectors[paper_id] = vectors


def _put(plan: Plan, papers: Iterable[Paper], collection: Collection) -> None:
    """Write papers to Chroma group by group; what has come before a failure is kept, too."""
    group: list[Paper] = []
    try:
        for paper in papers:
            group.append(paper)
            if len(group) == GROUP:
                full, group = group, []
                _upsert(plan, full, collection)
    finally:
        if group:
            _upsert(plan, group, collection)


def _upsert(plan: Plan, papers: Sequence[Paper], collection: Collection) -> None:
    from rag.store.chroma import chunks_of

    chunks = [c for p in papers for c in chunks_of(p, plan.spans[p.paper_id], plan.embedder)]
    collection.upsert(chunks, np.vstack([plan.vectors[paper.paper_id] for paper in papers]))


def _embed(
    plan: Plan, papers: Sequence[Paper], embedder: Embedder, progress: Progress
) -> Iterator[Paper]:
    """Embed papers, giving back each one as soon as the plan has its vectors."""
    documents = [_document(paper, plan.spans[paper.paper_id]) for paper in papers]
    progress.embedding(len(papers))
    try:
        for index, vectors in embedder.documents(documents):
            plan.vectors[papers[index].paper_id] = _on_grid(vectors)
            yield papers[index]
            progress.advance(1)
    except (BudgetError, EndpointError) as error:
        if done := sum(paper.paper_id in plan.vectors for paper in papers):
            kept = f"{done:,} of {len(papers):,} papers are embedded, and kept for the next run"
            error.fix = f"{error.fix}; {kept}"
        raise


def _document(paper: Paper, spans: Spans) -> Document:
    """What the embedder sees: the title before the abstract, the spans moved along."""
    shift = len(paper.prefix)
    return Document(paper.indexed_text, tuple((s + shift, e + shift) for s, e in spans))


def _on_grid(vectors: Matrix) -> Matrix:
    """Round to what half precision can hold: Chroma gives vectors back with other last bits,
    and an ingest that was resumed has to end like one that was not."""
    return vectors.astype(np.float16).astype(np.float32)


def write_draft(
    store: Path,
    draft: Path,
    plan: Plan,
    records: Sequence[Paper],
    dimensions: int,
    indexer: Indexer,
) -> Manifest:
    """Write all of the next generation to ``draft``."""
    chunks = write_generation(draft, records, plan.papers, plan.spans, plan.vectors, dimensions)
    indexer(draft, plan.papers)
    older = generations(store)
    manifest = Manifest(
        format=FORMAT,
        generation=1 + max((int(folder.name) for folder in older), default=0),
        embedder=plan.embedder,
        dimensions=dimensions,
        papers=len(plan.papers),
        chunks=chunks,
        corpus=fingerprint(plan.papers),
        hashes={paper.paper_id: paper.text_hash for paper in plan.papers},
        files=plan.files,
    )
    write_manifest(draft, manifest)
    return manifest


def make_valid(store: Path, draft: Path, manifest: Manifest) -> None:
    """Make a draft the valid generation, and forget those before the last.

    The last one stays for readers that have opened it and not yet loaded all they need.
    """
    older = generations(store)
    draft.rename(store / "generations" / manifest.folder)
    write_manifest(store, manifest)
    for folder in older[:-1]:
        shutil.rmtree(folder, ignore_errors=True)


def compared(
    old: Sequence[Paper],
    new: Sequence[Paper],
    records: Sequence[Paper],
    chunks: int,
    embedded: int,
) -> IngestReport:
    """Compare two states; where in a file a paper stands does not count as a difference. A paper
    that goes by another id now, as when its record with an id was found, is an updated one."""
    was = {paper.paper_id: replace(paper, sources=()) for paper in old}
    now = {paper.paper_id: replace(paper, sources=()) for paper in new}
    both = was.keys() & now.keys()
    id_of = {source.place: paper.paper_id for paper in new for source in paper.sources}
    id_at = {(r.sources[0].place, r.text): id_of[r.sources[0].place] for r in records}
    gone = [paper for paper in old if paper.paper_id not in now]
    heirs = [{id_at.get((s.place, paper.text)) for s in paper.sources} - {None} for paper in gone]
    renamed = set().union(*heirs) - was.keys()
    updated = sum(was[paper_id] != now[paper_id] for paper_id in both)
    return IngestReport(
        added=len(now) - len(both) - len(renamed),
        updated=updated + len(renamed),
        unchanged=len(both) - updated,
        removed=sum(not heir for heir in heirs),
        merged=len(records) - len(new),
        papers=len(new),
        chunks=chunks,
        embedded=embedded,
    )
