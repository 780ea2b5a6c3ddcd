"""The words that say what a text is about, the same for abstracts and for topics."""

from __future__ import annotations

import re
from functools import lru_cache

from rag.retrieve.terms import STOP_WORDS, stem, words

FRAME = frozenset(
    "paper papers work works research researchers study studies article articles abstract abstracts"
    " topic topics approach approaches method methods technique techniques issue use using based"
    " anything everything something recent new novel related concerning make making ways way"
    " better large".split()
)
"""Words around a topic that say nothing of it: "large language models" are language models."""

_IZE = re.compile(r"(?<=\w{3})(?:i[sz]ations?|iz(?:e[drs]?|ers|ing))$")


def content_words(text: str) -> list[str]:
    """Words in lower case, in order, without those that only hold others together."""
    return [word for word in words(text) if word not in STOP_WORDS and word not in FRAME]


def content_terms(text: str) -> list[str]:
    """Their terms."""
    return [content_term(word) for word in content_words(text)]


@lru_cache(maxsize=100_000)
def content_term(word: str) -> str:
    """A word's stem. Unlike the stem of a search, that of "tokenization" is not that of "token",
    nor that of "optimization" that of "optimal": a topic is a notion, not a word."""
    verb = _IZE.sub("iz", word)
    return verb if verb != word else stem(word)
