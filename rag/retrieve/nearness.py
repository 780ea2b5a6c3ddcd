"""How near the vectors of a corpus are to a text.

Of some thousand papers all vectors are read. Of more, to read those of all sentences takes longer
than all else that a search does and maps the whole file into memory. There a search reads the
abstracts' vectors, and sentences' only of the papers that can come first and of a sample, which
tells how far apart the others are. Knows no words and no filters.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from rag.store.snapshot import Snapshot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Scores = NDArray[np.float32]

FEW = 10_000
"""Papers up to which all sentences are read: what a search reads of more than it is no less."""
LIKELY, SAMPLED = 1_000, 4_000
"""Papers whose sentences a search reads of more than ``FEW``: the first by all other signals, and
ones at equal distances. Of 50,000 papers made of others' sentences, whose abstracts say little of
them, the first ten by all signals were among the first 170 by the others."""
BLOCK, PIECE = 512, 8_192
"""Vectors that fit a processor's cache, and those that are worth a thread of their own."""


class Sentences(Protocol):
    """Cosines of sentences, looked up by a paper's ``Snapshot.sentence_rows``."""

    def __getitem__(self, rows: slice, /) -> Scores: ...


@dataclass(frozen=True, slots=True)
class Nearness:
    """Cosines to one text: of all papers, of the best sentence of each, and of the sentences."""

    whole: Scores
    best: Scores
    sentence: Sentences


class Vectors:
    """The vectors of a snapshot, as they are compared with those of texts."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self.few = len(snapshot) <= FEW
        """Whether a search reads all."""

    def all(self, queries: Sequence[Scores]) -> list[Nearness]:
        """What is near to each query, exactly."""
        papers, vectors = len(self._snapshot), self._snapshot.vectors
        block = vectors.__getitem__ if self.few else self._block
        return [
            Nearness(each[:papers], self._best(each[papers:]), each[papers:])
            for each in self._cosines(block, len(vectors), queries)
        ]

    def papers(self, queries: Sequence[Scores]) -> Sequence[Scores]:
        """For each query the cosines of all papers."""
        papers = len(self._snapshot)
        return self._cosines(self._snapshot.vectors[:papers].__getitem__, papers, queries)

    def likely(
        self, query: Scores, whole: Scores, others: Scores, among: Sequence[int] | None
    ) -> Nearness:
        """The same as ``all`` where it can matter. ``whole`` are the cosines of the papers to the
        query, ``others`` all that is known of them, by which those are chosen whose sentences are
        read, of ``among`` if given. The best sentences of the rest are taken for as near as the
        papers are, in the scale that the sample's have."""
        rows = _highest(others, LIKELY, among)
        vectors, starts = self._read(rows)
        likely = np.maximum.reduceat(vectors @ query, starts)
        sampled, vectors, starts = self._sample
        [cosines] = self._cosines(vectors.__getitem__, len(vectors), [query])
        near = np.maximum.reduceat(cosines, starts)
        best = _scaled_to(whole, sampled, near, ~np.isin(sampled, rows))
        best[sampled], best[rows] = near, likely
        return Nearness(whole, best, _WhenAsked(self, query))

    def sentences(self, rows: slice) -> Scores:
        """The vectors of a paper's sentences, given by its ``Snapshot.sentence_rows``."""
        papers = len(self._snapshot)
        if self.few:
            return self._snapshot.vectors[papers:][rows]
        return self._block(slice(papers + rows.start, papers + rows.stop))

    def _block(self, rows: slice) -> Scores:
        return self._snapshot.read_vectors([rows])

    def _cosines(
        self, block: Callable[[slice], Scores], count: int, queries: Sequence[Scores]
    ) -> list[Scores]:
        """For each query the cosines of ``count`` vectors, which ``block`` gives, in one pass over
        them: each block is still at hand for the second query. They are those of the query alone
        to the last bit, as one product with all would not have them."""
        scores = [np.empty(count, np.float32) for _ in queries]

        def work(begin: int) -> None:
            for start in range(begin, min(begin + PIECE, count), BLOCK):
                rows = slice(start, min(start + BLOCK, count))
                vectors = block(rows)
                for query, found in zip(queries, scores, strict=True):
                    np.matmul(vectors, query, out=found[rows])

        pieces = range(0, count, PIECE)
        run = map if len(pieces) < 2 else self._cores.map
        list(run(work, pieces))
        return scores

    @cached_property
    def _cores(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(os.cpu_count())

    def _best(self, sentence: Scores) -> Scores:
        """Of the scores of all sentences the highest in each paper."""
        best: Scores = np.maximum.reduceat(sentence, self._first_sentences)
        return best

    @cached_property
    def _first_sentences(self) -> NDArray[np.int64]:
        """Where each paper's sentences begin among all."""
        papers = np.arange(len(self._snapshot))
        return np.searchsorted(self._snapshot.sentences[:, 0], papers)

    @cached_property
    def _sample(self) -> tuple[NDArray[np.int64], Scores, NDArray[np.int64]]:
        """Rows of papers, the vectors of their sentences, and where those of each begin."""
        count = min(SAMPLED, len(self._snapshot))
        rows = np.arange(count) * len(self._snapshot) // count
        return rows, *self._read(rows)

    def _read(self, rows: NDArray[np.int64]) -> tuple[Scores, NDArray[np.int64]]:
        """The vectors of the sentences of papers, and where those of each paper begin."""
        papers, each = len(self._snapshot), map(self._snapshot.sentence_rows, rows.tolist())
        slices = [slice(papers + rows.start, papers + rows.stop) for rows in each]
        ends = np.cumsum([rows.stop - rows.start for rows in slices])
        return self._snapshot.read_vectors(slices), np.concatenate([[0], ends[:-1]])


@dataclass(frozen=True, slots=True)
class _WhenAsked:
    """Cosines of sentences whose vectors are read when somebody asks for them."""

    vectors: Vectors
    query: Scores

    def __getitem__(self, rows: slice, /) -> Scores:
        cosines: Scores = self.vectors.sentences(rows) @ self.query
        return cosines


def _scaled_to(
    whole: Scores, sampled: NDArray[np.int64], near: Scores, rest: NDArray[np.bool_]
) -> Scores:
    """``whole`` with the mean and the deviation that ``near`` has of the sampled papers in the
    ``rest``: the likely ones, which are read, would make the deviation another one."""
    known, near = (whole[sampled[rest]], near[rest]) if rest.any() else (whole[sampled], near)
    scaled: Scores = near.mean() + (whole - known.mean()) * (near.std() / max(known.std(), 1e-9))
    return scaled


def _highest(scores: Scores, count: int, among: Sequence[int] | None) -> NDArray[np.int64]:
    """The rows with the highest scores, ascending: a file is read forwards."""
    rows = np.arange(len(scores)) if among is None else np.asarray(among, np.int64)
    if len(rows) <= count:
        return rows
    return np.sort(rows[np.argpartition(-scores[rows], count - 1)[:count]])
