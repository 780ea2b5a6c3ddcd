"""Which sentence of a listed paper shows that it belongs there. Knows no answer."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from rag.engine.evidence import CONTRIBUTION, DEFINES, Evidence, evidence, introducing, silenced
from rag.engine.listing.members import Members
from rag.engine.question import Question
from rag.retrieve.hybrid import Retriever, Signals
from rag.retrieve.matching import matcher

WEIGHED = 20
"""Papers at most whose sentences are weighed as those of an answer; of more, each gives the nearest
of those that say it."""


def one_each(
    retriever: Retriever,
    signals: Signals,
    question: Question,
    found: Members,
    rows: Sequence[int],
) -> list[Evidence]:
    """The most telling sentence of each paper among those that say most of what is asked."""
    if len(rows) > WEIGHED:
        return [_first(retriever, signals, question, found, row) for row in rows]
    return [showing(retriever, signals, question, found, row)[0] for row in rows]


def showing(
    retriever: Retriever, signals: Signals, question: Question, found: Members, row: int
) -> list[Evidence]:
    """A paper's sentences, first those with most of the words that it was found by, each lot in
    the order of the evidence; last those that may not speak for it."""
    sentences = evidence(retriever, signals, question, row, favour=CONTRIBUTION)
    spots = [matcher(retriever).spots(unit, row) for unit in found.units]
    place = found.places.get(row)
    gives = None if place is None else retriever.snapshot.spans(row)[place][0]
    hushed = silenced(question, retriever.snapshot.paper(row).text)

    def order(sentence: Evidence) -> tuple[bool, bool, int]:
        silent = hushed and silenced(question, sentence.text)
        units = _units_in(spots, sentence.start, sentence.end)
        return silent, sentence.start != gives, -units

    return sorted(sentences, key=order)


def brings(
    retriever: Retriever,
    signals: Signals,
    question: Question,
    found: Members,
    row: int,
    sentences: int = 2,
) -> list[Evidence]:
    """The sentence that introduces what a paper brings, and those that fit the question."""
    weighed = evidence(retriever, signals, question, row)
    new = introducing(retriever.snapshot.paper(row), weighed, DEFINES)[0]
    fits = showing(retriever, signals, question, found, row)
    return [new, *(sentence for sentence in fits if sentence.start != new.start)][:sentences]


def _units_in(spots: Sequence[Sequence[int]], start: int, end: int) -> int:
    return sum(any(start <= spot < end for spot in places) for places in spots)


def _first(
    retriever: Retriever, signals: Signals, question: Question, found: Members, row: int
) -> Evidence:
    """The sentence with most of the words, of several the nearest one that may speak."""
    snapshot, texts = retriever.snapshot, matcher(retriever)
    spans = snapshot.spans(row)
    starts = [start for start, _ in spans]
    said = [0] * len(spans)
    for unit in found.units:
        sentences = {bisect_right(starts, spot) - 1 for spot in texts.spots(unit, row)}
        for sentence in sentences - {-1}:  # the title
            said[sentence] += 1
    cosines = signals.sentence[snapshot.sentence_rows(row)].round(4).tolist()
    place = found.places.get(row)
    order = sorted(range(len(spans)), key=lambda i: (i != place, -said[i], -cosines[i], i))
    text, _, before = texts.text(row)
    quotes = [text[before + start : before + end] for start, end in spans]
    best = next((i for i in order if not silenced(question, quotes[i])), order[0])
    return Evidence(row, *spans[best], quotes[best], cosines[best])
