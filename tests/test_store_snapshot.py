"""A snapshot is one generation, whole, and stays so while others write."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rag.errors import PaperNotFound, StoreDamaged, StoreMissing
from rag.store.manifest import fingerprint, generations, read_manifest, write_manifest
from rag.store.snapshot import Snapshot
from tests.fakes import HashEmbedder, batch, papers, put


def test_papers_come_back_as_they_were(store: Path) -> None:
    assert list(Snapshot.open(store).papers()) == papers(5)


def test_every_field_of_a_paper_comes_back(tmp_path: Path) -> None:
    full = replace(
        papers(1)[0],
        url="https://example.org/1",
        doi="10.1000/light",
        arxiv="2601.00001",
        authors=("Ada Ångström", "李四"),
        venue="ICLR",
        year=2026,
        status="Poster",
        area="optics",
        keywords=("light", "dark"),
    )
    put(tmp_path / "s", batch([full]))
    assert Snapshot.open(tmp_path / "s").paper(0) == full


def test_rows_from_before_a_field_was_added_are_read(store: Path) -> None:
    path = Snapshot.open(store).folder / "records.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows:
        del row["area"]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert [record.area for record in Snapshot.open(store).records()] == [None] * 5


def test_the_absolute_path_of_a_source_comes_back(store: Path) -> None:
    assert Snapshot.open(store).paper(0).sources[0].file == "/data/a.jsonl"


def test_records_are_what_the_sources_said(store: Path) -> None:
    twin = replace(papers(1, file="/data/b.jsonl")[0], title="Another title")
    put(store, batch([twin], file="/data/b.jsonl"))
    assert list(Snapshot.open(store).records()) == [*papers(5), twin]


def test_an_index_from_before_a_field_was_known_is_read(store: Path) -> None:
    folder = Snapshot.open(store).folder
    rows = [json.loads(line) for line in (folder / "papers.jsonl").read_bytes().splitlines()]
    lines = [{name: row[name] for name in row if name not in ("doi", "arxiv")} for row in rows]
    data = [json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines]
    (folder / "papers.jsonl").write_bytes(b"".join(data))
    np.save(folder / "offsets.npy", np.cumsum([0, *map(len, data)]))
    assert list(Snapshot.open(store).papers()) == papers(5)


def test_rows_are_found_by_id(store: Path) -> None:
    assert Snapshot.open(store).find("p3") == 3


def test_unknown_id_names_the_nearest(store: Path) -> None:
    with pytest.raises(PaperNotFound) as caught:
        Snapshot.open(store).find("p33")
    assert "p3" in caught.value.fix


def test_first_rows_are_the_vectors_of_the_papers(store: Path) -> None:
    snapshot = Snapshot.open(store)
    whole = [HashEmbedder().query(paper.indexed_text) for paper in snapshot.papers()]
    assert np.allclose(snapshot.vectors[:5], whole, atol=1e-3)


def test_further_rows_are_the_vectors_of_the_sentences(store: Path) -> None:
    snapshot = Snapshot.open(store)
    stretches = [snapshot.paper(row).text[start:end] for row, start, end in snapshot.sentences]
    wanted = [HashEmbedder().query(text) for text in stretches]
    assert np.allclose(snapshot.vectors[5:], wanted, atol=1e-3)


def test_vectors_of_one_paper_are_its_own(store: Path) -> None:
    snapshot = Snapshot.open(store)
    text = snapshot.paper(2).text
    wanted = [HashEmbedder().query(text[s:e]) for s, e in snapshot.spans(2)]
    assert np.allclose(snapshot.paper_vectors(2)[1:], wanted, atol=1e-3)


def test_sentence_rows_follow_each_other(store: Path) -> None:
    snapshot = Snapshot.open(store)
    assert [snapshot.sentence_rows(row) for row in range(3)] == [
        slice(0, 3),
        slice(3, 6),
        slice(6, 9),
    ]


# While others write


def test_open_snapshot_outlives_its_folder(store: Path) -> None:
    old = Snapshot.open(store)
    shutil.rmtree(store)
    assert (list(old.papers()), old.find("p4")) == (papers(5), 4)


def test_open_snapshot_keeps_its_vectors_through_later_ingests(store: Path) -> None:
    old = Snapshot.open(store)
    vectors = np.array(old.vectors)
    for count in (6, 7, 8):
        put(store, batch(papers(count)))
    assert np.array_equal(old.vectors, vectors)


def test_reader_works_during_an_ingest(store: Path) -> None:
    class Reading(HashEmbedder):
        """Opens the store each time that a document is embedded."""

        def documents(self, documents):  # type: ignore[no-untyped-def]
            for found in super().documents(documents):
                assert len(list(Snapshot.open(store).papers())) == 5
                yield found

    assert put(store, batch(papers(9)), embedder=Reading()).embedded == 4


def test_folder_before_the_valid_one_stays_for_readers_that_load_late(store: Path) -> None:
    old = Snapshot.open(store)
    put(store, batch(papers(6)))
    assert len(list(old.records())) == 5


def test_folders_before_the_last_two_go(store: Path) -> None:
    for count in (6, 7, 8):
        put(store, batch(papers(count)))
    assert [folder.name for folder in generations(store)] == ["000003", "000004"]


def test_reader_between_two_generations_takes_the_newer(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stale = read_manifest(store)
    put(store, batch(papers(6)))
    put(store, batch(papers(7)))
    manifests = iter([stale])
    monkeypatch.setattr(
        "rag.store.snapshot.read_manifest", lambda s: next(manifests, None) or read_manifest(s)
    )
    assert len(Snapshot.open(store)) == 7


# What is wrong is told


def test_empty_folder_holds_no_index(tmp_path: Path) -> None:
    with pytest.raises(StoreMissing, match="no index"):
        Snapshot.open(tmp_path)


def test_missing_index_names_the_command_that_makes_one(tmp_path: Path) -> None:
    with pytest.raises(StoreMissing) as caught:
        Snapshot.open(tmp_path / "nowhere")
    assert caught.value.fix.startswith("rag ingest ")


@pytest.mark.parametrize("name", ["papers.jsonl", "records.jsonl"])
def test_garbage_of_the_right_size_is_told(store: Path, name: str) -> None:
    path = Snapshot.open(store).folder / name
    path.write_bytes(b"x" * path.stat().st_size)
    snapshot = Snapshot.open(store)
    with pytest.raises(StoreDamaged):
        list(snapshot.papers() if name == "papers.jsonl" else snapshot.records())


def test_manifest_with_a_field_of_another_type_is_damaged(store: Path) -> None:
    data = json.loads((store / "manifest.json").read_bytes())
    (store / "manifest.json").write_text(json.dumps({**data, "generation": "three"}))
    with pytest.raises(StoreDamaged, match="generation is str"):
        read_manifest(store)


def test_manifest_comes_back_as_it_was(store: Path, tmp_path: Path) -> None:
    write_manifest(tmp_path, read_manifest(store))
    assert read_manifest(tmp_path) == read_manifest(store)


def test_fingerprint_does_not_depend_on_the_order() -> None:
    assert fingerprint(papers(5)) == fingerprint(papers(5)[::-1])


def test_fingerprint_depends_on_the_text() -> None:
    changed = [replace(paper, text=f"{paper.text} More.") for paper in papers(1)]
    assert fingerprint(papers(1)) != fingerprint(changed)
