"""A question, and the turns before it → an Answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING

from rag.engine.extractive import literal, select
from rag.engine.outcome import indications
from rag.engine.question import FollowUp, Names, Question, Turn, understand
from rag.engine.quoting import Considered, quoted, refusal
from rag.retrieve.filters import Filters
from rag.retrieve.hybrid import Retriever, Signals, check_question
from rag.types import Answer, Usage

if TYPE_CHECKING:
    from rag.engine.writer import Writer
    from rag.models import Message, OnText


@dataclass(frozen=True)
class Asker:
    """Answers questions over one snapshot: by quoting or, given a ``writer``, with a model."""

    retriever: Retriever
    writer: Writer | None = None

    @cached_property
    def names(self) -> Names:
        return Names(self.retriever.snapshot.handles)

    def ask(
        self,
        question: str,
        history: Sequence[Turn] = (),
        filters: Filters | None = None,
        on_text: OnText | None = None,
        on_question: OnText | None = None,
    ) -> Answer:
        """The answer; same corpus and question, same answer, timings aside. Given ``on_text``,
        the pieces of its text go there as they come; before them ``on_question`` gets the
        question as it was understood, if that is not how it was put.

        Raises QuestionError for a question without a word or without end, or filters that no
        paper passes; with a model also EndpointError's kinds and BudgetError.
        """
        started = perf_counter()
        question = clean(question)
        if not len(self.retriever.snapshot):
            return _told(refusal(understand(question, question), "not_in_corpus", ()), on_text)
        found, usage = self._follow_up(question, history)
        if on_question and found.standalone != question:
            on_question(found.standalone)
        asked = self._asked(question, found)
        signals = self.retriever.signals(asked.text)
        retrieved = perf_counter()
        answer = self._answer(self.consider(asked, signals, found.rows, filters), on_text)
        timings = _timings(started, retrieved, perf_counter())
        notes = (*filter(None, [found.note]), *answer.notes)
        return replace(answer, usage=answer.usage + usage, timings_ms=timings, notes=notes)

    def _answer(self, considered: Considered, on_text: OnText | None) -> Answer:
        if not self.writer:
            return _told(quoted(considered), on_text)
        from rag.engine.writing import written  # what quotes has no need of it

        return written(self.writer, considered, on_text)

    def messages(
        self, question: str, history: Sequence[Turn] = (), filters: Filters | None = None
    ) -> list[Message]:
        """What the model would be asked, without asking it; empty where it would not be."""
        if not self.writer or not len(self.retriever.snapshot):
            return []
        from rag.engine.writing import shown_to, unasked

        asked, focus = self.understood(clean(question), history)
        considered = self.consider(asked, self.retriever.signals(asked.text), focus, filters)
        if unasked(considered):
            return []
        return self.writer.messages(asked.standalone, shown_to(self.writer, considered))

    def understood(
        self, question: str, history: Sequence[Turn]
    ) -> tuple[Question, tuple[int, ...]]:
        """The question made to stand alone by rules, and the rows of its papers."""
        found = self._resolved(question, history)
        return self._asked(question, found), found.rows

    def _follow_up(self, question: str, history: Sequence[Turn]) -> tuple[FollowUp, Usage]:
        """What a question means after some turns; a model may put it better than the rules."""
        found = self._resolved(question, history)
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
        return FollowUp(text, tuple(self.names.rows(text)) or found.rows), usage

    def _resolved(self, question: str, history: Sequence[Turn]) -> FollowUp:
        if not history:
            return FollowUp(question)
        from rag.engine.follow_up import resolve  # its patterns take a while to be compiled

        snapshot = self.retriever.snapshot
        return resolve(
            question, history, self.names, snapshot.paper, snapshot.row_of.get, self._nearest
        )

    def _asked(self, question: str, found: FollowUp) -> Question:
        handles = self.retriever.snapshot.handles
        named = [handles[row] for row in self.names.rows(found.standalone)]
        return understand(question, found.standalone, named, len(found.rows))

    def _called(self, paper_id: str) -> str | None:
        """The name of a paper in the conversation's prompt."""
        row = self.retriever.snapshot.row_of.get(paper_id)
        return None if row is None else self.retriever.snapshot.paper(row).name

    def _nearest(self, text: str) -> int:
        return self.retriever.ranked(self.retriever.signals(text))[0]

    def rank(self, question: str, history: Sequence[Turn] = ()) -> Sequence[int]:
        """Rows of all papers as a question finds them, best first."""
        asked, focus = self.understood(question, history)
        return self._rows(self.retriever.signals(asked.text), focus, None)

    def consider(
        self,
        asked: Question,
        signals: Signals,
        focus: Sequence[int] = (),
        filters: Filters | None = None,
    ) -> Considered:
        """Find the evidence and weigh it."""
        rows = self._rows(signals, focus, filters)
        named = [row for row in self.names.rows(asked.standalone) if row in rows]
        listed = literal(self.retriever, signals, rows) if asked.kind in ("list", "count") else ()
        picked = select(self.retriever, signals, asked, named, listed or rows)
        found = indications(self.retriever, signals, asked, picked, named=bool(named))
        return Considered(self.retriever, asked, signals, rows, listed, picked, found)

    def _rows(
        self, signals: Signals, focus: Sequence[int], filters: Filters | None
    ) -> Sequence[int]:
        """The papers that pass the filters, best first, but a follow-up's before all others."""
        ranked = self.retriever.ranked(signals, filters)
        first = [row for row in focus if row in ranked]
        return [*first, *(row for row in ranked if row not in first)]


def clean(question: str) -> str:
    """A question on one line; raises QuestionError for one that cannot be worked with."""
    question = " ".join(question.encode("utf-8", "replace").decode().split())
    check_question(question)
    return question


def _told(answer: Answer, on_text: OnText | None) -> Answer:
    if on_text:
        on_text(answer.text)
    return answer


def _timings(started: float, retrieved: float, done: float) -> dict[str, int]:
    """Milliseconds of each step."""
    steps = {"retrieve": retrieved - started, "answer": done - retrieved, "total": done - started}
    return {name: round(1000 * seconds) for name, seconds in steps.items()}
