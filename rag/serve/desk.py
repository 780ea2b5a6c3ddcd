"""What all routes share: the corpus, and who works for it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Any, Literal, NamedTuple, TypeVar

from rag.chat.conversation import ANSWER_CHARS, QUESTION_CHARS, TURNS
from rag.digest.atlas import atlas_of
from rag.engine.question import Turn
from rag.library import Corpus
from rag.models import OnText
from rag.publish.html import digest_page
from rag.retrieve.filters import Filters, passing
from rag.retrieve.lexical import mentions
from rag.serve.overview import drawn, facets
from rag.serve.schema import Asked
from rag.serve.shelf import Shelf
from rag.serve.work import Done, Lane
from rag.store.manifest import Manifest
from rag.store.snapshot import Snapshot
from rag.types import Answer, Digest, Paper, Summary

QUICK, WORKING, DRAWING = (2, 64, 20.0), (4, 32, 180.0), (1, 16, 180.0)
"""Workers, places in line and seconds: for what only looks something up, for what is written, and
for what takes half a minute for some thousand papers, once. A model that does not answer holds up
the second lane alone."""


Made = TypeVar("Made")
Sort = Literal["", "title", "area", "year"]
_ORDER: Mapping[str, Callable[[Paper], Any]] = {
    "title": lambda paper: paper.name.casefold(),
    "area": lambda paper: (paper.area is None, (paper.area or "").casefold()),
    "year": lambda paper: -(paper.year or 0),
}


class Progress(NamedTuple):
    """How far some work is."""

    what: str
    done: int
    total: int


@dataclass
class Desk:
    """Where requests are worked on. Without a model all of it takes the processor, and so one
    lane does it."""

    corpus: Corpus
    quick: Lane = field(default_factory=lambda: Lane(*QUICK))
    working: Lane = field(init=False)
    drawing: Lane = field(default_factory=lambda: Lane(*DRAWING))
    _made: dict[str, tuple[Manifest, Any]] = field(default_factory=dict)
    _making: dict[str, Lock] = field(default_factory=lambda: defaultdict(Lock))

    def __post_init__(self) -> None:
        writes = self.corpus.host.settings.engine != "extractive"
        self.working = Lane(*WORKING) if writes else self.quick

    async def answer(self, asked: Asked) -> Answer:
        """The answer to a question."""
        return await self.working.run(lambda: self._answer(asked))

    async def search(self, query: str, top_k: int, filters: Filters) -> dict[str, Any]:
        """``Hits``: the papers nearest to a query."""

        def found() -> dict[str, Any]:
            retriever = self.corpus.asker.retriever
            hits = retriever.search(query, top_k, filters)
            return {"results": [hit.to_json() for hit in hits], "note": retriever.foreign(query)}

        return await self.quick.run(found)

    async def papers(
        self, filters: Filters, match: str | None, offset: int, limit: int, sort: Sort = ""
    ) -> dict[str, Any]:
        """``Papers``: those that pass, in the order of the index or sorted by a field."""

        def listed() -> dict[str, Any]:
            snapshot = self.corpus.snapshot
            rows = passing(snapshot, filters)
            papers = map(snapshot.paper, rows)
            found = [paper for paper in papers if not match or mentions(paper, match)]
            if sort:
                found.sort(key=_ORDER[sort])
            shown = [paper.to_json() for paper in found[offset : offset + limit]]
            return {"matched": len(found), "population": len(snapshot), "papers": shown}

        return await self.quick.run(listed)

    async def paper(self, name: str) -> Paper:
        """The paper with an id, handle or title."""
        return await self.quick.run(lambda: self.corpus.paper(name))

    async def summary(self, name: str) -> Summary:
        """A paper in a sentence."""
        return await self.working.run(lambda: self.corpus.summarize(name))

    async def summaries(self, names: Sequence[str]) -> list[Summary]:
        """Some papers in a sentence each, in their order."""
        return await self.working.run(lambda: [self.corpus.summarize(name) for name in names])

    async def similar(self, name: str) -> list[Paper]:
        """The papers most like one."""
        return await self.quick.run(lambda: self.corpus.similar(name))

    async def facets(self) -> list[tuple[str, list[tuple[str, int]]]]:
        """The fields that papers have values of, with how many have each: often first."""
        return await self.quick.run(lambda: self._of_now("facets", facets))

    async def map(self) -> dict[str, Any]:
        """``Map``: all papers, drawn by topic."""
        return await self.drawing.run(lambda: self._of_now("map", drawn))

    async def digest(self, topic: str) -> Digest:
        """What the papers on a topic say."""
        return await self.working.run(lambda: self.corpus.digest(topic))

    def digesting(self, topic: str) -> AsyncIterator[Progress | Done[str]]:
        """How the work on a digest goes on, at last the id under which it is kept."""

        def make(write: Callable[[Progress], None]) -> str:
            digest = self.corpus.digest(topic, watch=partial(_watch, write))
            page = digest_page([digest], atlas_of([digest], self.corpus.snapshot))
            return self.shelf.put(digest, page)

        return self.working.stream(make)

    def _of_now(self, name: str, make: Callable[[Snapshot], Made]) -> Made:
        """What is made of the papers as they are now, made once for each state of the index."""
        snapshot = self.corpus.snapshot
        with self._making[name]:
            known = self._made.get(name)
            if known is None or known[0] != snapshot.manifest:
                self._made[name] = known = (snapshot.manifest, make(snapshot))
            made: Made = known[1]
        return made

    def streamed(self, asked: Asked) -> AsyncIterator[str | Done[Answer]]:
        """The pieces of an answer's text as they are written, at last the answer."""
        return self.working.stream(lambda on_text: self._answer(asked, on_text))

    def _answer(self, asked: Asked, on_text: OnText | None = None) -> Answer:
        filters = asked.filters.filters
        return self.corpus.asker.ask(asked.question, self.turns(asked), filters, on_text)

    @property
    def shelf(self) -> Shelf:
        return Shelf(self.corpus.host.settings.store)

    def turns(self, asked: Asked) -> list[Turn]:
        """The last turns that a question came with, cut as a conversation's are."""
        return [
            Turn(question[:QUESTION_CHARS], answer[:ANSWER_CHARS])
            for question, answer in asked.history[-TURNS:]
        ]

    def close(self) -> None:
        """Finish what is under way."""
        for lane in (self.quick, self.working, self.drawing):
            lane.close()


def _watch(write: Callable[[Progress], None], what: str, total: int) -> Callable[[], None]:
    """Tells of each step that is done; steps may be done by several threads."""
    done = iter(range(1, total + 1))

    def moved() -> None:
        write(Progress(what, next(done, total), total))

    write(Progress(what, 0, total))
    return moved
