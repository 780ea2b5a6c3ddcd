"""Exact dense search and BM25, added up as z-scores.

Three signals for each paper: the question's similarity to the whole abstract, to its best
sentence, and its BM25 score. Each is standardised over the corpus, so that they can be added;
this beats rank fusion here, which forgets by how much a name matched. The best by these are read:
where the question's neighbouring words stand together the BM25 score is raised, and where each of
its words has a sentence that is near to it the similarity (late interaction).

Of many papers the best sentences are exact where they can matter: see ``rag.retrieve.nearness``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np

from rag.embed import Embedder
from rag.errors import QuestionError
from rag.retrieve.correcting import corrected
from rag.retrieve.filters import Filters, passing
from rag.retrieve.foreign import ENGLISH_ONLY, foreign, is_foreign, latin, mostly_far
from rag.retrieve.lexical import Lexical
from rag.retrieve.nearness import Nearness, Sentences, Vectors
from rag.retrieve.proximity import proximity
from rag.retrieve.terms import stem, terms, words
from rag.store.manifest import damaged
from rag.store.snapshot import Snapshot
from rag.types import Hit, Paper, Passage

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Scores = NDArray[np.float32]

MAX_QUESTION_CHARS = 20_000
PASSAGES = 3
"""Passages shown of a paper."""

NEAR, LATE = 0.3, 0.5
"""What proximity weighs, in deviations of BM25, and late interaction, in those of ``whole``; the
z-scores weigh 1 each. Chosen by hand among five and four values, with all of the sets of
``evals/search.py`` in sight: those that it learns (``--fit``) find claims better and our own
questions worse."""
FLAT = 1e-9
"""Deviation up to which all scores are the same."""
READ, COMPARED = 10, 20
"""Of the best papers those that are read for proximity, which takes longest, and those whose
sentences are compared with each word; more find no better."""
HAVING = 20
"""Papers with the stem of a word that are read for the word itself."""
REMEMBERED = 1_000
"""Papers whose terms are kept; a thousand take about 2 MB."""


@dataclass(frozen=True)
class Signals:
    """How near a question is to everything, each of shape (papers,) but for ``sentence``, which
    gives those of a paper's sentences. ``whole``, ``best`` and ``sentence`` are cosines; ``near``
    is the proximity of the question's words and ``late`` the late interaction, less the mean of
    the best papers; both are 0 in the others. ``repairs`` maps the question's words to the terms
    that were searched."""

    repairs: Mapping[str, str]
    whole: NDArray[np.float32]
    best: NDArray[np.float32]
    bm25: NDArray[np.float32]
    sentence: Sentences
    near: NDArray[np.float32]
    late: NDArray[np.float32]

    @property
    def terms(self) -> list[str]:
        """The terms that were searched, in the question's order, without repeats."""
        return distinct(self.repairs)

    @cached_property
    def fused(self) -> NDArray[np.float32]:
        fused = standardised(self.whole) + standardised(self.best) + standardised(self.bm25)
        fused += NEAR * scaled(self.near, self.bm25) + LATE * scaled(self.late, self.whole)
        return fused


class Retriever:
    """Search over one snapshot. The same question gives the same list, always."""

    def __init__(self, snapshot: Snapshot, embedder: Embedder) -> None:
        self.snapshot = snapshot
        self._embedder = embedder
        self._vectors = Vectors(snapshot)

    @cached_property
    def lexical(self) -> Lexical:
        try:
            lexical = Lexical(self.snapshot.folder, getattr(self._embedder, "is_word", None))
        except Exception as error:  # the library trusts its files: anything can come of others
            raise damaged(self.snapshot.store, f"the BM25 index: {error!r}") from error
        if lexical.papers != max(len(self.snapshot), 1):  # no index is of no paper at all
            raise damaged(self.snapshot.store, "the BM25 index is of other papers")
        return lexical

    def signals(self, question: str, filters: Filters | None = None) -> Signals:
        """Score every paper; of many, best those that pass the filters. The corpus must not be
        empty."""
        return self.signals_of([question], filters)[0]

    def signals_of(self, questions: Sequence[str], filters: Filters | None = None) -> list[Signals]:
        """The same for several questions at once: one pass over the vectors does for all."""
        asked = [plain(question) for question in questions]
        each = list(dict.fromkeys(asked))
        repairs = [self.lexical.repair(question) for question in each]
        bm25 = [self.lexical.scores(distinct(repaired)) for repaired in repairs]
        near = self._nearness([self._embedded(question) for question in each], bm25, filters)
        signals = map(self._signals, each, repairs, bm25, near)
        found = dict(zip(each, signals, strict=True))
        return [found[question] for question in asked]

    def _nearness(
        self, texts: Sequence[str], bm25: Sequence[Scores], filters: Filters | None
    ) -> list[Nearness]:
        """How near all vectors are to each text, given the BM25 scores of its words."""
        queries, vectors = self._queries(texts), self._vectors
        if vectors.few:
            return vectors.all(queries)
        passed = self._passing(filters)
        among = passed if len(passed) < len(self.snapshot) else None
        return [
            vectors.likely(query, whole, standardised(whole) + standardised(lexical), among)
            for query, whole, lexical in zip(queries, vectors.papers(queries), bm25, strict=True)
        ]

    def _signals(
        self, question: str, repairs: Mapping[str, str], bm25: Scores, nearness: Nearness
    ) -> Signals:
        papers = len(self.snapshot)
        signals = Signals(
            repairs=repairs,
            whole=nearness.whole,
            best=nearness.best,
            bm25=bm25,
            sentence=nearness.sentence,
            near=np.zeros(papers, np.float32),
            late=np.zeros(papers, np.float32),
        )
        rows = self._first(signals.fused, COMPARED)
        near = self._near(signals, rows[:READ])
        late = self._late(signals, self._embedded(question), rows)
        return replace(signals, near=near, late=late)

    def corrected(self, question: str) -> str:
        """The question with its slips of the finger put right, where the embedder knows words."""
        rank = getattr(self._embedder, "rank", None)
        return corrected(question, self.lexical, rank, self._said) if rank else question

    def _said(self, word: str) -> bool:
        """Whether a paper has a word in just this form, as far as a few that have its stem tell."""
        rows = self.lexical.having([stem(word)]).nonzero()[0][:HAVING]
        return any(word in words(self.snapshot.paper(int(row)).indexed_text) for row in rows)

    def foreign(self, question: str) -> str | None:
        """What to tell whoever asked in a language that the embedder does not know, if no word
        of the question finds a paper either: what is found then is a guess."""
        if not self.unreadable(question) or not len(self.snapshot):
            return None
        return foreign(question, self.lexical)

    def unreadable(self, question: str) -> bool:
        """Whether a question is in a language that the embedder does not know."""
        return self._english_only and is_foreign(question)

    @property
    def _english_only(self) -> bool:
        return self._embedder.identity.startswith(ENGLISH_ONLY)

    def nearness(self, texts: Sequence[str]) -> list[tuple[Scores, Scores]]:
        """For each text the cosines of all papers to it, and those of their nearest sentences."""
        asked = [plain(text) for text in texts]
        each = list(dict.fromkeys(asked))
        near = dict(zip(each, self._vectors.all(self._queries(each)), strict=True))
        return [(near[text].whole, near[text].best) for text in asked]

    def likeness(self, row: int) -> Nearness:
        """How near all are to a paper's abstract."""
        [near] = self._vectors.all([self.snapshot.vectors[row]])
        return near

    @cached_property
    def _passing(self) -> Callable[[Filters | None], Sequence[int]]:
        """``passing``, the last remembered: it reads all papers."""
        return lru_cache(maxsize=8)(partial(passing, self.snapshot))

    def _queries(self, texts: Sequence[str]) -> Sequence[Scores]:
        """The vector of each text; some embedders work several out side by side."""
        if len(texts) > 1 and hasattr(self._embedder, "queries"):
            side_by_side: Sequence[Scores] = self._embedder.queries(texts)
            return side_by_side
        return [self._embedder.query(text) for text in texts]

    def _embedded(self, question: str) -> str:
        """What is embedded of a question: where the embedder knows nothing of its language, the
        names in it that it may know."""
        if not self._english_only or not mostly_far(question):
            return self.corrected(question)
        return latin(question) or question

    def _near(self, signals: Signals, rows: Sequence[int]) -> NDArray[np.float32]:
        """Proximity in the best papers."""
        near, asked = np.zeros_like(signals.near), signals.terms
        if len(asked) < 2 or not signals.bm25.any():
            return near
        rarity = {term: self.lexical.rarity(term) for term in asked}
        for row in rows:
            near[row] = proximity(asked, rarity, self._terms(row))
        return near

    def _late(self, signals: Signals, question: str, rows: Sequence[int]) -> NDArray[np.float32]:
        """How near the question's words, each within the question, are to their best sentences
        in the best papers: a mean by the words' rarity (after Khattab & Zaharia, 2020,
        with sentences in place of tokens). Nothing for an embedder that knows no ``words``."""
        late = np.zeros_like(signals.late)
        if not hasattr(self._embedder, "words"):
            return late
        asked, vectors = self._embedder.words(question)
        weights = np.array([self._weight(signals, word.casefold()) for word in asked], np.float32)
        if not weights.any():
            return late
        kept, weights = vectors[weights > 0], weights[weights > 0]
        each = map(self.snapshot.sentence_rows, rows)
        found = [(self._vectors.sentences(own) @ kept.T).max(0) for own in each]
        scores = np.array(found) @ weights / weights.sum()
        late[rows] = scores - scores.mean()
        return late

    def _weight(self, signals: Signals, word: str) -> float:
        """The rarity of what was searched for a word; a stop word has none."""
        term = signals.repairs.get(word)
        return self.lexical.rarity(term) if term else 0.0

    @cached_property
    def _terms(self) -> Callable[[int], list[str]]:
        """Row → its paper's terms in order, those of the last papers remembered."""
        return lru_cache(maxsize=REMEMBERED)(
            lambda row: terms(self.snapshot.paper(row).indexed_text)
        )

    def ranked(
        self, signals: Signals, filters: Filters | None = None, also: Sequence[Signals] = ()
    ) -> list[int]:
        """Rows of the papers that pass the filters, best first, ties broken by id. The signals of
        what is searched for ``also`` weigh together as much as those of the question."""
        ranked: list[int] = self._order(signals, also).tolist()
        rows = self._passing(filters)
        if len(rows) == len(ranked):
            return ranked
        among = set(rows)
        return [row for row in ranked if row in among]

    def _order(self, signals: Signals, also: Sequence[Signals] = ()) -> NDArray[np.int64]:
        others = [other.fused for other in also]
        fused = signals.fused + np.mean(others, axis=0) if others else signals.fused
        by_id = self._by_id
        order: NDArray[np.int64] = by_id[np.argsort(-fused.round(4)[by_id], kind="stable")]
        return order

    def _first(self, fused: Scores, k: int) -> list[int]:
        """The first ``k`` rows of ``_order``, for less work where there are many."""
        scores = fused.round(4)
        least = np.partition(scores, -k)[-k] if k < len(scores) else -np.inf
        rows = np.flatnonzero(scores >= least).tolist()
        return sorted(rows, key=lambda row: (-scores[row], self.snapshot.ids[row]))[:k]

    @cached_property
    def _by_id(self) -> NDArray[np.int64]:
        """The rows in the order of their ids, which breaks ties."""
        return np.argsort(np.array(self.snapshot.ids), kind="stable")

    def search(self, question: str, k: int = 10, filters: Filters | None = None) -> list[Hit]:
        """The ``k`` best papers, each with its best passages; raises QuestionError."""
        check_question(question)
        if not len(self.snapshot):
            return []
        signals = self.signals(question, filters)
        among = self._passing(filters)
        whole = len(among) == len(self.snapshot)
        rows = self._first(signals.fused, k) if whole else self.ranked(signals, filters)[:k]
        return [self.hit(signals, row, rank) for rank, row in enumerate(rows, start=1)]

    def hit(self, signals: Signals, row: int, rank: int) -> Hit:
        """A row of the ranking as a Hit."""
        paper = self.snapshot.paper(row)
        cosines = signals.sentence[self.snapshot.sentence_rows(row)]
        best = np.argsort(-cosines, kind="stable")[:PASSAGES]
        spans = self.snapshot.spans(row)
        passages = tuple(_passage(paper, spans[i], cosines[i]) for i in best)
        return Hit(paper, rank, _rounded(signals.fused[row]), passages)


def plain(question: str) -> str:
    r"""The question with its LaTeX as the abstracts have theirs: ``$\alpha$`` is α."""
    if "\\" not in question:
        return question
    from rag.corpus.clean import clean_text  # which loads a parser of LaTeX

    cleaned = clean_text(question)
    return cleaned if any(map(str.isalnum, cleaned)) else question


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
    return centred / spread if spread > FLAT else np.zeros_like(centred)


def scaled(scores: NDArray[np.float32], by: NDArray[np.float32]) -> NDArray[np.float32]:
    """``scores`` in standard deviations of other ones; all zero where those are equal."""
    spread = by.std()
    return (scores / spread).astype(np.float32) if spread > FLAT else np.zeros_like(scores)


def _rounded(score: float) -> float:
    """Four decimals: the bits below depend on the processor."""
    return round(float(score), 4)
