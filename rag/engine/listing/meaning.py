"""Which papers may mean a notion that they do not say. Knows no request and no answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rag.retrieve.about import About, about
from rag.retrieve.concordance import concordance
from rag.retrieve.hybrid import Retriever
from rag.retrieve.terms import words
from rag.retrieve.topicality import FITTED, Model
from rag.retrieve.wording import units

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Scores = NDArray[np.float32]

FLOOR, PLAIN_FLOOR, LOOSE_FLOOR = 0.25, 0.4, 0.05
"""Probability from which on a paper that does not say a notion is taken to mean it: in general; of
a notion of few words, which papers on it would rather say; and where the paper has synonyms of all
its words. Chosen by hand, among 0.25, 0.4, 0.5 and 0.7, and 0.05 and 0.1, on the questions for
papers in ``evals/ask*.jsonl``."""


def likely(retriever: Retriever, notions: Sequence[str]) -> dict[str, Scores]:
    """For each notion the probability that a paper is about it, shape (papers,), below 1."""
    found = dict.fromkeys(notions, np.zeros(len(retriever.snapshot), np.float32))
    if told := [notion for notion in notions if words(notion)]:
        corpus, repair = concordance(retriever), retriever.lexical.repair
        topics = [units(notion, corpus, repair(notion)) for notion in told]
        found.update(zip(told, map(_probability, about(retriever, topics)), strict=True))
    return found


def _probability(found: About) -> Scores:
    probability = Model.read().probabilities(found.matrix())
    return np.minimum(probability, 0.9999).astype(np.float32)


def chance(papers: int) -> float:
    """By how much a z-score says less than in the corpora that the weights were fitted on."""
    return float(np.sqrt(np.log(FITTED) / np.log(max(papers, FITTED))))
