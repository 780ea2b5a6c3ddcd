"""What a paper is about as one vector: its meaning and its words, side by side.

Knows the snapshot's vectors and papers' texts; keywords and areas, which many corpora lack, are
not used. Knows nothing of clusters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from rag.retrieve.terms import terms
from rag.store.snapshot import Snapshot
from rag.topics.learners import latent, smoothed

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEW = 100
"""Papers below which vectors are not smoothed: neighbours among few papers need not be akin."""

LATENT = 30
"""Dimensions that the words are brought down to."""

MEANING = 2.0
"""Weight of the embedding against the words where papers are few, and shared words chance."""

STEPS = 4
"""How often vectors are drawn towards their neighbours'."""


@dataclass(frozen=True, slots=True)
class Vectors:
    """One unit vector for each of some papers: ``meaning`` from the embedding, ``wording`` from
    the words, both of shape (papers, dimensions). They err on different papers: together they
    come closer to the areas that authors choose than either alone."""

    meaning: NDArray[np.float64]
    wording: NDArray[np.float64]

    @property
    def joined(self) -> NDArray[np.float64]:
        """Both as one unit vector for each paper."""
        weight = MEANING if len(self.meaning) < FEW else 1.0
        return unit(np.hstack([weight * self.meaning, self.wording]))

    @property
    def among_neighbours(self) -> NDArray[np.float64]:
        """The joined vectors, each drawn towards those of the papers nearest to it in meaning or
        in words, which shows to which crowd it belongs."""
        papers = len(self.meaning)
        if papers < FEW:
            return self.joined
        views = (self.meaning, self.wording)
        return smoothed(self.joined, views, round(sqrt(papers) / 2), STEPS)


def paper_vectors(snapshot: Snapshot, rows: Sequence[int]) -> Vectors:
    """Vectors of one or more papers, in the order of ``rows``."""
    meaning = np.stack([_meaning(snapshot, row) for row in rows])
    wording = latent([_wording(snapshot, row) for row in rows], LATENT)
    return Vectors(_centred(meaning), _centred(wording))


def unit(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Vectors of length 1; one of length 0 stays."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 1e-12, lengths, 1))


def _centred(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Unit vectors as seen from the middle: what all papers share tells none apart."""
    return unit(vectors - vectors.mean(axis=0))


def _meaning(snapshot: Snapshot, row: int) -> NDArray[np.float64]:
    """The vector of a paper's whole and the middle of its sentences', added."""
    whole, *sentences = snapshot.paper_vectors(row).astype(np.float64)
    return np.asarray(whole + unit(np.mean(sentences, axis=0)) if sentences else whole)


def _wording(snapshot: Snapshot, row: int) -> list[str]:
    """Stems, and pairs of neighbouring ones."""
    found = terms(snapshot.paper(row).indexed_text)
    return [*found, *map(" ".join, pairwise(found))]
