"""An index as an object: what the command line does, for other programs and for the server.

Knows how to open and to ask, and when to open again; knows no HTTP and no terminal.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from threading import RLock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any

from rag.digest.editor import Watch, unwatched
from rag.errors import StoreError
from rag.opening import Host, open_asker, open_editor, open_summarizer, update_copy
from rag.retrieve.filters import Filters

if TYPE_CHECKING:
    from llama_index.core.base.base_query_engine import BaseQueryEngine
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.chat_engine.types import BaseChatEngine

    from rag.chat import Conversation
    from rag.config import Settings
    from rag.engine.answer import Asker
    from rag.engine.question import Turn
    from rag.models import OnText
    from rag.store.snapshot import Snapshot
    from rag.summarize.kept import Kept
    from rag.types import Answer, Digest, Hit, Paper, Summary


LOOK = 5.0
"""Seconds after which a server that holds the index is looked at again."""


def open_corpus(
    store: str | Path | None = None,
    *,
    note: Callable[[str], None] = lambda text: None,
    **settings: Any,
) -> Corpus:
    """An index, by default the one that the settings name, to be asked.

    ``settings`` are those of rag.toml (``engine``, ``model``, ``base_url``, …) and go before it
    and before the environment. ``note`` is told what a reader should know of how things went.
    Raises ConfigError, and what stands in the way of the index: StoreMissing and the like.
    """
    from rag.config import load

    given = {**settings, "store": None if store is None else str(store)}
    corpus = Corpus(Program(load(given), note))
    _ = corpus.asker
    return corpus


@dataclass(frozen=True)
class Program:
    """A ``Host`` without a terminal."""

    settings: Settings
    note: Callable[[str], None]
    watch: Watch = unwatched


class Corpus:
    """The papers of an index, to be searched, asked and summed up; may be used by many threads.

    Once a writer has changed the index, the next call sees it as it is then; one that is under
    way keeps what it began with. ``filters`` are those of the command line: ``area``, ``venue``,
    ``status``, ``year`` and ``papers``, a sequence of ids. Every method raises RagError's kinds.
    """

    def __init__(self, host: Host, opened: Callable[[Host], Asker] | None = None) -> None:
        """``opened`` opens what answers, in a way of its own."""
        self.host = host
        self._open = opened or open_asker
        self._lock = RLock()
        self._opened: tuple[object, Asker] | None = None
        self._looked, self._looking = monotonic(), Thread()

    def __len__(self) -> int:
        return len(self.snapshot)

    def __iter__(self) -> Iterator[Paper]:
        return self.snapshot.papers()

    @property
    def asker(self) -> Asker:
        """What answers over the index as it stands now."""
        with self._lock:
            self._look()
            stamp = self._stamp()
            if not self._opened or self._opened[0] != stamp:
                self._opened = stamp, self._open(self.host)
                gc.collect()  # what was open before is large, and refers to itself
            return self._opened[1]

    @property
    def snapshot(self) -> Snapshot:
        return self.asker.retriever.snapshot

    def paper(self, name: str) -> Paper:
        """The paper with an id, handle or title."""
        snapshot = self.snapshot
        return snapshot.paper(snapshot.find(name))

    def search(self, query: str, top_k: int = 10, **filters: Any) -> list[Hit]:
        """The papers nearest to a query, best first, each with its best passages."""
        return self.asker.retriever.search(query, top_k, Filters(**filters))

    def ask(
        self,
        question: str,
        history: Sequence[tuple[str, str] | Turn] = (),
        on_text: OnText | None = None,
        **filters: Any,
    ) -> Answer:
        """The answer to a question after the questions and answers of ``history``; pieces of its
        text go to ``on_text`` as they come."""
        from rag.engine.question import Turn

        turns = [turn if isinstance(turn, Turn) else Turn(*turn) for turn in history]
        return self.asker.ask(question, turns, Filters(**filters), on_text)

    def conversation(self, **filters: Any) -> Conversation:
        """Questions and answers in turn over the index as it stands now; nothing is logged."""
        from rag.chat import Conversation

        return Conversation(self.asker, Filters(**filters))

    def summarize(self, name: str) -> Summary:
        """A paper in one sentence of at most 25 words; kept in the index where it is writable."""
        snapshot = self.snapshot
        row = snapshot.find(name)
        return self._summarizer.summarize(snapshot.paper(row), snapshot.spans(row))

    def similar(self, name: str) -> list[Paper]:
        """The papers most like one, best first."""
        from rag.engine.listing.similar import neighbours

        retriever = self.asker.retriever
        snapshot = retriever.snapshot
        return [snapshot.paper(row) for row in neighbours(retriever, snapshot.find(name))]

    def digest(
        self,
        topic: str,
        floor: float | None = None,
        watch: Watch | None = None,
        **filters: Any,
    ) -> Digest:
        """What the papers on a topic say; ``floor`` in [0, 1] is how surely they are on it, and
        ``watch`` is told how the work goes on."""
        from rag.digest.select import on_topic
        from rag.topics.membership import FLOOR

        asker, passing = self.asker, Filters(**filters)
        floor = FLOOR if floor is None else floor
        selection = on_topic(asker.retriever, topic, passing, floor)
        editor = open_editor(self.host, asker.retriever.snapshot, None)
        editor = replace(editor, watch=watch or self.host.watch)
        (made,) = editor.digests([selection], {"floor": floor, **filters})
        return made

    def as_retriever(self, top_k: int = 10, **filters: Any) -> BaseRetriever:
        """The search as LlamaIndex's ``BaseRetriever``, over the index as it stands now."""
        from rag.retrieve.llama import HybridRetriever

        return HybridRetriever(self.asker.retriever, top_k, filters=Filters(**filters))

    def as_query_engine(self, **filters: Any) -> BaseQueryEngine:
        """The answers as LlamaIndex's ``BaseQueryEngine``."""
        from rag.llama import QueryEngine

        return QueryEngine(self, filters)

    def as_chat_engine(self, **filters: Any) -> BaseChatEngine:
        """A conversation as LlamaIndex's ``BaseChatEngine``."""
        from rag.llama import ChatEngine

        return ChatEngine(self, filters)

    @cached_property
    def _summarizer(self) -> Kept:
        return open_summarizer(self.host)

    def _look(self) -> None:
        """See from time to time what other machines have made of the index; nobody waits for it."""
        named, due = self.host.settings.chroma_url, monotonic() - self._looked >= LOOK
        if named and self._opened and due and not self._looking.is_alive():
            self._looked = monotonic()
            self._looking = Thread(target=self._update, daemon=True)
            self._looking.start()

    def _update(self) -> None:
        try:
            update_copy(self.host)
        except StoreError as error:  # what is open goes on answering
            self.host.note(f"{error.message} This is the copy of before.")

    def _stamp(self) -> object:
        """What changes whenever a writer is done: its manifest replaces the one before."""
        try:
            found = (self.host.settings.store / "manifest.json").stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns
