"""BM25 over titles and abstracts, kept beside the vectors, however a word is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import bm25s
import numpy as np

from rag.retrieve.spelling import LONGEST, forms, inflected, parted, slips, spellings
from rag.retrieve.terms import STOP_WORDS, stem, terms, words
from rag.types import Paper

if TYPE_CHECKING:
    from numpy.typing import NDArray

K1, B = 1.2, 0.75
"""Lucene's defaults, with which the reference figures for our corpora were measured."""

TYPO_SIMILARITY, TYPO_LETTERS = 85, 5
"""Of 100, and the least length of a word to repair: laxer bounds make "short" of "sort"."""

REPAIRED = 20
"""Unknown words of a question that are repaired; whoever pastes a page has typed none of it."""

COMPOUND = 5
"""Letters from which on two words may be one that was typed apart."""

KINDRED, END = 7, 3
"""Letters of a stem from which on what begins with it means the same, and of its end at most."""

PART, TOGETHER = 3, 3
"""Letters of the shorter of two words typed as one, and papers that must have both."""


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
    """BM25 scores of a generation's papers.

    ``is_word`` knows words that are right, whether or not a paper has them: they are not taken
    for slips of other ones ("carving" for "caring").
    """

    def __init__(self, folder: Path, is_word: Callable[[str], bool] | None = None) -> None:
        self._is_word = is_word or (lambda word: False)
        self._index = bm25s.BM25.load(folder / "bm25", mmap=True)
        self._vocabulary: dict[str, int] = self._index.vocab_dict
        # Mapped as before, but quicker to take parts of.
        self._pointers, self._rows, self._scores = (
            np.asarray(self._index.scores[name]) for name in ("indptr", "indices", "data")
        )

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
        """BM25 score of every paper, shape (papers,); zeros if no term is known.

        A paper that writes a term in another way has it all the same; so has one that writes
        two neighbours as one word, or the other way round.
        """
        total = np.zeros(self.papers, np.float32)
        each = {term: self._written(term) for term in query_terms}
        for term in query_terms:
            total += each[term]
        for first, second in pairwise(query_terms):
            if self.knows(joined := stem(first + second)):
                total += (self._written(joined) - each[first] - each[second]).clip(min=0)
        return total

    def _written(self, term: str) -> NDArray[np.float32]:
        """Scores of a term in whichever of its spellings a paper has most of."""
        best = np.zeros(self.papers, np.float32)
        for rows, scores in self._postings(term):
            best[rows] = np.maximum(best[rows], scores)
        return best

    def _postings(self, term: str) -> Iterator[tuple[NDArray[np.int32], NDArray[np.float32]]]:
        """The rows of the papers that have a term, in each of its spellings, and their scores."""
        for known in filter(self.knows, (term, *spellings(term))):
            number = self._vocabulary[known]
            found = slice(*self._pointers[number : number + 2])
            yield self._rows[found], self._scores[found]

    def having(self, query_terms: Sequence[str]) -> NDArray[np.bool_]:
        """Which papers hold every one of the terms, shape (papers,)."""
        found = np.ones(self.papers, np.bool_)
        for term in query_terms:
            has = np.zeros(self.papers, np.bool_)
            for rows, _ in self._postings(term):
                has[rows] = True
            found &= has
        return found

    def rarity(self, term: str) -> float:
        """Robertson's inverse document frequency of a term; unknown terms are rarest."""
        n = self.papers
        index = self._vocabulary.get(term)
        pointers = self._pointers
        found = 0 if index is None else int(pointers[index + 1] - pointers[index])
        return float(np.log1p((n - found + 0.5) / (found + 0.5)))

    def repair(self, question: str) -> dict[str, str]:
        """The term to search for, for each word of a question that carries meaning.

        A word that no paper has becomes the nearest term that some has; words that only
        together are one ("proof flow" for ProofFlow) all become that one, and a word that is two
        ("testtime") stands as those.
        """
        found: dict[str, str] = {}
        left, tokens = REPAIRED, words(parted(question))
        for i, word in enumerate(tokens):
            for run in (tokens[i : i + 2], tokens[i : i + 3]):
                if joined := self._joined(run):
                    found.update(dict.fromkeys(run, joined))
            if word in found or word in STOP_WORDS:
                continue
            spelt = self._spelt(stem(word))
            found.update({word: spelt} if spelt else self._repaired(word, bool(left)))
            left -= spelt is None and left > 0
        return found

    def _repaired(self, word: str, may_be: bool) -> dict[str, str]:
        """What to search for in place of a word that no paper has."""
        if not may_be or not word.isalpha() or len(word) > LONGEST:
            return {word: stem(word)}
        return self._apart(word) or {word: self._nearest(word)}

    def _joined(self, run: Sequence[str]) -> str | None:
        """The known term that several words make, where one of them is not known by itself."""
        term = stem("".join(run))
        whole = len(run) > 1 and len(term) >= COMPOUND and self.knows(term)
        apart = all(self._spelt(stem(word)) for word in run)
        return term if whole and not apart else None

    def _spelt(self, term: str) -> str | None:
        """The term or, where no paper has it, the spelling of it that most have, if any has."""
        if self.knows(term):
            return term
        known = filter(self.knows, spellings(term))
        return min(known, key=lambda found: (self.rarity(found), found), default=None)

    def _apart(self, word: str) -> dict[str, str] | None:
        """The two words that an unknown one was typed of, if some papers have both."""
        if len(word) < 2 * PART or self.is_real(word):
            return None
        splits = [(word[:i], word[i:]) for i in range(PART, len(word) - PART + 1)]
        known = [pair for pair in splits if all(self.knows(stem(part)) for part in pair)]
        shared = {pair: int(self.having([stem(part) for part in pair]).sum()) for pair in known}
        best = max(known, key=lambda pair: (shared[pair], pair), default=None)
        return {part: stem(part) for part in best} if best and shared[best] >= TOGETHER else None

    def _nearest(self, word: str) -> str:
        """The term of the word that was meant by an unknown one; its own if it is near none."""
        term = stem(word)
        if self.is_real(word):
            return self._derived(term) or term
        if len(word) < TYPO_LETTERS:
            return term
        return self._meant(word) or self._like(term) or term

    def _meant(self, word: str) -> str | None:
        """The known term one slip away, of a word that is right if there is one, the commonest."""
        pairs = [(found, slip) for slip in slips(word) if self.knows(found := stem(slip))]
        right = {found for found, slip in pairs if self._is_word(slip)}
        meant = right | {found for found, slip in pairs if inflected(slip, found)}
        order = ((found not in right, self.rarity(found), found) for found in meant)
        return min(order, default=(True, 0.0, None))[-1]

    def strange(self, word: str) -> bool:
        """Whether no paper has a word in any spelling, and it is none that is known to be right."""
        return self._spelt(stem(word)) is None and not self.is_real(word)

    def is_real(self, word: str) -> bool:
        """Whether a word, or another form of it, is right, whether or not a paper has it."""
        return any(map(self._is_word, (word, *forms(word))))

    def _derived(self, term: str) -> str | None:
        """The shortest known term that is a long one and a short end ("uncertainty" of
        "uncertain", which the stemmer keeps apart)."""
        if len(term) < KINDRED:
            return None
        longer = (t for t in self._vocabulary if t.startswith(term) and len(t) <= len(term) + END)
        return min(longer, key=lambda found: (len(found), found), default=None)

    def _like(self, term: str) -> str | None:
        """The known term with most letters of a term, such as that of a kindred word."""
        from rapidfuzz import fuzz, process

        found = process.extractOne(
            term, self._vocabulary.keys(), scorer=fuzz.ratio, score_cutoff=TYPO_SIMILARITY
        )
        return str(found[0]) if found else None


def mentions(paper: Paper, term: str) -> bool:
    """Whether title or abstract hold a word or phrase, in any case, spacing and hyphenation."""
    wanted = words(term)
    found = words(paper.indexed_text)
    width = len(wanted)
    return bool(wanted) and any(
        found[i : i + width] == wanted for i in range(len(found) - width + 1)
    )
