"""Papers like one that is named: near in meaning and in their rarest words together."""

from __future__ import annotations

from rag.engine.evidence import Evidence
from rag.retrieve.hybrid import Retriever, standardised
from rag.retrieve.terms import terms

WORDS = 20
"""The rarest words of a paper, by which others are found that share them."""
NEIGHBOURS, STANDING = 5, 2.0
"""Papers at most, and the summed z-scores that each has to have at least."""


def neighbours(retriever: Retriever, row: int) -> list[int]:
    """The papers most like one, best first; at least the best, if there is any other."""
    snapshot, lexical = retriever.snapshot, retriever.lexical
    if len(snapshot) < 2:
        return []
    near = snapshot.vectors[: len(snapshot)] @ snapshot.vectors[row]
    words = sorted(set(terms(snapshot.paper(row).indexed_text)))
    telling = sorted(words, key=lambda term: (-lexical.rarity(term), term))
    shared = [term for term in telling if lexical.having([term]).sum() > 1][:WORDS]
    scores = near.copy()
    others = [other for other in range(len(snapshot)) if other != row]
    scores[others] = standardised(near[others]) + standardised(lexical.scores(shared)[others])
    order = sorted(others, key=lambda other: (-round(float(scores[other]), 4), snapshot.ids[other]))
    far = [other for other in order[:NEIGHBOURS] if scores[other] >= STANDING]
    return far or order[:1]


def likeness(retriever: Retriever, row: int, other: int) -> Evidence:
    """The sentence of another paper that is nearest to one."""
    snapshot = retriever.snapshot
    rows = snapshot.sentence_rows(other)
    cosines = snapshot.vectors[len(snapshot) :][rows] @ snapshot.vectors[row]
    best = int(cosines.round(4).argmax())
    start, end = snapshot.spans(other)[best]
    text = snapshot.paper(other).text[start:end]
    return Evidence(other, start, end, text, round(float(cosines[best]), 4))
