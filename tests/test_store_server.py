"""An index that several machines keep by a real Chroma server."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from rag.errors import ServerError, StoreLocked
from rag.store.chroma import chunk_ids
from rag.store.ingest import IngestReport
from rag.store.lease import LEASES, holder, lease
from rag.store.server import Address, Server, text_id
from rag.store.shared import CHUNKS, HEADS, TEXTS, Shared
from rag.store.snapshot import Snapshot
from tests.commands import Run
from tests.fakes import Notes, batch, no_index, papers, put

ALIVE = 0.6
"""Seconds after which these tests take a holder for gone."""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where a server runs."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    chroma = Path(sys.executable).with_name("chroma")
    folder = tmp_path_factory.mktemp("chroma")
    command = [chroma, "run", "--path", folder, "--host", "127.0.0.1", "--port", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        answers(address)
        yield address
    finally:
        server.kill()
        server.wait()


def answers(url: str) -> None:
    for _ in range(150):
        try:
            Server(Address(url)).version()
            return
        except ServerError:
            time.sleep(0.1)
    pytest.fail("chroma run does not answer")


@pytest.fixture
def server(url: str) -> Server:
    """That server, with nothing on it."""
    found = Server(Address(url))
    for name in found.names():
        found.drop(name)
    return found


def shared(server: Server, store: Path, notes: Notes | None = None) -> Shared:
    return Shared(server, store, no_index, notes or Notes(), ALIVE)


def ingested(server: Server, store: Path, file: str, first: int, last: int) -> IngestReport:
    """What another machine does with a file of the papers from ``first`` up to ``last``."""
    machine = shared(server, store)
    some = batch(papers(last, file=file)[first:], file=file)
    return put(store, some, around=lambda: machine.writing(wait=True))


def held_there(server: Server) -> set[str]:
    (name,) = (name for name in server.names() if name.startswith(CHUNKS))
    return server.ids(name)


def expected(store: Path) -> set[str]:
    snapshot = Snapshot.open(store)
    embedder = snapshot.manifest.embedder
    each = (chunk_ids(p, snapshot.spans(r), embedder) for r, p in enumerate(snapshot.papers()))
    return {id for ids in each for id in ids}


def test_machines_come_to_the_same_index(server: Server, tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    ingested(server, one, "/data/a.jsonl", 0, 3)
    assert shared(server, other).catch_up()
    ingested(server, other, "/data/b.jsonl", 3, 5)
    assert shared(server, one).catch_up()
    assert not shared(server, one).catch_up()
    here, there = Snapshot.open(one), Snapshot.open(other)
    assert list(here.records()) == list(there.records())
    assert np.array_equal(here.vectors, there.vectors)
    assert held_there(server) == expected(one) == expected(other)


def test_what_goes_here_goes_everywhere_and_nothing_is_sent_twice(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "one"
    ingested(server, store, "/data/a.jsonl", 0, 4)
    sent: list[int] = []
    send = Server.put_chunks
    monkeypatch.setattr(
        Server, "put_chunks", lambda s, n, c, v: (sent.append(len(c)), send(s, n, c, v))[1]
    )
    assert ingested(server, store, "/data/a.jsonl", 0, 4).unchanged == 4
    assert (sent, shared(server, store).server_head()) == ([], 1)
    ingested(server, store, "/data/a.jsonl", 1, 4)
    assert (sent, shared(server, store).server_head()) == ([], 2)
    assert held_there(server) == expected(store)
    assert len({id.partition(".")[0] for id in server.ids(TEXTS)}) == 3 + 1
    assert server.ids(HEADS) == {"2"}


KILLED = """
import os, signal, sys
from pathlib import Path
from rag.store.server import Address, Server
from tests.test_store_server import ingested

put, calls = Server.put_chunks, []
def dies(self, name, chunks, vectors):
    put(self, name, chunks[:5], vectors[:5])
    os.kill(os.getpid(), signal.SIGKILL)
Server.put_chunks = dies
ingested(Server(Address(sys.argv[1])), Path(sys.argv[2]), "/data/b.jsonl", 3, 9)
"""


def test_a_killed_writer_is_succeeded_and_leaves_nothing(server: Server, tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    ingested(server, one, "/data/a.jsonl", 0, 3)
    command = [sys.executable, "-c", KILLED, server.address.url, str(other)]
    assert subprocess.run(command, check=False).returncode == -9
    assert holder(server)
    assert len(held_there(server)) > len(expected(one))
    ingested(server, one, "/data/c.jsonl", 9, 10)
    assert held_there(server) == expected(one)
    assert len(Snapshot.open(one)) == 4
    # What the dead one had not been told is done is on its disk alone, and is done again.
    ingested(server, other, "/data/b.jsonl", 3, 9)
    assert len(Snapshot.open(other)) == 10
    assert held_there(server) == expected(other)


def test_a_second_writer_waits_or_is_refused(server: Server, tmp_path: Path) -> None:
    notes = Notes()
    with lease(server, wait=True, note=notes.note, alive=ALIVE):
        with (
            pytest.raises(StoreLocked, match="is writing to http") as caught,
            lease(server, wait=False, note=notes.note, alive=ALIVE),
        ):
            pass
        assert "without --no-wait" in caught.value.fix
        waiting = Thread(target=ingested, args=(server, tmp_path / "s", "/data/a.jsonl", 0, 1))
        waiting.start()
        waiting.join(2 * ALIVE)
        assert waiting.is_alive()
    waiting.join()
    assert len(Snapshot.open(tmp_path / "s")) == 1
    assert holder(server) is None
    assert notes.notes[0].startswith("waiting for process ")


def test_who_was_succeeded_publishes_nothing(server: Server, tmp_path: Path) -> None:
    machine = shared(server, tmp_path / "s")
    with pytest.raises(ServerError, match="took over"), machine.writing(wait=True):
        put(tmp_path / "s", batch(papers(2)))
        number = max(map(int, server.ids(LEASES)))
        assert server.claim(LEASES, str(number + 1), {"holder": "x", "state": "over", "beat": 0})
    assert machine.server_head() == 0


def test_the_first_under_a_number_has_it(server: Server) -> None:
    assert server.claim("things", "1", {"by": "me"})
    assert not server.claim("things", "1", {"by": "you"})
    assert server.metadata("things", "1") == {"by": "me"}


def test_long_and_odd_texts_come_back_as_they_went(server: Server) -> None:
    texts = ["é" * 9_001, "tail 𝄞 \u2028 \x00 end", "x" * 4_000]
    server.put_texts("texts", {text_id(text): text for text in texts})
    found = server.texts("texts", [*map(text_id, texts), "0" * 32])
    assert list(found.values()) == texts


def test_an_index_of_its_own_is_not_overwritten(server: Server, tmp_path: Path) -> None:
    ingested(server, tmp_path / "one", "/data/a.jsonl", 0, 2)
    put(tmp_path / "own", batch(papers(5)))
    with pytest.raises(ServerError, match="does not know"):
        shared(server, tmp_path / "own").catch_up()
    assert len(Snapshot.open(tmp_path / "own")) == 5


def test_an_incomplete_state_is_told_and_sent_again(server: Server, tmp_path: Path) -> None:
    ingested(server, tmp_path / "one", "/data/a.jsonl", 0, 2)
    server.delete(TEXTS, sorted(server.ids(TEXTS))[:1])
    with pytest.raises(ServerError, match=r"(not complete|lacks)") as caught:
        shared(server, tmp_path / "other").catch_up()
    assert "rag rebuild" in caught.value.fix
    ingested(server, tmp_path / "one", "/data/a.jsonl", 0, 2)
    (name,) = (name for name in server.names() if name.startswith(CHUNKS))
    server.delete(name, sorted(server.ids(name))[:1])
    ingested(server, tmp_path / "one", "/data/a.jsonl", 0, 2)
    assert held_there(server) == expected(tmp_path / "one")
    assert shared(server, tmp_path / "other").catch_up()


def answer(run: Run, store: str) -> object:
    found = run("ask", "How does FIRE measure plasticity?", "--store", store, "--json")
    assert found.status == 0, found.err
    return {key: value for key, value in found.json.items() if key != "timings_ms"}


def test_answers_are_those_of_an_index_without_a_server(
    run: Run, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = Path(__file__).parent.parent / "rag" / "sample" / "iclr2026_notes.jsonl"
    assert run("ingest", notes, "--store", "alone").status == 0
    alone = answer(run, "alone")
    monkeypatch.setenv("RAG_CHROMA_URL", server.address.url)
    assert run("ingest", notes, "--store", "one").status == 0
    assert answer(run, "one") == answer(run, "other") == alone
    checks = {
        check["name"]: check for check in run("doctor", "--store", "other", "--json").json["checks"]
    }
    assert checks["chroma server"]["ok"]
    assert "state 1" in checks["chroma server"]["detail"]
    assert "of the nearest" in checks["chroma server"]["detail"]
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        dead = f"http://127.0.0.1:{probe.getsockname()[1]}"
    state = Path("one/server.json")
    state.write_text(json.dumps({**json.loads(state.read_text()), "server": dead}))
    monkeypatch.setenv("RAG_CHROMA_URL", dead)
    offline = run("ask", "What is FIRE?", "--store", "one")
    assert (offline.status, "when it was last reached" in offline.err) == (0, True)
    refused = run("ask", "What is FIRE?", "--store", "third", "--json")
    assert (refused.status, refused.json["error"]["type"]) == (1, "ServerError")
    assert run("ingest", notes, "--store", "one").status == 1


@pytest.mark.parametrize(
    ("end", "more", "said"),
    [
        ("/api/v1", {}, "has a path"),
        ("", {"database": "no_such_database"}, "RAG_CHROMA_DATABASE"),
        ("", {"tenant": "nobody"}, "RAG_CHROMA_TENANT"),
    ],
)
def test_a_wrong_address_is_told(url: str, end: str, more: dict[str, str], said: str) -> None:
    with pytest.raises(ServerError) as caught:
        Server(Address(url + end, **more)).names()
    assert said in f"{caught.value.message} {caught.value.fix}"


def test_the_token_is_shown_to_nobody(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_CHROMA_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("RAG_CHROMA_TOKEN", "tk-very-secret-indeed")
    for command in (["config", "--json"], ["ask", "What is FIRE?", "--json"], ["doctor"]):
        said = run(*command)
        assert "very-secret" not in said.out + said.err
