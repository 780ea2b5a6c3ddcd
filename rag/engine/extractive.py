"""The engine that needs no model: one to three verbatim sentences, from as few papers as do."""

from __future__ import annotations

from collections.abc import Sequence

from rag.engine.evidence import CONTRIBUTION, DEFINES, Evidence, evidence, introducing, telling
from rag.engine.parts import parts
from rag.engine.question import Question
from rag.retrieve.hybrid import Retriever, Signals

SENTENCES = 3
"""Sentences in an answer, at most."""

CLEAR_LEAD, NEAR = 0.75, 2.0
"""Summed z-scores by which the first paper must lead for the answer to be its alone, and by how
much another may follow to be named beside it; ``evals/picking.py`` shows what other leads do."""

BRINGS = 0.65
"""Bonus of the sentence that introduces a paper which was not named: it comes before sentences that
are about as good. From 0.5 to 0.8 our questions are answered as well."""


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
    if question.kind == "follow-up":
        return _of_one(retriever, signals, question, rows[0])
    if len(named) == 1 and question.kind != "find":  # whose asker knows no name: it is a word
        return _of_one(retriever, signals, question, named[0])
    meant = near(signals, rows)
    if len(meant) == 1:
        return described(retriever, signals, question, meant[0])
    return candidates(retriever, signals, question, meant)


def near(signals: Signals, rows: Sequence[int]) -> Sequence[int]:
    """The first paper or, where it does not lead clearly, those that it may have to yield to."""
    behind = [float(signals.fused[rows[0]] - signals.fused[row]) for row in rows[:SENTENCES]]
    clear = len(rows) < 2 or behind[1] > CLEAR_LEAD
    return rows[:1] if clear else [row for row, z in zip(rows, behind, strict=False) if z <= NEAR]


def _of_one(retriever: Retriever, signals: Signals, question: Question, row: int) -> list[Evidence]:
    """The answer of one paper: the best sentence of each part of the question, and of it all."""
    sentences = evidence(retriever, signals, question, row)
    if question.kind == "definition":
        sentences = introducing(retriever.snapshot.paper(row), sentences, DEFINES)
    each: list[Evidence] = []
    for part, of in parts(question, signals):
        each = _distinct([*each, *evidence(retriever, of, part, row)])[: len(each) + 1]
    return _distinct([*each, *telling(question, sentences[:SENTENCES])])


def described(
    retriever: Retriever, signals: Signals, question: Question, row: int
) -> list[Evidence]:
    """The answer of a paper that was not named: what it is belongs to it."""
    best, *others = _of_one(retriever, signals, question, row)
    brings = _presented(retriever, signals, question, row)
    first = [brings, best] if question.kind == "find" else [best, brings]
    return _distinct([*first, *others])


def candidates(
    retriever: Retriever, signals: Signals, question: Question, rows: Sequence[int]
) -> list[Evidence]:
    """What each of the papers is that may be meant; of two the first also has its best sentence."""
    each = [_presented(retriever, signals, question, row) for row in rows]
    spare = evidence(retriever, signals, question, rows[0]) if len(each) < SENTENCES else []
    return _distinct([*each, *spare])


def _presented(retriever: Retriever, signals: Signals, question: Question, row: int) -> Evidence:
    """What a paper brings; unless a paper is asked for, a sentence that answers much better, and
    where a figure is asked for the best."""
    bonus = DEFINES if question.kind == "find" else 0.0 if question.wants_number else BRINGS
    sentences = evidence(retriever, signals, question, row)
    return introducing(retriever.snapshot.paper(row), sentences, bonus)[0]


def _distinct(sentences: Sequence[Evidence]) -> list[Evidence]:
    """As many different ones as an answer has."""
    places: dict[tuple[int, int], Evidence] = {}
    for sentence in sentences:
        places.setdefault((sentence.row, sentence.start), sentence)
    return [*places.values()][:SENTENCES]


def _one_each(
    retriever: Retriever, signals: Signals, question: Question, rows: Sequence[int]
) -> list[Evidence]:
    """The best sentence of each paper, in the papers' order."""
    return [evidence(retriever, signals, question, row, favour=CONTRIBUTION)[0] for row in rows]


def _introductions(
    retriever: Retriever, signals: Signals, question: Question, rows: Sequence[int]
) -> list[Evidence]:
    """The sentence of each paper that says what it is, in the papers' order."""
    each = [(row, evidence(retriever, signals, question, row)) for row in rows]
    paper = retriever.snapshot.paper
    return [introducing(paper(row), sentences, DEFINES)[0] for row, sentences in each]
