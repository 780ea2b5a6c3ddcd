"""Which sentences of a paper answer a question, with their offsets.

How well one does is for ``sentences`` to say; here the sentences of a stored paper get their
scores, and those that say what a paper is or does a bonus, where that is what helps.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rag.corpus.suspicion import is_suspicious
from rag.engine.question import Question
from rag.engine.sentences import Asked
from rag.engine.sentences import scores as sentence_scores
from rag.retrieve.hybrid import Retriever, Signals
from rag.retrieve.terms import terms
from rag.types import Paper

if TYPE_CHECKING:
    from numpy.typing import NDArray

MARGIN = 0.5
"""How far a sentence may score below the first of an answer: a seventh of its odds."""
_AT_LENGTH = re.compile(r"\b(?:summar\w+|overview|describe|explain|tell|more)\b", re.I)
"""Asks for more than the one sentence."""

DEFINES = 1.5
"""Bonus of the sentence that introduces a paper where that is what is asked for."""

SUSPECT = 20.0
"""Malus of a sentence that speaks to machines: more than anything else can make up for."""
_ON_SUSPECTS = re.compile(
    r"\b(?:instruct|prompt|inject|attack|jailbreak|hidden|suspicious|hostile|malicious|ignor)\w*",
    re.I,
)
"""Asks about such sentences, or about papers that give examples of them."""

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


_PROPOSES = re.compile(
    r"\b(we|our|this (paper|work|study)|the authors?)\b.{0,60}\b(propos|introduc|present|develop)"
    r"|\bis (proposed|introduced|presented|developed)\b",
    re.I,
)
"""Sentences that bring something new, whatever it is called."""


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
    scores = sentence_scores(texts, cosines, asked_of(retriever, signals, question, paper))
    if favour:
        bonus, pattern = favour
        scores += bonus * _flags(pattern, texts)
    if silenced(question, paper.text):
        scores -= SUSPECT * np.array([silenced(question, text) for text in texts], np.float64)
    order = np.argsort(-scores.round(4), kind="stable")
    return [
        Evidence(row, spans[i][0], spans[i][1], texts[i], round(float(scores[i]), 4)) for i in order
    ]


def silenced(question: Question, text: str) -> bool:
    """Whether a sentence, or any of a paper's, may not speak for the paper: what is suspicious,
    unless such is asked for."""
    return is_suspicious(text) and not _ON_SUSPECTS.search(question.asked)


def telling(question: Question, sentences: Sequence[Evidence]) -> list[Evidence]:
    """Those of a paper's best sentences, most telling first, that belong in an answer: another
    one than the first only if it is nearly as good; all of them where more than the one thing is
    asked for, or a follow-up says too little to tell, unless it wants a figure."""
    little = question.kind == "follow-up" and not question.wants_number
    at_length = question.kind == "definition" and _AT_LENGTH.search(question.asked)
    if little or at_length:
        return [*sentences]
    return [s for s in sentences if s.score >= sentences[0].score - MARGIN]


def introducing(paper: Paper, sentences: Sequence[Evidence], bonus: float) -> list[Evidence]:
    """The sentences of a paper in their order, given a bonus for the one that introduces what it
    brings; where none calls that by the paper's name, for one that proposes something."""
    _, named = introduction(paper.handle)
    pattern = named if named.search(paper.text) else _PROPOSES
    found = [
        replace(s, score=round(s.score + bonus, 4)) if pattern.search(s.text) else s
        for s in sentences
    ]
    return sorted(found, key=lambda s: (-s.score, s.start))


def introduction(handle: str) -> Favour:
    """Favours the sentence that introduces the system of that name or spells it out."""
    name = rf"(?<!\w){re.escape(handle)}(?!\w)"
    verb = r"\b(propos|introduc|present|develop|call|term|dub)\w*\b"
    begins = rf"(?:^|(?<=[.!?] )){name}(?: \([^)]*\))? is (?:an?|the)\b"
    calls = rf"{begins}|{name}, (?:an?|the)\b|{name} \(|\({name}\)"
    return DEFINES, re.compile(rf"{verb}.{{0,60}}{name}|{calls}", re.I)


def residual(question_terms: Sequence[str], paper: Paper) -> list[str]:
    """What a question asks beyond the paper's name; the whole question if that is all."""
    name = set(terms(paper.handle))
    asked = list(dict.fromkeys(question_terms))
    return [term for term in asked if term not in name] or asked


def asked_of(retriever: Retriever, signals: Signals, question: Question, paper: Paper) -> Asked:
    """What a question asks of one paper."""
    beyond = residual(signals.terms, paper)
    rarity = {term: retriever.lexical.rarity(term) for term in beyond}
    return Asked(question.asked, rarity, question.wants_number)


def _flags(pattern: re.Pattern[str], texts: Sequence[str]) -> NDArray[np.float64]:
    return np.array([bool(pattern.search(text)) for text in texts], np.float64)
