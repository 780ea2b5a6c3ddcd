"""Names of topics, in words that their papers use: class-based TF-IDF over phrases.

Knows texts and which of them make a topic; knows nothing of vectors or stores. A phrase that its
field knows as a topic counts for texts that are about it without saying it, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from math import log
from statistics import fmean

from rag.retrieve.terms import stem, words
from rag.topics.known import known, nearness
from rag.topics.naming import FAIR, FEW, MOST, SEVERAL, TERMS, Candidate, chosen, covered
from rag.topics.phrases import GENERIC, Phrases

CANDIDATES = 24
"""Most phrases from which a topic's name is chosen."""

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

KNOWN, BRIEF = 1.5, 0.6
"""What a phrase weighs that its field knows as a topic, and one of a single word."""

MEANT = 0.6
"""How near a text must come to texts on a known topic to be on it without saying so."""

OUTRIGHT = 0.2
"""Of several papers on a known topic, the share that must also say its name."""

MANY = 500
"""Texts from which on phrases are frequent enough to need no help of what goes with a topic."""

ALONE, ALONE_PAPERS = 0.75, 4
"""Least share of a topic's papers, and least number, that must have a phrase of one word: a few
papers share many words by chance."""


@dataclass(frozen=True, slots=True)
class Label:
    """What a topic is called, the phrases that set it apart, most telling first, and the indices
    of its texts that have a phrase of the name, ascending."""

    name: str
    terms: tuple[str, ...]
    backing: tuple[int, ...]


def label_topics(
    texts: Sequence[str], topics: Sequence[Sequence[int]], avoid: str = ""
) -> list[Label]:
    """A label for each topic, given as indices of ``texts``; none is said by another one.

    The name is empty where no phrase tells a topic apart. The words of ``avoid`` alone never do.
    """
    corpus = _Corpus(texts, topics, avoid)
    names = [list[Candidate]() for _ in topics]
    for share, at_home in ((MOST, True), (MOST, False), (FAIR, True)):
        for number, topic in enumerate(topics):
            if not names[number]:
                taken = {candidate.phrase for name in names for candidate in name}
                ranked = corpus.ranked(number, taken, at_home)
                names[number] = list(chosen(ranked, len(topic), share))
    labels = []
    for number, name in enumerate(names):
        others = {c.phrase for other in names if other is not name for c in other}
        ranked = corpus.ranked(number, others)
        labels.append(_label(name, ranked, len(topics[number]), corpus))
    return labels


class _Corpus:
    """What the texts of topics say, and how telling that is of each topic."""

    def __init__(self, texts: Sequence[str], topics: Sequence[Sequence[int]], avoid: str) -> None:
        self._phrases = Phrases(texts, min((_least(len(topic)) for topic in topics), default=1))
        self._topics = topics
        self._known = {self._phrases.key(name): name for name in known()}
        self._shunned = GENERIC | {stem(word) for word in words(avoid)}
        self._said = [set(found) for found in self._phrases.of_text]
        self._spelt: dict[str, str] = {}
        self._mentioned = [set[str]() for _ in texts]
        if len(texts) < MANY:
            self._count_what_is_meant(texts)
        self._overall = Counter(phrase for said in self._said for phrase in said)
        self._counts = [Counter(p for i in topic for p in self._said[i]) for topic in topics]
        self._home = _homes(self._counts, [len(topic) for topic in topics])

    def _count_what_is_meant(self, texts: Sequence[str]) -> None:
        """Count a known topic for texts that have the words that go with it, too, though they may
        say it otherwise; a text that says it without them only mentions it."""
        for name, near in nearness(texts).items():
            phrase = self._phrases.key(name)
            for index, said in enumerate(self._said):
                if near.get(index, 0.0) >= MEANT:
                    said.add(phrase)
                elif phrase in said:
                    self._mentioned[index].add(phrase)

    def ranked(self, number: int, taken: Set[str], at_home: bool = True) -> list[Candidate]:
        """Phrases for a topic, most telling first: those of which no topic has more, or all."""
        topic, here = self._topics[number], self._counts[number]
        weights = {
            phrase: self._weight(phrase, here, len(topic))
            for phrase in _complete(here, len(topic))
            if (not at_home or self._home[phrase] == number) and self._may_name(phrase, number)
        }
        return [
            self._candidate(phrase, weight, topic)
            for phrase, weight in self._distinct(weights, taken)
        ]

    def _candidate(self, phrase: str, weight: float, topic: Sequence[int]) -> Candidate:
        having = frozenset(i for i in topic if phrase in self._said[i])
        mentioning = sum(phrase in self._mentioned[i] for i in having)
        words = len(self.spelt(phrase).split())
        return Candidate(phrase, weight, having, mentioning, phrase in self._known, words)

    def spelt(self, phrase: str) -> str:
        """As its field writes it or, if that does not know it, as most of the texts do."""
        if phrase not in self._spelt:
            self._spelt[phrase] = self._spelling(phrase)
        return self._spelt[phrase]

    def _spelling(self, phrase: str) -> str:
        name = self._known.get(phrase, "")
        if name and not any(phrase in found for found in self._phrases.of_text):
            return name
        form = self._phrases.spelt(phrase)
        return name + "s" * (form.casefold() == name.casefold() + "s") if name else form

    def _may_name(self, phrase: str, number: int) -> bool:
        if self._shunned.issuperset(phrase.split()):
            return False
        if phrase not in self._known:
            return self._phrases.names_something(phrase)
        topic = self._topics[number]
        saying = sum(phrase in self._phrases.of_text[i] for i in topic)
        return len(topic) < SEVERAL or saying >= OUTRIGHT * self._counts[number][phrase]

    def _weight(self, phrase: str, here: Counter[str], size: int) -> float:
        """How telling a phrase is of a topic of ``size`` texts: by itself, and, as two of a kind
        may be chance, by its words where they stand otherwise."""

        def telling(part: str) -> float:
            """The share of the topic's papers that have it, one discounted, times the log of how
            much greater it is than that of all papers."""
            if not here[part] or part in GENERIC:
                return 0.0
            lift = log(here[part] / size * len(self._said) / self._overall[part])
            return float((here[part] - 1) / size * max(lift, 0.0) ** LIFT)

        stems = phrase.split()
        factor = SINGLE if len(stems) == 1 else LONG if len(stems) > 2 else 1.0
        if phrase in self._known:
            factor = KNOWN if " " in self._known[phrase] else BRIEF
        return round(factor * (telling(phrase) + WORDING * fmean(map(telling, stems))), 9)

    def _distinct(
        self, weights: Mapping[str, float], taken: Set[str]
    ) -> Iterator[tuple[str, float]]:
        """The weightiest phrases of which none contains another, nor is part of one in ``taken``.
        One that is written as a single compound must be a known topic: most are adjectives."""
        kept: list[str] = []
        for phrase in sorted(weights, key=lambda p: (-weights[p], p)):
            if weights[phrase] <= 0 or len(kept) == CANDIDATES:
                return
            repeats = any(_says(phrase, other) or _says(other, phrase) for other in kept)
            if repeats or any(_says(name, phrase) for name in taken):
                continue
            if phrase in self._known or "-" not in self.spelt(phrase).split()[-1]:
                kept.append(phrase)
                yield phrase, weights[phrase]


def _label(
    name: Sequence[Candidate], ranked: Sequence[Candidate], size: int, corpus: _Corpus
) -> Label:
    parts = [corpus.spelt(candidate.phrase) for candidate in name]
    listed = dict.fromkeys(corpus.spelt(c.phrase) for c in (*name, *ranked))
    backing = covered(name)
    if size < FEW and 0 < len(backing) < MOST * size:
        parts = [", ".join(parts), "others"]
    text = " and ".join(parts)
    return Label(text[:1].upper() + text[1:], tuple(listed)[:TERMS], tuple(sorted(backing)))


def _least(papers: int) -> int:
    """How many of a topic's papers must have a phrase for it to speak for them."""
    return max(2, papers // 50)


def _homes(counts: Sequence[Counter[str]], sizes: Sequence[int]) -> Mapping[str, int]:
    """The topic in which the greatest share of papers, one discounted, has a phrase; the first
    of equals."""
    best: dict[str, tuple[float, int]] = {}
    for number, (here, size) in enumerate(zip(counts, sizes, strict=True)):
        for phrase, count in here.items():
            best[phrase] = max(best.get(phrase, (0.0, 0)), ((count - 1) / size, -number))
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


def _says(phrase: str, part: str) -> bool:
    return f" {part} " in f" {phrase} "
