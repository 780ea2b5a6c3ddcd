"""Which papers are what a request asks for, looked up in all of them.

A paper that says it counts, in whatever form (``rag.retrieve.matching``). One that does not may
still mean it: then its words and its nearness to the notion together have to be enough. Knows no
answer.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from rag.engine.expectations import unknown_name
from rag.engine.listing.meaning import FLOOR, LOOSE_FLOOR, PLAIN_FLOOR, likely
from rag.engine.listing.released import Release, given, hints_at, words_for
from rag.engine.listing.wish import Wish, completed
from rag.retrieve.hybrid import Retriever
from rag.retrieve.matching import Match, Unit, matcher
from rag.retrieve.terms import stem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Scores = NDArray[np.float32]

LOOSELY = 0.9
"""Probability of a paper that says it in synonyms."""
LIKELY = 0.5
FAINT, SEVERAL = 0.1, 3
"""Probability from which on papers count that stand out where none is likely, and how many may."""
PLENTY = 100
"""Papers that say a notion from which on none is looked for that only means it: they tell what it
is called here."""
FEW = 3
"""Words that say a notion so plainly that papers on it would use them."""

REACH = 40
"""Characters before a notion in which it is said to be the only one."""
_ALONE = re.compile(r"\b(?:only|solely|exclusively|purely|nothing but)\b(?:\s+[\w-]+){0,3}\s*$")

SAY_ONLY = "Listed are the papers that say “only” or the like; others may have nothing else either."
MAY = "No abstract says “only” or the like here, so these papers may have other things as well."
UNSAID = "Listed are the papers whose abstracts do not say that they give it away."


@dataclass(frozen=True)
class Members:
    """The papers asked for: ``score`` (papers,) is 1 where a paper says it, at least ``FLOOR``
    where it only means it, else 0; ``units`` are the words that they were found by, and
    ``places`` the sentence of each paper that alone shows it; ``notes`` say what could not be
    checked."""

    score: Scores
    units: tuple[Unit, ...]
    places: Mapping[int, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def among(self, rows: Sequence[int]) -> list[int]:
        """Those of some papers that are asked for, in their order, the certain ones first."""
        score = self.score.tolist()
        found = [row for row in rows if score[row] > 0]
        return sorted(found, key=lambda row: score[row] < 1)

    @property
    def said(self) -> bool:
        """Whether any paper says it."""
        return bool((self.score == 1).any())

    @property
    def likely(self) -> bool:
        """Whether any paper is more likely than not what is asked for."""
        return bool((self.score >= LIKELY).any())


def members(retriever: Retriever, wanted: Wish) -> Members:
    """Score every paper by a wish; the first of its options that finds a paper counts."""
    search = _Search(retriever, wanted)
    found = _positive(search, wanted)
    for notion in wanted.without:
        if match := matcher(retriever).match(notion):
            found = _lacking(retriever, match, found, wanted.literal)
    units = tuple(dict.fromkeys(search.units))
    if wanted.release:
        return _releasing(retriever, wanted.release, found, units)
    if wanted.only and units:
        return _restricted(retriever, found, units)
    if not found.any() and len(units) > FEW and not wanted.literal:
        found = _faint(search.about)
    return Members(found, units)


def _restricted(retriever: Retriever, found: Scores, units: tuple[Unit, ...]) -> Members:
    """Of the papers found those that say that they have nothing else; all, if none says so."""
    said: dict[int, int] = {}
    for row in map(int, np.flatnonzero(found == 1)):
        text = matcher(retriever).text(row)
        for spot in matcher(retriever).spots(units[0], row):
            at = spot + text.before
            if spot >= 0 and _ALONE.search(text.lower[max(at - REACH, 0) : at]):
                starts = [start for start, _ in retriever.snapshot.spans(row)]
                said.setdefault(row, bisect_right(starts, spot) - 1)
    if not said:
        return Members(found, units, notes=(MAY,))
    score = np.zeros_like(found)
    score[[*said]] = 1
    return Members(score, units, said, (SAY_ONLY,))


def _releasing(
    retriever: Retriever, wanted: Release, found: Scores, units: tuple[Unit, ...]
) -> Members:
    """Those of the papers found that give something away or, if that is wanted, do not."""
    snapshot = retriever.snapshot
    called = [retriever.lexical.having([stem(word)]) for word in words_for(wanted)]
    places: dict[int, int] = {}
    for row in map(int, np.flatnonzero(np.logical_or.reduce(called) & (found > 0))):
        text = matcher(retriever).text(row)
        if hints_at(text.lower):
            abstract = text.plain[text.before :]
            sentences = [abstract[start:end] for start, end in snapshot.spans(row)]
            if (place := given(wanted, sentences)) is not None:
                places[row] = place
    releases = np.isin(np.arange(len(found)), list(places))
    score = np.where(releases != wanted.lacking, found, np.float32(0))
    notes = (UNSAID,) if wanted.lacking else ()
    return Members(score, units, {} if wanted.lacking else places, notes)


def _faint(about: Scores) -> Scores:
    """The few papers that stand out where a long request is so put that none is likely."""
    near = about >= FAINT
    few = near.sum() <= SEVERAL
    return np.where(near, about, np.float32(0)) if few else np.zeros_like(about)


def _lacking(retriever: Retriever, match: Match, found: Scores, literal: bool) -> Scores:
    """The papers found that do not mention a notion. Where that tells them not apart, or nothing
    else is asked for, and what papers do is asked about and not their words, those that say that
    they do without it ("no human annotations")."""
    kept = np.where(match.literal, np.float32(0), found)
    everyone = bool((found == 1).all())
    if literal or ((kept != found).any() and not everyone):
        return kept
    denied = matcher(retriever).denied(match) & (found > 0)
    if denied.any():
        return denied.astype(np.float32)
    return np.zeros_like(found) if everyone else kept


def _positive(search: _Search, wanted: Wish) -> Scores:
    papers = len(search.retriever.snapshot)
    if not wanted.options:
        return np.full(papers, float(bool(wanted.without) or wanted.everything), np.float32)
    if wanted.most:
        ways = completed(wanted.options[0], matcher(search.retriever).says)
        scores = search.scores(notion for (notion,) in ways)
        had = np.sum([scores[notion] == 1 for (notion,) in ways], axis=0)
        return np.asarray((had >= wanted.least) & (had <= wanted.most), np.float32)
    found = np.zeros(papers, np.float32)
    for place, option in enumerate(wanted.options, start=1):
        ways = completed(option, matcher(search.retriever).says)
        scores = search.scores(notion for way in ways for notion in way)
        found = np.max([np.min([scores[n] for n in way], axis=0) for way in ways], axis=0)
        if (found == 1).any() or place == len(wanted.options):
            break
    return found


class _Search:
    """Scores of notions, and the words that they were found by."""

    def __init__(self, retriever: Retriever, wanted: Wish) -> None:
        self.retriever = retriever
        self.units: list[Unit] = []
        self._wanted = wanted
        self.about = np.zeros(len(retriever.snapshot), np.float32)

    def scores(self, notions: Iterable[str]) -> dict[str, Scores]:
        """For each notion 1 for papers that say it, a probability for those that may mean it,
        else 0. Asked for together, they are looked up together."""
        matched = {notion: matcher(self.retriever).match(notion) for notion in notions}
        found = dict.fromkeys(matched, np.zeros(len(self.retriever.snapshot), np.float32))
        unsure: dict[str, Match] = {}
        for notion, match in matched.items():
            if match:
                self.units += match.units
                found[notion], settled = self._said(notion, match)
                if not settled:
                    unsure[notion] = match
        for notion, about in likely(self.retriever, [*unsure]).items():
            found[notion] = self._meant(notion, unsure[notion], about)
        return found

    def _said(self, notion: str, match: Match) -> tuple[Scores, bool]:
        """Where papers say a notion, and whether that is all there is to find."""
        literal = match.literal.astype(np.float32)
        if self._wanted.literal:
            return literal, True
        if self._wanted.brings and (made := matcher(self.retriever).made(match)).any():
            return made.astype(np.float32), True
        return literal, self._foreign(notion) or bool(match.literal.sum() >= PLENTY)

    def _meant(self, notion: str, match: Match, about: Scores) -> Scores:
        floor = PLAIN_FLOOR if len(match.units) <= FEW else FLOOR
        meant = np.where(about >= floor, about, np.float32(0))
        self.about = np.maximum(self.about, about)
        loose = matcher(self.retriever).match(notion, loosely=True)
        if loose is not None:
            meant[loose.literal & (about >= LOOSE_FLOOR)] = LOOSELY
        meant[match.literal] = 1
        return meant

    def _foreign(self, notion: str) -> bool:
        """Whether a notion has a name that no paper has, so that none can mean it."""
        lexical = self.retriever.lexical
        return unknown_name(f"on {notion}", lexical.repair(notion), lexical.vocabulary)
