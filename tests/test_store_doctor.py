"""The doctor finds what is wrong, names the fix, and touches nothing."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rag.errors import EmbedderError, EndpointUnreachable
from rag.store.chroma import Collection
from rag.store.doctor import Check, diagnose
from rag.store.ingest import rebuild
from rag.store.lock import write_lock
from rag.store.snapshot import Snapshot
from tests.fakes import HashEmbedder, Notes, batch, chroma_rows, no_index, papers, put

ALL = {
    *("index", "manifest", "generation", "embedder", "records", "papers", "passages"),
    *("sentences", "vectors", "bm25", "chroma", "writer", "leftovers", "model", "versions"),
    *("sqlite", "disk"),
}


@pytest.fixture(autouse=True)
def in_this_process(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Starting a process takes a second: only tests whose name says so read Chroma in one."""
    if not {"chroma", "written", "whole"} & set(request.node.originalname.split("_")):
        monkeypatch.setattr("rag.store.chroma.readable_ids", lambda s: set(chroma_rows(s)))


def no_bm25(folder: Path) -> None:
    """A load of the index of words that always succeeds."""


def checks(
    store: Path,
    embedder: HashEmbedder | None = None,
    bm25: Callable[[Path], None] = no_bm25,
) -> dict[str, Check]:
    return {check.name: check for check in diagnose(store, embedder or HashEmbedder(), bm25)}


def findings(*arguments: object, **named: object) -> dict[str, Check]:
    found = checks(*arguments, **named)  # type: ignore[arg-type]
    return {name: check for name, check in found.items() if not check.ok}


def test_whole_store_passes_every_check(five: Path) -> None:
    found = checks(five)
    assert (found.keys(), [c for c in found.values() if not c.ok]) == (ALL, [])


def test_passed_check_has_no_fix(five: Path) -> None:
    assert {check.fix for check in checks(five).values()} == {None}


def test_nothing_is_written(store: Path) -> None:
    def state() -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in store.rglob("*") if path.is_file()}

    before = state()
    checks(store)
    assert state() == before


def test_missing_store_is_not_made(tmp_path: Path) -> None:
    assert findings(tmp_path / "s").keys() == {"index"}
    assert not (tmp_path / "s").exists()


def test_missing_store_is_fixed_by_an_ingest(tmp_path: Path) -> None:
    assert str(findings(tmp_path / "s")["index"].fix).startswith("rag ingest ")


def test_unreadable_manifest(store: Path) -> None:
    (store / "manifest.json").write_text("{")
    assert findings(store)["manifest"].fix == f"rag rebuild --store {store}"


def test_newer_format(store: Path) -> None:
    (store / "manifest.json").write_text('{"format": 99}')
    assert "format 99" in findings(store)["manifest"].detail


def test_missing_file_of_the_generation(store: Path) -> None:
    (Snapshot.open(store).folder / "vectors.npy").unlink()
    assert findings(store).keys() == {"generation"}


def test_other_embedder(five: Path) -> None:
    found = findings(five, HashEmbedder("other-16"))
    assert (found.keys(), found["embedder"].fix) == ({"embedder"}, f"rag rebuild --store {five}")


def test_unreadable_records(store: Path) -> None:
    (Snapshot.open(store).folder / "records.jsonl").write_text("rubbish\n")
    assert findings(store).keys() == {"records"}


def test_changed_paper(store: Path) -> None:
    path = Snapshot.open(store).folder / "papers.jsonl"
    path.write_bytes(path.read_bytes().replace(b"Study 2", b"Study 8"))
    assert "corpus" in findings(store)["papers"].detail


def test_exchanged_papers(store: Path) -> None:
    path = Snapshot.open(store).folder / "ids.json"
    path.write_bytes(path.read_bytes().replace(b'"p1", "p2"', b'"p2", "p1"'))
    assert "other papers" in findings(store)["papers"].detail


def change(store: Path, name: str, row: int, value: object) -> None:
    path = Snapshot.open(store).folder / f"{name}.npy"
    array = np.load(path)
    array[row] = value
    np.save(path, array)


def test_sentence_outside_its_text(store: Path) -> None:
    change(store, "sentences", 1, (0, 0, 9999))
    assert "1 sentences lie outside" in findings(store)["sentences"].detail


@pytest.mark.parametrize("span", [(4, 0, 5), (5, 0, 5), (-1, 0, 5), (0, -1, 5), (0, 5, 5)])
def test_sentences_that_are_not_in_turn(store: Path, span: tuple[int, int, int]) -> None:
    change(store, "sentences", 1, span)
    assert "in turn" in findings(store)["generation"].detail


@pytest.mark.parametrize("value", [np.nan, np.inf, 0, 2])
def test_vector_that_has_not_length_one(store: Path, value: float) -> None:
    change(store, "vectors", 3, value)
    found = findings(store)
    assert (found.keys(), found["vectors"].detail.count("1 of 20")) == ({"vectors"}, 1)


def test_rebuild_cures_a_wrong_vector(store: Path) -> None:
    change(store, "vectors", 3, np.nan)
    rebuild(store, HashEmbedder(), no_index, Notes())
    assert findings(store) == {}


def test_bm25_that_does_not_load(five: Path) -> None:
    def broken(folder: Path) -> None:
        raise KeyError("vocab")

    found = findings(five, bm25=broken)
    assert (found.keys(), found["bm25"].fix) == ({"bm25"}, f"rag doctor --fix --store {five}")


def test_bm25_is_loaded_from_the_valid_generation(five: Path) -> None:
    folders: list[Path] = []
    checks(five, bm25=folders.append)
    assert folders == [Snapshot.open(five).folder]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_read_only_chroma_is_no_finding(store: Path) -> None:
    for path in (store, *store.rglob("*")):
        path.chmod(0o500 if path.is_dir() else 0o400)
    found = findings(store)
    for path in (store, *store.rglob("*")):
        path.chmod(0o700)
    assert found == {}


def test_chroma_gone(store: Path) -> None:
    shutil.rmtree(store / "chroma")
    assert findings(store).keys() == {"chroma"}
    assert not (store / "chroma").exists()


def test_chroma_unreadable(store: Path) -> None:
    (store / "chroma" / "chroma.sqlite3").write_bytes(b"rubbish" * 1000)
    assert "not a database" in findings(store)["chroma"].detail


def test_chroma_without_the_collection(store: Path) -> None:
    (store / "chroma" / "chroma.sqlite3").write_bytes(b"")
    assert "does not exist" in findings(store)["chroma"].detail


def test_chroma_with_a_truncated_file_of_vectors(tmp_path: Path) -> None:
    put(tmp_path / "s", batch(papers(60, sentences=20)))  # enough for Chroma to write the file
    (path,) = (tmp_path / "s" / "chroma").rglob("data_level0.bin")
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert "Chroma cannot read it" in findings(tmp_path / "s")["chroma"].detail


def test_chroma_that_crashes_its_process(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag.store.chroma._READER", "import os; os.abort()")
    assert "Chroma cannot read it" in findings(store)["chroma"].detail


def test_chunks_missing_and_extra_are_counted(store: Path) -> None:
    with Collection(store) as collection:
        one = sorted(collection.ids())[0]
        vector = collection.vectors([one])
        collection._collection.upsert(ids=["stray"], embeddings=vector, documents=["stray"])
        collection.delete([one])
    assert "lacks 1 chunks and has 1 too many" in findings(store)["chroma"].detail


def test_rebuild_cures_chroma(store: Path) -> None:
    (store / "chroma" / "chroma.sqlite3").write_bytes(b"rubbish" * 1000)
    rebuild(store, HashEmbedder(), no_index, Notes())
    assert findings(store) == {}


def test_writer_at_work_is_named_and_no_finding(store: Path) -> None:
    with write_lock(store, wait=False, note=print):
        found = checks(store)
    assert all(check.ok for check in found.values())
    assert f"process {os.getpid()} (since " in found["writer"].detail
    assert "not looked at" in found["chroma"].detail


def test_records_that_are_gone(store: Path) -> None:
    path = Snapshot.open(store).folder / "records.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:3]))
    found = findings(store)
    assert (found.keys(), "2 source records are gone" in found["records"].detail) == (
        {"records"},
        True,
    )


def test_server_of_the_settings_is_a_check(five: Path) -> None:
    def away() -> str:
        raise EndpointUnreachable("nobody answers there", "start it")

    found = {c.name: c for c in diagnose(five, HashEmbedder(), no_bm25, {"server": away})}
    assert (found["server"].ok, found["server"].fix) == (False, "start it")


def test_unfinished_ingest(store: Path) -> None:
    with pytest.raises(RuntimeError):
        put(store, batch(papers(40)), embedder=HashEmbedder(fail_after=20))
    assert "again" in str(findings(store)["leftovers"].fix)


def test_unfinished_first_ingest(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError):
        put(tmp_path / "s", batch(papers(4)), embedder=HashEmbedder(fail_after=2))
    assert findings(tmp_path / "s").keys() == {"index", "leftovers"}


def test_leftover_generations(store: Path) -> None:
    for name in ("000007", "000008"):
        shutil.copytree(Snapshot.open(store).folder, store / "generations" / name)
    assert "000008" in findings(store)["leftovers"].detail


def test_broken_embedding_model(five: Path) -> None:
    class Broken(HashEmbedder):
        def query(self, text: str) -> np.ndarray:
            raise EmbedderError("the weights are not the tested ones", "pip install it again")

    assert findings(five, Broken())["model"].fix == "pip install it again"


def test_old_sqlite(five: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 34, 1))
    assert findings(five).keys() == {"sqlite"}


@pytest.mark.parametrize(("free", "enough"), [(199_000_000, False), (201_000_000, True)])
def test_room_on_the_disk(
    five: Path, monkeypatch: pytest.MonkeyPatch, free: int, enough: bool
) -> None:
    usage = namedtuple("usage", "free")(free)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    assert checks(five)["disk"].ok is enough
