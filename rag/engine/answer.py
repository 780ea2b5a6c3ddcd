"""A question, and the turns before it → an Answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter

from rag.engine.evidence import Evidence
from rag.engine.extractive import SENTENCES, literal, select
from rag.engine.outcome import Indications, indications, judge
from rag.engine.question import Names, Question, Turn, context_of, continues, understand
from rag.retrieve.filters import Filters
from rag.retrieve.hybrid import Retriever, Signals, check_question
from rag.types import Answer, Citation, Outcome, Paper, Statement

NEAREST = 3
"""Papers shown with a refusal."""

_REFUSALS = {
    "not_in_abstracts": "The abstracts here do not say. Nearest to the question:",
    "not_in_corpus": "Nothing here is about that. Nearest to the question:",
}


@dataclass(frozen=True)
class Considered:
    """A question on its way to an answer: what was found and what speaks for it.

    ``literal`` are the papers that hold every word that a list or count asks for.
    """

    question: Question
    rows: Sequence[int]
    literal: Sequence[int]
    picked: Sequence[Evidence]
    indications: Indications


@dataclass(frozen=True)
class Asker:
    """Answers questions over one snapshot with the extractive engine."""

    retriever: Retriever

    @cached_property
    def names(self) -> Names:
        return Names(self.retriever.snapshot.handles)

    def ask(
        self, question: str, history: Sequence[Turn] = (), filters: Filters | None = None
    ) -> Answer:
        """The answer; same corpus and question, same answer, timings aside.

        Raises QuestionError for a question without a word or without end, or filters that no
        paper passes.
        """
        started = perf_counter()
        question = " ".join(question.encode("utf-8", "replace").decode().split())
        check_question(question)
        if not len(self.retriever.snapshot):
            return self._refusal(understand(question, question), "not_in_corpus", ())
        asked, focus = self.understood(question, history)
        signals = self.retriever.signals(asked.text)
        retrieved = perf_counter()
        answer = self._answer(self.consider(asked, signals, focus, filters))
        return replace(answer, timings_ms=_timings(started, retrieved, perf_counter()))

    def understood(self, question: str, history: Sequence[Turn]) -> tuple[Question, int | None]:
        """The question made to stand alone, and the row of the paper that it goes on about."""
        focus = self._focus(question, history)
        name = "" if focus is None else f"{self.retriever.snapshot.paper(focus).name}: "
        handles = [self.retriever.snapshot.handles[row] for row in self.names.rows(question)]
        return understand(question, name + question, handles), focus

    def rank(self, question: str, history: Sequence[Turn] = ()) -> Sequence[int]:
        """Rows of all papers as a question finds them, best first."""
        asked, focus = self.understood(question, history)
        return self.consider(asked, self.retriever.signals(asked.text), focus).rows

    def _focus(self, question: str, history: Sequence[Turn]) -> int | None:
        """Row of the paper that a follow-up is about; None if the question stands alone."""
        if not history or not continues(question) or self.names.rows(question):
            return None
        context = context_of(history)
        named = self.names.rows(context)
        return named[-1] if named else self.retriever.ranked(self.retriever.signals(context))[0]

    def consider(
        self,
        asked: Question,
        signals: Signals,
        focus: int | None = None,
        filters: Filters | None = None,
    ) -> Considered:
        """Find the evidence and weigh it; a follow-up's paper comes first."""
        rows = self.retriever.ranked(signals, filters)
        if focus in rows:
            rows = [focus, *(row for row in rows if row != focus)]
        named = [row for row in self.names.rows(asked.standalone) if row in rows]
        listed = literal(self.retriever, signals, rows) if asked.kind in ("list", "count") else ()
        picked = select(self.retriever, signals, asked, named, listed or rows)
        found = indications(self.retriever, signals, asked, picked, named=bool(named))
        return Considered(asked, rows, listed, picked, found)

    def _answer(self, considered: Considered) -> Answer:
        outcome = self._outcome(considered)
        if outcome in _REFUSALS:
            nearest = [self.retriever.snapshot.paper(row) for row in considered.rows[:NEAREST]]
            return self._refusal(considered.question, outcome, nearest)
        rows = list(dict.fromkeys(sentence.row for sentence in considered.picked))
        papers = [self.retriever.snapshot.paper(row) for row in rows]
        statements = [_statement(s, rows.index(s.row) + 1, papers) for s in considered.picked]
        return Answer(
            question=considered.question.asked,
            standalone_question=considered.question.standalone,
            outcome=outcome,
            kind=considered.question.kind,
            text=" ".join([*self._count(considered), *map(_marked, statements)]),
            statements=tuple(statements),
            sources=tuple(papers),
            engine="extractive",
        )

    def _outcome(self, considered: Considered) -> Outcome:
        """partial for a list that goes on; what a named paper is about is always said."""
        if considered.question.kind == "definition":
            return "answered"
        if len(considered.literal) > SENTENCES:
            return "partial"
        return judge(considered.indications)

    def _count(self, considered: Considered) -> list[str]:
        """How many papers a list or count is about, as far as words can tell."""
        found, population = len(considered.literal), len(considered.rows)
        if not found:
            return []
        shown = f"; {SENTENCES} of them" if found > SENTENCES else ""
        return [f"{found} of {population} papers have these words{shown}:"]

    def _refusal(self, asked: Question, outcome: Outcome, nearest: Sequence[Paper]) -> Answer:
        listed = "; ".join(f"{paper.name} [{i}]" for i, paper in enumerate(nearest, start=1))
        text = f"{_REFUSALS[outcome]} {listed}." if listed else "The index holds no papers."
        return Answer(
            question=asked.asked,
            standalone_question=asked.standalone,
            outcome=outcome,
            kind=asked.kind,
            text=text,
            statements=(),
            sources=tuple(nearest),
            engine="extractive",
        )


def _statement(sentence: Evidence, number: int, papers: Sequence[Paper]) -> Statement:
    """A verbatim sentence, which its own quote supports in full."""
    paper = papers[number - 1]
    quote = paper.text[sentence.start : sentence.end]
    citation = Citation(number, paper.paper_id, quote, sentence.start, sentence.end)
    return Statement(quote, (citation,), supported=True, support=1.0)


def _marked(statement: Statement) -> str:
    return f"{statement.text} [{statement.citations[0].number}]"


def _timings(started: float, retrieved: float, done: float) -> dict[str, int]:
    """Milliseconds of each step."""
    steps = {"retrieve": retrieved - started, "answer": done - retrieved, "total": done - started}
    return {name: round(1000 * seconds) for name, seconds in steps.items()}
