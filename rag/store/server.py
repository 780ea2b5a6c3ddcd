"""The one door to a Chroma server: rows of vectors and texts, which any machine may read.

Every row is added under an id that nothing else can have, or has to be the first under it: Chroma
keeps what was there and says nothing, so whoever adds looks whether it was he. Knows not what the
rows mean: see ``shared``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from math import cos, sin, tau
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import chromadb
import httpx
import numpy as np
from chromadb.config import Settings as ChromaSettings
from chromadb.errors import ChromaError, NotFoundError

from rag.endpoint.memory import forget_freed
from rag.errors import ServerError
from rag.types import Secret

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from numpy.typing import NDArray

    from rag.store.chroma import Chunk

PART = 4_000
"""Characters of a text in a row; Chroma Cloud takes 16 KiB."""
BATCH = 300
"""Rows in a request, which is what Chroma Cloud takes; a server of one's own takes no fewer."""
DATABASE, TENANT = "default_database", "default_tenant"


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is, and whose rows there are meant."""

    url: str
    tenant: str = TENANT
    database: str = DATABASE
    token: Secret | None = None

    def __str__(self) -> str:
        elsewhere = (self.tenant, self.database) != (TENANT, DATABASE)
        return f"{self.url} ({self.tenant}/{self.database})" if elsewhere else self.url


class Server:
    """Collections of rows at an address. Raises ServerError, whatever goes wrong there."""

    def __init__(self, address: Address) -> None:
        self.address = address

    @cached_property
    def _client(self) -> ClientAPI:
        forget_freed()
        address, parts = self.address, urlsplit(self.address.url)
        if parts.path.strip("/"):
            raise ServerError(
                f"{address.url} has a path, and a Chroma server none.",
                f"set RAG_CHROMA_URL to {parts.scheme}://{parts.netloc}",
            )
        secure = parts.scheme == "https"
        headers = {"x-chroma-token": address.token.reveal()} if address.token else None
        with self._guard():
            return chromadb.HttpClient(
                host=parts.hostname or "",
                port=parts.port or (443 if secure else 80),
                ssl=secure,
                headers=headers,
                settings=ChromaSettings(anonymized_telemetry=False),
                tenant=address.tenant,
                database=address.database,
            )

    def version(self) -> str:
        with self._guard():
            return str(self._client.get_version())

    def names(self) -> list[str]:
        """Of all collections."""
        with self._guard():
            return sorted(collection.name for collection in self._client.list_collections())

    def drop(self, name: str) -> None:
        """Forget a collection, if there is one."""
        with self._guard(), suppress(NotFoundError):
            self._client.delete_collection(name)

    def ids(self, name: str) -> set[str]:
        with self._guard():
            return set(self._opened(name).get(include=[])["ids"])

    def claim(self, name: str, id: str, metadata: Mapping[str, str | int]) -> bool:
        """Add a row; returns whether it is there as given, and not another's."""
        with self._guard():
            collection = self._opened(name)
            collection.add(ids=[id], embeddings=_places([id]), metadatas=[dict(metadata)])
        return self.metadata(name, id) == metadata

    def change(self, name: str, id: str, metadata: Mapping[str, str | int]) -> None:
        """Change the metadata of a row that is there."""
        with self._guard():
            self._opened(name).update(ids=[id], metadatas=[dict(metadata)])

    def metadata(self, name: str, id: str) -> dict[str, Any] | None:
        """What a row says of itself; None where there is no such row."""
        with self._guard():
            found = self._opened(name).get(ids=[id], include=["metadatas"])["metadatas"]
        return dict(found[0]) if found else None

    def delete(self, name: str, ids: Iterable[str]) -> None:
        for part in _parts(sorted(ids)):
            with self._guard():
                self._opened(name).delete(ids=list(part))

    # --- texts, each under its own digest

    def put_texts(self, name: str, texts: Mapping[str, str]) -> None:
        """Add texts by their ``text_id``."""
        rows = [
            (f"{id}.{place}", text[begin : begin + PART], 1 + (len(text) - 1) // PART)
            for id, text in texts.items()
            for place, begin in enumerate(range(0, len(text), PART))
        ]
        for part in _parts(rows):
            with self._guard():
                self._opened(name).upsert(
                    ids=[id for id, _, _ in part],
                    embeddings=_places([id for id, _, _ in part]),
                    documents=[text for _, text, _ in part],
                    metadatas=[{"parts": parts} for _, _, parts in part],
                )

    def texts(self, name: str, ids: Sequence[str]) -> dict[str, str]:
        """Texts by id; those that are not there as a whole are left out."""
        first = self._pieces(name, [f"{id}.0" for id in ids])
        more = [
            f"{id}.{place}"
            for id in ids
            if f"{id}.0" in first
            for place in range(1, first[f"{id}.0"][1])
        ]
        pieces = {**first, **self._pieces(name, more)}
        found = {}
        for id in ids:
            parts = pieces[f"{id}.0"][1] if f"{id}.0" in pieces else 1
            text = "".join(pieces.get(f"{id}.{place}", ("", 0))[0] for place in range(parts))
            if text_id(text) == id:
                found[id] = text
        return found

    def _pieces(self, name: str, ids: Sequence[str]) -> dict[str, tuple[str, int]]:
        found = {}
        for part in _parts(ids):
            with self._guard():
                rows = self._opened(name).get(ids=list(part), include=["documents", "metadatas"])
            known = zip(rows["ids"], rows["documents"] or (), rows["metadatas"] or (), strict=True)
            found.update({id: (text or "", int(str(m["parts"]))) for id, text, m in known})
        return found

    # --- chunks, as ``rag.store.chroma`` lays them down

    def put_chunks(self, name: str, chunks: Sequence[Chunk], vectors: NDArray[np.float32]) -> None:
        """Add chunks with their vectors, shape (len(chunks), dimensions)."""
        for begin in range(0, len(chunks), BATCH):
            part = chunks[begin : begin + BATCH]
            with self._guard():
                self._opened(name).upsert(
                    ids=[chunk.id for chunk in part],
                    embeddings=vectors[begin : begin + BATCH],
                    documents=[chunk.text for chunk in part],
                    metadatas=[chunk.metadata for chunk in part],
                )

    def vectors(self, name: str, ids: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """The vectors of those chunks that are there."""
        found: dict[str, NDArray[np.float32]] = {}
        for part in _parts(ids):
            with self._guard():
                rows = self._opened(name).get(ids=list(part), include=["embeddings"])
            found.update(zip(rows["ids"], np.asarray(rows["embeddings"], np.float32), strict=True))
        return found

    def nearest(self, name: str, vectors: NDArray[np.float32], k: int) -> list[list[str]]:
        """The ids of the ``k`` chunks that the server's index takes for nearest to each vector."""
        with self._guard():
            found = self._opened(name).query(query_embeddings=vectors, n_results=k, include=[])
        return found["ids"]

    def _opened(self, name: str) -> chromadb.Collection:
        return self._client.get_or_create_collection(
            name, configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
        )

    @contextmanager
    def _guard(self) -> Iterator[None]:
        """Turn whatever Chroma raises, and it raises many things, into ServerError."""
        try:
            yield
        except ServerError:
            raise
        except (ChromaError, httpx.HTTPError, ValueError, KeyError, OSError) as error:
            raise self._failure(error) from error

    def _failure(self, error: Exception) -> ServerError:
        code = error.code() if isinstance(error, ChromaError) else 0
        said = " ".join(str(error).split())[:200] or type(error).__name__
        if code in (401, 403) or "orbidden" in said or "nauthori" in said:
            return ServerError(
                f"{self.address.url} refuses us.", "check RAG_CHROMA_TOKEN, tenant and database"
            )
        if isinstance(error, NotFoundError):
            fix = "check RAG_CHROMA_TENANT and RAG_CHROMA_DATABASE"
            return ServerError(f"{self.address.url} says: {said}.", fix)
        if isinstance(error, httpx.TransportError) or "onnect" in said:
            fix = "start it (chroma run), check RAG_CHROMA_URL, or unset that to work without it"
            return ServerError(f"No Chroma server answers at {self.address.url}.", fix)
        fix = "check with rag doctor that it is a Chroma server of version 1"
        return ServerError(f"{self.address.url} says: {said}.", fix)


def text_id(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _places(ids: Sequence[str]) -> NDArray[np.float32]:
    """Vectors of rows that have none: all equal ones would make Chroma's index slow."""
    digests = (hashlib.sha256(id.encode()).digest()[:4] for id in ids)
    angles = [tau * int.from_bytes(digest) / 2**32 for digest in digests]
    return np.array([[cos(angle), sin(angle)] for angle in angles], np.float32)


def _parts(rows: Sequence[Any]) -> Iterator[Sequence[Any]]:
    return (rows[begin : begin + BATCH] for begin in range(0, len(rows), BATCH))
