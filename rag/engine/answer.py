"""A question, and the turns before it → an Answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING

from rag.engine.extractive import SENTENCES, near, select
from rag.engine.forms import formed
from rag.engine.listing import KINDS, NOTHING, Listed
from rag.engine.outcome import TOO_MUCH, doubt, indications
from rag.engine.overview import concerns_all, overview
from rag.engine.premise import denial
from rag.engine.question import FollowUp, Question, Turn, kind_of, understand
from rag.engine.quoting import Considered, quoted, refusal, unread
from rag.engine.records import recorded
from rag.engine.understanding import Understanding
from rag.errors import BudgetError, EndpointError
from rag.retrieve.filters import Filters, passing, told_left_out
from rag.retrieve.foreign import REFUSED, is_foreign
from rag.retrieve.hybrid import Retriever, Signals, check_question
from rag.types import Answer, Usage

if TYPE_CHECKING:
    from rag.engine.explaining import Explanation
    from rag.engine.writer import Writer
    from rag.models import Message, OnText


@dataclass(frozen=True)
class Asker:
    """Answers questions over one snapshot: by quoting or, given a ``writer``, with a model."""

    retriever: Retriever
    writer: Writer | None = None

    @cached_property
    def understanding(self) -> Understanding:
        return Understanding(self.retriever, self.writer)

    def ask(
        self,
        question: str,
        history: Sequence[Turn] = (),
        filters: Filters | None = None,
        on_text: OnText | None = None,
        on_question: OnText | None = None,
        on_considered: Callable[[Considered], None] | None = None,
    ) -> Answer:
        """The answer; same corpus and question, same answer, timings aside. Given ``on_text``,
        the pieces of its text go there as they come; before them ``on_question`` gets the
        question as it was understood, if that is not how it was put. ``on_considered`` gets what
        the answer is made of, unless the index is empty or the question could not be read: see
        ``explain``.

        Raises QuestionError for a question without a word or without end, or filters that no
        paper passes; with a model also EndpointError's kinds and BudgetError.
        """
        started = perf_counter()
        question = clean(question)
        if not len(self.retriever.snapshot):
            return _told(refusal(understand(question, question), "not_in_corpus", ()), on_text)
        understanding = self.understanding
        spelt, filters, read = understanding.filtered(understanding.spelt(question), filters)
        found, usage = understanding.follow_up(spelt, history)
        if on_question and found.standalone != question:
            on_question(found.standalone)
        asked = understanding.asked(spelt, found)
        if not found.rows and concerns_all(asked.standalone):
            whole = _told(self._overview(asked, filters), on_text)
            return _noted(replace(whole, question=question), read)
        if recorded := self._recorded(asked, found.rows):
            answer = replace(_told(recorded, on_text), question=question, usage=usage)
            return _noted(answer, read, found.note)
        signals = self.retriever.signals(asked.text, filters)
        retrieved = perf_counter()
        considered = self.consider(asked, signals, found.rows, filters)
        considered, spent, told = self._reworded(considered, found, filters)
        accepted = self._population(asked, filters)
        if accepted:
            considered = replace(considered, population="accepted papers")
        usage += spent
        if not (found.rows or considered.also) and (note := self.retriever.foreign(asked.text)):
            answer = replace(_told(unread(asked, note), on_text), question=question, usage=usage)
            return _noted(answer, read, told)
        if on_considered:
            on_considered(considered)
        answer = considered.annotated(self._answer(considered, on_text))
        timings = _timings(started, retrieved, perf_counter())
        missed = not answer.statements and self.retriever.unreadable(asked.text)
        usage += answer.usage
        answer = replace(answer, question=question, usage=usage, timings_ms=timings)
        return _noted(answer, read, found.note, told, accepted, REFUSED if missed else "")

    def _population(self, asked: Question, filters: Filters | None) -> str:
        """Which papers count, where not all do, and which of the others are asked about."""
        snapshot = self.retriever.snapshot
        told = told_left_out(snapshot, filters)
        if not told:
            return ""
        meant = [
            row for row in self.understanding.named(asked.standalone) if row in snapshot.unaccepted
        ]
        names = [f"{snapshot.handles[row]} ({snapshot.paper(row).status})" for row in meant]
        return f"{told}. Asked about and left out: {', '.join(names)}" if names else told

    def _overview(self, asked: Question, filters: Filters | None) -> Answer:
        snapshot = self.retriever.snapshot
        return overview(asked, [snapshot.paper(row) for row in passing(snapshot, filters)])

    def _recorded(self, asked: Question, focus: Sequence[int]) -> Answer | None:
        """The answer, where the record of the one paper in a question has it."""
        snapshot = self.retriever.snapshot
        called = self.understanding.called(asked.standalone)
        called = called or {row: snapshot.handles[row] for row in focus}
        if len(called) != 1:
            return None
        ((row, name),) = called.items()
        return recorded(asked, snapshot.paper(row), name)

    def _answer(self, considered: Considered, on_text: OnText | None) -> Answer:
        if not self.writer:
            return _told(quoted(considered), on_text)
        from rag.engine.writing import written  # what quotes has no need of it

        return written(self.writer, considered, on_text)

    def explain(self, considered: Considered, answer: Answer) -> Explanation:
        """Why ``answer``, which was made of ``considered``, is what it is; asks no model."""
        from rag.engine.explaining import explain

        if not self.writer:
            return explain(considered, answer)
        from rag.engine.writing import shown_to, unasked

        context = None if unasked(considered) else shown_to(self.writer, considered)
        return explain(considered, answer, context)

    def messages(
        self, question: str, history: Sequence[Turn] = (), filters: Filters | None = None
    ) -> list[Message]:
        """What the model would be asked, without asking it; empty where it would not be."""
        if not self.writer or not len(self.retriever.snapshot):
            return []
        from rag.engine.writing import shown_to, unasked

        question, filters, _ = self.understanding.filtered(clean(question), filters)
        asked, focus = self.understood(question, history)
        signals = self.retriever.signals(asked.text, filters)
        considered = self.consider(asked, signals, focus, filters)
        if unasked(considered):
            return []
        return self.writer.messages(asked.standalone, shown_to(self.writer, considered))

    def understood(
        self, question: str, history: Sequence[Turn]
    ) -> tuple[Question, tuple[int, ...]]:
        """The question made to stand alone by rules, and the rows of its papers."""
        question = self.understanding.spelt(question)
        found = self.understanding.resolved(question, history)
        return self.understanding.asked(question, found), found.rows

    def _reworded(
        self, considered: Considered, found: FollowUp, filters: Filters | None
    ) -> tuple[Considered, Usage, str]:
        """The question considered anew, with what else a model would search for, where it is unsure
        which paper is meant; what that took, and what to tell the reader."""
        if not (self.writer and self.writer.searches) or found.rows or not self._unsure(considered):
            return considered, Usage(), ""
        from rag.engine.rewording import reword

        writer, task, asked = self.writer, self.writer.searches, considered.question
        try:
            queries, usage = reword(writer.model, task, writer.checker, asked.standalone)
        except (BudgetError, EndpointError) as error:
            return considered, Usage(), f"Not searched for in other words: {error.message}"
        if not queries:
            return considered, usage, ""
        also = [self.retriever.signals(query, filters) for query in queries]
        again = self.consider(asked, considered.signals, (), filters, also)
        told = f"Also searched for: {'; '.join(queries)}"
        return replace(again, also=queries), usage, told

    def _unsure(self, considered: Considered) -> bool:
        """Whether one paper is asked for, none is named, the first does not lead, and yet it is
        not hopeless: in another language, nothing can be told of that."""
        from rag.engine.writing import HOPELESS

        asked = considered.question
        if asked.kind not in ("fact", "find") or self.understanding.named(asked.standalone):
            return False
        if is_foreign(asked.standalone):
            return True
        hopeless = doubt(considered.indications) >= HOPELESS
        return not hopeless and len(near(considered.signals, considered.rows)) > 1

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
        also: Sequence[Signals] = (),
    ) -> Considered:
        """Find the evidence and weigh it; papers are searched for ``also`` by other words."""
        rows = self._rows(signals, focus, filters, also)
        named = [row for row in self.understanding.named(asked.standalone) if row in rows]
        continued = [row for row in focus if row in rows]
        asked = self._held_against(asked, continued)
        found = self._listed(asked, signals, named, continued, rows)
        if focus and asked.narrows:
            found = found if continued else Listed(absent=True)
            found = replace(found, among=len(focus))
        if asked.kind == "compare" and not asked.introduces:
            return self._compared(asked, signals, rows, named, continued)
        picked = found.picked or select(self.retriever, signals, asked, named, rows)
        weighed = picked[:SENTENCES] if found.rows else picked
        weight = indications(self.retriever, signals, asked, weighed, named=bool(named))
        rows = list(dict.fromkeys([*found.rows, *(named if len(named) == 1 else ()), *rows]))
        considered = Considered(self.retriever, asked, signals, rows, found, picked, weight)
        if not found.rows:
            considered = formed(
                considered, self.understanding.names, tuple(dict.fromkeys([*named, *continued]))
            )
        denied = denial(self.retriever, asked, picked)
        about = bool(named or continued) or doubt(weight) < TOO_MUCH
        return considered.correcting(denied, SENTENCES) if denied and about else considered

    def _held_against(self, asked: Question, continued: Sequence[int]) -> Question:
        """The question as a comparison, where it goes on about one paper and holds it against
        something that this paper says nothing of."""
        if asked.kind != "follow-up" or kind_of(asked.standalone) != "compare":
            return asked
        from rag.engine.sides import beside

        apart = continued and beside(self.retriever, asked.standalone, continued[0])
        return replace(asked, kind="compare") if apart else asked

    def _listed(
        self,
        asked: Question,
        signals: Signals,
        named: Sequence[int],
        continued: Sequence[int],
        rows: Sequence[int],
    ) -> Listed:
        if asked.kind not in KINDS:
            return NOTHING
        from rag.engine.listing.listed import listed  # which loads all that knows of topics

        return listed(self.retriever, signals, asked, named, continued, rows)

    def _compared(
        self,
        asked: Question,
        signals: Signals,
        rows: Sequence[int],
        named: Sequence[int],
        continued: Sequence[int],
    ) -> Considered:
        from rag.engine.sides import side_by_side, sides, weighed  # only what compares needs it

        compared = sides(self.retriever, signals, asked, named, continued, rows)
        picked = side_by_side(self.retriever, compared)
        weight = weighed(self.retriever, compared, picked)
        rows = list(dict.fromkeys([*(side.row for side in compared.found), *rows]))
        missing = tuple(compared.missing)
        return Considered(self.retriever, asked, signals, rows, NOTHING, picked, weight, missing)

    def _rows(
        self,
        signals: Signals,
        focus: Sequence[int],
        filters: Filters | None,
        also: Sequence[Signals] = (),
    ) -> Sequence[int]:
        """The papers that pass the filters, best first, but a follow-up's before all others."""
        ranked = self.retriever.ranked(signals, filters, also)
        first = [row for row in focus if row in ranked]
        return [*first, *(row for row in ranked if row not in first)] if first else ranked


def clean(question: str) -> str:
    """A question on one line; raises QuestionError for one that cannot be worked with."""
    question = " ".join(question.encode("utf-8", "replace").decode().split())
    check_question(question)
    return question


def _noted(answer: Answer, *remarks: str) -> Answer:
    """The answer with those remarks that say something before its own notes."""
    return replace(answer, notes=(*filter(None, remarks), *answer.notes))


def _told(answer: Answer, on_text: OnText | None) -> Answer:
    if on_text:
        on_text(answer.text)
    return answer


def _timings(started: float, retrieved: float, done: float) -> dict[str, int]:
    """Milliseconds of each step."""
    steps = {"retrieve": retrieved - started, "answer": done - retrieved, "total": done - started}
    return {name: round(1000 * seconds) for name, seconds in steps.items()}
