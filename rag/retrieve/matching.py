"""Which papers have a notion: looked up in all of them, not in the best few.

A notion is what some words of a question say together: "backdoors in reinforcement learning".
Each word counts in any spelling, number and hyphenation, and a phrase that the corpus abbreviates
counts in both forms. Which forms those are is read from the papers that hold them, when they are
asked for. Knows no question, no answer and no vector.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rag.retrieve.acronyms import BEFORE, long_form
from rag.retrieve.hybrid import Retriever
from rag.retrieve.phrases import PART, Phrase, near, pattern, runs
from rag.retrieve.spelling import spellings
from rag.retrieve.terms import stem, terms
from rag.retrieve.thesaurus import synonyms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Flags = NDArray[np.bool_]

VAGUE = frozenset(
    stem(word)
    for word in """
    approach method technique model system framework algorithm data task problem setting issue
    based way kind type form variant area field topic process application tool new novel recent
    own existing general various
    """.split()
)
"""Stems that a paper may lack: "methods for image generation" are image generation."""

READ = 200
"""Papers at most in which the definitions of an abbreviation are looked for."""
SHARE = 0.2
"""Of its definitions the least part that makes a meaning a common one."""
LONGEST = 5
"""Words of the longest phrase that an abbreviation is looked for."""
KEPT, MATCHES = 500, 50
"""Phrases of which it is remembered where they stand, and notions which papers have."""
MOST = 40
"""Words of a notion that are looked up, at most: a text that is pasted has more."""

_OF_NAME = re.compile(r"\b[^\WA-Z\d]*[A-Z\d]\w*\s+\w+$")
"""A notion that ends with what kind of thing a name is: "Qwen models"."""
_DENIES = re.compile(
    r"\b(?:without|no|not|free of|avoid\w*|eliminat\w*|obviat\w*|rather than|instead of)\b[^.,;]*$"
)
_MAKES = re.compile(
    r"\b(?:introduc|propos|present|releas|publish|build|built|provid|creat|offer|contribut|construct"
    r"|curat|collect|develop|design|establish|assembl)(?:e|es|ed|ing|s|t)?\b[^.;]*$"
    r"|\b(?:an?|new|novel|first|our|its|their|authors['’]) (?:[\w-]+,? ){0,4}$"
)
MAKING = 120
"""Characters before a notion in which it is said to be made."""
REACH = 30
"""Characters before a notion in which it is denied."""
_DEFINED = re.compile(r"\w*\s?\(\s?([A-Z][\w-]{0,8}[A-Z]\w{0,3})\s?\)")


@dataclass(frozen=True, slots=True)
class Unit:
    """A word or an abbreviated phrase of a notion: ``forms`` are the phrases, of stems, any of
    which says it; units of one ``group`` stand side by side in the notion."""

    spelt: str
    forms: tuple[Phrase, ...]
    group: int

    @property
    def vague(self) -> bool:
        """Whether a paper may lack it."""
        return self.forms[0][-1] in VAGUE and len(self.forms[0]) == 1


@dataclass(frozen=True)
class Match:
    """How a corpus has a notion; the array has shape (papers,).

    ``literal`` is where all of its units stand, those of a group together.
    """

    units: tuple[Unit, ...]
    literal: Flags


class Text(NamedTuple):
    """Title and abstract as they are and in small letters, with the same offsets; the abstract
    begins after ``before`` characters."""

    plain: str
    lower: str
    before: int


class Matcher:
    """Finds notions in the papers of one retriever's snapshot."""

    def __init__(self, retriever: Retriever) -> None:
        self._retriever = retriever
        self._texts: dict[int, Text] = {}
        self._found = lru_cache(maxsize=KEPT)(_nowhere)
        self.units = lru_cache(maxsize=KEPT)(self._units)
        self._matched = lru_cache(maxsize=MATCHES)(self._matching)

    def match(self, notion: str, *, loosely: bool = False) -> Match | None:
        """How the corpus has a notion; None if it has no word that says anything. ``loosely``,
        synonyms say it as well."""
        units = self.units(notion)
        if loosely:
            units = tuple(map(_with_synonyms, units))
        if not units:
            return None
        telling = tuple(unit for unit in units if not unit.vague) or units
        strict = self._matched(units)
        loose = strict if telling == units else self._matched(telling)
        return loose if _OF_NAME.search(notion) or not strict.literal.any() else strict

    def _matching(self, units: tuple[Unit, ...]) -> Match:
        literal = np.logical_and.reduce([self.holding(unit) for unit in units])
        groups = [[*group] for _, group in groupby(units, lambda unit: unit.group)]
        if beside := [group for group in groups if len(group) > 1]:
            for row in np.flatnonzero(literal).tolist():
                literal[row] = all(self._together(group, row) for group in beside)
        return Match(units, literal)

    def says(self, phrase: str) -> bool:
        """Whether any paper has the words of a phrase side by side."""
        return bool(self._with(tuple(terms(phrase))).any())

    def denied(self, match: Match) -> Flags:
        """The papers that say that they do without a notion: "without human annotations"."""
        found = np.zeros_like(match.literal)
        for row in map(int, np.flatnonzero(match.literal)):
            before = self.text(row).before
            spots = (spot + before for unit in match.units[:1] for spot in self.spots(unit, row))
            lower = self.text(row).lower
            found[row] = any(_DENIES.search(lower[max(at - REACH, 0) : at]) for at in spots)
        return found

    def made(self, match: Match) -> Flags:
        """The papers that say that they bring a notion: "we introduce a benchmark"."""
        found = np.zeros_like(match.literal)
        for row in map(int, np.flatnonzero(match.literal)):
            lower, before = self.text(row).lower, self.text(row).before
            spots = [spot + before for spot in self.spots(match.units[-1], row) if spot >= 0]
            found[row] = any(_MAKES.search(lower[max(at - MAKING, 0) : at]) for at in spots)
        return found

    def _units(self, notion: str) -> tuple[Unit, ...]:
        """The units of a notion, in order."""
        repairs = self._retriever.lexical.repair(notion)
        found: list[Unit] = []
        for group, run in enumerate(runs(notion)):
            begin = 0
            while begin < len(run) and len(found) < MOST:
                unit, begin = self._unit(run, begin, group, repairs)
                found.append(unit)
        return tuple(found)

    def holding(self, unit: Unit) -> Flags:
        """The papers that have a unit in any of its forms."""
        found = np.zeros(len(self._retriever.snapshot), np.bool_)
        for form in unit.forms:
            found |= self._with(form)
        return found

    def spots(self, unit: Unit, row: int) -> list[int]:
        """Where a unit stands in a paper's abstract, as offsets; negative in its title."""
        before = self.text(row).before
        return sorted({spot - before for form in unit.forms for spot in self._spots(form, row)})

    def text(self, row: int) -> Text:
        """A paper's text, read once."""
        if row not in self._texts:
            paper = self._retriever.snapshot.paper(row)
            lower = paper.indexed_text.lower()
            same = len(lower) == len(paper.indexed_text)  # not so for a few capitals
            before = len(paper.prefix)
            self._texts[row] = Text(
                paper.indexed_text, lower if same else paper.indexed_text, before
            )
        return self._texts[row]

    def _unit(
        self, run: Sequence[str], begin: int, group: int, repairs: dict[str, str]
    ) -> tuple[Unit, int]:
        """The longest phrase from a word on that is abbreviated or a compound, else the word."""
        for end in range(min(begin + LONGEST, len(run)), begin + 1, -1):
            phrase = tuple(self._known(word, repairs)[0] for word in run[begin:end])
            others = [*self._short_forms(phrase), *self._joined(run[begin:end])]
            if others:
                return Unit(" ".join(run[begin:end]), _distinct(phrase, *others), group), end
        word = run[begin]
        own = [(term,) for term in self._known(word, repairs)]
        meant = [*self._numbered(own[0][0]), *self._apart(word), *self._long_forms(word)]
        return Unit(word, _distinct(*own, *meant), group), begin + 1

    def _known(self, word: str, repairs: dict[str, str]) -> list[str]:
        """The terms of a word's spellings that some paper has; else what it is repaired to."""
        term = stem(word)
        written = [term, *sorted(spellings(term))]
        known = [form for form in written if self._retriever.lexical.knows(form)]
        return known or [repairs.get(word, term)]

    def _joined(self, run: Sequence[str]) -> list[Phrase]:
        """Two words written as one: "fine tuning" as "finetuning"."""
        term = stem("".join(run))
        return [(term,)] if len(run) == 2 and self._retriever.lexical.knows(term) else []

    def _apart(self, word: str) -> Iterator[Phrase]:
        """One word written as two, where a paper has them side by side."""
        for cut in range(PART, len(word[:40]) - PART + 1):
            phrase = (stem(word[:cut]), stem(word[cut:]))
            if all(map(self._retriever.lexical.knows, phrase)) and self._with(phrase).any():
                yield phrase

    def _numbered(self, term: str) -> list[Phrase]:
        """A system's name with its version: "qwen2" for "qwen"."""
        versions = (f"{term}{number}" for number in range(1, 10))
        return [(version,) for version in versions if self._retriever.lexical.knows(version)]

    def _long_forms(self, word: str) -> list[Phrase]:
        """What an abbreviation commonly stands for."""
        seen: Counter[Phrase] = Counter()
        defined, opening = re.compile(rf"\(\s?{re.escape(word)}s?\s?\)", re.I), f"({word}"
        for row in self._rows((stem(word),)):
            text, lower, _ = self.text(row)
            match = defined.search(text) if opening in lower else None
            if match and sum(map(str.isupper, match.group())) > 1:
                before = text[max(match.start() - BEFORE, 0) : match.start()]
                long = long_form(before, match.group().strip("() "))
                seen[tuple(terms(long or ""))] += 1
        return [form for form in _common(seen) if len(form) > 1]

    def _short_forms(self, phrase: Phrase) -> list[Phrase]:
        """The common abbreviations of a phrase."""
        seen: Counter[Phrase] = Counter()
        for row in self._rows(phrase):
            text, lower, _ = self.text(row)
            for match in pattern(phrase).finditer(lower):
                if short := _DEFINED.match(text, match.end()):
                    seen[tuple(terms(short.group(1)))] += 1
        return [form for form in _common(seen) if form]

    def _rows(self, phrase: Phrase) -> list[int]:
        return [int(row) for row in np.flatnonzero(self._having(phrase))[:READ]]

    def _having(self, phrase: Phrase) -> Flags:
        return self._retriever.lexical.having(phrase)

    def _with(self, phrase: Phrase) -> Flags:
        """The papers in which the terms of a phrase stand side by side."""
        having = self._having(phrase)
        if len(phrase) > 1:
            for row in np.flatnonzero(having):
                having[row] = bool(self._spots(phrase, int(row)))
        return having

    def _together(self, units: Sequence[Unit], row: int) -> bool:
        """Whether units stand near each other in a paper."""
        return near([self.spots(unit, row) for unit in units])

    def _spots(self, phrase: Phrase, row: int) -> list[int]:
        """Where a phrase stands in a paper's title and abstract."""
        known = self._found(phrase)
        if row not in known:
            text = self.text(row).lower
            found = (match.start() for match in pattern(phrase).finditer(text))
            known[row] = [at for at in found if not at or not text[at - 1].isalnum()]
        return known[row]


@lru_cache(maxsize=2)
def matcher(retriever: Retriever) -> Matcher:
    """The matcher of a retriever's papers, which remembers the texts that it has read."""
    return Matcher(retriever)


def _with_synonyms(unit: Unit) -> Unit:
    """A unit that its synonyms say too, if it is a single word."""
    meant = synonyms(unit.forms[0][0]) if len(unit.forms[0]) == 1 else ()
    return replace(unit, forms=_distinct(*unit.forms, *meant))


def _nowhere(phrase: Phrase) -> dict[int, list[int]]:
    """Where a phrase is known to stand, by row, before anything was looked up."""
    return {}


def _common(seen: Counter[Phrase]) -> list[Phrase]:
    """The frequent ones, most frequent first."""
    ranked = sorted(seen.items(), key=lambda item: (-item[1], item[0]))
    return [phrase for phrase, times in ranked if times >= SHARE * seen.total()]


def _distinct(*phrases: Phrase) -> tuple[Phrase, ...]:
    return tuple(dict.fromkeys(phrases))
