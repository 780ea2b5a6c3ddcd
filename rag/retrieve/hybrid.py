"""Exact dense search and BM25, added up as z-scores.

Three signals for each paper: the question's similarity to the whole abstract, to its best
sentence, and its BM25 score. Each is standardised over the corpus, so that they can be added;
this beats rank fusion here, which forgets by how much a name matched.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rag.embed import Embedder
from rag.errors import QuestionError
from rag.retrieve.filters import Filters
from rag.retrieve.lexical import Lexical
from rag.store.manifest import damaged
from rag.store.snapshot import Snapshot
from rag.types import Hit, Paper, Passage

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_QUESTION_CHARS = 20_000
PASSAGES = 3
"""Passages shown of a paper."""


@dataclass(frozen=True)
class Signals:
    """How near a question is to everything: ``whole``, ``best``, ``bm25``, ``fused`` have shape
    (papers,), ``sentence`` (sentences,). The first two and the last are cosines. ``repairs``
    maps the question's words to the terms that were searched."""

    repairs: Mapping[str, str]
    whole: NDArray[np.float32]
    best: NDArray[np.float32]
    bm25: NDArray[np.float32]
    sentence: NDArray[np.float32]

    @property
    def terms(self) -> list[str]:
        """The terms that were searched, in the question's order, without repeats."""
        return distinct(self.repairs)

    @cached_property
    def fused(self) -> NDArray[np.float32]:
        return standardised(self.whole) + standardised(self.best) + standardised(self.bm25)


class Retriever:
    """Search over one snapshot. The same question gives the same list, always."""

    def __init__(self, snapshot: Snapshot, embedder: Embedder) -> None:
        self.snapshot = snapshot
        self._embedder = embedder

    @cached_property
    def lexical(self) -> Lexical:
        try:
            lexical = Lexical(self.snapshot.folder)
        except Exception as error:  # the library trusts its files: anything can come of others
            raise damaged(self.snapshot.store, f"the BM25 index: {error!r}") from error
        if lexical.papers != max(len(self.snapshot), 1):  # no index is of no paper at all
            raise damaged(self.snapshot.store, "the BM25 index is of other papers")
        return lexical

    def signals(self, question: str) -> Signals:
        """Score every paper and sentence. The corpus must not be empty."""
        papers, query = len(self.snapshot), self._embedder.query(question)
        scores = self.snapshot.vectors @ query
        sentence = scores[papers:]
        repairs = self.lexical.repair(question)
        return Signals(
            repairs=repairs,
            whole=scores[:papers],
            best=np.maximum.reduceat(sentence, self._first_sentences),
            bm25=self.lexical.scores(distinct(repairs)),
            sentence=sentence,
        )

    def ranked(self, signals: Signals, filters: Filters | None = None) -> list[int]:
        """Rows of the papers that pass the filters, best first, ties broken by id."""
        order = np.lexsort((self._place_of_id, -signals.fused.round(4)))
        ranked: list[int] = order.tolist()
        if not filters:
            return ranked
        passing = set(filters.rows(self.snapshot.papers()))
        return [row for row in ranked if row in passing]

    @cached_property
    def _first_sentences(self) -> NDArray[np.int64]:
        """Where each paper's sentences begin among all."""
        papers = np.arange(len(self.snapshot))
        return np.searchsorted(self.snapshot.sentences[:, 0], papers)

    @cached_property
    def _place_of_id(self) -> NDArray[np.int64]:
        """Where each row's id stands among the sorted ids, to break ties."""
        places = np.empty(len(self.snapshot), np.int64)
        places[np.argsort(np.array(self.snapshot.ids), kind="stable")] = np.arange(len(places))
        return places

    def search(self, question: str, k: int = 10, filters: Filters | None = None) -> list[Hit]:
        """The ``k`` best papers, each with its best passages; raises QuestionError."""
        check_question(question)
        if not len(self.snapshot):
            return []
        signals = self.signals(question)
        rows = self.ranked(signals, filters)[:k]
        return [self.hit(signals, row, rank) for rank, row in enumerate(rows, start=1)]

    def hit(self, signals: Signals, row: int, rank: int) -> Hit:
        """A row of the ranking as a Hit."""
        paper = self.snapshot.paper(row)
        cosines = signals.sentence[self.snapshot.sentence_rows(row)]
        best = np.argsort(-cosines, kind="stable")[:PASSAGES]
        spans = self.snapshot.spans(row)
        passages = tuple(_passage(paper, spans[i], cosines[i]) for i in best)
        return Hit(paper, rank, _rounded(signals.fused[row]), passages)


def distinct(repairs: Mapping[str, str]) -> list[str]:
    """The terms that a question's words stand for, in order, without repeats."""
    return list(dict.fromkeys(repairs.values()))


def check_question(question: str) -> None:
    """Raise QuestionError for a question that has no words or no end."""
    if not any(character.isalnum() for character in question):
        raise QuestionError("The question has no words.", "ask something about the papers")
    if len(question) > MAX_QUESTION_CHARS:
        message = f"The question has {len(question):,} characters."
        raise QuestionError(message, f"ask in at most {MAX_QUESTION_CHARS:,} characters")


def _passage(paper: Paper, span: tuple[int, int], cosine: float) -> Passage:
    start, end = span
    return Passage(paper.text[start:end], start, end, _rounded(cosine))


def standardised(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """z-scores: mean 0, standard deviation 1; all zero where all are equal."""
    spread = scores.std()
    centred: NDArray[np.float32] = scores - scores.mean()
    return centred / spread if spread > 1e-9 else np.zeros_like(centred)


def _rounded(score: float) -> float:
    """Four decimals: the bits below depend on the processor."""
    return round(float(score), 4)
