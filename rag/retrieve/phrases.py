"""Phrases in a text: which words stand side by side, and where a text says them in any inflection.

Knows letters and stems, no corpus.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from rag.retrieve.terms import STOP_WORDS, words

Phrase = tuple[str, ...]
"""Stems."""

WINDOW = 40
"""Characters within which the words of a phrase stand where a paper says it in another order."""
PART = 3
"""The least letters of a part of a compound."""

_RUN = re.compile(r"[^\s,;:/()]+|[,;:/()]")


def runs(notion: str) -> Iterator[list[str]]:
    """Stretches of words that stand side by side, without those that only hold others together."""
    run: list[str] = []
    for token in _RUN.findall(notion):
        found = [word for word in words(token) if word not in STOP_WORDS]
        if found:
            run += found
        elif run:
            yield run
            run = []
    if run:
        yield run


@lru_cache(maxsize=1_000)
def pattern(phrase: Phrase) -> re.Pattern[str]:
    """Finds the words of which a phrase has the stems, side by side, in small letters. That the
    first begins a word is left to look at: the search is quicker for text to begin with."""
    return re.compile(r"\W{1,3}".join(map(_inflected, phrase)))


def _inflected(term: str) -> str:
    if len(term) <= PART or not term.isalpha():
        return re.escape(term) + r"s?(?!\w)"
    return re.escape(term[:-1] if term[-1] in "ei" else term) + r"\w*"


def near(spots: Sequence[Sequence[int]]) -> bool:
    """Whether one place of each word can be chosen so that each is near the next chosen."""
    return all(
        any(abs(a - b) <= WINDOW for a in one for b in other) for one, other in pairwise(spots)
    )
