"""An ingest brings the index to what the files hold, whole or not at all."""

from __future__ import annotations

import os
import platform
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rag.corpus.sentences import sentence_spans
from rag.embed.remote import RemoteEmbedder
from rag.endpoint import Endpoint
from rag.errors import (
    EmbedderMismatch,
    EndpointUnreachable,
    QuotaExhausted,
    StoreDamaged,
    StoreMissing,
    StoreTooNew,
    StoreUnwritable,
)
from rag.store import chroma
from rag.store.chroma import Collection
from rag.store.ingest import GROUP, IngestReport, ingest, rebuild
from rag.store.manifest import read_manifest
from rag.store.snapshot import Snapshot
from rag.types import Secret
from tests.embedding_server import EmbeddingServer, after, empty_account
from tests.fakes import (
    HashEmbedder,
    Notes,
    abstract,
    batch,
    chroma_rows,
    no_index,
    paper,
    papers,
    put,
    started,
)
from tests.servers import Event, drops


def remade(store: Path, embedder: HashEmbedder) -> IngestReport:
    return rebuild(store, embedder, no_index, Notes())


def texts(store: Path) -> dict[str, str]:
    return {paper.paper_id: paper.text for paper in Snapshot.open(store).papers()}


def content(store: Path) -> tuple[bytes, bytes, set[str]]:
    """What two stores must share to be the same."""
    folder = Snapshot.open(store).folder
    names = ("papers.jsonl", "vectors.npy")
    files = tuple((folder / name).read_bytes() for name in names)
    return (*files, set(chroma_rows(store)))


# What the report counts


def test_first_ingest_counts_papers_and_chunks(tmp_path: Path) -> None:
    report = put(tmp_path / "s", batch(papers(5)))
    assert report == IngestReport(
        added=5, updated=0, unchanged=0, removed=0, merged=0, papers=5, chunks=20, embedded=5
    )


def test_progress_counts_each_embedded_paper(tmp_path: Path) -> None:
    progress = Notes()
    ingest(tmp_path / "s", [batch(papers(5))], HashEmbedder(), no_index, progress)
    assert (progress.total, progress.done) == (5, 5)


def test_same_file_twice_embeds_nothing(store: Path) -> None:
    embedder = HashEmbedder()
    report = put(store, batch(papers(5)), embedder=embedder)
    assert (report.unchanged, report.embedded, embedder.embedded) == (5, 0, 0)


def test_same_file_twice_keeps_the_generation(store: Path) -> None:
    before = read_manifest(store)
    put(store, batch(papers(5)))
    assert read_manifest(store) == before


def test_changed_abstract_is_an_update_and_alone_embedded(store: Path) -> None:
    records = papers(5)
    records[2] = replace(records[2], text=records[2].text + " It was seen again.")
    embedder = HashEmbedder()
    report = put(store, batch(records), embedder=embedder)
    assert (report.updated, report.unchanged, embedder.embedded) == (1, 4, 1)


def test_changed_abstract_replaces_the_old_text_in_chroma(store: Path) -> None:
    put(store, batch([*papers(4), paper("p4", "All is new. Nothing is old.")]))
    documents = {text for text, row in chroma_rows(store).values() if row["paper_id"] == "p4"}
    assert documents == {"All is new. Nothing is old.", "All is new.", "Nothing is old."}


def test_other_place_in_the_file_counts_as_unchanged(store: Path) -> None:
    moved = [
        replace(p, sources=(replace(p.sources[0], line=p.sources[0].line + 1),)) for p in papers(5)
    ]
    assert put(store, batch(moved)).unchanged == 5


def test_other_place_in_the_file_is_stored(store: Path) -> None:
    moved = [replace(p, sources=(replace(p.sources[0], line=77),)) for p in papers(5)]
    put(store, batch(moved))
    assert Snapshot.open(store).paper(0).sources[0].line == 77


def test_metadata_change_embeds_nothing(store: Path) -> None:
    embedder = HashEmbedder()
    report = put(store, batch([replace(p, area="optics") for p in papers(5)]), embedder=embedder)
    assert (report.updated, embedder.embedded) == (5, 0)


def test_metadata_change_reaches_chroma(store: Path) -> None:
    put(store, batch([replace(p, area="optics") for p in papers(5)]))
    assert {row["area"] for _, row in chroma_rows(store).values()} == {"optics"}


# What goes and what stays


def test_removed_record_goes(store: Path) -> None:
    report = put(store, batch(papers(4)))
    assert (report.removed, "p4" in texts(store)) == (1, False)


def test_removed_record_goes_from_chroma(store: Path) -> None:
    put(store, batch(papers(4)))
    assert {row["paper_id"] for _, row in chroma_rows(store).values()} == {"p0", "p1", "p2", "p3"}


def test_keep_keeps_a_removed_record(store: Path) -> None:
    assert put(store, batch(papers(4)), keep=True).papers == 5


def test_file_with_rejected_records_removes_nothing(store: Path) -> None:
    assert put(store, batch(papers(4), whole=False)).papers == 5


def test_other_file_leaves_the_first_alone(store: Path) -> None:
    other = paper("q", "Another file speaks. It says this.", file="/data/b.jsonl")
    report = put(store, batch([other], file="/data/b.jsonl"))
    assert (report.added, report.unchanged) == (1, 5)


def test_emptied_corpus_is_a_whole_store(store: Path) -> None:
    put(store, batch([]))
    assert list(Snapshot.open(store).papers()) == []


def test_emptied_corpus_can_be_filled_again(store: Path) -> None:
    put(store, batch([]))
    assert put(store, batch(papers(2))).added == 2


def test_same_text_in_two_files_is_one_paper(store: Path) -> None:
    twin = replace(papers(1, file="/data/b.jsonl")[0], venue="ICLR")
    report = put(store, batch([twin], file="/data/b.jsonl"))
    assert (report.merged, report.papers, Snapshot.open(store).paper(0).venue) == (1, 5, "ICLR")


def test_merged_paper_survives_the_removal_of_one_source(store: Path) -> None:
    put(store, batch(papers(1, file="/data/b.jsonl"), file="/data/b.jsonl"))
    put(store, batch(papers(5)[1:]))
    kept = Snapshot.open(store)
    assert [source.file for source in kept.paper(kept.find("p0")).sources] == ["/data/b.jsonl"]


def test_change_that_a_merge_hides_is_remembered(store: Path) -> None:
    """The record that came second wins once the first is gone: its latest state must count."""
    twin = papers(1, file="/data/b.jsonl")[0]
    put(store, batch([replace(twin, title="Old name")], file="/data/b.jsonl"))
    put(store, batch([replace(twin, title="New name")], file="/data/b.jsonl"))
    put(store, batch(papers(5)[1:]))
    kept = Snapshot.open(store)
    assert kept.paper(kept.find("p0")).title == "New name"


def test_equal_names_in_two_folders_do_not_mix(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.jsonl").touch()
    one, two = str(tmp_path / "one" / "a.jsonl"), str(tmp_path / "two" / "a.jsonl")
    put(tmp_path / "s", batch(papers(2, file=one), file=one))
    other = paper("q", "The second folder speaks.", file=two)
    assert put(tmp_path / "s", batch([other], file=two)).papers == 3


def test_moved_file_is_known_by_its_given_path(tmp_path: Path) -> None:
    one, two = str(tmp_path / "gone" / "a.jsonl"), str(tmp_path / "here" / "a.jsonl")
    put(tmp_path / "s", batch(papers(3, file=one), file=one))
    assert put(tmp_path / "s", batch(papers(2, file=two), file=two)).papers == 2


def test_order_does_not_depend_on_how_often_a_file_was_read(store: Path) -> None:
    put(store, batch([paper("q", "Another file.", file="/data/b.jsonl")], file="/data/b.jsonl"))
    put(store, batch([paper("p9", abstract(9)), *papers(5)]))
    assert Snapshot.open(store).ids == ["p9", "p0", "p1", "p2", "p3", "p4", "q"]


# What stands in Chroma


def test_every_document_is_the_stretch_of_text_that_it_names(store: Path) -> None:
    whole = texts(store)
    for text, row in chroma_rows(store).values():
        assert text == whole[row["paper_id"]][row["start"] : row["end"]]


def test_every_sentence_is_in_chroma(store: Path) -> None:
    sentences = {text for text, row in chroma_rows(store).values() if row["kind"] == "sentence"}
    whole = texts(store).values()
    assert sentences == {text[s:e] for text in whole for s, e in sentence_spans(text)}


def test_more_chunks_than_chroma_takes_at_once(tmp_path: Path) -> None:
    report = put(tmp_path / "s", batch(papers(30, sentences=200)))
    assert report.chunks == len(chroma_rows(tmp_path / "s")) == 30 * 201 > 5461


def test_collection_counts_by_cosine(store: Path) -> None:
    with chroma.Collection(store) as collection:
        assert collection._collection.configuration["hnsw"]["space"] == "cosine"


def test_snapshot_and_chroma_hold_the_same_vectors(store: Path) -> None:
    snapshot = Snapshot.open(store)
    ids = chroma.chunk_ids(snapshot.paper(3), snapshot.spans(3), "hash-16")
    with chroma.Collection(store) as collection:
        assert np.allclose(collection.vectors(ids), snapshot.paper_vectors(3), atol=1e-6)


# Interruptions


def test_failed_ingest_leaves_the_old_index(store: Path) -> None:
    before = texts(store)
    with pytest.raises(RuntimeError):
        put(store, batch(papers(40)), embedder=HashEmbedder(fail_after=20))
    assert texts(store) == before


def test_resumed_ingest_embeds_only_the_rest(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError):
        put(tmp_path / "s", batch(papers(40)), embedder=HashEmbedder(fail_after=23))
    embedder = HashEmbedder()
    put(tmp_path / "s", batch(papers(40)), embedder=embedder)
    assert embedder.embedded == 40 - 23


def test_resumed_ingest_ends_like_an_undisturbed_one(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError):
        put(tmp_path / "a", batch(papers(40)), embedder=HashEmbedder(fail_after=23))
    put(tmp_path / "a", batch(papers(40)))
    put(tmp_path / "b", batch(papers(40)))
    assert content(tmp_path / "a") == content(tmp_path / "b")


def test_unfinished_first_ingest_is_told_apart_from_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError):
        put(tmp_path / "s", batch(papers(4)), embedder=HashEmbedder(fail_after=2))
    with pytest.raises(StoreMissing, match="did not finish"):
        Snapshot.open(tmp_path / "s")


def test_return_to_the_old_file_undoes_an_interrupted_ingest(store: Path) -> None:
    before = set(chroma_rows(store))
    with pytest.raises(RuntimeError):
        put(store, batch(papers(40)), embedder=HashEmbedder(fail_after=20))
    put(store, batch(papers(5)))
    assert set(chroma_rows(store)) == before


SLOW_INGEST = """
import sys, time
from pathlib import Path
from tests.fakes import HashEmbedder, batch, papers, put

class Hesitant(HashEmbedder):
    def documents(self, documents):
        for n, found in enumerate(super().documents(documents)):
            if n == int(sys.argv[3]):
                print("there", flush=True)
                time.sleep(60)
            yield found

put(Path(sys.argv[1]), batch(papers(int(sys.argv[2]))), embedder=Hesitant())
"""


def kill_in_the_middle(store: Path, papers: int, after: int) -> None:
    with started(SLOW_INGEST, store, papers, after) as process:
        assert process.stdout
        assert process.stdout.readline() == "there\n"
        process.send_signal(signal.SIGKILL)


def test_killed_ingest_loses_less_than_a_group(tmp_path: Path) -> None:
    kill_in_the_middle(tmp_path / "s", papers=3 * GROUP, after=2 * GROUP + 5)
    embedder = HashEmbedder()
    put(tmp_path / "s", batch(papers(3 * GROUP)), embedder=embedder)
    assert embedder.embedded == GROUP


def test_killed_and_resumed_ingest_ends_like_an_undisturbed_one(tmp_path: Path) -> None:
    kill_in_the_middle(tmp_path / "a", papers=2 * GROUP, after=GROUP + 5)
    put(tmp_path / "a", batch(papers(2 * GROUP)))
    put(tmp_path / "b", batch(papers(2 * GROUP)))
    assert content(tmp_path / "a") == content(tmp_path / "b")


def test_killed_update_leaves_the_old_index(store: Path) -> None:
    before = texts(store)
    kill_in_the_middle(store, papers=2 * GROUP, after=GROUP + 5)
    assert texts(store) == before


def test_two_processes_ingesting_at_once_both_land(tmp_path: Path) -> None:
    code = """
import sys
from pathlib import Path
from tests.fakes import batch, paper, abstract, put

file, first = sys.argv[2], int(sys.argv[3])
records = [paper(f"p{n}", abstract(n, 20), file=file, ordinal=n) for n in range(first, first + 60)]
put(Path(sys.argv[1]), batch(records, file=file))
"""
    pairs = [("/data/a.jsonl", 0), ("/data/b.jsonl", 60)]
    processes = [started(code, tmp_path / "s", *pair) for pair in pairs]
    errors = [process.communicate()[1] for process in processes]
    assert [process.returncode for process in processes] == [0, 0], errors
    assert len(Snapshot.open(tmp_path / "s")) == 120
    assert chroma.readable_ids(tmp_path / "s") == set(chroma_rows(tmp_path / "s"))
    assert len(chroma_rows(tmp_path / "s")) == 120 * 21


# Embedders that cost money

SENTINEL = "sk-sentinel-0123456789-never-shown"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddingServer]:
    monkeypatch.setattr("rag.endpoint.patience.FIRST_WAIT", 0.01)
    with EmbeddingServer() as ours:
        yield ours


def remote(server: EmbeddingServer, model: str = "tiny") -> RemoteEmbedder:
    endpoint = Endpoint(model, server.url, Secret(SENTINEL), timeout=5, settings="RAG_EMBED")
    return RemoteEmbedder(endpoint)


def paid_for(store: Path) -> set[str]:
    """Titles and texts of the papers that Chroma has vectors of, as the server sees them."""
    rows = chroma_rows(store).values()
    return {f"{row['title']}. {text}" for text, row in rows if row["kind"] == "abstract"}


def test_ingest_that_ran_out_of_money_keeps_what_it_has_paid_for(
    tmp_path: Path, server: EmbeddingServer
) -> None:
    server.odd = empty_account(6)
    with pytest.raises(QuotaExhausted) as caught:
        put(tmp_path / "s", batch(papers(80)), embedder=remote(server))
    kept = len(paid_for(tmp_path / "s"))
    assert kept >= 8
    assert f"{kept} of 80 papers are embedded" in caught.value.fix


def test_ingest_is_resumed_with_only_the_rest(tmp_path: Path, server: EmbeddingServer) -> None:
    server.odd = empty_account(6)
    with pytest.raises(QuotaExhausted):
        put(tmp_path / "s", batch(papers(80)), embedder=remote(server))
    paid = paid_for(tmp_path / "s")
    server.reset()
    report = put(tmp_path / "s", batch(papers(80)), embedder=remote(server))
    probe = 1
    assert (report.papers, report.embedded) == (80, 80 - len(paid))
    assert len(server.inputs) == (80 - len(paid)) * 4 + probe
    assert paid.isdisjoint(server.inputs)


def test_ingest_resumed_at_a_server_ends_like_an_undisturbed_one(
    tmp_path: Path, server: EmbeddingServer
) -> None:
    server.odd = empty_account(6)
    with pytest.raises(QuotaExhausted):
        put(tmp_path / "a", batch(papers(80)), embedder=remote(server))
    server.reset()
    for name in ("a", "b"):
        put(tmp_path / name, batch(papers(80)), embedder=remote(server))
    assert content(tmp_path / "a") == content(tmp_path / "b")


def test_ingest_survives_a_server_that_dies(tmp_path: Path, server: EmbeddingServer) -> None:
    server.odd = after(6, drops)
    with pytest.raises(EndpointUnreachable):
        put(tmp_path / "s", batch(papers(80)), embedder=remote(server))
    server.reset()
    report = put(tmp_path / "s", batch(papers(80)), embedder=remote(server))
    assert (report.papers, report.embedded < 80) == (80, True)


REMOTE_INGEST = """
import sys
from pathlib import Path
from rag.embed.remote import RemoteEmbedder
from rag.endpoint import Endpoint
from tests.fakes import batch, papers, put

embedder = RemoteEmbedder(Endpoint("tiny", sys.argv[2]))
try:
    put(Path(sys.argv[1]), batch(papers(80)), embedder=embedder)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_interrupt_does_not_wait_for_a_slow_server(tmp_path: Path, server: EmbeddingServer) -> None:
    slow, enough = threading.Event(), threading.Event()

    def odd(number: int, body: Event) -> None:
        if number > 6:
            slow.set()
            enough.wait(60)

    server.odd = odd
    with started(REMOTE_INGEST, tmp_path / "s", server.url) as process:
        assert slow.wait(60)
        time.sleep(0.5)  # what has come is taken in
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=10)
        enough.set()
    assert (output, process.returncode) == ("interrupted\n", 0), errors
    assert paid_for(tmp_path / "s")


def test_rebuild_that_ran_out_of_money_goes_on_where_it_was(
    tmp_path: Path, server: EmbeddingServer
) -> None:
    put(tmp_path / "s", batch(papers(80)))
    server.odd = empty_account(6)
    with pytest.raises(QuotaExhausted):
        rebuild(tmp_path / "s", remote(server), no_index, Notes())
    paid = paid_for(tmp_path / "s")
    server.reset()
    report = rebuild(tmp_path / "s", remote(server), no_index, Notes())
    assert (report.papers, report.embedded) == (80, 80 - len(paid))
    assert 0 < len(paid) < 80
    assert paid.isdisjoint(server.inputs)


def test_rebuild_that_was_given_up_leaves_an_index_to_ingest_into(
    tmp_path: Path, server: EmbeddingServer
) -> None:
    put(tmp_path / "s", batch(papers(40)))
    server.odd = empty_account(4)
    with pytest.raises(QuotaExhausted):
        rebuild(tmp_path / "s", remote(server), no_index, Notes())
    embedder = HashEmbedder()
    assert put(tmp_path / "s", batch(papers(41)), embedder=embedder).papers == 41
    assert (embedder.embedded, len(paid_for(tmp_path / "s"))) == (1, 41)


def test_first_ingest_that_was_given_up_makes_room_for_another_embedder(
    tmp_path: Path, server: EmbeddingServer
) -> None:
    server.odd = empty_account(6)
    with pytest.raises(QuotaExhausted):
        put(tmp_path / "a", batch(papers(80)), embedder=remote(server))
    for name in ("a", "b"):
        put(tmp_path / name, batch(papers(5)))
    assert content(tmp_path / "a") == content(tmp_path / "b")


def test_other_model_with_vectors_of_the_same_length_is_refused(
    tmp_path: Path, server: EmbeddingServer
) -> None:
    put(tmp_path / "s", batch(papers(2)), embedder=remote(server))
    with pytest.raises(EmbedderMismatch, match="tiny/8, not other/8") as caught:
        put(tmp_path / "s", batch(papers(3)), embedder=remote(server, "other"))
    assert "RAG_EMBED_MODEL=tiny" in caught.value.fix
    assert f"rag rebuild --store {tmp_path / 's'}" in caught.value.fix


def test_same_model_at_another_address_is_the_same_embedder(
    tmp_path: Path, server: EmbeddingServer
) -> None:
    put(tmp_path / "s", batch(papers(2)), embedder=remote(server))
    with EmbeddingServer() as moved:
        report = put(tmp_path / "s", batch(papers(3)), embedder=remote(moved))
    assert (report.unchanged, report.embedded) == (2, 1)


def test_index_of_a_server_opened_with_the_built_in_embedder(
    tmp_path: Path, server: EmbeddingServer
) -> None:
    put(tmp_path / "s", batch(papers(2)), embedder=remote(server))
    with pytest.raises(EmbedderMismatch) as caught:
        put(tmp_path / "s", batch(papers(3)))
    assert caught.value.fix.startswith("set RAG_EMBED_MODEL=tiny and RAG_EMBED_BASE_URL")


def test_index_of_the_built_in_embedder_opened_with_a_server(
    store: Path, server: EmbeddingServer
) -> None:
    with pytest.raises(EmbedderMismatch) as caught:
        put(store, batch(papers(6)), embedder=remote(server))
    assert caught.value.fix.startswith("unset RAG_EMBED_MODEL")
    assert f"rag rebuild --store {store}" in caught.value.fix


def test_key_is_in_no_file_of_the_store(tmp_path: Path, server: EmbeddingServer) -> None:
    put(tmp_path / "s", batch(papers(2)), embedder=remote(server))
    assert server.asked[0].headers["authorization"] == f"Bearer {SENTINEL}"
    files = [path for path in (tmp_path / "s").rglob("*") if path.is_file()]
    assert len(files) > 8
    assert not [path for path in files if SENTINEL.encode() in path.read_bytes()]


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc can overwrite memory")
def test_nothing_that_was_freed_is_in_the_store(tmp_path: Path) -> None:
    """Chroma saves memory that it has not written to; what it has been handed out there must
    not be what somebody else has left."""
    put(tmp_path / "s", batch(papers(2)))
    (unused,) = (tmp_path / "s").rglob("data_level0.bin")
    assert len(set(unused.read_bytes())) == 1


# Where nothing can be written


def test_file_in_the_place_of_the_store(tmp_path: Path) -> None:
    (tmp_path / "s").write_text("not a folder")
    with pytest.raises(StoreUnwritable, match="is a file"):
        put(tmp_path / "s", batch(papers(1)))


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_folder_without_write_permission(store: Path) -> None:
    store.chmod(0o500)
    with pytest.raises(StoreUnwritable, match="Permission denied"):
        put(store, batch(papers(6)))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 4 MB with a store of five papers."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", disk], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("mounting a small disk takes root")
    put(disk / "s", batch(papers(5)))
    yield disk / "s"
    subprocess.run(["umount", "-l", disk], check=True)


def test_full_disk_is_told_as_such(small_disk: Path) -> None:
    with pytest.raises(StoreUnwritable, match="No space left"):
        put(small_disk, batch(papers(400, sentences=20)))


def test_full_disk_leaves_the_old_index(small_disk: Path) -> None:
    with pytest.raises(StoreUnwritable):
        put(small_disk, batch(papers(400, sentences=20)))
    assert len(texts(small_disk)) == 5


def test_file_size_limit_is_told_as_no_space(store: Path) -> None:
    code = """
import resource, sys
from pathlib import Path
from rag.errors import StoreUnwritable
from tests.fakes import batch, papers, put

resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
try:
    put(Path(sys.argv[1]), batch(papers(200, sentences=20)))
except StoreUnwritable as error:
    print(error.message)
"""
    output, errors = started(code, store).communicate()
    assert output == f"No space left to write the index in {store}.\n", errors
    assert len(texts(store)) == 5


# Damage and repair


def damage(store: Path, name: str, data: bytes | None) -> None:
    """Overwrite a file of the valid generation or of the store; None removes it."""
    path = store / name if name == "manifest.json" else Snapshot.open(store).folder / name
    path.write_bytes(data) if data is not None else path.unlink()


DAMAGES = [
    ("manifest.json", b"{ not JSON"),
    ("manifest.json", b"[]"),
    ("manifest.json", b'{"format": 1, "generation": "three"}'),
    ("manifest.json", None),
    ("vectors.npy", b"\x93NUMPY"),
    ("vectors.npy", b""),
    ("vectors.npy", None),
    ("sentences.npy", None),
    ("offsets.npy", None),
    ("ids.json", b"[]"),
    ("ids.json", None),
    ("papers.jsonl", b"{}\n"),
    ("papers.jsonl", None),
]


@pytest.mark.parametrize(("name", "data"), DAMAGES)
def test_damage_is_told_and_the_fix_is_rebuild(store: Path, name: str, data: bytes | None) -> None:
    damage(store, name, data)
    with pytest.raises(StoreDamaged) as caught:
        Snapshot.open(store)
    assert caught.value.fix == f"rag rebuild --store {store}"


@pytest.mark.parametrize(("name", "data"), DAMAGES)
def test_ingest_into_a_damaged_store_changes_nothing(
    store: Path, name: str, data: bytes | None
) -> None:
    if (name, data) == ("manifest.json", None):
        pytest.skip("a completed generation without it is taken over, see below")
    damage(store, name, data)
    before = set(chroma_rows(store))
    with pytest.raises(StoreDamaged):
        put(store, batch(papers(1)))
    assert set(chroma_rows(store)) == before


@pytest.mark.parametrize("first", [True, False])
def test_a_writer_killed_just_before_the_manifest_has_not_lost_its_work(
    tmp_path: Path, first: bool
) -> None:
    store = tmp_path / "store"
    if not first:
        put(store, batch(papers(2)))
    earlier = None if first else (store / "manifest.json").read_bytes()
    put(store, batch(papers(4)))
    (store / "manifest.json").unlink()
    if earlier:
        (store / "manifest.json").write_bytes(earlier)
    embedder = HashEmbedder()
    report = put(store, batch(papers(4)), embedder=embedder)
    assert (report.unchanged, report.papers, embedder.embedded) == (4, 4, 0)


def test_pipes_of_one_name_do_not_displace_each_other(tmp_path: Path) -> None:
    store = tmp_path / "store"
    put(store, batch(papers(2), file="/proc/1/fd/pipe:[1]/stdin"))
    report = put(store, batch(papers(4)[2:], file="/proc/1/fd/pipe:[2]/stdin"))
    assert (report.added, report.removed, report.papers) == (2, 0, 4)


@pytest.mark.parametrize(("name", "data"), DAMAGES)
def test_rebuild_repairs(store: Path, name: str, data: bytes | None) -> None:
    before = content(store)
    damage(store, name, data)
    remade(store, HashEmbedder())
    assert content(store) == before


@pytest.mark.parametrize(("name", "data"), [d for d in DAMAGES if d[0] == "manifest.json"])
def test_rebuild_without_manifest_embeds_nothing(
    store: Path, name: str, data: bytes | None
) -> None:
    damage(store, name, data)
    embedder = HashEmbedder()
    remade(store, embedder)
    assert embedder.embedded == 0


def test_rebuild_without_chroma_embeds_nothing(store: Path) -> None:
    before = content(store)
    for file in (store / "chroma").rglob("*.*"):
        file.write_bytes(b"rubbish")
    embedder = HashEmbedder()
    remade(store, embedder)
    assert (embedder.embedded, content(store)) == (0, before)


@pytest.mark.parametrize(("chroma", "embedded"), [(True, 0), (False, 1)])
def test_vectors_that_are_lost_come_from_chroma_or_are_embedded(
    store: Path, chroma: bool, embedded: int
) -> None:
    path = Snapshot.open(store).folder / "vectors.npy"
    vectors = np.load(path)
    vectors[2] = np.nan
    np.save(path, vectors)
    if not chroma:
        shutil.rmtree(store / "chroma")
    embedder = HashEmbedder()
    remade(store, embedder)
    assert embedder.embedded == embedded
    assert len(chroma_rows(store)) == 20


def test_vectors_that_are_wrong_in_chroma_too_are_embedded(store: Path) -> None:
    path = Snapshot.open(store).folder / "vectors.npy"
    np.save(path, 2 * np.load(path))
    with Collection(store) as collection:
        ids = sorted(collection.ids())
        collection._collection.update(ids=ids, embeddings=2 * collection.vectors(ids))
    embedder = HashEmbedder()
    remade(store, embedder)
    assert embedder.embedded == 5


def test_rebuild_takes_an_older_generation_where_the_newest_is_lost(store: Path) -> None:
    put(store, batch(papers(6)))
    damage(store, "records.jsonl", b"rubbish")
    remade(store, HashEmbedder())
    assert len(texts(store)) == 5


def test_rebuild_without_any_records_asks_for_the_files(store: Path) -> None:
    damage(store, "records.jsonl", None)
    with pytest.raises(StoreDamaged) as caught:
        remade(store, HashEmbedder())
    assert "original files" in caught.value.fix


def test_rebuild_of_nothing_makes_no_folder(tmp_path: Path) -> None:
    with pytest.raises(StoreMissing):
        remade(tmp_path / "s", HashEmbedder())
    assert not (tmp_path / "s").exists()


def test_chroma_damage_is_told_by_an_ingest(store: Path) -> None:
    (store / "chroma" / "chroma.sqlite3").write_bytes(b"rubbish" * 1000)
    with pytest.raises(StoreDamaged, match="Chroma"):
        put(store, batch(papers(6)))


def test_newer_format_is_refused_by_readers(store: Path) -> None:
    damage(store, "manifest.json", b'{"format": 99, "more": true}')
    with pytest.raises(StoreTooNew):
        Snapshot.open(store)


def test_newer_format_is_refused_by_rebuild(store: Path) -> None:
    damage(store, "manifest.json", b'{"format": 99, "more": true}')
    with pytest.raises(StoreTooNew):
        remade(store, HashEmbedder())


def test_other_embedder_is_refused(store: Path) -> None:
    with pytest.raises(EmbedderMismatch) as caught:
        put(store, batch(papers(6)), embedder=HashEmbedder("other-16"))
    assert caught.value.fix == f"rag rebuild --store {store}"


def test_rebuild_converts_to_another_embedder(store: Path, tmp_path: Path) -> None:
    remade(store, HashEmbedder("other-16"))
    put(tmp_path / "b", batch(papers(5)), embedder=HashEmbedder("other-16"))
    assert content(store) == content(tmp_path / "b")


def test_changed_sentence_splitter_makes_new_vectors(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rag.store.ingest.sentence_spans", lambda text: [(0, len(text))])
    embedder = HashEmbedder()
    put(store, batch(papers(6)), embedder=embedder)
    assert (embedder.embedded, Snapshot.open(store).manifest.chunks) == (6, 12)
