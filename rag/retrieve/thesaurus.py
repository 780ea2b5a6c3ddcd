"""Words that papers on machine learning use for much the same thing.

They are in ``thesaurus.txt``, written by hand. Knows no corpus: what it gives may stand nowhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from rag.retrieve.terms import terms

Phrase = tuple[str, ...]


def synonyms(term: str) -> tuple[Phrase, ...]:
    """The phrases, of terms, that papers may have for a term; none for most terms."""
    return _table().get((term,), ())


@cache
def _table() -> Mapping[Phrase, tuple[Phrase, ...]]:
    """Each phrase on the left of a line → all others on it."""
    found: dict[Phrase, dict[Phrase, None]] = defaultdict(dict)
    text = files("rag.retrieve").joinpath("thesaurus.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        asking, _, said = line.partition("<")
        both = [_phrase(word) for side in (asking, said) for word in side.split()]
        for phrase in map(_phrase, asking.split()):
            found[phrase].update((other, None) for other in both if other != phrase)
    return {phrase: tuple(others) for phrase, others in found.items()}


def _phrase(word: str) -> Phrase:
    return tuple(terms(word.replace("_", " ")))
