"""A sentence as the evidence checker reads it: one spelling, its words, and how far apart they are.

Knows words; knows nothing of numbers, names or meaning.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate

from rag.corpus.clean import clean_text
from rag.retrieve.terms import STOP_WORDS, stem

REMEMBERED = 500
"""Texts whose reading is kept: quotes are read for one statement after the other."""
MAX_CHARS = 20_000
"""What follows is not read."""
CLAUSE = 3
"""Words that the edge of a clause counts for when the distance of two words is taken, and"""
SENTENCE = 9
"""those that the end of a sentence counts for, or a semicolon."""

AUTHORS = "we"
"""The stem of all words for the authors of a paper."""

_PIECE = re.compile(r"\d+(?:,\d{3}(?!\d))*|[^\W\d_]+")
_EDGE = re.compile(
    r"""
      ; | [,:](?!\d) | [.?!]\s | (?<=\s)-+\s | \((?!\d\)) | (?<!\(\d)\)
    | \b(?:and|but|while|whereas|yet|or)\b
    """,
    re.VERBOSE,
)
"""Where a clause may end; the brackets of "(2)" are no edge."""
_ONE_MARK = str.maketrans("‐‑‒–―−’‘ʼ“”„", "------" + 3 * "'" + 3 * '"')
_SPELLINGS = (
    (re.compile(r"—|---?"), " - "),
    (re.compile(r"(?<=\d)·(?=\d)"), "."),
    (re.compile(r"\bcan(?:not\b|'t\b)", re.I), "can not"),
    (re.compile(r"\b(?:wo|sha)n't\b", re.I), "will not"),
    (re.compile(r"n't\b", re.I), " not"),
    (re.compile(r"(?<=\w)'s\b|(?<=s)'(?!\w)"), ""),
)
_BRITISH = re.compile(r"(?<=[a-z]{3}[iy])s(?=(?:e[sdr]?|ing|ations?|ers?)$)|(?<=[a-z]{2}o)u(?=r)")
_AUTHORS = frozenset("we us our ours ourselves author authors".split())


@dataclass(frozen=True, slots=True)
class Word:
    """A run of letters or of digits: "Qwen2.5-7B" is five. ``place`` counts words, and
    more at each edge of a clause."""

    text: str
    low: str
    stem: str
    start: int
    end: int
    place: int

    @property
    def content(self) -> bool:
        """Whether it carries meaning by itself."""
        return len(self.low) > 1 and self.low not in STOP_WORDS and not self.low[0].isdigit()


@dataclass(frozen=True, eq=False)
class Reading:
    """A text in plain spelling, ``text``, and its words; offsets count characters of it.

    Compared by identity: ``read`` gives one for each text, and others remember by it.
    """

    text: str
    words: tuple[Word, ...]

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(word.stem for word in self.words)

    @cached_property
    def _starts(self) -> list[int]:
        return [word.start for word in self.words]

    def index(self, offset: int) -> int:
        """Index of the first word that begins at an offset or after it."""
        return bisect_left(self._starts, offset)


@lru_cache(maxsize=REMEMBERED)
def read(text: str) -> Reading:
    """The reading of a text as a model or an abstract has it; never raises."""
    plain = unicodedata.normalize("NFKC", clean_text(text[:MAX_CHARS])).translate(_ONE_MARK)
    for pattern, replacement in _SPELLINGS:
        plain = pattern.sub(replacement, plain)
    return Reading(plain, tuple(_words(plain)))


def _words(plain: str) -> Iterator[Word]:
    edges = [*_EDGE.finditer(plain)]
    starts = [edge.start() for edge in edges]
    counts = [SENTENCE if edge[0][0] in ";.?!" else CLAUSE for edge in edges]
    passed = [0, *accumulate(counts)]
    for index, piece in enumerate(_PIECE.finditer(plain)):
        low = piece[0].casefold()
        place = index + passed[bisect_right(starts, piece.start())]
        yield Word(piece[0], low, same(low), piece.start(), piece.end(), place)


@lru_cache(maxsize=100_000)
def same(word: str) -> str:
    """The stem of a lower-case word, with one spelling for British and American."""
    if word in _AUTHORS:
        return AUTHORS
    return stem(_BRITISH.sub(lambda found: "z" if found[0] == "s" else "", word))
