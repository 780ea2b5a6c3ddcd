"""An index that several machines keep: a Chroma server has it, and each has it on its own disk.

The server holds the source records, each under its digest, the chunks with their vectors, and a
numbered head for each state, which lists the records. A head is added last, and only one can be
added under a number: so a state is there as a whole or not at all. Whoever reads brings his own
index to the last head and works on that, exactly as without a server; whoever writes holds the
lease, begins with the last head and ends with the next.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from rag.corpus.merge import merge
from rag.corpus.sentences import sentence_spans
from rag.errors import ServerError, StoreError
from rag.store.chroma import chunk_ids
from rag.store.files import replace_json, writing
from rag.store.ingest import Indexer, Progress, restore
from rag.store.lease import ALIVE, holder, lease
from rag.store.lock import write_lock
from rag.store.manifest import read_manifest
from rag.store.recall import recall
from rag.store.server import Server, text_id
from rag.store.snapshot import Snapshot, paper_from, paper_line
from rag.store.sync import expected_ids, laid_down
from rag.types import Paper

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rag.embed import Document, Matrix

HEADS, TEXTS, CHUNKS = "heads", "texts", "abstracts"
"""Collections; that of the chunks has the embedder's digest behind its name."""
FORMAT = 1
GROUP = 64
"""Papers whose vectors are sent or fetched together."""
STATE = "server.json"
"""Says in the folder of an index which head it has come to."""


@dataclass(frozen=True, slots=True)
class State:
    """What a head says: the records in order, whose vectors, and which files were read."""

    embedder: str
    dimensions: int
    records: Sequence[str]
    files: dict[str, str]

    def text(self) -> str:
        head = {"format": FORMAT, "embedder": self.embedder, "dimensions": self.dimensions}
        return json.dumps({**head, "records": list(self.records), "files": self.files})


@dataclass(frozen=True)
class Shared:
    """An index at a server, and a ``store`` that follows it."""

    server: Server
    store: Path
    indexer: Indexer
    progress: Progress
    alive: float = ALIVE

    def followed(self) -> bool:
        """Whether the store holds a state of the server."""
        return self._reached() > 0

    def behind(self) -> bool:
        """Whether the server has a state that the store has not come to."""
        return self.server_head() not in (0, self._reached())

    def catch_up(self) -> bool:
        """Bring the store to the server's last state; returns whether it was behind."""
        if not self.behind():
            return False
        with write_lock(self.store, wait=True, note=self.progress.note):
            return self._pull()

    def look(self) -> str:
        """What ``doctor`` tells of the server: how quickly it answers, what it holds, who writes,
        and what its own index is worth. Raises ServerError for what is wrong with it."""
        began = perf_counter()
        version, head = self.server.version(), self.server_head()
        took = 1000 * (perf_counter() - began)
        state = f"state {head}" if head else "holds nothing yet"
        told = [f"version {version} at {self.server.address}", f"{took:.0f} ms", state]
        told += [f"{who} is writing"] if (who := holder(self.server)) else []
        if head and head == self._reached():
            snapshot = Snapshot.open(self.store)
            if not self._complete(snapshot, {*self._state(head).records}):
                raise self._incomplete(head)
            name = collection_of(snapshot.manifest.embedder)
            told += [f"its index finds {recall(self.server, name, snapshot):.0%} of the nearest"]
        elif head:
            told += [f"here is {self._reached() or 'none'}: the next command takes it over"]
        return ", ".join(told)

    @contextmanager
    def writing(self, *, wait: bool) -> Iterator[None]:
        """Around a change of the store by whoever holds its lock: begins with the server's last
        state, and makes of what came of it the next."""
        with lease(self.server, wait=wait, note=self.progress.note, alive=self.alive) as held:
            self._pull()
            yield
            self._push(held.check)

    def server_head(self) -> int:
        """The number of the server's last state, 0 where there is none."""
        return max(map(int, self.server.ids(HEADS)), default=0)

    # --- from the server

    def _pull(self) -> bool:
        """Bring the store to the server's last state, where it has another."""
        head = self.server_head()
        if head in (0, self._reached()):
            return False
        self._own()
        state = self._state(head)
        self.progress.note(f"taking over state {head} of {self.server.address.url} …")
        records = self._records(state)
        fetched = _Fetched(self.server, state, records)
        restore(self.store, records, state.files, fetched, self.indexer, self.progress)
        self._reach(head)
        return True

    def _own(self) -> None:
        """Raise ServerError if the store has papers of its own, which would be lost."""
        try:
            manifest = read_manifest(self.store)
        except StoreError:
            return
        known = self._known()
        if not known:
            raise ServerError(
                f"{self.store} holds an index that {self.server.address.url} does not know.",
                "name another folder with --store, and ingest your files there again",
            )
        if known["corpus"] != manifest.corpus:
            self.progress.note("changes that had not reached the server are not kept: ingest again")

    def _state(self, head: int) -> State:
        row = self.server.metadata(HEADS, str(head)) or {}
        id = str(row.get("state", ""))
        text = self.server.texts(TEXTS, [id]).get(id)
        if text is None:
            raise self._incomplete(head)
        data: dict[str, Any] = json.loads(text)
        if data.pop("format") != FORMAT:
            message = f"{self.server.address.url} holds an index of another version."
            raise ServerError(message, "upgrade this program (pip install --upgrade)")
        return State(**data)

    def _records(self, state: State) -> list[Paper]:
        """The records of a state; those that the store has are not fetched."""
        texts = self._lines()
        lacking = [id for id in dict.fromkeys(state.records) if id not in texts]
        texts |= self.server.texts(TEXTS, lacking)
        if any(id not in texts for id in state.records):
            raise self._incomplete(self.server_head())
        return [paper_from(json.loads(texts[id])) for id in state.records]

    def _lines(self) -> dict[str, str]:
        """The records that the store has, each under its digest."""
        try:
            lines = map(paper_line, Snapshot.open(self.store).records())
            return {text_id(line): line for line in lines}
        except StoreError:
            return {}

    def _incomplete(self, head: int) -> ServerError:
        message = f"State {head} of {self.server.address.url} is not complete."
        return ServerError(message, "run rag rebuild where the index is whole; it sends what lacks")

    # --- to the server

    def _push(self, check: Callable[[], None]) -> None:
        """Make what the store holds the server's next state, if it is another than the last."""
        snapshot, head = Snapshot.open(self.store), self.server_head()
        lines = self._lines()
        manifest = snapshot.manifest
        ids = [text_id(paper_line(record)) for record in snapshot.records()]
        state = State(manifest.embedder, manifest.dimensions, ids, manifest.files)
        text = state.text()
        row = self.server.metadata(HEADS, str(head)) or {}
        if row.get("state") != text_id(text) or not self._complete(snapshot, {*ids, text_id(text)}):
            self._send(snapshot, {**lines, text_id(text): text})
            check()
            head += 1
            new: dict[str, str | int] = {"state": text_id(text), "writer": uuid4().hex}
            if not self.server.claim(HEADS, str(head), new):
                raise ServerError(
                    f"Another machine has changed {self.server.address.url} meanwhile.",
                    "run the command again",
                )
            self._forget(snapshot, {*ids, text_id(text)}, head)
        self._reach(head)

    def _complete(self, snapshot: Snapshot, texts: set[str]) -> bool:
        """Whether the server has all chunks and texts of a state."""
        if not {f"{id}.0" for id in texts} <= self.server.ids(TEXTS):
            return False
        present = self.server.ids(collection_of(snapshot.manifest.embedder))
        return all(map(present.issuperset, expected_ids(snapshot)))

    def _send(self, snapshot: Snapshot, texts: dict[str, str]) -> None:
        """What the server lacks of the chunks and texts."""
        name = collection_of(snapshot.manifest.embedder)
        present, there = self.server.ids(name), self.server.ids(TEXTS)
        wanted = enumerate(expected_ids(snapshot))
        rows = [row for row, ids in wanted if not present.issuperset(ids)]
        self.server.put_texts(
            TEXTS, {i: text for i, text in texts.items() if f"{i}.0" not in there}
        )
        if rows:
            self.progress.begin("sending", len(rows))
        for begin in range(0, len(rows), GROUP):
            group = rows[begin : begin + GROUP]
            self.server.put_chunks(name, *laid_down(snapshot, group))
            self.progress.advance(len(group))

    def _forget(self, snapshot: Snapshot, texts: set[str], head: int) -> None:
        """What no state needs any more."""
        name = collection_of(snapshot.manifest.embedder)
        self.server.delete(name, self.server.ids(name).difference(*expected_ids(snapshot)))
        gone = {id for id in self.server.ids(TEXTS) if id.partition(".")[0] not in texts}
        self.server.delete(TEXTS, gone)
        self.server.delete(HEADS, (id for id in self.server.ids(HEADS) if int(id) < head))
        for other in self.server.names():
            if other.startswith(f"{CHUNKS}-") and other != name:
                self.server.drop(other)

    # --- where the store is

    def _known(self) -> dict[str, Any]:
        """What the store says of the server that it follows; empty where it follows none."""
        try:
            data: dict[str, Any] = json.loads((self.store / STATE).read_bytes())
        except (OSError, ValueError):
            return {}
        return data if data.get("server") == str(self.server.address) else {}

    def _reached(self) -> int:
        """The state that the store has come to, 0 for none."""
        return int(self._known().get("head", 0))

    def _reach(self, head: int) -> None:
        corpus = read_manifest(self.store).corpus
        with writing(self.store):
            said = {"server": str(self.server.address), "head": head, "corpus": corpus}
            replace_json(self.store / STATE, said)


class _Fetched:
    """In the place of an embedder: it knows the vectors of the server's papers, and no others."""

    def __init__(self, server: Server, state: State, records: Sequence[Paper]) -> None:
        self.identity, self.dimensions = state.embedder, state.dimensions
        self.doing = "fetching"
        self._server = server
        self._ids = {
            paper.indexed_text: chunk_ids(paper, sentence_spans(paper.text), state.embedder)
            for paper in merge(records)
        }

    def documents(self, documents: Iterable[Document]) -> Iterator[tuple[int, Matrix]]:
        import numpy as np

        given = list(documents)
        for begin in range(0, len(given), GROUP):
            each = [self._ids[document.text] for document in given[begin : begin + GROUP]]
            found = self._server.vectors(
                collection_of(self.identity), [id for ids in each for id in ids]
            )
            for place, ids in enumerate(each, start=begin):
                if not found.keys() >= {*ids}:
                    raise ServerError(
                        f"{self._server.address.url} lacks vectors of its last state.",
                        "run it again; or rag rebuild where the index is whole, which sends them",
                    )
                yield place, np.vstack([found[id] for id in ids])

    def query(self, text: str) -> Matrix:
        raise NotImplementedError("the server's vectors answer no question")


def collection_of(embedder: str) -> str:
    """The collection of the chunks with an embedder's vectors."""
    return f"{CHUNKS}-{sha256(embedder.encode()).hexdigest()[:12]}"
