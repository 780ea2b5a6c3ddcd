"""A Chroma server: is it there, what is in it, a client for its rows.

Knows collections by name, not what they are for. That a name is taken only once, also by a
renaming, is the server's one promise that everything else rests on. What is asked most often,
which collections there are, goes without the client library, which takes long to load.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from http.client import HTTPException
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from rag.errors import ServerFailed
from rag.types import Secret

if TYPE_CHECKING:
    import chromadb
    from chromadb.api.client import Client

TIMEOUT = 60.0
"""Seconds that a server has for one request."""
KNOCK = 10.0
"""Seconds that it has to say what is in it."""
PAGE = 1_000
"""Collections in one answer."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is, and what of it is ours: a database of a tenant."""

    url: str
    tenant: str = "default_tenant"
    database: str = "default_database"
    token: Secret | None = None

    @property
    def place(self) -> str:
        """What to call it, without what may be a secret."""
        parts = urlsplit(self.url)
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.scheme}://{parts.hostname}{port}/{self.database}"

    @property
    def headers(self) -> dict[str, str]:
        """Chroma Cloud reads the one, a gateway before a server of one's own the other."""
        if self.token is None:
            return {}
        token = self.token.reveal()
        return {"X-Chroma-Token": token, "Authorization": f"Bearer {token}"}


class Server:
    """What is in one database of a server. Every method raises ServerFailed."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._opened: dict[str, chromadb.Collection] = {}

    def collections(self) -> dict[str, str]:
        """Name → the server's own id of every collection. An id is never used again."""
        found: dict[str, str] = {}
        while True:
            page = self._got(f"/collections?limit={PAGE}&offset={len(found)}")
            try:
                found |= {str(row["name"]): str(row["id"]) for row in page}
            except (TypeError, KeyError) as error:
                raise _no_chroma(self.address) from error
            if len(page) < PAGE:
                if not found:
                    self._got("")  # of a database that is not there the server lists none, too
                return found

    def _got(self, path: str) -> Any:
        tenant, database = (quote(n, safe="") for n in (self.address.tenant, self.address.database))
        url = f"{self.address.url}/api/v2/tenants/{tenant}/databases/{database}{path}"
        try:
            request = Request(url, headers=self.address.headers)
            with build_opener(_Stay).open(request, timeout=KNOCK) as answer:
                return json.load(answer)
        except HTTPError as error:
            raise _refused(self.address, error.code) from None
        except (OSError, HTTPException) as error:  # URLError is an OSError
            raise _unreachable(self.address, getattr(error, "reason", error)) from None
        except ValueError as error:
            raise _no_chroma(self.address) from error

    @cached_property
    def client(self) -> Client:
        """A client of the library; the server has been knocked at, since this one would wait."""
        self.collections()
        import chromadb
        from chromadb.config import Settings

        with guarded(self.address):
            client = chromadb.HttpClient(
                self.address.url,
                port=urlsplit(self.address.url).port or 0,
                headers=self.address.headers,
                settings=Settings(anonymized_telemetry=False),
                tenant=self.address.tenant,
                database=self.address.database,
            )
            client._server._session.timeout = TIMEOUT  # type: ignore[attr-defined]
            return client  # type: ignore[return-value]

    def close(self) -> None:
        if "client" in self.__dict__:
            self.client.close()

    @cached_property
    def batch(self) -> int:
        """Rows that it takes in one request."""
        with guarded(self.address):
            return self.client.get_max_batch_size()

    def parts(self, rows: int) -> Iterator[slice]:
        """Slices of so many rows as one request takes."""
        return (slice(begin, begin + self.batch) for begin in range(0, rows, self.batch))

    def create(self, name: str, metadata: dict[str, str | int]) -> chromadb.Collection | None:
        """A new collection; None if the name is taken: of several callers one has it."""
        client = self.client
        try:
            with guarded(self.address):
                return client.create_collection(name, metadata=metadata, embedding_function=None)
        except ServerFailed:
            if name in self.collections():
                return None
            raise

    def opened(self, name: str) -> chromadb.Collection:
        """A collection for vectors or rows, created where it is not there."""
        if name not in self._opened:
            there = name in self.collections()
            with guarded(self.address):
                self._opened[name] = (
                    self.client.get_collection(name, embedding_function=None)
                    if there
                    else self.client.get_or_create_collection(
                        name, configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
                    )
                )
        return self._opened[name]

    def drop(self, name: str) -> None:
        """Remove a collection, if it is there."""
        if name in self.collections():
            with guarded(self.address):
                self.client.delete_collection(name)

    def ids(self, name: str) -> set[str]:
        """The ids of all rows of a collection."""
        collection, found = self.opened(name), set[str]()
        while True:
            with guarded(self.address):
                page = collection.get(include=[], limit=self.batch, offset=len(found))["ids"]
            found.update(page)
            if len(page) < self.batch:
                return found

    def texts(self, name: str, ids: Sequence[str]) -> dict[str, str]:
        """The documents of rows, by id; those that are not there are left out."""
        collection, found = self.opened(name), dict[str, str]()
        for part in self.parts(len(ids)):
            with guarded(self.address):
                rows = collection.get(ids=list(ids[part]), include=["documents"])
            found.update(zip(rows["ids"], rows["documents"] or (), strict=True))
        return found

    def put_texts(self, collection: chromadb.Collection, texts: Mapping[str, str]) -> None:
        """Add rows that are only read by their ids: their vectors are their numbers."""
        ids = list(texts)
        for part in self.parts(len(ids)):
            with guarded(self.address):
                collection.upsert(
                    ids=ids[part],
                    documents=[texts[id] for id in ids[part]],
                    embeddings=list[Sequence[float]]([1.0, i] for i in range(len(ids))[part]),
                )

    def delete(self, name: str, ids: Sequence[str]) -> None:
        """Remove rows."""
        for part in self.parts(len(ids)):
            with guarded(self.address):
                self.opened(name).delete(ids=list(ids[part]))


class _Stay(HTTPRedirectHandler):
    """Follows nobody, who would be given the token."""

    def redirect_request(self, *_: Any) -> None:
        return None


@contextmanager
def guarded(address: Address) -> Iterator[None]:
    """Turn whatever the client library raises into ServerFailed: it has errors of its own, lets
    those of its HTTP client through, and raises bare ones for answers that it does not know."""
    try:
        yield
    except ServerFailed:
        raise
    except Exception as error:
        text = " ".join(str(error).split())[:200]
        if address.token:
            text = text.replace(address.token.reveal(), "…")
        raise _failed(address, f"{type(error).__name__}: {text}") from None


def _failed(address: Address, why: str) -> ServerFailed:
    fix = "rag doctor looks at the server; what was done is kept there, so run the command again"
    return ServerFailed(f"The Chroma server {address.place} failed ({why}).", fix)


def _unreachable(address: Address, reason: object) -> ServerFailed:
    fix = "start it (chroma run), correct RAG_CHROMA_URL, or unset it to use this machine's copy"
    return ServerFailed(f"No Chroma server answers at {address.place} ({reason}).", fix)


def _no_chroma(address: Address) -> ServerFailed:
    fix = "RAG_CHROMA_URL is the address of a Chroma server, such as http://localhost:8000"
    return ServerFailed(f"What answers at {address.place} is no Chroma server.", fix)


def _refused(address: Address, status: int) -> ServerFailed:
    if status in (401, 403):
        fix = "set RAG_CHROMA_TOKEN to a token for this tenant and database"
        what = "refuses the token" if address.token else "asks for a token"
        return ServerFailed(f"The Chroma server {address.place} {what}.", fix)
    if status == 404:
        message = f"{address.place} has no database {address.database} of {address.tenant}."
        fix = "correct RAG_CHROMA_TENANT and RAG_CHROMA_DATABASE, or RAG_CHROMA_URL"
        return ServerFailed(message, fix)
    return _failed(address, f"HTTP status {status}")
