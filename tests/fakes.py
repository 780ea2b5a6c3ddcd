"""Stand-ins that are quick and deterministic, and a store made with them."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import chromadb
import numpy as np

from rag.corpus.handle import find_handle
from rag.embed import Document, Embedder
from rag.models import Message, OnText, Reply
from rag.store.chroma import COLLECTION
from rag.store.ingest import Batch, Indexer, IngestReport, ingest
from rag.types import Paper, Source, Usage

if TYPE_CHECKING:
    from rag.embed import Matrix


class HashEmbedder:
    """Unit vectors drawn from a hash of the text: equal texts are near, all others are not.

    ``embedded`` counts documents. ``fail_after`` raises after that many, as a crash would.
    """

    dimensions = 16

    def __init__(self, identity: str = "hash-16", fail_after: int | None = None) -> None:
        self.identity = identity
        self.embedded = 0
        self._fail_after = fail_after

    def query(self, text: str) -> Matrix:
        seed = hashlib.sha256(f"{self.identity} {text}".encode()).digest()
        vector = np.random.default_rng(list(seed)).normal(size=self.dimensions)
        return np.asarray(vector / np.linalg.norm(vector), np.float32)

    def documents(self, documents: Sequence[Document]) -> Iterator[tuple[int, Matrix]]:
        """Longest texts first, for whoever counts on the order given."""
        order = sorted(range(len(documents)), key=lambda i: -len(documents[i].text))
        for i in order:
            if self.embedded == self._fail_after:
                raise RuntimeError("the power went out")
            self.embedded += 1
            document = documents[i]
            texts = [document.text, *(document.text[s:e] for s, e in document.spans)]
            yield i, np.stack([self.query(text) for text in texts])


class Replies:
    """A Model that gives the replies it was fed, in their order, and remembers what it was asked.

    A reply is streamed in pieces of ``piece`` characters. A token is a word, roughly.
    """

    name = "fed-1"

    def __init__(self, *replies: str, window: int = 8192, piece: int = 7) -> None:
        self.replies = list(replies)
        self.window = window
        self.asked: list[list[Message]] = []
        self._piece = piece

    def count(self, text: str) -> int:
        return len(text.split())

    def reply(
        self, messages: Sequence[Message], limit: int, on_text: OnText | None = None
    ) -> Reply:
        self.asked.append(list(messages))
        text = self.replies.pop(0)
        if on_text:
            for start in range(0, len(text), self._piece):
                on_text(text[start : start + self._piece])
        asked = sum(self.count(message.text) for message in messages)
        return Reply(text, Usage(asked, self.count(text)))


class Notes:
    """A Progress that remembers."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.total = 0
        self.done = 0

    def note(self, text: str) -> None:
        self.notes.append(text)

    def embedding(self, total: int) -> None:
        self.total += total

    def advance(self, papers: int) -> None:
        self.done += papers


def no_index(folder: Path, papers: Sequence[Paper]) -> None:
    """An Indexer that writes nothing."""


def abstract(n: int, sentences: int = 3) -> str:
    """An abstract of our own that no other ``n`` has; longer for a higher ``n``."""
    words = " ".join(f"aspect{i}" for i in range(n % 7))
    return " ".join(
        f"Study {n} turns to question {i} and finds the answer {n * 31 + i} {words}."
        for i in range(sentences)
    )


def paper(
    id: str, text: str, *, file: str = "/data/a.jsonl", ordinal: int = 1, **more: Any
) -> Paper:
    """A record as a reader gives it."""
    source = Source(Path(file).name, ordinal, ordinal, file)
    more = {"handle": find_handle(text, more.get("title")), **more}
    return Paper(paper_id=id, text=text, raw=text, sources=(source,), **more)


def papers(count: int, *, file: str = "/data/a.jsonl", sentences: int = 3) -> list[Paper]:
    """Records with their own ids, p0, p1, …"""
    return [
        paper(f"p{n}", abstract(n, sentences), file=file, ordinal=n + 1, title=f"On study {n}")
        for n in range(count)
    ]


def batch(records: Sequence[Paper], *, file: str = "/data/a.jsonl", whole: bool = True) -> Batch:
    """What a file holds, given by its name alone."""
    return Batch(Path(file).name, file, tuple(records), whole)


def put(
    store: Path,
    *batches: Batch,
    embedder: Embedder | None = None,
    indexer: Indexer = no_index,
    **how: Any,
) -> IngestReport:
    """Ingest with the fakes."""
    return ingest(store, batches, embedder or HashEmbedder(), indexer, Notes(), **how)


def chroma_rows(store: Path) -> dict[str, tuple[str, dict[str, Any]]]:
    """Document and metadata of every chunk in Chroma, by id, through a client of its own."""
    client = chromadb.PersistentClient(
        str(store / "chroma"), chromadb.Settings(anonymized_telemetry=False)
    )
    found = client.get_collection(COLLECTION, embedding_function=None).get()
    client.close()
    rows = zip(found["documents"], found["metadatas"], strict=True)
    return dict(zip(found["ids"], rows, strict=True))


def started(code: str, *arguments: object) -> subprocess.Popen[str]:
    """A Python process that can import the product and these fakes."""
    root = Path(__file__).parent.parent
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(root)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
