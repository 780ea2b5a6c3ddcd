"""Text → search terms, the same way for a corpus and for a question."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

import Stemmer
from bm25s.stopwords import STOPWORDS_EN_PLUS

_WORD = re.compile(r"\d+(?:[.,]\d+)+|\d+(?![^\W_])|[^\W\d_]+(?:['’][^\W\d_]+)?(?![^\W_])|[^\W_]+")
"""Numbers keep their decimals; "GPT-4o" is "GPT" and "4o"; "test-time" is two words."""

_ACRONYMS = re.compile(r"(?<=^[^aeiouy\d]{2})s$|(?<=^[^aeiouy\d]{3})s$|(?<=^[^aeiouy\d]{4})s$")
"""The plural of letters that are no word: Snowball takes a word to have a vowel."""

STOP_WORDS = frozenset(STOPWORDS_EN_PLUS)
_stemmer = Stemmer.Stemmer("english")


def words(text: str) -> list[str]:
    """Lower-case words and numbers, in compatibility form: ℓ₁ is l1, ﬁ is fi, 1,000 is 1000."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    found: list[str] = _WORD.findall(plain)
    return [_number(word) if "," in word else _bare(word) for word in found]


def terms(text: str) -> list[str]:
    """Stems of the words that carry meaning, in order, with repeats."""
    return [stem(word) for word in words(text) if word not in STOP_WORDS]


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """Snowball's English stem; unlike Snowball's, "llms" and "llm" have the same."""
    return str(_stemmer.stemWord(_ACRONYMS.sub("", word)))


def _bare(word: str) -> str:
    """Without the end of a possessive."""
    return word.removesuffix("'s").removesuffix("’s")


def _number(word: str) -> str:
    """1,000 → 1000, but 0.545 stays."""
    return re.sub(r",(?=\d{3}(?:\D|$))", "", word)
