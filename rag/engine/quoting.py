"""An answer in the abstracts' own sentences, or a refusal that names the nearest papers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rag.engine.evidence import Evidence
from rag.engine.extractive import SENTENCES
from rag.engine.outcome import Indications, judge
from rag.engine.question import Question
from rag.retrieve.hybrid import Retriever, Signals
from rag.types import Answer, Citation, Outcome, Paper, Statement

NEAREST = 3
"""Papers shown with a refusal."""

REFUSALS = {
    "not_in_abstracts": "The abstracts here do not say. Nearest to the question:",
    "not_in_corpus": "Nothing here is about that. Nearest to the question:",
}


@dataclass(frozen=True)
class Considered:
    """A question on its way to an answer: what was found and what speaks for it.

    ``rows`` are all papers, best first; ``literal`` those that hold every word that a list or
    count asks for; ``picked`` the sentences that answer best.
    """

    retriever: Retriever
    question: Question
    signals: Signals
    rows: Sequence[int]
    literal: Sequence[int]
    picked: Sequence[Evidence]
    indications: Indications

    def papers(self, rows: Sequence[int]) -> list[Paper]:
        return [self.retriever.snapshot.paper(row) for row in rows]


def quoted(considered: Considered) -> Answer:
    """The answer of the extractive engine."""
    outcome = _outcome(considered)
    if outcome in REFUSALS:
        return declined(considered, outcome)
    rows = list(dict.fromkeys(sentence.row for sentence in considered.picked))
    papers = considered.papers(rows)
    statements = [_statement(s, rows.index(s.row) + 1, papers) for s in considered.picked]
    found = len(considered.literal)
    shown = f"; {SENTENCES} of them:" if found > SENTENCES else ":"
    return Answer(
        question=considered.question.asked,
        standalone_question=considered.question.standalone,
        outcome=outcome,
        kind=considered.question.kind,
        text=" ".join([*count(considered, shown), *map(_marked, statements)]),
        statements=tuple(statements),
        sources=tuple(papers),
        engine="extractive",
    )


def declined(considered: Considered, outcome: Outcome) -> Answer:
    """The refusal with the papers nearest to the question; of a list or count it says of how
    many papers none was what is asked for."""
    nearest = considered.papers(considered.rows[:NEAREST])
    answer = refusal(considered.question, outcome, nearest)
    if considered.question.kind not in ("list", "count") or considered.literal:
        return answer
    none = f"0 of {len(considered.rows)} papers have all these words."
    return replace(answer, text=f"{none} {answer.text}")


def refusal(asked: Question, outcome: Outcome, nearest: Sequence[Paper]) -> Answer:
    """A refusal; without any ``nearest`` paper the index is empty."""
    listed = "; ".join(f"{paper.name} [{i}]" for i, paper in enumerate(nearest, start=1))
    text = f"{REFUSALS[outcome]} {listed}." if listed else "The index holds no papers."
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


def count(considered: Considered, end: str) -> list[str]:
    """How many papers a list or count is about, as far as words can tell; nothing for others."""
    found, population = len(considered.literal), len(considered.rows)
    return [f"{found} of {population} papers have these words{end}"] if found else []


def _outcome(considered: Considered) -> Outcome:
    """partial for a list that goes on; what named papers are about is always said."""
    if considered.question.kind == "definition" or considered.question.introduces:
        return "answered"
    if len(considered.literal) > SENTENCES:
        return "partial"
    return judge(considered.indications)


def _statement(sentence: Evidence, number: int, papers: Sequence[Paper]) -> Statement:
    """A verbatim sentence, which its own quote supports in full."""
    paper = papers[number - 1]
    quote = paper.text[sentence.start : sentence.end]
    citation = Citation(number, paper.paper_id, quote, sentence.start, sentence.end)
    return Statement(quote, (citation,), supported=True, support=1.0)


def _marked(statement: Statement) -> str:
    return f"{statement.text} [{statement.citations[0].number}]"
