"""Which words go with a topic: "clinical" and "lesion" with "medical". Learnt by ``evals/kin.py``
from papers on machine learning with their authors' keywords; of other topics it knows nothing.

What the embedder sees as one cosine, this sees word by word, and with any embedder.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from rag.retrieve.acronyms import Phrase
from rag.retrieve.content import content_term

STEM, ENDING = 5, 3
"""Letters that relatives have in common at least, and those that one has more at most."""


@dataclass(frozen=True, slots=True)
class Kin:
    """The words of a topic, most telling first, with what each adds to a paper's score, and the
    mean score of papers that are not about the topic and of those that are."""

    outside: float
    inside: float
    words: Mapping[str, float]
    name: str = ""
    """As authors write it; empty for a topic that hardly anyone has as a keyword."""

    @property
    def terms(self) -> dict[str, float]:
        """The words as terms."""
        return {content_term(word): weight for word, weight in self.words.items()}


@cache
def _table() -> dict[Phrase, Kin]:
    data = json.loads(files("rag.retrieve").joinpath("kin.json").read_text(encoding="utf-8"))
    return {tuple(topic.split()): Kin(*found) for topic, found in data.items()}


@cache
def kin(phrase: Phrase) -> Kin | None:
    """What goes with a topic, if that is known; of a single term also what goes with its nearest
    relative, as "medicine" is one of "medical"."""
    found = _table().get(phrase)
    if found or len(phrase) > 1:
        return found
    (term,) = phrase
    related = [key for (key, *more) in _table() if not more and _related(term, key)]
    nearest = min(related, key=lambda key: (abs(len(key) - len(term)), key), default=None)
    return _table()[(nearest,)] if nearest else None


@cache
def named_topics() -> tuple[Kin, ...]:
    """The topics that have a name, by the alphabet of their terms."""
    return tuple(found for _, found in sorted(_table().items()) if found.name)


@cache
def known_words() -> frozenset[str]:
    """Terms of which at least it is known that they are words, and not misspelt."""
    return frozenset(term for found in _table().values() for term in found.terms)


def _related(term: str, other: str) -> bool:
    """Whether two terms are the same but for a short ending of one; not so quantum, quantiz."""
    short, long = sorted((term, other), key=len)
    return len(short) >= STEM and long.startswith(short) and len(long) - len(short) <= ENDING
