"""What the doctor mends: all that takes no record, no choice and no money."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from rag.store.chroma import Collection
from rag.store.doctor import diagnose
from rag.store.manifest import read_manifest, unfinished
from rag.store.mend import mend
from rag.store.snapshot import Snapshot
from rag.types import Paper
from tests.fakes import HashEmbedder, Notes, batch, chroma_rows, papers, put


def words(folder: Path, papers: Sequence[Paper]) -> None:
    """An Indexer, whose index is the number of papers."""
    (folder / "bm25").mkdir()
    (folder / "bm25" / "count").write_text(str(len(papers)))


def load_words(folder: Path) -> None:
    assert (folder / "bm25" / "count").read_text() == "5"


def findings(store: Path) -> set[str]:
    return {c.name for c in diagnose(store, HashEmbedder(), load_words) if not c.ok}


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading Chroma in another process takes a second."""

    def read(store: Path) -> set[str]:
        if not (store / "chroma").exists():
            raise FileNotFoundError(store / "chroma")
        return set(chroma_rows(store))

    for module in ("chroma", "sync"):
        monkeypatch.setattr(f"rag.store.{module}.readable_ids", read)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    put(tmp_path / "s", batch(papers(4)), indexer=words)
    put(tmp_path / "s", batch(papers(5)), indexer=words)
    return tmp_path / "s"


def mended(store: Path, embedder: HashEmbedder | None = None, *, free: bool = True) -> list[str]:
    found = findings(store)
    assert found
    return mend(store, embedder or HashEmbedder(), words, found, Notes(), may_embed=free)


def without_bm25(store: Path) -> None:
    shutil.rmtree(Snapshot.open(store).folder / "bm25")


def without_chroma(store: Path) -> None:
    shutil.rmtree(store / "chroma")


def without_a_chunk(store: Path) -> None:
    with Collection(store) as collection:
        collection.delete(sorted(collection.ids())[:3])


def with_old_generations(store: Path) -> None:
    folder = store / "generations" / "000001"
    shutil.copytree(folder, folder.with_name("000000"))


def without_manifest(store: Path) -> None:
    (store / "manifest.json").unlink()


def with_an_older_manifest(store: Path) -> None:
    shutil.copy(store / "generations" / "000001" / "manifest.json", store)


def with_a_broken_manifest(store: Path) -> None:
    (store / "manifest.json").write_text("{")


def without_papers(store: Path) -> None:
    (Snapshot.open(store).folder / "papers.jsonl").unlink()


def with_a_killed_ingest(store: Path) -> None:
    with pytest.raises(RuntimeError):
        put(store, batch(papers(40)), embedder=HashEmbedder(fail_after=33))


@pytest.mark.parametrize(
    "harm",
    [
        without_bm25,
        without_chroma,
        without_a_chunk,
        with_old_generations,
        without_manifest,
        with_an_older_manifest,
        with_a_broken_manifest,
        without_papers,
        with_a_killed_ingest,
    ],
)
def test_damage_is_mended_and_nothing_is_embedded(
    store: Path, harm: Callable[[Path], None]
) -> None:
    harm(store)
    embedder = HashEmbedder()
    assert mended(store, embedder)
    assert (findings(store), embedder.embedded) == (set(), 0)
    assert [paper.paper_id for paper in Snapshot.open(store).papers()] == [
        f"p{n}" for n in range(5)
    ]


def test_lost_vectors_are_embedded_again_where_that_is_free(store: Path) -> None:
    spoil_vector(store)
    without_chroma(store)
    embedder = HashEmbedder()
    assert mended(store, embedder) == [
        "made 5 papers anew from their records, 1 of them embedded again"
    ]
    assert findings(store) == set()


def test_lost_vectors_are_taken_from_chroma(store: Path) -> None:
    spoil_vector(store)
    embedder = HashEmbedder()
    assert mended(store, embedder)
    assert (findings(store), embedder.embedded) == (set(), 0)


def spoil_vector(store: Path) -> None:
    path = Snapshot.open(store).folder / "vectors.npy"
    vectors = np.load(path)
    vectors[3] = np.nan
    np.save(path, vectors)


def test_nothing_is_paid_for_unasked(store: Path) -> None:
    spoil_vector(store)
    embedder, before = HashEmbedder(), read_manifest(store)
    assert mended(store, embedder, free=False) == []
    assert (embedder.embedded, read_manifest(store)) == (0, before)


def test_records_are_not_given_up(store: Path) -> None:
    path = Snapshot.open(store).folder / "records.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:3]))
    (Snapshot.open(store).folder / "ids.json").write_text("[]")
    before = read_manifest(store)
    assert mended(store) == []
    assert read_manifest(store) == before


def test_other_embedder_is_left_to_the_user(store: Path) -> None:
    (Snapshot.open(store).folder / "vectors.npy").unlink()
    other = HashEmbedder("other-16")
    assert mended(store, other) == []
    assert other.embedded == 0


def test_first_ingest_that_was_killed_is_left_to_go_on(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError):
        put(tmp_path / "s", batch(papers(40)), embedder=HashEmbedder(fail_after=33))
    assert mended(tmp_path / "s") == []
    assert unfinished(tmp_path / "s").exists()
