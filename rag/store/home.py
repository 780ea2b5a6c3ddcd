"""Where an index has its home: in its own folder, or on a Chroma server that machines share.

On a server every generation is a collection, ``rag-generation-N``, which names the source records
of that state; a draft is renamed into it when all it names is there, and the highest number
counts. Records and vectors lie once in collections of their own, under ids made of their content,
so that a generation costs what is new in it. A machine's folder holds a copy of one generation,
with the index of words made here: it answers out of that, as it would without a server.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag import __version__
from rag.errors import ServerFailed, StoreError, StoreMissing, StoreTooNew, StoreUnwritable
from rag.store.files import write_flushed
from rag.store.lease import TERM, Lease, leased, lost
from rag.store.lock import write_lock
from rag.store.manifest import FORMAT, Manifest, generations, load_manifest
from rag.store.server import Address, Server, guarded
from rag.store.snapshot import UNREADABLE, line_of, paper_from
from rag.types import Paper

if TYPE_CHECKING:
    from rag.store.chroma import Collection

GENERATION, RECORDS, VECTORS = "rag-generation-", "rag-records", "rag-vectors-"
COPY = "copy.json"
"""In a generation's folder: of which one of the server it is the copy."""
TEXT = 12_000
"""Characters in a row; Chroma Cloud takes 16,384 bytes, and these are ASCII."""


class Home:
    """An index that lives in its own folder."""

    @contextmanager
    def writing(self, store: Path, *, wait: bool, note: Callable[[str], None]) -> Iterator[None]:
        """Be the one writer. Raises StoreLocked, StoreUnwritable, ServerFailed."""
        with write_lock(store, wait=wait, note=note):
            yield

    def collection(self, store: Path, embedder: str) -> Collection:
        """The vectors, for their one writer."""
        from rag.store.chroma import Collection

        return Collection(store)

    def has(self, store: Path) -> bool:
        """Whether what the store holds is what counts everywhere."""
        return True

    def publish(
        self, store: Path, draft: Path, records: Sequence[Paper], manifest: Manifest
    ) -> None:
        """Make a generation, complete in the folder ``draft``, the one of all machines."""

    def tidy(self, store: Path, embedder: str) -> None:
        """Remove what only earlier generations needed."""


HERE = Home()


@dataclass(frozen=True, slots=True)
class Head:
    """The newest generation of a server: its number and the server's own id of it."""

    number: int
    id: str

    @property
    def name(self) -> str:
        return f"{GENERATION}{self.number}"


@dataclass(frozen=True, slots=True)
class State:
    """What a generation holds: its manifest as it was written, and its records in order."""

    head: Head
    manifest: Manifest
    records: list[Paper]


@dataclass
class Shared(Home):
    """An index that lives on a server; ``term`` is that of its leases, in seconds."""

    address: Address
    term: float = TERM
    server: Server = field(init=False)
    _lease: Lease | None = None
    _outdated: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.server = Server(self.address)

    @contextmanager
    def writing(self, store: Path, *, wait: bool, note: Callable[[str], None]) -> Iterator[None]:
        with (
            leased(self.server, wait=wait, note=note, term=self.term) as self._lease,
            write_lock(store, wait=wait, note=note),
        ):
            yield

    def collection(self, store: Path, embedder: str) -> Collection:
        from rag.store.chroma import ServerCollection

        self._outdated.clear()
        return ServerCollection(store, self.server, vectors_name(embedder), self._outdated)

    def has(self, store: Path) -> bool:
        head = self.head()
        return head is not None and head == copied(store, self.address)

    def head(self) -> Head | None:
        """The newest generation, in one small request; None on a server without any."""
        found = self.server.collections().items()
        numbers = ((name.removeprefix(GENERATION), id) for name, id in found if _is_ours(name))
        heads = [Head(int(number), id) for number, id in numbers]
        return max(heads, key=lambda head: head.number, default=None)

    def state(self) -> State | None:
        """The newest generation with its records. Raises ServerFailed, also for one of which
        parts are gone, and StoreTooNew."""
        head = self.head()
        while head:
            try:
                return self._read(head)
            except ServerFailed:
                newer = self.head()
                if newer == head:
                    raise
                head = newer  # a writer has moved on, and tidied up
        return None

    def _read(self, head: Head) -> State:
        try:
            with guarded(self.address):
                found = self.server.client.get_collection(head.name, embedding_function=None)
            about = dict(found.metadata or {})
            if int(about["format"]) > FORMAT:
                raise _too_new(self.address)
            rows = [f"head:{i}" for i in range(int(about["rows"]))]
            text = self._joined(head.name, rows)
            if hashlib.sha256(text.encode()).hexdigest() != about["sha256"]:
                raise ValueError("its list is not what was written")
            data = json.loads(text)
            manifest = Manifest(**data["manifest"])
            return State(head, manifest, self._records(data["records"]))
        except UNREADABLE as error:
            raise self._damaged(f"generation {head.number} cannot be read ({error})") from error

    def _records(self, listed: Sequence[tuple[str, int]]) -> list[Paper]:
        ids = [f"{digest}:{i}" for digest, rows in listed for i in range(rows)]
        texts = self.server.texts(RECORDS, ids)
        lines = ("".join(texts[f"{digest}:{i}"] for i in range(n)) for digest, n in listed)
        return [paper_from(json.loads(line)) for line in lines]

    def _joined(self, name: str, ids: Sequence[str]) -> str:
        texts = self.server.texts(name, ids)
        return "".join(texts[id] for id in ids)

    def publish(
        self, store: Path, draft: Path, records: Sequence[Paper], manifest: Manifest
    ) -> None:
        """The records, then the list of them, then its name: what comes before the name can be
        seen by nobody, and the name is given only if nobody has taken the lease."""
        lease = self._lease
        assert lease, "published by its writer"
        head = self.head()
        number = head.number + 1 if head else 1
        listed = self._put_records(records)
        text = json.dumps({"manifest": asdict(manifest), "records": listed})
        rows = _rows("head", text)
        about = {"format": FORMAT, "rag": __version__, "rows": len(rows), "papers": manifest.papers}
        about["sha256"] = hashlib.sha256(text.encode()).hexdigest()
        write_copy(draft, self.address, Head(number, str(lease.draft.id)))
        self._finish(lease, rows, f"{GENERATION}{number}", about)

    def _finish(self, lease: Lease, rows: dict[str, str], name: str, about: dict[str, Any]) -> None:
        """Fill the draft and rename it, all at once; an answer that got lost may be a yes."""
        try:
            self.server.put_texts(lease.draft, rows)
            if not lease.alive:
                raise lost(self.server)
            with guarded(self.address):
                lease.draft.modify(name=name, metadata=about)
        except ServerFailed:
            collections = self.server.collections()
            if collections.get(name) == str(lease.draft.id):
                return
            if str(lease.draft.id) not in collections.values() or name in collections:
                raise lost(self.server) from None
            raise

    def _put_records(self, records: Sequence[Paper]) -> list[tuple[str, int]]:
        """Put in the records that are not there; returns digest and number of rows of each."""
        present = self.server.ids(RECORDS)
        listed, new = [], dict[str, str]()
        for record in records:
            line = line_of(record, ascii=True)
            digest = hashlib.sha256(line.encode()).hexdigest()[:32]
            rows = _rows(digest, line)
            listed.append((digest, len(rows)))
            new |= {id: text for id, text in rows.items() if id not in present}
        self.server.put_texts(self.server.opened(RECORDS), new)
        return listed

    def tidy(self, store: Path, embedder: str) -> None:
        """Only while the lease is surely ours: another writer may count on what is there. What is
        left over after a failure is removed next time."""
        shutil.rmtree(store / "chroma", ignore_errors=True)
        with suppress(ServerFailed):
            self._tidy(embedder)

    def _tidy(self, embedder: str) -> None:
        state = self.state()
        if state is None:
            return
        lines = (line_of(record, ascii=True) for record in state.records)
        digests = {hashlib.sha256(line.encode()).hexdigest()[:32] for line in lines}
        old = [id for id in self.server.ids(RECORDS) if id.partition(":")[0] not in digests]
        self._delete(RECORDS, old)
        self._delete(vectors_name(embedder), self._outdated)
        for name in self.server.collections():
            former = _is_ours(name) and int(name.removeprefix(GENERATION)) < state.head.number
            other = name.startswith(VECTORS) and name != vectors_name(embedder)
            if (former or other) and self._lease and self._lease.alive:
                self.server.drop(name)

    def _delete(self, name: str, ids: Sequence[str]) -> None:
        for part in self.server.parts(len(ids)):
            if self._lease and self._lease.alive:
                self.server.delete(name, ids[part])

    def _damaged(self, what: str) -> ServerFailed:
        message = f"The index on {self.address.place} is damaged: {what}."
        fix = "rag rebuild on a machine whose copy is newest puts it there again"
        return ServerFailed(message, fix)

    def missing(self) -> StoreError:
        """The error for a server without an index."""
        message = f"There is no index on {self.address.place}."
        return StoreMissing(message, "rag ingest FILE…, or rag rebuild to take over the one here")


def vectors_name(embedder: str) -> str:
    """The collection for an embedder's vectors: their length is fixed by the first."""
    return f"{VECTORS}{hashlib.sha256(embedder.encode()).hexdigest()[:12]}"


def write_copy(folder: Path, address: Address, head: Head) -> None:
    """Note in a generation's folder what it is a copy of."""
    place = [address.url, address.tenant, address.database]
    write_flushed(folder / COPY, json.dumps({"place": place, **asdict(head)}))


def copied(store: Path, address: Address) -> Head | None:
    """Which generation of this server the store holds; None if it is none of its."""
    try:
        folder = store / "generations" / load_manifest(store).folder
        data = json.loads((folder / COPY).read_bytes())
        if data["place"] != [address.url, address.tenant, address.database]:
            return None
        return Head(int(data["number"]), str(data["id"]))
    except (*UNREADABLE, StoreTooNew):
        return None


def stranger(store: Path, address: Address) -> bool:
    """Whether the store holds a copy of another server's index, or of another database's."""
    try:
        data = json.loads((generations(store)[-1] / COPY).read_bytes())
        return bool(data["place"] != [address.url, address.tenant, address.database])
    except (*UNREADABLE, LookupError):
        return False


def refuse_own(store: Path) -> None:
    """Raise StoreUnwritable for a store with an index of its own, which a copy would replace."""
    newest = generations(store)[-1:]
    if newest and not (newest[0] / COPY).exists():
        message = f"{store} holds an index of its own, which the server's would replace."
        fix = "name another folder for the copy with --store, or unset RAG_CHROMA_URL to use it"
        raise StoreUnwritable(message, fix)


def _is_ours(name: str) -> bool:
    return name.startswith(GENERATION) and name.removeprefix(GENERATION).isdecimal()


def _rows(key: str, text: str) -> dict[str, str]:
    """A text in rows that a server takes."""
    parts = range(0, len(text), TEXT)
    return {f"{key}:{i}": text[begin : begin + TEXT] for i, begin in enumerate(parts)}


def _too_new(address: Address) -> StoreTooNew:
    message = f"The index on {address.place} was written by a newer version."
    return StoreTooNew(message, "upgrade this program (pip install --upgrade)")
