"""An index goes into one file and comes back, whole or not at all; hostile files stay outside."""

from __future__ import annotations

import json
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pytest

from rag.errors import SourceError, StoreMissing, StoreUnwritable
from rag.store.pack import CONTENTS, pack, unpack
from rag.store.snapshot import Snapshot
from tests.fakes import batch, chroma_rows, no_index, papers, put


def restored(file: Path, store: Path, *, force: bool = False) -> Path:
    unpack(file, store, no_index, print, force=force)
    return store


def content(store: Path) -> tuple[bytes, bytes, bytes, set[str]]:
    folder = Snapshot.open(store).folder
    names = ("records.jsonl", "papers.jsonl", "vectors.npy")
    first, second, third = ((folder / name).read_bytes() for name in names)
    return first, second, third, set(chroma_rows(store))


@pytest.fixture
def packed(store: Path, tmp_path: Path) -> Path:
    (store / "summaries").mkdir()
    (store / "summaries" / "a.jsonl").write_text("a line")
    pack(store, tmp_path / "index.pack")
    return tmp_path / "index.pack"


def test_unpacked_index_is_the_packed_one(store: Path, packed: Path, tmp_path: Path) -> None:
    copy = restored(packed, tmp_path / "copy")
    assert content(copy) == content(store)
    assert (copy / "summaries" / "a.jsonl").read_text() == "a line"
    assert not list((copy / "generations").glob("un*"))


def test_unpacked_index_goes_on(packed: Path, tmp_path: Path) -> None:
    copy = restored(packed, tmp_path / "copy")
    report = put(copy, batch(papers(7)))
    assert (report.added, report.unchanged, report.embedded) == (2, 5, 2)


def test_index_that_is_there_is_replaced_only_by_force(
    store: Path, packed: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    put(other, batch(papers(9)))
    with pytest.raises(StoreUnwritable, match="already"):
        restored(packed, other)
    assert len(Snapshot.open(other)) == 9
    reader = Snapshot.open(other)
    assert content(restored(packed, other, force=True)) == content(store)
    assert reader.paper(8).paper_id == "p8"


def test_earlier_pack_is_replaced_and_nothing_lies_beside(store: Path, packed: Path) -> None:
    put(store, batch(papers(3)))
    assert pack(store, packed).papers == 3
    assert [path.name for path in packed.parent.iterdir() if "pack" in path.name] == [packed.name]


def test_pack_is_of_one_generation_whatever_writers_do(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = content(store)
    opened = Snapshot.open(store)
    for count in (6, 7):  # after which the first one's folder is gone
        put(store, batch(papers(count)))
    assert not opened.folder.exists()
    monkeypatch.setattr(Snapshot, "open", stale(opened, Snapshot.open))
    pack(store, tmp_path / "p")
    monkeypatch.undo()
    copy = restored(tmp_path / "p", tmp_path / "copy")
    assert content(copy) == content(store) != before


def stale(first: Snapshot, then: Callable[[Path], Snapshot]) -> Callable[[Path], Snapshot]:
    """What opens an old snapshot once, and then what there is."""
    left = [first]
    return lambda store: left.pop() if left else then(store)


def test_pack_without_an_index(tmp_path: Path) -> None:
    with pytest.raises(StoreMissing):
        pack(tmp_path / "s", tmp_path / "p")


def test_pack_into_the_index_itself(store: Path) -> None:
    with pytest.raises(SourceError, match="in the index itself"):
        pack(store, store / "p")


def test_every_damaged_byte_is_noticed(packed: Path, tmp_path: Path) -> None:
    data = packed.read_bytes()
    for place in range(0, len(data), len(data) // 40):
        packed.write_bytes(data[:place] + bytes([data[place] ^ 255]) + data[place + 1 :])
        try:
            copy = restored(packed, tmp_path / "copy")
        except SourceError:
            assert not (tmp_path / "copy").exists()
        else:  # a byte that says nothing, such as the time of a file
            assert len(Snapshot.open(copy)) == 5
            shutil.rmtree(copy)


@pytest.mark.parametrize("data", [b"", b"no archive", b"PK"])
def test_no_archive(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "p").write_bytes(data)
    with pytest.raises(SourceError, match="is no whole pack"):
        restored(tmp_path / "p", tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def link(name: str) -> ZipInfo:
    info = ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


@pytest.mark.parametrize(
    "entry",
    [
        ZipInfo("/etc/cron.d/x"),
        ZipInfo("kept/../../x"),
        ZipInfo("kept/..\\x"),
        ZipInfo("c:/x"),
        ZipInfo("generation/more.npy"),
        ZipInfo("kept/chroma/chroma.sqlite3"),
        ZipInfo("kept/lock"),
        ZipInfo("kept/"),
        link("kept/link"),
    ],
    ids=lambda entry: entry.filename,
)
def test_entries_that_are_not_of_a_pack(packed: Path, tmp_path: Path, entry: ZipInfo) -> None:
    with ZipFile(packed, "a") as archive:
        archive.writestr(entry, "x")
    with pytest.raises(SourceError, match="is no whole pack"):
        restored(packed, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_bomb(packed: Path, tmp_path: Path) -> None:
    with ZipFile(packed, "a", ZIP_DEFLATED) as archive:
        archive.writestr("kept/bomb", bytes(30_000_000))
    with pytest.raises(SourceError, match="would become 30,000,000 bytes"):
        restored(packed, tmp_path / "copy")


def test_parts_that_do_not_fit_leave_the_index_as_it_was(packed: Path, tmp_path: Path) -> None:
    forged, other = tmp_path / "forged", tmp_path / "other"
    with ZipFile(packed) as old, ZipFile(forged, "w") as new:
        about = json.loads(old.read(CONTENTS))
        about["files"]["generation/ids.json"] = about["files"]["generation/handles.json"]
        for name in old.namelist():
            taken = "generation/handles.json" if name == "generation/ids.json" else name
            new.writestr(name, json.dumps(about) if name == CONTENTS else old.read(taken))
    put(other, batch(papers(9)))
    before = content(other)
    with pytest.raises(SourceError, match="do not fit"):
        restored(forged, other, force=True)
    assert content(other) == before
    assert put(other, batch(papers(9))).unchanged == 9
