"""Which papers are about a topic: those above a floor, not the best few.

A logistic score over the signals of ``rag.topics.about``, with weights fitted by
``evals/topics.py``. A passing mention is not membership. Knows no digest and no groups.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rag.retrieve.filters import Filters
from rag.retrieve.hybrid import Retriever, check_question
from rag.retrieve.terms import words
from rag.topics.about import SIGNALS, About, about
from rag.topics.concordance import concordance
from rag.topics.wording import Unit, aspects

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rag.topics.about import Floats

FLOOR = 0.25
"""Probability from which on a paper is taken to be about a topic. Below a half, since whoever
reads a digest can pass over a paper too many, and never learns of one too few; on the development
topics hardly a foreign paper lies between."""

NEAR = 0.1
"""Probability from which on a paper that is no member is a near miss."""

FITTED, CROWD = 40, 0.3
"""Papers of the corpora that the weights were fitted on, and what a score loses for each time that
a corpus is e times larger: among more papers more look alike by chance. Estimated at 4,302 from
how seldom authors' keywords name what the score alone calls likely."""

NAMED = 20
"""Near misses that are named; all are counted."""

WEIGHTS = Path(__file__).with_name("weights.json")


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


@dataclass(frozen=True, slots=True)
class Model:
    """A logistic model of membership: a weight for each signal."""

    weights: Mapping[str, float]
    bias: float

    @classmethod
    @cache
    def read(cls) -> Model:
        """The fitted one."""
        return cls(**json.loads(WEIGHTS.read_text(encoding="utf-8")))

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def probabilities(self, signals: Floats) -> NDArray[np.float64]:
        """From the signals of a whole corpus, shape (papers, signals), to probabilities with four
        decimals."""
        weights = np.array([self.weights[name] for name in SIGNALS])
        crowd = CROWD * max(float(np.log(len(signals) / FITTED)), 0.0)
        scores = signals.astype(np.float64) @ weights + self.bias - crowd
        rounded: NDArray[np.float64] = np.round(1 / (1 + np.exp(-scores)), 4)
        return rounded


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
    rows = filters.rows(snapshot.papers()) if filters else range(len(snapshot))
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
