"""Papers like one that is named: near in meaning and in their rarest words together."""

from __future__ import annotations

from rag.engine.evidence import Evidence
from rag.retrieve.filters import Filters, passing
from rag.retrieve.hybrid import PASSAGES, Retriever, standardised
from rag.retrieve.terms import terms
from rag.types import Hit, Passage

WORDS = 20
"""The rarest words of a paper, by which others are found that share them."""
NEIGHBOURS, STANDING = 5, 2.0
"""Papers at most, and the summed z-scores that each has to have at least."""


def similar(
    retriever: Retriever, row: int, k: int = 10, filters: Filters | None = None
) -> list[Hit]:
    """The ``k`` papers most like one, each with the sentences that are nearest to it. Raises
    QuestionError if no paper passes the filters."""
    snapshot = retriever.snapshot
    among = frozenset(passing(snapshot, filters))
    found = [pair for pair in ranked(retriever, row) if pair[0] in among]
    return [
        Hit(snapshot.paper(other), rank, score, tuple(_nearest(retriever, row, other, PASSAGES)))
        for rank, (other, score) in enumerate(found[:k], start=1)
    ]


def ranked(retriever: Retriever, row: int) -> list[tuple[int, float]]:
    """All other papers with their summed z-scores, those most like one first, ties by id."""
    snapshot, lexical = retriever.snapshot, retriever.lexical
    others = [other for other in range(len(snapshot)) if other != row]
    if not others:
        return []
    near = snapshot.vectors[: len(snapshot)] @ snapshot.vectors[row]
    words = sorted(set(terms(snapshot.paper(row).indexed_text)))
    telling = sorted(words, key=lambda term: (-lexical.rarity(term), term))
    shared = [term for term in telling if lexical.having([term]).sum() > 1][:WORDS]
    scores = standardised(near[others]) + standardised(lexical.scores(shared)[others])
    found = zip(others, scores.astype(float).round(4).tolist(), strict=True)
    return sorted(found, key=lambda pair: (-pair[1], snapshot.ids[pair[0]]))


def neighbours(retriever: Retriever, row: int) -> list[int]:
    """The papers most like one, best first; at least the best, if there is any other."""
    found = ranked(retriever, row)
    far = [other for other, score in found[:NEIGHBOURS] if score >= STANDING]
    return far or [other for other, _ in found[:1]]


def likeness(retriever: Retriever, row: int, other: int) -> Evidence:
    """The sentence of another paper that is nearest to one."""
    [best] = _nearest(retriever, row, other, 1)
    return Evidence(other, best.start, best.end, best.text, best.score)


def _nearest(retriever: Retriever, row: int, other: int, count: int) -> list[Passage]:
    """The sentences of another paper that are nearest to one, best first."""
    snapshot = retriever.snapshot
    rows, spans = snapshot.sentence_rows(other), snapshot.spans(other)
    cosines = (snapshot.vectors[len(snapshot) :][rows] @ snapshot.vectors[row]).round(4)
    text = snapshot.paper(other).text
    best = (-cosines).argsort(kind="stable")[:count].tolist()
    placed = ((*spans[i], round(float(cosines[i]), 4)) for i in best)
    return [Passage(text[start:end], start, end, cosine) for start, end, cosine in placed]
