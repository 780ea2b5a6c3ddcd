"""Which papers of a corpus a question calls by their names. Knows handles, and no paper's text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property

from rag.retrieve.terms import STOP_WORDS, words

FEWEST_LETTERS = 4
"""Of a name that may have been misspelt: shorter ones are all alike."""
TITLE = re.compile(
    r"(?<!\w)(?<!\w[-–])(?:\w+[-–])*\w*[A-Z]\w*[A-Z0-9]\w*(?:[-–]\w+)*\b|\b[a-z]+[A-Z]\w*\b"
)
"""What only a name looks like: "DRIFT", "ToProVAR", "GPT-4"."""
_WORD = re.compile(r"\w[\w-]*\w")


class Names:
    """Finds which papers of a corpus a question calls by their handles."""

    def __init__(self, handles: Sequence[str]) -> None:
        self._handles = handles
        self._rows: dict[tuple[str, ...], list[int]] = {}
        for row, handle in enumerate(handles):
            self._rows.setdefault(_squashed(handle), []).append(row)
        self._longest = max((len(key) for key in self._rows), default=0)

    @cached_property
    def _joined(self) -> dict[str, list[int]]:
        """Rows by the name of several words as one; more than one for names that then agree."""
        joined: dict[str, list[int]] = {}
        for key, rows in self._rows.items():
            if len(key) > 1:
                joined.setdefault("".join(key), []).extend(rows)
        return joined

    @cached_property
    def _words(self) -> dict[int, list[str]]:
        """By their lengths the names of one word that a single paper has."""
        names: dict[int, list[str]] = {}
        for key, rows in self._rows.items():
            if len(key) == len(rows) == 1:
                names.setdefault(len(key[0]), []).append(key[0])
        return names

    def rows(self, question: str) -> list[int]:
        """Rows of the papers that are named, in the order in which they are named.

        A handle that several papers share names none of them. Of overlapping handles the
        longer one counts.
        """
        found: list[int] = []
        tokens = words(question)
        begin = 0
        while begin < len(tokens):
            length, row = self._longest_at(tokens, begin)
            if row is not None and row not in found:
                found.append(row)
            begin += max(length, 1)
        return found

    def spelt(self, question: str, strange: Callable[[str], bool]) -> str:
        """The question with names that were slips of the finger as they are; only words that are
        ``strange`` are taken for any."""
        return _WORD.sub(lambda word: self._meant(word[0], strange) or word[0], question)

    def _meant(self, word: str, strange: Callable[[str], bool]) -> str | None:
        """The one name that is written apart, or that is of one word and one slip away."""
        lower = word.casefold()
        if len(word) < FEWEST_LETTERS or (lower,) in self._rows or not strange(lower):
            return None
        if len(apart := self._joined.get(lower, [])) == 1:
            return self._handles[apart[0]]
        from rapidfuzz.distance import OSA

        about = range(len(lower) - 1, len(lower) + 2)
        like = [name for length in about for name in self._words.get(length, ())]
        found = [name for name in like if OSA.distance(lower, name, score_cutoff=1) == 1]
        return self._handles[self._rows[(found[0],)][0]] if len(found) == 1 else None

    def _longest_at(self, tokens: Sequence[str], begin: int) -> tuple[int, int | None]:
        for length in range(min(self._longest, len(tokens) - begin), 0, -1):
            key = tuple(tokens[begin : begin + length])
            rows = self._rows.get(key, [])
            if len(rows) == 1 and _distinctive(key):
                return length, rows[0]
        return 0, None


def _squashed(handle: str) -> tuple[str, ...]:
    return tuple(words(handle))


def _distinctive(key: Sequence[str]) -> bool:
    """Whether words can be a name at all: not one stop word, not one letter."""
    return len(key) > 1 or (len(key[0]) > 1 and key[0] not in STOP_WORDS)
