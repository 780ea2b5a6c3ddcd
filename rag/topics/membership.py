"""Which papers are about a topic: those above a floor, not the best few.

How likely each one is, ``rag.retrieve.topicality`` says. A passing mention is not membership.
Knows no digest and no groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rag.retrieve.about import About, about
from rag.retrieve.concordance import concordance
from rag.retrieve.filters import Filters, passing
from rag.retrieve.hybrid import Retriever, check_question
from rag.retrieve.terms import words
from rag.retrieve.topicality import Model
from rag.retrieve.wording import Unit, aspects

FLOOR = 0.25
"""Probability from which on a paper is taken to be about a topic. Below a half, since whoever
reads a digest can pass over a paper too many, and never learns of one too few; on the development
topics hardly a foreign paper lies between."""

NEAR = 0.1
"""Probability from which on a paper that is no member is a near miss."""

NAMED = 20
"""Near misses that are named; all are counted."""


@dataclass(frozen=True, slots=True)
class Match:
    """A paper, by its row. ``relevance`` is the probability that it is about the topic, with
    four decimals; ``reason`` says in plain words why it matched, or why not."""

    row: int
    relevance: float
    reason: str


@dataclass(frozen=True, slots=True)
class Membership:
    """The members and the nearest of the others, best first, ties by id. ``omitted_count``
    counts all near misses, ``population`` the papers that passed the filters."""

    matched: tuple[Match, ...]
    omitted: tuple[Match, ...]
    omitted_count: int
    population: int


def members(
    retriever: Retriever, topic: str, filters: Filters | None = None, floor: float = FLOOR
) -> Membership:
    """The papers that are about a topic; raises QuestionError for a topic without words or for
    filters that no paper passes."""
    check_question(topic)
    snapshot = retriever.snapshot
    if not len(snapshot) or not words(topic):  # a few letters are taken for no word
        return Membership((), (), 0, len(snapshot))
    found = considered(retriever, topic)
    by_aspect = np.array([Model.read().probabilities(signals.matrix()) for _, signals in found])
    relevance: list[float] = by_aspect.max(axis=0).tolist()
    likeliest: list[int] = by_aspect.argmax(axis=0).tolist()
    rows = passing(snapshot, filters)
    order = sorted(rows, key=lambda row: (-relevance[row], snapshot.ids[row]))

    def match(row: int) -> Match:
        reason = _reason(*found[likeliest[row]], row)
        short = "" if relevance[row] >= floor else _below(relevance[row], floor)
        return Match(row, relevance[row], reason + short)

    inside = [row for row in order if relevance[row] >= floor]
    missed = [row for row in order if min(NEAR, floor) <= relevance[row] < floor]
    return Membership(
        matched=tuple(map(match, inside)),
        omitted=tuple(map(match, missed[:NAMED])),
        omitted_count=len(missed),
        population=len(rows),
    )


def considered(retriever: Retriever, topic: str) -> list[tuple[list[Unit], About]]:
    """The aspects of a topic, a paper on any of which is on the topic, each with its signals."""
    repairs = retriever.lexical.repair(topic)
    parts = aspects(topic, concordance(retriever), repairs)
    return [(notions, about(retriever, notions)) for notions in parts]


def _below(relevance: float, floor: float) -> str:
    return f" ({relevance:.2f}, below the floor {floor:g})"


def _reason(notions: Sequence[Unit], found: About, row: int) -> str:
    """What a paper has of a topic, in plain words."""
    topic = " ".join(unit.spelt for unit in notions)
    if times := int(found.mentions[row]):
        return f'mentions "{topic}"' + (f" {times} times" if times > 1 else " once")
    has = [unit.spelt for unit, holders in zip(notions, found.holders, strict=True) if holders[row]]
    lacks = [unit.spelt for unit in notions if unit.spelt not in has]
    if not has:
        return "near in meaning only"
    if not lacks:
        return f'has all words of "{topic}", but not side by side'
    return f"mentions {_quoted(has)} but not {_quoted(lacks)}"


def _quoted(spelt: Sequence[str]) -> str:
    return ", ".join(f'"{word}"' for word in spelt)
