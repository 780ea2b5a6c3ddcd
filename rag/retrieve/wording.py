"""What a topic's words may look like in an abstract: abbreviated, spelt otherwise, joined.

Knows the corpus's words and abbreviations. Knows no paper.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rag.retrieve.acronyms import Phrase
from rag.retrieve.concordance import Concordance
from rag.retrieve.content import content_term, content_words
from rag.retrieve.kin import kin, known_words
from rag.retrieve.spelling import spellings
from rag.retrieve.terms import words

_LISTED = re.compile(r"[,;/&]|\b(?:and|or)\b", re.IGNORECASE)

ASPECTS, WORDS = 6, 24
"""The most things that a topic lists, and the most words of it that are looked at: more make a
text, such as an abstract."""

PART, COMPOUND = 3, 40
"""The least letters of a part of a compound, and the most of the whole."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One notion of a topic: the phrases, of terms, that any of them says it. ``terms`` are those
    that the topic itself has for it; ``spelt`` is how to show it."""

    spelt: str
    terms: Phrase
    phrases: tuple[Phrase, ...]


def aspects(topic: str, corpus: Concordance, repairs: Mapping[str, str]) -> list[list[Unit]]:
    """What a topic lists ("speech and audio"), each as its notions in order; a paper on one of
    them is on the topic. ``repairs`` has the term to search for each word."""
    parts = [part for part in _LISTED.split(topic) if content_words(part)]
    listed = [units(part, corpus, repairs) for part in parts]
    if 1 < len(parts) <= ASPECTS and all(map(_named, listed)):
        return listed
    return [units(topic, corpus, repairs)]


def _named(notions: Sequence[Unit]) -> bool:
    """Whether words name a topic by themselves, unlike those of "cause and effect"."""
    terms = tuple(term for unit in notions for term in unit.terms)
    return bool(kin(terms)) or all(any(map(kin, unit.phrases)) for unit in notions)


def units(topic: str, corpus: Concordance, repairs: Mapping[str, str]) -> list[Unit]:
    """The notions of a topic that is a single one."""
    kept = (content_words(topic) or words(topic))[:WORDS]
    spelt = [_options(word, corpus, repairs) for word in kept]
    found, begin = [], 0
    while begin < len(kept):
        end = _end_of_unit(kept, spelt, begin, corpus)
        found.append(_unit(kept[begin:end], spelt[begin:end], corpus))
        begin = end
    return found


def _end_of_unit(
    kept: Sequence[str], spelt: Sequence[Sequence[Phrase]], begin: int, corpus: Concordance
) -> int:
    """Where the longest abbreviated phrase or compound that begins at a word ends."""
    for end in range(min(begin + max(corpus.longest, 2), len(spelt)), begin + 1, -1):
        phrase = tuple(options[0][0] for options in spelt[begin:end])
        if phrase in corpus.short_forms:
            return end
        if end == begin + 2 and corpus.knows(_joined(kept[begin:end])):
            return end
    return begin + 1


def _unit(kept: Sequence[str], spelt: Sequence[Sequence[Phrase]], corpus: Concordance) -> Unit:
    own = tuple(options[0][0] for options in spelt)
    if len(spelt) == 1:
        meant = [other for option in spelt[0] for other in _same(option, corpus)]
        return Unit(kept[0], own, tuple(dict.fromkeys([*spelt[0], *meant])))
    phrases = [own, *_same(own, corpus)]
    if corpus.knows(_joined(kept)):
        phrases.append((_joined(kept),))
    return Unit(" ".join(kept), own, tuple(phrases))


def _same(phrase: Phrase, corpus: Concordance) -> list[Phrase]:
    """What a short form means, or the short forms of a long one."""
    if len(phrase) == 1:
        return corpus.acronyms.meanings(phrase[0])
    return [(short,) for short in corpus.short_forms.get(phrase, ())]


def _joined(kept: Sequence[str]) -> str:
    """The term of several words written as one: "fine tuning" as "finetuning"."""
    return content_term("".join(kept))


def _options(word: str, corpus: Concordance, repairs: Mapping[str, str]) -> list[Phrase]:
    """A word's term, and others that say the same: never empty, the likeliest first."""
    term = content_term(word)
    written = [term, *sorted(spellings(term))]
    known = [form for form in written if corpus.knows(form)]
    if not known:
        known = [term if term in known_words() else repairs.get(word, term)]
    return [*((term,) for term in known), *_apart(word, corpus)]


def _apart(word: str, corpus: Concordance) -> Iterator[Phrase]:
    """A compound's two parts, where the corpus has them side by side."""
    for cut in range(PART, len(word[:COMPOUND]) - PART + 1):
        phrase = (content_term(word[:cut]), content_term(word[cut:]))
        if all(map(corpus.knows, phrase)) and len(corpus.places(phrase)):
            yield phrase
