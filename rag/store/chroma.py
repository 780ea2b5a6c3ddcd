"""The one door to Chroma: chunks in and out of a collection on disk.

Each chunk, an abstract or one of its sentences, is laid down the way LlamaIndex's
``ChromaVectorStore`` lays down a ``TextNode``, so that a stock ``VectorStoreIndex`` opens the
collection. It is written directly: that store's ``add`` assumes a batch size that Chroma
refuses, and importing LlamaIndex would double the time of a small ingest.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import TYPE_CHECKING, cast

import chromadb
import numpy as np
from chromadb.config import Settings as ChromaSettings
from chromadb.errors import ChromaError

from rag.endpoint.memory import forget_freed
from rag.store.files import writing
from rag.store.manifest import damaged
from rag.store.server import Server, guarded
from rag.types import Paper

if TYPE_CHECKING:
    from chromadb.api.client import Client
    from numpy.typing import NDArray

COLLECTION = "abstracts"
PROBE_BYTES = 1 << 24
"""A few times what Chroma's files grow by in one write."""

Spans = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Chunk:
    """A row of the collection. ``id`` changes with text, metadata and embedder, so an id
    that is present is up to date."""

    id: str
    text: str
    metadata: dict[str, str | int]


def chunk_ids(paper: Paper, spans: Spans, embedder: str) -> list[str]:
    """The ids of ``chunks_of``, for less work."""
    digest = _digest(embedder, paper.indexed_text, spans, _metadata(paper))
    return [f"{paper.paper_id}:{digest}:{i}" for i in range(1 + len(spans))]


def chunks_of(paper: Paper, spans: Spans, embedder: str) -> list[Chunk]:
    """The abstract, then each sentence: 1 + len(spans) chunks."""
    shared = _metadata(paper)
    kinds = ["abstract"] + ["sentence"] * len(spans)
    places = [(0, len(paper.text)), *spans]
    ids = chunk_ids(paper, spans, embedder)
    return [
        _chunk(paper, id, kind, place, shared)
        for id, kind, place in zip(ids, kinds, places, strict=True)
    ]


class Collection:
    """The vectors of a store, for its one writer; close it, or other processes' writes are missed.

    Raises StoreDamaged or StoreUnwritable, never a ChromaError.
    """

    def __init__(self, store: Path) -> None:
        self._store = store
        with _guard(store):
            self._client = _client(store / "chroma")
            self._collection = self._opened()

    def _opened(self) -> chromadb.Collection:
        return self._client.get_or_create_collection(
            COLLECTION, configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
        )

    def __enter__(self) -> Collection:
        return self

    def __exit__(self, *exception: object) -> None:
        self._client.close()

    def ids(self) -> set[str]:
        """The ids of all chunks."""
        with self._guarded():
            return set(self._collection.get(include=[])["ids"])

    def present(self, ids: Sequence[str]) -> set[str]:
        """Those of the ids that are there."""
        found: set[str] = set()
        for part in self._parts(len(ids)):
            with self._guarded():
                found.update(self._collection.get(ids=list(ids[part]), include=[])["ids"])
        return found

    def vectors(self, ids: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of chunks in the order of ``ids``, shape (n, dimensions)."""
        with self._guarded():
            found = self._collection.get(ids=list(ids), include=["embeddings"])
        order = {id: row for row, id in enumerate(found["ids"])}
        return np.asarray(found["embeddings"], np.float32)[[order[id] for id in ids]]

    def upsert(self, chunks: Sequence[Chunk], vectors: NDArray[np.float32]) -> None:
        """Add or replace chunks; vectors has shape (len(chunks), dimensions)."""
        for part in self._parts(len(chunks)):
            rows = chunks[part]
            with self._guarded():
                self._collection.upsert(
                    ids=[chunk.id for chunk in rows],
                    embeddings=vectors[part],
                    documents=[chunk.text for chunk in rows],
                    metadatas=[chunk.metadata for chunk in rows],
                )

    def delete(self, ids: Sequence[str]) -> None:
        """Forget chunks."""
        for part in self._parts(len(ids)):
            with self._guarded():
                self._collection.delete(ids=list(ids[part]))

    def clear(self) -> None:
        """Forget all chunks and the length of their vectors, which is fixed by the first."""
        with _guard(self._store):
            self._client.delete_collection(COLLECTION)
            self._collection = self._opened()

    def _parts(self, n: int) -> Iterator[slice]:
        """Slices within Chroma's batch limit, which it enforces by storing nothing."""
        size = self._client.get_max_batch_size()
        return (slice(begin, begin + size) for begin in range(0, n, size))

    def _guarded(self) -> AbstractContextManager[None]:
        return _guard(self._store)


class ServerCollection(Collection):
    """The vectors of an index that lives on a server; raises ServerFailed.

    What is to be deleted is put on the list ``outdated``: it is needed by the generation that
    counts until the next one does.
    """

    def __init__(self, store: Path, server: Server, name: str, outdated: list[str]) -> None:
        self._store, self._server, self._name = store, server, name
        self._collection, self._outdated = server.opened(name), outdated

    def __exit__(self, *exception: object) -> None:
        """The client goes on: the generation is still to be published."""

    def ids(self) -> set[str]:
        return self._server.ids(self._name)

    def vectors(self, ids: Sequence[str]) -> NDArray[np.float32]:
        with self._guarded():  # a row may have gone since it was seen
            return super().vectors(ids)

    def delete(self, ids: Sequence[str]) -> None:
        self._outdated.extend(ids)

    def clear(self) -> None:
        """Nothing: each embedder's vectors have a collection of their own."""

    def _parts(self, n: int) -> Iterator[slice]:
        return self._server.parts(n)

    def _guarded(self) -> AbstractContextManager[None]:
        return guarded(self._server.address)


def readable_ids(store: Path) -> set[str]:
    """The ids of all chunks, once their vectors were read, too; changes nothing.

    Opening a collection writes to it, and a damaged one can crash the process: a copy is
    opened, in another process. Raises StoreDamaged, or OSError where no copy can be made.
    """
    with TemporaryDirectory() as scratch:
        copy = shutil.copytree(store / "chroma", Path(scratch) / "chroma")
        for path in (copy, *copy.rglob("*")):  # which may come from an index that is read-only
            path.chmod(0o700)
        command = [sys.executable, "-c", _READER, str(copy), *sys.path]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = done.stderr.strip().rpartition("\n")[2] or f"exit status {done.returncode}"
        raise damaged(store, f"Chroma cannot read it ({reason})")
    return set(json.loads(done.stdout))


_READER = """
import sys
sys.path[:] = sys.argv[2:]
from rag.store.chroma import print_ids
print_ids(sys.argv[1])
"""


def print_ids(folder: str) -> None:
    """What ``readable_ids`` has its process do: print the ids as a JSON array."""
    with _client(Path(folder)) as client:
        collection = client.get_collection(COLLECTION, embedding_function=None)
        ids = collection.get(include=["embeddings"])["ids"]
    json.dump(ids, sys.stdout)


def _client(folder: Path) -> Client:
    forget_freed()
    settings = ChromaSettings(anonymized_telemetry=False)
    return cast("Client", chromadb.PersistentClient(str(folder.absolute()), settings))


@contextmanager
def _guard(store: Path) -> Iterator[None]:
    """Turn Chroma's errors into ours."""
    try:
        yield
    except ChromaError as error:
        _require_room(store)
        raise damaged(store, f"Chroma says: {error}") from error


def _require_room(store: Path) -> None:
    """Raise StoreUnwritable if the folder takes no files; Chroma's errors rarely tell why."""
    with writing(store), NamedTemporaryFile(dir=store) as probe:
        probe.write(bytes(PROBE_BYTES))


def _metadata(paper: Paper) -> dict[str, str | int]:
    """Chroma wants flat metadata without None."""
    fields = {
        "paper_id": paper.paper_id,
        "title": paper.name,
        "url": paper.url,
        "venue": paper.venue,
        "area": paper.area,
        "status": paper.status,
        "year": paper.year,
    }
    return {key: value for key, value in fields.items() if value is not None}


def _digest(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:12]


def _chunk(
    paper: Paper, id: str, kind: str, span: tuple[int, int], shared: dict[str, str | int]
) -> Chunk:
    start, end = span
    metadata = {**shared, "kind": kind, "start": start, "end": end}
    node = {
        "id_": id,
        "metadata": metadata,
        "excluded_embed_metadata_keys": list(metadata),
        "excluded_llm_metadata_keys": ["paper_id", "kind", "start", "end"],
        "relationships": {"1": {"node_id": paper.paper_id, "class_name": "RelatedNodeInfo"}},
        "start_char_idx": start,
        "end_char_idx": end,
        "class_name": "TextNode",
    }
    row = {
        **metadata,
        "_node_content": json.dumps(node, ensure_ascii=False),
        "_node_type": "TextNode",
        "document_id": paper.paper_id,
    }
    return Chunk(id, paper.text[start:end], row)
