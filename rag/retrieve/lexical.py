"""BM25 over titles and abstracts, kept beside the vectors, and repair of misspelt words."""

from __future__ import annotations

from collections.abc import Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING

import bm25s
import numpy as np

from rag.retrieve.terms import STOP_WORDS, stem, terms, words
from rag.types import Paper

if TYPE_CHECKING:
    from numpy.typing import NDArray

K1, B = 1.2, 0.75
"""Lucene's defaults, with which the reference figures for our corpora were measured."""

TYPO_SIMILARITY, TYPO_LETTERS = 85, 5
"""Of 100, and the least length of a word to repair: laxer bounds make "short" of "sort"."""

COMPOUND = 5
"""Letters from which on two words may be one that was typed apart."""


def write_bm25(folder: Path, papers: Sequence[Paper]) -> None:
    """Index papers and save the index in ``folder``/bm25."""
    index = bm25s.BM25(method="lucene", k1=K1, b=B)
    # An empty corpus or a paper without a single term would be refused; no query has a space.
    tokens = [terms(paper.indexed_text) or [" "] for paper in papers] or [[" "]]
    # Sorted: a set's order changes from process to process, and ties would follow it.
    vocabulary = {term: i for i, term in enumerate(sorted({t for doc in tokens for t in doc}))}
    numbers = [[vocabulary[term] for term in doc] for doc in tokens]
    index.index((numbers, vocabulary), show_progress=False)
    index.save(folder / "bm25")


class Lexical:
    """BM25 scores of a generation's papers."""

    def __init__(self, folder: Path) -> None:
        self._index = bm25s.BM25.load(folder / "bm25", mmap=True)
        self._vocabulary: dict[str, int] = self._index.vocab_dict

    @property
    def papers(self) -> int:
        """How many papers are indexed."""
        return int(self._index.scores.get("num_docs") or 0)

    @property
    def vocabulary(self) -> Set[str]:
        """All terms of the corpus."""
        return self._vocabulary.keys()

    def knows(self, term: str) -> bool:
        """Whether any paper has the term."""
        return term in self._vocabulary

    def scores(self, query_terms: Sequence[str]) -> NDArray[np.float32]:
        """BM25 score of every paper, shape (papers,); zeros if no term is known."""
        known = [term for term in query_terms if self.knows(term)]
        if not known:
            return np.zeros(self.papers, np.float32)
        return np.asarray(self._index.get_scores(known), np.float32)

    def having(self, query_terms: Sequence[str]) -> NDArray[np.bool_]:
        """Which papers hold every one of the terms, shape (papers,)."""
        found = np.ones(self.papers, np.bool_)
        for term in query_terms:
            found &= self.scores([term]) > 0
        return found

    def rarity(self, term: str) -> float:
        """Robertson's inverse document frequency of a term; unknown terms are rarest."""
        n = self.papers
        index = self._vocabulary.get(term)
        pointers = self._index.scores["indptr"]
        found = 0 if index is None else int(pointers[index + 1] - pointers[index])
        return float(np.log1p((n - found + 0.5) / (found + 0.5)))

    def repair(self, question: str) -> dict[str, str]:
        """The term to search for, for each word of a question that carries meaning.

        A word that no paper has becomes the nearest term that some has; words that only
        together are one ("proof flow" for ProofFlow) all become that one.
        """
        found: dict[str, str] = {}
        tokens = words(question)
        for i, word in enumerate(tokens):
            for run in (tokens[i : i + 2], tokens[i : i + 3]):
                if joined := self._joined(run):
                    found.update(dict.fromkeys(run, joined))
            if word not in found and word not in STOP_WORDS:
                found[word] = self._nearest(word)
        return found

    def _joined(self, run: Sequence[str]) -> str | None:
        """The known term that several words make, where one of them is not known by itself."""
        term = stem("".join(run))
        whole = len(run) > 1 and len(term) >= COMPOUND and self.knows(term)
        apart = all(self.knows(stem(word)) for word in run)
        return term if whole and not apart else None

    def _nearest(self, word: str) -> str:
        """A word's term or, where no paper has it, the most similar term that some has."""
        term = stem(word)
        if self.knows(term) or len(word) < TYPO_LETTERS or not word.isalpha():
            return term
        from rapidfuzz import fuzz, process

        found = process.extractOne(
            term, self._vocabulary.keys(), scorer=fuzz.ratio, score_cutoff=TYPO_SIMILARITY
        )
        return str(found[0]) if found else term


def mentions(paper: Paper, term: str) -> bool:
    """Whether title or abstract hold a word or phrase, in any case, spacing and hyphenation."""
    wanted = words(term)
    found = words(paper.indexed_text)
    width = len(wanted)
    return bool(wanted) and any(
        found[i : i + width] == wanted for i in range(len(found) - width + 1)
    )
