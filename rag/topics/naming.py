"""Which phrases name a topic: one that is true of most of its papers, or two that are together.

Knows candidates with weights and the papers that have them; knows no texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

TERMS = 8
"""Most terms of a topic, and candidates that make pairs."""

SEVERAL = 10
"""Papers from which on a topic is always named after what sets it apart, with "and others" where
that is not true of most."""

ENOUGH = 0.4
"""A phrase speaks for a topic of many papers alone if this share has it; else a second helps."""

FEW, MOST, FAIR = 40, 0.5, 0.25
"""Papers below which a name should be true of most, the share that this is, and the share from
which it is told with "and others"."""

SECOND, WORDS = 0.4, 5
"""Least weight of a second phrase, as a share of the first one's, and most words of both."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A phrase that may describe a topic, and the topic's texts that have it."""

    phrase: str
    weight: float
    having: frozenset[int]
    mentioning: int
    """How many of them have it in passing."""
    known: bool
    words: int
    """Of its spelling, in which abbreviations are short."""

    @property
    def support(self) -> float:
        return self.weight * (len(self.having) - self.mentioning / 2)

    @property
    def stems(self) -> list[str]:
        return self.phrase.split()

    @property
    def telling(self) -> bool:
        """Whether it says something by itself, as single words hardly do that nobody knows."""
        return self.known or len(self.stems) > 1


def covered(name: Sequence[Candidate]) -> set[int]:
    """The texts of which a name is true."""
    return set[int]().union(*(candidate.having for candidate in name))


def chosen(ranked: Sequence[Candidate], size: int, share: float) -> Sequence[Candidate]:
    """The candidates that name a topic, one or two, and together are true of a share of its papers
    if these are few; none where there are none. Two are one more than a reader likes."""
    if size >= FEW:
        return _leading(ranked, size)
    telling = [candidate for candidate in ranked if candidate.telling]
    alone = [(candidate,) for candidate in telling]
    pairs = [pair for pair in combinations(telling[:TERMS], 2) if _go_together(*pair)]
    for options in (alone, pairs) if share == MOST else (pairs + alone,):
        true = [name for name in options if len(covered(name)) >= share * size]
        if true:
            return max(true, key=lambda name: sum(candidate.support for candidate in name))
    if share == MOST:
        return ()
    lone_words = [candidate for candidate in ranked if not candidate.telling]
    return _leading(telling, size) if size >= SEVERAL else lone_words[:1]


def _leading(ranked: Sequence[Candidate], size: int) -> Sequence[Candidate]:
    """The best phrase and, where that speaks for too few, one that speaks for the most others."""
    if not ranked:
        return ()
    first, *others = ranked[:TERMS]
    seconds = [c for c in others if c.weight >= SECOND * first.weight and _go_together(first, c)]
    seconds = [c for c in seconds if c.known] or seconds
    if len(first.having) >= ENOUGH * size or not seconds:
        return (first,)
    best = max(seconds, key=lambda c: (len(c.having - first.having) * c.weight, c.phrase))
    return first, best


def _go_together(first: Candidate, second: Candidate) -> bool:
    """Whether two phrases make a name that is short and says nothing twice."""
    return (
        first.telling
        and second.telling
        and not set(first.stems) & set(second.stems)
        and first.words + second.words <= WORDS
    )
