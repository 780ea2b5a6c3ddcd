"""The engine that needs no model: one to three verbatim sentences, from as few papers as do."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from rag.engine.evidence import CONTRIBUTION, Evidence, evidence, introduction, telling
from rag.engine.question import Question
from rag.retrieve.hybrid import Retriever, Signals

SENTENCES = 3
"""Sentences in an answer, at most."""

CLEAR_LEAD = 1.5
"""Summed z-scores by which the first paper must lead for the answer to be its alone. Half the
paraphrases on our development questions are led by the wrong paper, by less than this."""


def select(
    retriever: Retriever,
    signals: Signals,
    question: Question,
    named: Sequence[int],
    rows: Sequence[int],
) -> list[Evidence]:
    """The sentences of the answer, most telling first; ``rows`` are papers, best first, and
    ``named`` those among them that the question calls by name."""
    if question.kind in ("list", "count"):
        return _one_each(retriever, signals, question, rows[:SENTENCES])
    if question.introduces and named:
        return _introductions(retriever, signals, question, named[:SENTENCES])
    if question.kind == "compare":
        return _both_sides(retriever, signals, question, _sides(named, rows))
    if question.kind == "follow-up" or len(named) == 1 or _leads(signals, rows):
        best = named[0] if len(named) == 1 and question.kind != "follow-up" else rows[0]
        defines = question.kind == "definition"
        favour = introduction(retriever.snapshot.handles[best]) if defines else None
        sentences = evidence(retriever, signals, question, best, favour=favour)
        return telling(question, sentences[:SENTENCES])
    first = evidence(retriever, signals, question, rows[0], favour=CONTRIBUTION)
    second = evidence(retriever, signals, question, rows[1], favour=CONTRIBUTION)
    return [*first[: SENTENCES - 1], *second[:1]]


def _leads(signals: Signals, rows: Sequence[int]) -> bool:
    if len(rows) < 2:
        return True
    return bool(signals.fused[rows[0]] - signals.fused[rows[1]] > CLEAR_LEAD)


def literal(retriever: Retriever, signals: Signals, rows: Sequence[int]) -> Sequence[int]:
    """The papers among ``rows``, in their order, that hold every word asked for."""
    having = retriever.lexical.having(signals.terms)
    return [row for row in rows if having[row]] if signals.terms else []


def _one_each(
    retriever: Retriever, signals: Signals, question: Question, rows: Sequence[int]
) -> list[Evidence]:
    """The best sentence of each paper, in the papers' order."""
    return [evidence(retriever, signals, question, row, favour=CONTRIBUTION)[0] for row in rows]


def _introductions(
    retriever: Retriever, signals: Signals, question: Question, rows: Sequence[int]
) -> list[Evidence]:
    """The sentence of each paper that says what it is, in the papers' order."""
    favours = [introduction(retriever.snapshot.handles[row]) for row in rows]
    return [
        evidence(retriever, signals, question, row, favour=favour)[0]
        for row, favour in zip(rows, favours, strict=True)
    ]


def _sides(named: Sequence[int], rows: Sequence[int]) -> list[int]:
    """The two papers to compare: those that are named, then the best others."""
    return list(dict.fromkeys(chain(named, rows)))[:2]


def _both_sides(
    retriever: Retriever, signals: Signals, question: Question, rows: Sequence[int]
) -> list[Evidence]:
    """The best sentence of each side and the better of their second ones, side by side."""
    sides = [evidence(retriever, signals, question, row, favour=CONTRIBUTION)[:2] for row in rows]
    spare = SENTENCES - len(sides)
    seconds = sorted((s for side in sides for s in side[1:]), key=lambda s: (-s.score, s.row))
    dropped = seconds[spare:]
    return [sentence for side in sides for sentence in side if sentence not in dropped]
