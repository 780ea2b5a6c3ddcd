"""Which sentences of a paper answer a question.

The sentence most like the question is often not the one that answers it. Within one paper
its name and theme stand everywhere and say nothing, so words weigh by their rarity among the
paper's own sentences, the paper's name not at all; a question for a quantity wants a digit;
and abstracts open with background and end with findings.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

import numpy as np

from rag.engine.question import Question
from rag.retrieve.hybrid import Retriever, Signals
from rag.retrieve.terms import terms
from rag.types import Paper

if TYPE_CHECKING:
    from numpy.typing import NDArray

SIMILARITY, COVERAGE, NUMBER, DIGIT, PLACE, BEFORE, OPENING = 1.0, 1.5, 0.5, 1.0, 0.4, 0.4, -0.3
"""Weights of: cosine, words covered, a number word or digit where one is asked for, a digit
there, place in the abstract (0 first, 1 last), words covered by the sentence before, being
the first. Rounded from a search on the development half of our questions; the held-out half
and both corpora agree within a point for changes of a third."""

_NUMBER = re.compile(
    r"\d|\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|fifty"
    r"|hundred|thousand|million|half|double|twice)\b",
    re.I,
)
Favour = tuple[float, re.Pattern[str]]
"""A bonus, and the sentences that get it."""

CONTRIBUTION = (
    0.3,
    re.compile(
        r"\b(we|our|this (paper|work|study)|the authors?)\b.{0,60}\b(propos|introduc|present|show|"
        r"find|found|develop|demonstrat|prov|stud|reveal|establish|identif|analy|provid|adapt)"
        r"|\b(results?|experiments?|findings)\b.{0,20}\b(show|demonstrate|reveal|clarify)",
        re.I,
    ),
)
"""Sentences that say what a paper does, where that helps to answer."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A sentence of a paper: ``text == paper.text[start:end]``; scores compare across papers."""

    row: int
    start: int
    end: int
    text: str
    score: float


def evidence(
    retriever: Retriever,
    signals: Signals,
    question: Question,
    row: int,
    *,
    favour: Favour | None = None,
) -> list[Evidence]:
    """The sentences of one paper, the most telling first; ties by place."""
    paper = retriever.snapshot.paper(row)
    spans = retriever.snapshot.spans(row)
    cosines = signals.sentence[retriever.snapshot.sentence_rows(row)]
    texts = [paper.text[start:end] for start, end in spans]
    scores = sentence_scores(texts, cosines, residual(signals.terms, paper), question.wants_number)
    if favour:
        bonus, pattern = favour
        scores += bonus * _flags(pattern, texts)
    order = np.argsort(-scores.round(4), kind="stable")
    return [
        Evidence(row, spans[i][0], spans[i][1], texts[i], round(float(scores[i]), 4)) for i in order
    ]


def introduction(handle: str) -> Favour:
    """Favours the sentence that introduces the system of that name or spells it out."""
    name = rf"(?<!\w){re.escape(handle)}(?!\w)"
    verb = r"\b(propos|introduc|present|develop|call|term|dub)\w*\b"
    calls = rf"{name}(?: \([^)]*\))?(?: is|,) (?:an?|the)\b|{name} \(|\({name}\)"
    return 1.5, re.compile(rf"{verb}.{{0,60}}{name}|{calls}", re.I)


def residual(question_terms: Sequence[str], paper: Paper) -> list[str]:
    """What a question asks beyond the paper's name; the whole question if that is all."""
    name = set(terms(paper.handle))
    asked = list(dict.fromkeys(question_terms))
    return [term for term in asked if term not in name] or asked


def sentence_scores(
    texts: Sequence[str], cosines: NDArray[np.float32], asked: Sequence[str], wants_number: bool
) -> NDArray[np.float32]:
    """Score of each sentence of one abstract, shape (sentences,)."""
    covered = coverage([set(terms(text)) for text in texts], asked)
    place = np.arange(len(texts)) / max(len(texts) - 1, 1)
    scores = SIMILARITY * cosines + COVERAGE * covered + PLACE * place
    scores[1:] += BEFORE * covered[:-1]
    scores[0] += BEFORE * covered[0] + OPENING
    if wants_number:
        digits = re.compile(r"\d")
        scores += NUMBER * _flags(_NUMBER, texts) + DIGIT * _flags(digits, texts)
    return scores.astype(np.float32)


def coverage(sentences: Sequence[set[str]], asked: Sequence[str]) -> NDArray[np.float32]:
    """Share of the asked terms in each sentence, weighed by rarity among the sentences."""
    counts = Counter(term for sentence in sentences for term in sentence)
    n = len(sentences)
    weights = {term: log(1 + (n - counts[term] + 0.5) / (counts[term] + 0.5)) for term in asked}
    total = sum(weights.values()) or 1.0
    shares = [sum(weights[t] for t in asked if t in sentence) / total for sentence in sentences]
    return np.array(shares, np.float32)


def _flags(pattern: re.Pattern[str], texts: Sequence[str]) -> NDArray[np.float32]:
    return np.array([bool(pattern.search(text)) for text in texts], np.float32)
