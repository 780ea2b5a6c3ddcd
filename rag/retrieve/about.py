"""What speaks for a paper's being about a topic, as numbers for all papers at once.

Knows no weights and no floor.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from rag.retrieve.acronyms import Phrase
from rag.retrieve.concordance import PARTS, Concordance, concordance
from rag.retrieve.hybrid import Retriever, standardised
from rag.retrieve.kin import kin
from rag.retrieve.wording import Unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

WORDS = 8
"""Words that are put to the embedder besides the topic."""

LONGEST = 4
"""Terms of the longest phrases of which something may be known."""

CLOSEST, BEYOND_DOUBT = 3.0, 1.5
"""The most that a cosine and that a standing count: in a corpus of few or of very different papers
they would outweigh what the words say."""

STRANGE = 0.25
"""Kin from which on a paper has to do with a notion that it does not mention."""

PLACES = 64
"""Notions of which it is kept how papers stand to their kin, which the topic's kin are, too: some
kilobytes each for thousands of papers."""

CLOSE = 4
"""Terms among which others may stand between those of a topic: "generating directed graphs"."""

SAMPLE = 400
"""Sentences whose cosines to each other say what a cosine of this embedder is worth."""


@dataclass(frozen=True, slots=True)
class About:
    """Signals of a topic, each of shape (papers,). A mention is the topic's words side by side."""

    best: Floats
    """Cosine to the nearest sentence, as z-score over cosines of unrelated sentences."""
    standing: Floats
    """How far the embedder, told also words that go with the topic, sets the paper apart."""
    kin: Floats
    """How many words that go with the topic the paper has: 0 as others, 1 as the topic's own."""
    kin_standing: Floats
    """How far that sets the paper apart from the corpus."""
    near: Floats
    """The largest share of the topic's terms, by rarity, that stand close together in it."""
    own: Floats
    """log(1 + mentions) in sentences on what the paper does, and the same of its headings."""
    passing: Floats
    """log(1 + mentions) in results, and the same of what others do."""
    missing: Floats
    """Share of the topic's terms, by rarity, that no paper has: of these a paper that says it in
    other words lacks none too many. 0 if that is all of them, and the topic foreign here."""
    lacking: Floats
    """1 if there is a notion that the paper neither mentions nor has words for that go with it."""
    mentions: NDArray[np.int64]
    """All mentions, to give as a reason."""
    holders: tuple[NDArray[np.bool_], ...]
    """For each notion the papers that have it anywhere."""

    def matrix(self) -> Floats:
        """What the weights apply to, shape (papers, signals)."""
        return np.column_stack([getattr(self, name) for name in SIGNALS])


SIGNALS = (
    "best",
    "standing",
    "kin",
    "kin_standing",
    "near",
    "own",
    "passing",
    "missing",
    "lacking",
)


@dataclass(frozen=True, slots=True)
class _Near:
    """What the embedder says of a topic, each of shape (papers,): see ``About``."""

    best: Floats
    standing: Floats


def about(retriever: Retriever, topics: Sequence[Sequence[Unit]]) -> list[About]:
    """The signals, for every paper, of some topics, each given as its notions: to look them up
    together takes hardly longer than one."""
    corpus = concordance(retriever)
    near = _nearness(retriever, topics, corpus)
    return [_about(corpus, *each) for each in zip(topics, near, strict=True)]


def _nearness(
    retriever: Retriever, topics: Sequence[Sequence[Unit]], corpus: Concordance
) -> list[_Near]:
    spelt = [spelt_out(notions, corpus) for notions in topics]
    pairs = zip(spelt, topics, strict=True)
    enriched = [enriched_with_kin(text, notions, corpus) for text, notions in pairs]
    cosines = retriever.nearness([*spelt, *enriched])
    mean, spread = background(retriever)
    return [
        _Near(
            best=((best - mean) / spread).clip(max=CLOSEST),
            standing=_standing(standardised(whole) + standardised(nearest)),
        )
        for (_, best), (whole, nearest) in zip(
            cosines[: len(topics)], cosines[len(topics) :], strict=True
        )
    ]


def _about(corpus: Concordance, notions: Sequence[Unit], nearness: _Near) -> About:
    akin = _kin(notions, corpus)
    near, missing = _coverage(notions, corpus)
    counts = _mentions(notions, corpus)
    holders = tuple(corpus.holding(unit.phrases) for unit in notions)
    strangers = [
        ~has & (_kin([unit], corpus) < STRANGE) for unit, has in zip(notions, holders, strict=True)
    ]
    heading, own, result, context = np.log1p(counts).astype(np.float32)
    return About(
        best=nearness.best,
        standing=nearness.standing,
        kin=akin,
        kin_standing=_standing(akin),
        near=near,
        own=heading + own,
        passing=result + context,
        missing=np.full(corpus.papers, missing, np.float32),
        lacking=np.any(strangers, axis=0).astype(np.float32),
        mentions=counts.sum(axis=0),
        holders=holders,
    )


def _standing(scores: Floats) -> Floats:
    """z-scores over the largest that chance gives among as many papers, so that a corpus of any
    size has the same scale."""
    chance = float(np.sqrt(2 * np.log(max(len(scores), 2))))
    cut: Floats = (standardised(scores) / chance).clip(-BEYOND_DOUBT, BEYOND_DOUBT)
    return cut


def _kin(notions: Sequence[Unit], corpus: Concordance) -> Floats:
    """Mean over the topic's terms, by rarity, of how a paper stands between papers that are not
    about the term and papers that are. Of a term that nothing is known of it is 0."""
    total, weights = np.zeros(corpus.papers, np.float32), 0.0
    for phrase, rarity in _known_phrases(notions, corpus):
        weights += rarity
        total += rarity * _place(phrase, corpus)
    return total / weights


@lru_cache(maxsize=PLACES)
def _place(phrase: Phrase, corpus: Concordance) -> Floats:
    """How each paper stands between those that are not about a topic, 0, and those that are, 1;
    0 for all where nothing is known of it."""
    found, score = kin(phrase), np.zeros(corpus.papers, np.float32)
    if not found:
        return score
    for term, weight in found.terms.items():
        score[corpus.owners(term)] += np.float64(weight)  # once where the paper stands repeatedly
    place = (score - found.outside) / max(found.inside - found.outside, 1.0)
    return place.clip(-0.5, 1.5)


def _known_phrases(notions: Sequence[Unit], corpus: Concordance) -> Iterator[tuple[Phrase, float]]:
    """The topic as the longest phrases, of its terms, that something is known of, with rarities;
    an abbreviation as what it means."""
    said = [next(filter(kin, unit.phrases), unit.terms) for unit in notions]
    left = [term for phrase in said for term in phrase]
    while left:
        widths = (width for width in range(LONGEST, 1, -1) if kin(tuple(left[:width])))
        width = next(widths, 1)
        phrase, left = tuple(left[:width]), left[width:]
        yield phrase, sum(_rarity(((term,),), corpus) for term in phrase)


def spelt_out(notions: Sequence[Unit], corpus: Concordance) -> str:
    """The topic for the embedder, abbreviations explained."""
    said = []
    for unit in notions:
        meanings = corpus.acronyms.meanings(unit.terms[0]) if len(unit.terms) == 1 else []
        said.append(unit.spelt)
        said += [f"({corpus.acronyms.spelt(meaning)})" for meaning in meanings[:1]]
    return " ".join(said)


def enriched_with_kin(spelt: str, notions: Sequence[Unit], corpus: Concordance) -> str:
    """The topic for the embedder with the words that most go with it."""
    weights: Counter[str] = Counter()
    for phrase, rarity in _known_phrases(notions, corpus):
        if found := kin(phrase):
            weights.update({word: rarity * weight for word, weight in found.words.items()})
    words = [word for word, _ in weights.most_common(WORDS)]
    return f"{spelt}: {', '.join(words)}" if words else spelt


def _coverage(notions: Sequence[Unit], corpus: Concordance) -> tuple[Floats, float]:
    """Shares of the topic's terms, by rarity: what stands within ``CLOSE`` terms in each paper,
    shape (papers,), and what no paper has."""
    found = []
    for unit in notions:
        for term in unit.terms:
            options = unit.phrases if len(unit.terms) == 1 else ((term,), *unit.phrases)
            found.append((corpus.begins(options), _rarity(options, corpus)))
    total = sum(rarity for _, rarity in found)
    missing = sum(rarity for begins, rarity in found if not len(begins))
    # What is close together has one of the terms at its head.
    heads = corpus.union(begins for begins, _ in found)
    covered = np.zeros(len(heads), np.float32)
    for begins, rarity in found:
        covered += rarity * corpus.within(begins, CLOSE, heads)
    return corpus.best(covered, heads) / total, missing / total if missing < total else 0.0


def _rarity(phrases: Sequence[Phrase], corpus: Concordance) -> float:
    """Robertson's inverse document frequency of any of the phrases."""
    found = int(corpus.holding(phrases).sum())
    return float(np.log1p((corpus.papers - found + 0.5) / (found + 0.5)))


def _mentions(notions: Sequence[Unit], corpus: Concordance) -> NDArray[np.int64]:
    """How often all notions stand side by side in the topic's order, shape (parts, papers)."""
    begins, ends = _runs(notions[0], corpus)
    for unit in notions[1:]:
        more_begins, more_ends = _runs(unit, corpus)
        _, left, right = np.intersect1d(ends, more_begins, return_indices=True)
        begins, ends = begins[left], more_ends[right]
    segments = corpus.segment[begins]
    segments = segments[segments == corpus.segment[ends - 1]]
    places = corpus.part[segments].astype(np.int64) * corpus.papers + corpus.paper[segments]
    counts = np.bincount(places, minlength=len(PARTS) * corpus.papers)
    return counts.reshape(len(PARTS), corpus.papers)


def _runs(unit: Unit, corpus: Concordance) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where a notion stands: first position and the one after the last."""
    pairs = [(corpus.places(phrase), len(phrase)) for phrase in unit.phrases]
    begins = np.concatenate([places for places, _ in pairs]).astype(np.int64)
    ends = np.concatenate([places + length for places, length in pairs]).astype(np.int64)
    return begins, ends


@lru_cache(maxsize=2)
def background(retriever: Retriever) -> tuple[float, float]:
    """Mean and standard deviation of the cosines of sentences of different papers: embedders
    differ in what a cosine of 0.3 means."""
    snapshot = retriever.snapshot
    rows = np.unique(np.linspace(0, len(snapshot.sentences) - 1, SAMPLE).astype(int))
    each = (len(snapshot) + rows).tolist()
    vectors = snapshot.read_vectors([slice(row, row + 1) for row in each])
    papers = snapshot.sentences[rows, 0]
    cosines = (vectors @ vectors.T)[papers[:, None] != papers[None, :]]
    return (float(cosines.mean()), max(float(cosines.std()), 1e-3)) if cosines.size else (0.0, 1.0)
