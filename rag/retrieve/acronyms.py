"""The abbreviations that abstracts define, such as "Long Form (LF)". Knows only text."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

from rag.retrieve.content import content_term, content_terms
from rag.retrieve.terms import STOP_WORDS, words

_SHORT = re.compile(r"\(\s?([A-Z][\w-]{0,8}[A-Z]\w{0,3})\s?\)")
BEFORE = 120
"""Characters before a short form in which its long form is looked for."""
_WORD = re.compile(r"[^\W_]+")

SHARE = 0.2
"""Of the definitions of an abbreviation, the least part that makes a meaning a common one."""

Phrase = tuple[str, ...]


class Acronyms:
    """Short forms with their long forms, both as terms; ``definitions`` has them as texts do."""

    def __init__(self) -> None:
        self._seen: dict[str, Counter[Phrase]] = defaultdict(Counter)
        self._spelt: dict[Phrase, str] = {}
        self.definitions: list[tuple[str, str]] = []

    def read(self, text: str) -> None:
        """Note the definitions of a text."""
        for match in _SHORT.finditer(text):
            short, end = match.group(1), match.start()
            before = text[max(end - BEFORE, 0) : end].rsplit("(", 1)[-1]
            if long := long_form(before, short):
                self.define(short, long)

    def define(self, short: str, long: str) -> None:
        """Note that a text has a long form with a short one."""
        phrase = tuple(content_terms(long))
        if len(phrase) > 1:
            self.definitions.append((short, long))
            self._seen[_short_term(short)][phrase] += 1
            self._spelt.setdefault(phrase, long)

    def meanings(self, term: str) -> list[Phrase]:
        """The common long forms of a short one, most frequent first."""
        seen = self._seen.get(term, Counter[Phrase]())
        least = SHARE * seen.total()
        ranked = sorted(seen.items(), key=lambda item: (-item[1], item[0]))
        return [phrase for phrase, count in ranked if count >= least]

    def spelt(self, phrase: Phrase) -> str:
        """A long form as a text has it."""
        return self._spelt[phrase]

    def short_forms(self) -> dict[Phrase, tuple[str, ...]]:
        """Each long form → the short ones for which it is common."""
        found: dict[Phrase, tuple[str, ...]] = {}
        for short in sorted(self._seen):
            for phrase in self.meanings(short):
                found[phrase] = (*found.get(phrase, ()), short)
        return found


def _short_term(short: str) -> str:
    return content_term("".join(words(short.replace("-", ""))))


def long_form(before: str, short: str) -> str | None:
    """The end of ``before`` that ``short`` abbreviates: words whose initials are its letters or,
    as Schwartz and Hearst (2003) have it, letters that occur there in order, the first one at
    the beginning of a word."""
    letters = [letter for letter in short.rstrip("s").casefold() if letter.isalnum()]
    found = [(word.start(), word.group().casefold()) for word in _WORD.finditer(before)]
    found = found[-min(len(letters) + 5, 2 * len(letters)) :]
    for begin in range(len(found) - len(letters), -1, -1):
        if _initials(word for _, word in found[begin:]) == letters:
            return before[found[begin][0] :]
    text, place = before.casefold(), len(before)
    for letter in reversed(letters[1:]):
        place = max(text.rfind(letter, 0, place), 0)
    fitting = [at for at, word in found if at < place and word.startswith(letters[0])]
    return before[fitting[-1] :] if fitting else None


def _initials(found: Iterable[str]) -> list[str]:
    return [word[0] for word in found if word not in STOP_WORDS]
