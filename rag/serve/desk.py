"""What all routes share: the corpus, and who works for it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from rag.chat.conversation import ANSWER_CHARS, QUESTION_CHARS, TURNS
from rag.engine.question import Turn
from rag.library import Corpus
from rag.models import OnText
from rag.retrieve.filters import Filters
from rag.retrieve.lexical import mentions
from rag.serve.schema import Asked
from rag.serve.work import Done, Lane
from rag.types import Answer, Digest, Paper, Summary

QUICK, WORKING = (2, 64, 20.0), (4, 32, 180.0)
"""Workers, places in line and seconds: for what only looks something up, and for what is written.
A model that does not answer holds up the second lane alone."""


@dataclass
class Desk:
    """Where requests are worked on. Without a model all of it takes the processor, and so one
    lane does it."""

    corpus: Corpus
    quick: Lane = field(default_factory=lambda: Lane(*QUICK))
    working: Lane = field(init=False)

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
        self, filters: Filters, match: str | None, offset: int, limit: int
    ) -> dict[str, Any]:
        """``Papers``: those that pass, in the order of the index."""

        def listed() -> dict[str, Any]:
            everything = list(self.corpus)
            rows = filters.rows(everything) if filters else range(len(everything))
            passing = (everything[row] for row in rows)
            found = [paper for paper in passing if not match or mentions(paper, match)]
            shown = [paper.to_json() for paper in found[offset : offset + limit]]
            return {"matched": len(found), "population": len(everything), "papers": shown}

        return await self.quick.run(listed)

    async def paper(self, name: str) -> Paper:
        """The paper with an id, handle or title."""
        return await self.quick.run(lambda: self.corpus.paper(name))

    async def summary(self, name: str) -> Summary:
        """A paper in a sentence."""
        return await self.working.run(lambda: self.corpus.summarize(name))

    async def digest(self, topic: str) -> Digest:
        """What the papers on a topic say."""
        return await self.working.run(lambda: self.corpus.digest(topic))

    def streamed(self, asked: Asked) -> AsyncIterator[str | Done[Answer]]:
        """The pieces of an answer's text as they are written, at last the answer."""
        return self.working.stream(lambda on_text: self._answer(asked, on_text))

    def _answer(self, asked: Asked, on_text: OnText | None = None) -> Answer:
        filters = asked.filters.filters
        return self.corpus.asker.ask(asked.question, self.turns(asked), filters, on_text)

    def turns(self, asked: Asked) -> list[Turn]:
        """The last turns that a question came with, cut as a conversation's are."""
        return [
            Turn(question[:QUESTION_CHARS], answer[:ANSWER_CHARS])
            for question, answer in asked.history[-TURNS:]
        ]

    def close(self) -> None:
        """Finish what is under way."""
        self.quick.close()
        self.working.close()
