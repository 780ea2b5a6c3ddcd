"""An index on a Chroma server: several machines, one killed, none wrong."""

from __future__ import annotations

import filecmp
import json
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import count
from pathlib import Path
from threading import Thread

import pytest

import rag
from rag.config import Settings
from rag.engine.answer import Asker
from rag.errors import ServerFailed, StoreLocked, StoreMissing, StoreUnwritable
from rag.library import Corpus, Program
from rag.opening import Host, open_snapshot
from rag.retrieve.hybrid import Retriever
from rag.store.copying import mend_shared, refresh
from rag.store.doctor import Check, diagnose
from rag.store.home import Shared, vectors_name
from rag.store.ingest import IngestReport, rebuild, remove
from rag.store.inspect_server import around, contents
from rag.store.lease import leased
from rag.store.server import Address
from rag.store.snapshot import Snapshot
from rag.types import Secret
from tests.chroma_server import TERM, ChromaServer, chroma_server
from tests.commands import Run
from tests.fakes import HashEmbedder, Notes, batch, no_index, papers, put, started
from tests.servers import eventually

_numbers = count()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChromaServer]:
    with chroma_server(tmp_path_factory.mktemp("chroma")) as running:
        yield running


@pytest.fixture
def database(server: ChromaServer) -> Callable[[], Shared]:
    """Gives a client of a database of the test's own, each time another client."""
    name = f"corpus{next(_numbers)}"
    return lambda: server.home(name)


def copied(store: Path, home: Shared) -> Snapshot:
    """The index as a machine with the folder ``store`` sees it."""
    refresh(store, home, no_index, print)
    return Snapshot.open(store)


def gives(store: Path, home: Shared, records: int, file: str, **how: object) -> IngestReport:
    """Ingest so many papers of a file."""
    return put(store, batch(papers(records, file=file), file=file), home=home, **how)


def checks(store: Path, home: Shared) -> dict[str, Check]:
    more = around(store, home), contents(store, home)
    return {c.name: c for c in diagnose(store, HashEmbedder(), lambda folder: None, *more)}


def test_copy_is_byte_for_byte_what_an_ingest_writes(
    database: Callable[[], Shared], tmp_path: Path
) -> None:
    put(tmp_path / "alone", batch(papers(40)))
    put(tmp_path / "a", batch(papers(40)), home=database())
    copy = copied(tmp_path / "b", database())
    alone = Snapshot.open(tmp_path / "alone")
    names = [path.name for path in alone.folder.iterdir() if path.name != "manifest.json"]
    assert filecmp.cmpfiles(alone.folder, copy.folder, names, shallow=False)[0] == names
    assert copy.manifest == alone.manifest
    assert not (tmp_path / "b" / "chroma").exists()


def test_each_machine_sees_what_the_others_took_in_and_out(
    database: Callable[[], Shared], tmp_path: Path
) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    gives(a, database(), 3, "/data/a.jsonl")
    more = batch(papers(5, file="/data/b.jsonl")[3:], file="/data/b.jsonl")
    embedder = HashEmbedder()
    assert put(b, more, home=database(), embedder=embedder).added == 2
    assert embedder.embedded == 2
    assert copied(a, database()).ids == ["p0", "p1", "p2", "p3", "p4"]
    remove(a, {"p1"}, None, HashEmbedder(), no_index, Notes(), home=database())
    assert copied(b, database()).ids == ["p0", "p2", "p3", "p4"]
    assert all(check.ok for name, check in checks(b, database()).items() if "chroma" in name)
    home = database()
    assert len(home.server.ids(vectors_name("hash-16"))) == Snapshot.open(b).manifest.chunks
    assert sorted(name for name in home.server.collections() if "generation" in name) == [
        "rag-generation-3"
    ]


KILLED = """
import sys, time
from pathlib import Path
from tests.chroma_server import ChromaServer
from tests.fakes import HashEmbedder, batch, papers, put

class Stops(HashEmbedder):
    def documents(self, documents):
        for n, found in enumerate(super().documents(documents)):
            if n == 64:
                print("stopped", flush=True)
                time.sleep(600)
            yield found

home = ChromaServer(sys.argv[1], None).home(sys.argv[2])
put(Path(sys.argv[3]), batch(papers(80)), embedder=Stops(), home=home)
"""


def test_another_machine_takes_over_from_one_that_was_killed(
    server: ChromaServer, database: Callable[[], Shared], tmp_path: Path
) -> None:
    gives(tmp_path / "b", database(), 2, "/data/old.jsonl")
    name, embedder, notes = database().address.database, HashEmbedder(), Notes()
    with started(KILLED, server.url, name, tmp_path / "a") as process:
        assert process.stdout
        assert process.stdout.readline() == "stopped\n"
        assert len(copied(tmp_path / "c", database())) == 2
        with pytest.raises(StoreLocked, match=f"Process {process.pid} on "):
            gives(tmp_path / "b", database(), 80, "/data/a.jsonl", wait=False)
        process.kill()
    begin = time.monotonic()
    report = gives(tmp_path / "b", database(), 80, "/data/a.jsonl", embedder=embedder)
    assert time.monotonic() - begin > TERM / 2
    assert (report.papers, embedder.embedded) == (80, 80 - 64 - 2), notes.notes
    snapshot = copied(tmp_path / "c", database())
    assert sorted(snapshot.ids) == sorted(f"p{n}" for n in range(80))
    assert len(database().server.ids(vectors_name("hash-16"))) == snapshot.manifest.chunks


def test_holder_that_was_taken_for_dead_publishes_nothing(
    database: Callable[[], Shared], tmp_path: Path
) -> None:
    first, second = database(), database()
    with first.writing(tmp_path / "a", wait=True, note=print):
        assert first._lease
        first._lease._ended.set()  # as of a laptop that was closed
        gives(tmp_path / "b", second, 3, "/data/b.jsonl")
        draft = tmp_path / "draft"
        draft.mkdir()
        manifest = Snapshot.open(tmp_path / "b").manifest
        first._lease._renewed = time.monotonic()  # and does not know
        with pytest.raises(StoreLocked, match="took over"):
            first.publish(tmp_path / "a", draft, papers(1), manifest)
    assert len(copied(tmp_path / "c", database())) == 3


def test_of_many_who_want_the_lease_one_at_a_time_has_it(database: Callable[[], Shared]) -> None:
    held, most = [], []
    database()

    def take() -> None:
        with leased(database().server, wait=True, note=lambda text: None, term=TERM) as lease:
            held.append(lease.number)
            most.append(len(held))
            time.sleep(0.05)
            held.pop()

    threads = [Thread(target=take) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert most == [1] * 6


def test_index_moves_to_a_server_and_back(database: Callable[[], Shared], tmp_path: Path) -> None:
    store, embedder = tmp_path / "a", HashEmbedder()
    put(store, batch(papers(4)))
    with pytest.raises(StoreMissing, match="no index on"):
        copied(store, database())
    assert rebuild(store, embedder, no_index, Notes(), home=database()).papers == 4
    assert copied(tmp_path / "b", database()).ids == ["p0", "p1", "p2", "p3"]
    assert put(store, batch(papers(5)), embedder=embedder).added == 1
    assert embedder.embedded == 1


def test_index_of_ones_own_is_not_replaced_by_a_copy(
    database: Callable[[], Shared], tmp_path: Path
) -> None:
    gives(tmp_path / "a", database(), 2, "/data/a.jsonl")
    own = tmp_path / "own"
    put(own, batch(papers(4)))
    for act in (copied, lambda store, home: gives(store, home, 1, "/data/b.jsonl")):
        with pytest.raises(StoreUnwritable, match="of its own"):
            act(own, database())
    assert len(Snapshot.open(own)) == 4


def test_copy_of_another_database_is_not_mixed_in(
    server: ChromaServer, database: Callable[[], Shared], tmp_path: Path
) -> None:
    store = tmp_path / "a"
    gives(store, database(), 4, "/data/a.jsonl")
    other = f"{database().address.database}-other"
    assert gives(store, server.home(other), 2, "/data/b.jsonl").papers == 2
    assert len(copied(store, database())) == 4


def test_doctor_finds_what_the_server_lost_and_puts_it_back(
    database: Callable[[], Shared], tmp_path: Path
) -> None:
    store = tmp_path / "a"
    gives(store, database(), 4, "/data/a.jsonl")
    home = database()
    name = vectors_name("hash-16")
    home.server.delete(name, sorted(home.server.ids(name))[:3])
    with pytest.raises(ServerFailed, match="vectors of 1 papers"):
        copied(tmp_path / "b", database())
    found = checks(store, database())["chroma"]
    assert (found.ok, "lacks 3 of 16" in found.detail) == (False, True)
    assert "doctor --fix" in str(found.fix)
    mend_shared(store, database(), no_index, {"chroma"}, Notes())
    assert checks(store, database())["chroma"].ok
    assert len(copied(tmp_path / "b", database())) == 4


def test_half_written_list_of_records_is_told(
    database: Callable[[], Shared], tmp_path: Path
) -> None:
    store = tmp_path / "a"
    gives(store, database(), 4, "/data/a.jsonl")
    home = database()
    home.server.put_texts(home.server.opened("rag-generation-1"), {"head:0": "{"})
    with pytest.raises(ServerFailed, match="cannot be read") as caught:
        copied(tmp_path / "b", database())
    assert "rag rebuild" in caught.value.fix
    rebuild(store, HashEmbedder(), no_index, Notes(), home=database())
    assert len(copied(tmp_path / "b", database())) == 4


class Refusing(BaseHTTPRequestHandler):
    """Answers as a gateway does that knows no such token; or sends the client elsewhere."""

    def do_GET(self) -> None:
        self.send_response(302 if "elsewhere" in self.path else 401)
        self.send_header("Location", "/")
        self.end_headers()
        self.wfile.write(b"<html>no</html>")

    def log_message(self, format: str, *arguments: object) -> None: ...


@pytest.fixture
def refusing() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Refusing) as gateway:
        Thread(target=gateway.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{gateway.server_port}"
        gateway.shutdown()


SAMPLE = str(Path(rag.__file__).parent / "sample" / "iclr2026_notes.jsonl")
TOKEN = "ck-very-secret-0123456789"


def test_wrong_token_address_and_database(
    server: ChromaServer, refusing: str, tmp_path: Path
) -> None:
    for address, message, fix in [
        (Address(refusing, token=Secret(TOKEN)), "refuses the token", "RAG_CHROMA_TOKEN"),
        (Address(refusing), "asks for a token", "RAG_CHROMA_TOKEN"),
        (Address(f"{refusing}/elsewhere", token=Secret(TOKEN)), "302", "doctor"),
        (Address("http://127.0.0.1:9"), "No Chroma server answers", "chroma run"),
        (Address(server.url, tenant="nobody"), "no database", "RAG_CHROMA_TENANT"),
        (Address(server.url, database="nothing"), "no database", "RAG_CHROMA_DATABASE"),
    ]:
        for act in (copied, lambda store, home: gives(store, home, 1, "/data/a.jsonl")):
            with pytest.raises(ServerFailed, match=message) as caught:
                act(tmp_path / "a", Shared(address))
            assert fix in caught.value.fix
            assert TOKEN not in f"{caught.value.message} {caught.value.fix} {address!r}"


def test_answers_are_those_of_an_index_folder(
    server: ChromaServer, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    questions = ["Which papers are about pruning?", "How many papers use diffusion?"]

    def answers(store: str) -> list[str]:
        found = [json.loads(run("ask", q, "--json", "--store", store).out) for q in questions]
        return [json.dumps({**each, "timings_ms": None}) for each in found]

    run("ingest", SAMPLE, "--store", "alone")
    expected = answers("alone")
    monkeypatch.setenv("RAG_CHROMA_URL", server.url)
    assert run("rebuild", "--store", "alone").status == 0
    assert answers("second") == expected
    doctor = run("doctor", "--store", "second", "--json").out
    details = {check["name"]: check["detail"] for check in json.loads(doctor)["checks"]}
    assert "recall@10" in details["chroma recall"]


def test_open_corpus_sees_the_next_generation_and_outlives_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rag.library.LOOK", 0.0)
    notes: list[str] = []
    with chroma_server(tmp_path / "chroma") as server:
        gives(tmp_path / "a", server.home(), 3, "/data/a.jsonl")
        settings = Settings(store=tmp_path / "b", chroma_url=server.url)

        def opened(host: Host) -> Asker:
            return Asker(Retriever(open_snapshot(host), HashEmbedder()))

        corpus = Corpus(Program(settings, notes.append), opened)
        assert len(corpus) == 3
        gives(tmp_path / "a", server.home(), 5, "/data/a.jsonl")
        assert eventually(lambda: len(corpus) == 5)
    assert eventually(lambda: len(corpus) == 5 and bool(notes))
    assert "This is the copy of before" in notes[-1]


def test_dead_server_costs_nothing(tmp_path: Path) -> None:
    store = tmp_path / "a"
    with chroma_server(tmp_path / "chroma") as server:
        gives(store, server.home(), 3, "/data/a.jsonl")
        home, embedder = server.home(), HashEmbedder()

        class Dies(HashEmbedder):
            def documents(self, documents):  # type: ignore[no-untyped-def]
                server.process.kill()
                server.process.wait()
                yield from super().documents(documents)

        with pytest.raises(ServerFailed, match="failed|No Chroma server"):
            gives(store, home, 5, "/data/a.jsonl", embedder=Dies())
    assert len(Snapshot.open(store)) == 3
    with pytest.raises(ServerFailed, match="No Chroma server answers") as caught:
        copied(store, home)
    assert "unset it" in caught.value.fix
    with chroma_server(tmp_path / "chroma") as again:
        assert gives(store, again.home(), 5, "/data/a.jsonl", embedder=embedder).papers == 5
        assert len(copied(tmp_path / "b", again.home())) == 5
