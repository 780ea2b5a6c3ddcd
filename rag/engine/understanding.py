"""What a question means: its words spelt right, the turns before it taken in, the papers that it
names, and the fields by which it narrows them down.

By rules; given a ``writer``, a model may say better what a follow-up means. Knows no answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from rag.engine.names import TITLE, Names
from rag.engine.question import FollowUp, Question, Turn, understand
from rag.retrieve.filters import Filters
from rag.retrieve.hybrid import Retriever
from rag.retrieve.spelling import parted
from rag.retrieve.terms import terms
from rag.types import Usage

if TYPE_CHECKING:
    from rag.engine.fields import Values
    from rag.engine.writer import Writer

OF_PAPERS = (
    *("paper", "work", "abstract", "stud", "article", "publi", "oral", "spotlight", "poster"),
    *("area", "track", "categor", "them", "these", "those", "write", "written", "author"),
)
"""Parts of words without one of which no question asks for papers by their fields."""


@dataclass(frozen=True)
class Understanding:
    """Of questions to one snapshot."""

    retriever: Retriever
    writer: Writer | None = None

    @cached_property
    def names(self) -> Names:
        return Names(self.retriever.snapshot.handles)

    @cached_property
    def _values(self) -> Values:
        from rag.engine.fields import Values

        snapshot = self.retriever.snapshot
        return Values(snapshot.papers(), {snapshot.ids[row] for row in snapshot.unaccepted})

    def filtered(self, question: str, filters: Filters | None) -> tuple[str, Filters | None, str]:
        """The question without the fields that it names in words, the filters with those, unless
        no paper would pass them, and what to tell the reader of it."""
        if not any(word in question.lower() for word in OF_PAPERS):
            return question, filters, ""
        from rag.engine.fields import remark, worded  # which loads all that requests consist of

        bare, named, lacking = worded(question, lambda: self._values)
        both = (filters or Filters()) & named
        if named and not self._values.passing(both):
            return question, filters, ""
        told = lacking
        if named:
            passed = self._values.passing(named)
            told = [remark(named, passed, len(self.retriever.snapshot)), *lacking]
        return bare, both if named else filters, " ".join(told)

    def spelt(self, question: str) -> str:
        named = self.names.spelt(question, self.retriever.lexical.strange)
        return self.retriever.corrected(named)

    def follow_up(self, question: str, history: Sequence[Turn]) -> tuple[FollowUp, Usage]:
        """What a question means after some turns; a model may put it better than the rules."""
        found = self.resolved(question, history)
        if not (history and self.writer and self.writer.follow_ups) or found.note:
            return found, Usage()
        from rag.engine.anaphora import continues
        from rag.engine.follow_up.rewriting import rewrite

        if found.standalone == question and not continues(question):
            return found, Usage()

        model, task = self.writer.model, self.writer.follow_ups
        text, usage = rewrite(model, task, question, history, self._called)
        if text is None:
            return found, usage
        rows = tuple(self.names.rows(text)) or found.rows
        return FollowUp(text, rows, request=found.request), usage

    def resolved(self, question: str, history: Sequence[Turn]) -> FollowUp:
        if named := self._named_alone(question):
            return named
        if not history:
            return FollowUp(question)
        from rag.engine.follow_up import resolve  # its patterns take a while to be compiled

        snapshot = self.retriever.snapshot
        return resolve(
            question, history, self.names, snapshot.paper, snapshot.row_of.get, self._nearest
        )

    def _named_alone(self, question: str) -> FollowUp | None:
        """For a question in a language that the embedder does not know, but which names papers:
        what they are. A model understands what is asked of them."""
        if self.writer or not self.retriever.unreadable(question):
            return None
        rows = self.names.rows(parted(question))
        if not rows:
            return None
        handles = [self.retriever.snapshot.handles[row] for row in rows]
        told = f"What is {handles[0]}?" if len(rows) == 1 else f"Compare {' and '.join(handles)}"
        return FollowUp(told, note=f"Only the names in the question were understood: {told}")

    def asked(self, question: str, found: FollowUp) -> Question:
        named = [*self.called(found.standalone).values()]
        return understand(
            found.put or question, found.standalone, named, len(found.rows), found.request
        )

    def named(self, question: str) -> Sequence[int]:
        """The papers that a question calls by name."""
        return [*self.called(question)]

    def called(self, question: str) -> dict[int, str]:
        """The rows of those papers, and how the question calls each: by its own name or by what
        looks like a name and stands in no other paper; beside papers' own names, it has to be
        one that the paper speaks of more than once."""
        handles = self.retriever.snapshot.handles
        found = {row: handles[row] for row in self.names.rows(question)}
        least = 2 if found else 1
        for name in TITLE.findall(question):
            having = self.retriever.lexical.having(terms(name)).nonzero()[0]
            if len(having) == 1 and self._spoken_of(name, int(having[0])) >= least:
                found.setdefault(int(having[0]), name)
        return found

    def _spoken_of(self, name: str, row: int) -> int:
        """How often a paper has a name."""
        return len(
            re.findall(rf"(?<!\w){re.escape(name)}(?!\w)", self.retriever.snapshot.paper(row).text)
        )

    def _called(self, paper_id: str) -> str | None:
        """The name of a paper in the conversation's prompt."""
        row = self.retriever.snapshot.row_of.get(paper_id)
        return None if row is None else self.retriever.snapshot.paper(row).name

    def _nearest(self, text: str) -> int:
        return self.retriever.ranked(self.retriever.signals(text))[0]
