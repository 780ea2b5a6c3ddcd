"""Names of topics, in words that their papers use: class-based TF-IDF over phrases.

Knows texts and which of them make a topic; knows nothing of vectors or stores.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from math import log
from statistics import fmean

from rag.retrieve.terms import stem, words
from rag.topics.phrases import GENERIC, Phrases

TERMS = 8
"""Most terms of a topic."""

ENOUGH = 0.4
"""A phrase speaks for a topic alone if this share of its papers has it; else a second helps."""

SECOND, WORDS = 0.4, 5
"""Least weight of a second phrase, as a share of the first one's, and most words of both."""

SINGLE, LONG = 0.2, 1.1
"""What a phrase of one word, and one of more than two, weighs against one of two words: longer
ones say more."""

CAPTIVE = 0.6
"""A phrase of whose papers this share has it within one longer phrase is a part of that."""

LIFT = 1.5
"""How much more than its share it counts that a phrase is rare elsewhere: what most papers of a
corpus have is never its most telling phrase."""

WORDING = 0.5
"""What the words of a phrase, each for itself, add to its weight."""

ALONE, ALONE_PAPERS = 0.6, 4
"""Least share of a topic's papers, and least number, that must have a phrase of one word: a few
papers share many words by chance."""


@dataclass(frozen=True, slots=True)
class Label:
    """What a topic is called, the phrases that set it apart, most telling first, and the indices
    of its texts that have a phrase of the name, ascending."""

    name: str
    terms: tuple[str, ...]
    backing: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A phrase that may describe a topic, and the topic's texts that have it."""

    phrase: str
    weight: float
    having: frozenset[int]

    @property
    def stems(self) -> list[str]:
        return self.phrase.split()


def label_topics(
    texts: Sequence[str], topics: Sequence[Sequence[int]], avoid: str = ""
) -> list[Label]:
    """A label for each topic, given as indices of ``texts``; none is said by another one.

    The name is empty where no phrase tells a topic apart. The words of ``avoid`` alone never do.
    """
    phrases = Phrases(texts, min((_least(len(topic)) for topic in topics), default=1))
    shunned = GENERIC | {stem(word) for word in words(avoid)}
    overall = Counter(phrase for found in phrases.of_text for phrase in found)
    counts = [Counter(p for i in topic for p in phrases.of_text[i]) for topic in topics]
    home = _homes(counts, [len(topic) for topic in topics])
    labels, taken = list[Label](), set[str]()
    for number, (topic, here) in enumerate(zip(topics, counts, strict=True)):
        weights = {
            phrase: _weight(phrase, here, len(topic), overall, len(texts))
            for phrase in _complete(here, len(topic))
            if home[phrase] == number
            and not shunned.issuperset(phrase.split())
            and phrases.names_something(phrase)
        }
        ranked = [
            _Candidate(
                phrase,
                weights[phrase],
                frozenset(i for i in topic if phrase in phrases.of_text[i]),
            )
            for phrase in _distinct(weights, taken)
        ]
        name = list(_named(ranked, len(topic)))
        taken |= {candidate.phrase for candidate in name}
        labels.append(_label(name, ranked, phrases))
    return labels


def _label(name: Sequence[_Candidate], ranked: Sequence[_Candidate], phrases: Phrases) -> Label:
    text = " and ".join(phrases.spelt(candidate.phrase) for candidate in name)
    terms = tuple(dict.fromkeys(phrases.spelt(candidate.phrase) for candidate in ranked))
    backing = sorted(set[int]().union(*(candidate.having for candidate in name)))
    return Label(text[:1].upper() + text[1:], terms, tuple(backing))


def _least(papers: int) -> int:
    """How many of a topic's papers must have a phrase for it to speak for them."""
    return max(2, papers // 50)


def _homes(counts: Sequence[Counter[str]], sizes: Sequence[int]) -> Mapping[str, int]:
    """The topic in which the greatest share of papers has a phrase, the first of equals."""
    best: dict[str, tuple[float, int]] = {}
    for number, (here, size) in enumerate(zip(counts, sizes, strict=True)):
        for phrase, count in here.items():
            best[phrase] = max(best.get(phrase, (0.0, 0)), (count / size, -number))
    return {phrase: -number for phrase, (_, number) in best.items()}


def _complete(here: Counter[str], size: int) -> list[str]:
    """Phrases that enough of a topic's papers have for that not to be chance, without those that
    mostly stand in one longer phrase."""
    alone = max(ALONE_PAPERS, ALONE * size)
    found = [p for p, count in here.items() if count >= (_least(size) if " " in p else alone)]
    partial = {
        part
        for phrase in found
        if " " in phrase
        for part in (phrase.split(" ", 1)[1], phrase.rsplit(" ", 1)[0])
        if here[phrase] >= CAPTIVE * here[part]
    }
    return [phrase for phrase in found if phrase not in partial]


def _weight(phrase: str, here: Counter[str], size: int, overall: Counter[str], total: int) -> float:
    """How telling a phrase is of a topic of ``size`` texts among ``total``: by itself, and, as
    two of a kind may be chance, by its words where they stand otherwise."""

    def telling(part: str) -> float:
        """The share of the topic's papers that have it, one discounted, times the log of how
        much greater it is than that of all papers."""
        if not here[part] or part in GENERIC:
            return 0.0
        lift = log(here[part] / size * total / overall[part])
        return float((here[part] - 1) / size * max(lift, 0.0) ** LIFT)

    stems = phrase.split()
    factor = SINGLE if len(stems) == 1 else LONG if len(stems) > 2 else 1.0
    return round(factor * (telling(phrase) + WORDING * fmean(map(telling, stems))), 9)


def _distinct(weights: Mapping[str, float], taken: Set[str]) -> list[str]:
    """The weightiest phrases of which none contains another, nor is part of one in ``taken``."""
    kept: list[str] = []
    for phrase in sorted(weights, key=lambda p: (-weights[p], p)):
        repeats = any(_says(phrase, other) or _says(other, phrase) for other in kept)
        if weights[phrase] > 0 and not repeats and not any(_says(name, phrase) for name in taken):
            kept.append(phrase)
        if len(kept) == TERMS:
            break
    return kept


def _says(phrase: str, part: str) -> bool:
    return f" {part} " in f" {phrase} "


def _named(ranked: Sequence[_Candidate], size: int) -> Iterator[_Candidate]:
    """The best phrase and, where that speaks for too few, one that speaks for the most others."""
    if not ranked:
        return
    first, *others = ranked
    yield first
    if len(first.having) >= ENOUGH * size:
        return
    seconds = [
        other
        for other in others
        if other.weight >= SECOND * first.weight
        and " " in other.phrase
        and not set(first.stems) & set(other.stems)
        and len(first.stems) + len(other.stems) <= WORDS
    ]
    if seconds:
        yield max(seconds, key=lambda c: (len(c.having - first.having) * c.weight, c.phrase))
