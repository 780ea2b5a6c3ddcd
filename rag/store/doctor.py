"""Is an index whole, and if not, which command makes it so.

Every check returns what it found in order, or raises an error that carries its own fix.
Nothing is written, and nothing is raised to the caller, however damaged the store is.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from itertools import chain
from pathlib import Path

import numpy as np

from rag import __version__
from rag.corpus.status import unaccepted
from rag.corpus.suspicion import suspicions
from rag.embed import Embedder
from rag.errors import RagError, StoreDamaged, StoreUnwritable
from rag.store.lock import writer
from rag.store.manifest import (
    FORMAT,
    check_embedder,
    damaged,
    fingerprint,
    generations,
    missing,
    read_manifest,
    unfinished,
)
from rag.store.snapshot import Snapshot, is_unit

MIN_SQLITE = (3, 35)
"""The oldest that Chroma opens its database with."""
MIN_FREE_BYTES = 200_000_000
NAMED = 5
"""Papers that a check names."""
BESIDE = frozenset({"bm25", "chroma"})
"""Checks of what can be made of the rest at any time."""
ROOM_FOR_COPIES = 3
"""An ingest holds two generations, and Chroma copies what it compacts."""


@dataclass(frozen=True, slots=True)
class Check:
    """What was looked at and found; ``fix`` is a command or action, None when ``ok``."""

    name: str
    ok: bool
    detail: str
    fix: str | None


Checks = Mapping[str, Callable[[], str]]


def diagnose(
    store: Path,
    embedder: Embedder,
    bm25: Callable[[Path], None],
    servers: Checks | None = None,
    chroma: Checks | None = None,
) -> list[Check]:
    """Check everything that can be checked, in order of what depends on what.

    ``bm25`` loads the index of words from a generation's folder and raises if it cannot;
    ``servers`` are further checks, of what the settings name; ``chroma`` those of a Chroma server
    that holds the index, in the place of the one of the folder.
    """
    opening: Checks = {
        "index": partial(_present, store),
        "manifest": partial(_format, store),
        "generation": partial(_generation, store),
    }
    contents: Checks = {
        "embedder": partial(_embedder, store, embedder),
        "records": partial(_records, store),
        "papers": partial(_papers, store),
        "passages": partial(_passages, store),
        "sentences": partial(_sentences, store),
        "vectors": partial(_vectors, store),
        "bm25": partial(_bm25, store, bm25),
        **({"chroma": partial(_chroma, store)} if chroma is None else chroma),
    }
    around: Checks = {
        "writer": partial(_writer, store),
        "leftovers": partial(_leftovers, store),
        "model": partial(_model, embedder),
        **(servers or {}),
        "versions": _versions,
        "sqlite": _sqlite,
        "disk": partial(_disk, store),
    }
    checks = list(_until_failure(store, opening))
    if checks[-1].ok:
        checks += [_run(store, *check) for check in contents.items()]
    return checks + [_run(store, *check) for check in around.items()]


def _until_failure(store: Path, checks: Checks) -> Iterator[Check]:
    """Where one fails, those after it have nothing to look at."""
    for name, check in checks.items():
        result = _run(store, name, check)
        yield result
        if not result.ok:
            return


def _run(store: Path, name: str, check: Callable[[], str]) -> Check:
    try:
        return Check(name, True, check(), None)
    except RagError as error:
        return Check(name, False, error.message, _mend(store) if name in BESIDE else error.fix)
    except Exception as error:  # whatever a check stumbles over is a finding
        detail = f"{type(error).__name__}: {error}"
        fix = _mend(store) if name in BESIDE else f"rag rebuild --store {store}"
        return Check(name, False, detail, fix)


def _mend(store: Path) -> str:
    return f"rag doctor --fix --store {store}"


def _present(store: Path) -> str:
    if not (store / "manifest.json").exists():
        raise missing(store)
    return f"there is one in {store}"


def _format(store: Path) -> str:
    manifest = read_manifest(store)
    return f"format {manifest.format}, generation {manifest.generation}"


def _generation(store: Path) -> str:
    snapshot = Snapshot.open(store)
    return f"{len(snapshot):,} papers, {snapshot.manifest.chunks:,} chunks; all parts fit"


def _embedder(store: Path, embedder: Embedder) -> str:
    check_embedder(store, read_manifest(store), embedder.identity)
    return embedder.identity


def _records(store: Path) -> str:
    """Every place that a paper comes from has its record."""
    snapshot = Snapshot.open(store)
    kept = {(s.file, s.ordinal) for record in snapshot.records() for s in record.sources}
    named = {(s.file, s.ordinal) for paper in snapshot.papers() for s in paper.sources}
    if lost := len(named - kept):
        what = f"The index in {store} is damaged: {lost:,} source records are gone."
        fix = f"rag unpack a backup, or rag rebuild --store {store} and ingest the files again"
        raise StoreDamaged(what, fix)
    return f"{len(kept):,} source records"


def _papers(store: Path) -> str:
    snapshot = Snapshot.open(store)
    papers = list(snapshot.papers())
    if [paper.paper_id for paper in papers] != snapshot.ids:
        raise damaged(store, "papers.jsonl holds other papers than ids.json says")
    if (found := fingerprint(papers)) != snapshot.manifest.corpus:
        raise damaged(store, f"the papers are corpus {found}, not {snapshot.manifest.corpus}")
    if frozenset(unaccepted([paper.status for paper in papers])) != snapshot.unaccepted:
        raise damaged(store, "it is not as the papers say which of them were not accepted")
    return f"corpus {found}"


def _passages(store: Path) -> str:
    """Whether abstracts speak to machines: nothing obeys them, but a reader may want to know."""
    marked = [
        f"{paper.paper_id} ({found[0].kind})"
        for paper in Snapshot.open(store).papers()
        if (found := suspicions(paper))
    ]
    if not marked:
        return "none speaks to whoever reads it by machine"
    more = f" and {len(marked) - NAMED:,} more" * (len(marked) > NAMED)
    papers = "1 paper has" if len(marked) == 1 else f"{len(marked):,} papers have"
    return f"{papers} a suspicious one, which nothing obeys: {', '.join(marked[:NAMED])}{more}"


def _sentences(store: Path) -> str:
    """Every sentence lies in the text of its paper; opening has checked their order."""
    snapshot = Snapshot.open(store)
    rows, _, ends = np.asarray(snapshot.sentences).T
    lengths = np.array([len(paper.text) for paper in snapshot.papers()], np.int64)
    outside = int(np.sum(ends > lengths[rows]))
    if outside:
        raise damaged(store, f"{outside:,} sentences lie outside their paper's text")
    return f"{len(rows):,} sentences, all within their texts"


def _vectors(store: Path) -> str:
    vectors = Snapshot.open(store).vectors
    wrong = int(np.sum(~is_unit(vectors)))
    if wrong:
        raise damaged(store, f"{wrong:,} of {len(vectors):,} vectors are not of length 1")
    return f"{len(vectors):,} vectors of length 1"


def _bm25(store: Path, load: Callable[[Path], None]) -> str:
    load(Snapshot.open(store).folder)
    return "loads"


def _chroma(store: Path) -> str:
    """Chroma holds just the chunks that the papers have."""
    if who := writer(store):
        return f"not looked at, for {who} is writing"
    if not (store / "chroma" / "chroma.sqlite3").is_file():
        raise damaged(store, "Chroma's database is gone")
    from rag.store.chroma import readable_ids
    from rag.store.sync import expected_ids

    expected = set(chain.from_iterable(expected_ids(Snapshot.open(store))))
    present = readable_ids(store)
    lacking, extra = len(expected - present), len(present - expected)
    if lacking or extra:
        raise damaged(store, f"Chroma lacks {lacking:,} chunks and has {extra:,} too many")
    return f"{len(present):,} chunks"


def _writer(store: Path) -> str:
    """A writer is no damage: readers have the generation before."""
    who = writer(store)
    return f"{who} is writing, so not all was looked at" if who else "nobody is writing"


def _leftovers(store: Path) -> str:
    if writer(store):
        return "not looked at while the index is being written"
    if unfinished(store).exists():
        again = f"run the same rag ingest --store {store} again, which goes on with it"
        drop = f", or {_mend(store)} to drop it" if generations(store) else ""
        raise StoreUnwritable("An ingest did not finish.", again + drop)
    if (store / "manifest.json").exists():
        old = [folder.name for folder in generations(store)]
        if len(old) > 2:
            what = f"Generations {', '.join(old)} lie in {store}, where two are enough."
            raise StoreDamaged(what, _mend(store))
    return "none"


def _model(embedder: Embedder) -> str:
    vector = embedder.query("…")
    return f"{embedder.identity} gives vectors of {len(vector)} numbers"


def _versions() -> str:
    return f"rag {__version__}, index format {FORMAT}, chromadb {version('chromadb')}"


def _sqlite() -> str:
    if sqlite3.sqlite_version_info < MIN_SQLITE:
        message = f"SQLite is {sqlite3.sqlite_version}; Chroma needs 3.35 or newer."
        raise StoreUnwritable(message, "use a Python that was built with a newer SQLite")
    return f"SQLite {sqlite3.sqlite_version}"


def _disk(store: Path) -> str:
    """Room for a rebuild beside what is there."""
    folder = store.absolute()
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    size = sum(path.stat().st_size for path in store.rglob("*") if path.is_file())
    if free < max(ROOM_FOR_COPIES * size, MIN_FREE_BYTES):
        message = f"{free / 1e6:,.0f} MB are free, for an index of {size / 1e6:,.0f} MB."
        raise StoreUnwritable(message, "free some space, or move the index to another disk")
    return f"{free / 1e9:,.1f} GB free, {size / 1e6:,.1f} MB used"
