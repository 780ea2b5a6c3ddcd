"""Where every term of a corpus stands: paper, sentence, and what part the sentence plays.

Knows no topic and no vector. Made once for an index and kept in it, since that takes seconds for
some thousand papers; a phrase is then found among all of them in milliseconds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rag.retrieve.acronyms import Acronyms, Phrase
from rag.retrieve.content import content_terms
from rag.retrieve.hybrid import Retriever
from rag.store.files import write_flushed
from rag.store.snapshot import UNREADABLE
from rag.types import Paper

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Spans = Sequence[tuple[int, int]]

PARTS = HEADING, OWN, RESULT, CONTEXT = range(4)
"""What a segment is: title or keyword; a sentence on what the paper itself does; one on what
came of it; any other."""

FOLDER, FORMAT = "concordance", 1
"""Where a generation has it; raised when terms, parts or abbreviations are read otherwise, so that
what was kept before is made anew."""

ARRAYS = ("paper", "part", "segment", "order", "ends")

KEPT = 2
"""Corpora that are remembered: some megabytes for thousands of papers."""

_OWN = re.compile(r"\b(?:we|our|ours|us|this (?:paper|work|study|article|survey))\b", re.IGNORECASE)
_RESULT = re.compile(
    r"\b(?:experiment|outperform|evaluations?\b|evaluated\b|surpass|achiev|results?\b|empirical|"
    r"baseline|exceed|state[- ]of[- ]the[- ]art|improvements?\b|gains?\b|"
    r"we (?:\w+ )?(?:evaluate|test|validate)\b)",
    re.IGNORECASE,
)


class Concordance:
    """Every term of titles, keywords and abstracts, in order.

    A segment is a title, a keyword or a sentence. ``segment`` (tokens,) gives each token's;
    ``paper`` and ``part`` (segments,) give each segment's row and what it is. ``order`` (tokens,)
    has the places of the first term, then those of the next; ``ends`` (terms,) tells where the
    places of each end.
    """

    def __init__(
        self,
        terms: Iterable[str],
        acronyms: Acronyms,
        *,
        paper: NDArray[np.int32],
        part: NDArray[np.int8],
        segment: NDArray[np.int32],
        order: NDArray[np.int32],
        ends: NDArray[np.int64],
    ) -> None:
        self.acronyms = acronyms
        self.short_forms = acronyms.short_forms()
        self.longest = max(map(len, self.short_forms), default=1)
        self.paper, self.part, self.segment = paper, part, segment
        self.order, self.ends = order, ends
        self.papers = int(paper[-1]) + 1 if len(paper) else 0
        self._numbers = {term: number for number, term in enumerate(terms)}

    @classmethod
    def of(cls, papers: Iterable[Paper], spans: Iterable[Spans]) -> Concordance:
        """That of some papers, given where the sentences of each begin and end."""
        numbers: dict[str, int] = {}
        tokens: list[int] = []
        lengths: list[int] = []
        owners: list[int] = []
        parts: list[int] = []
        acronyms = Acronyms()
        for row, (paper, own) in enumerate(zip(papers, spans, strict=True)):
            acronyms.read(paper.text)
            for part, text in _segments(paper, own):
                found = [numbers.setdefault(term, len(numbers)) for term in content_terms(text)]
                tokens += found
                lengths.append(len(found))
                owners.append(row)
                parts.append(part)
        each = np.array(tokens, np.int32)
        return cls(
            numbers,
            acronyms,
            paper=np.array(owners, np.int32),
            part=np.array(parts, np.int8),
            segment=np.repeat(np.arange(len(lengths), dtype=np.int32), lengths),
            order=np.argsort(each, kind="stable").astype(np.int32),
            ends=np.cumsum(np.bincount(each, minlength=len(numbers))),
        )

    def save(self, folder: Path) -> None:
        folder.mkdir()
        for name in ARRAYS:
            np.save(folder / f"{name}.npy", getattr(self, name), allow_pickle=False)
        said = {"terms": [*self._numbers], "definitions": self.acronyms.definitions}
        write_flushed(folder / "words.json", json.dumps({"format": FORMAT, **said}))

    @classmethod
    def load(cls, folder: Path) -> Concordance:
        """One that was saved; raises ``UNREADABLE``."""
        said = json.loads((folder / "words.json").read_bytes())
        if said["format"] != FORMAT:
            raise ValueError(f"{folder} has format {said['format']}")
        acronyms = Acronyms()
        for short, long in said["definitions"]:
            acronyms.define(short, long)
        paths = {name: folder / f"{name}.npy" for name in ARRAYS}
        arrays = {
            name: np.load(path, mmap_mode="r", allow_pickle=False).view(np.ndarray)
            for name, path in paths.items()
        }
        return cls(said["terms"], acronyms, **arrays)

    def knows(self, term: str) -> bool:
        """Whether any paper has the term."""
        return term in self._numbers

    def places(self, phrase: Phrase) -> NDArray[np.int32]:
        """Positions at which a phrase's terms stand side by side in a segment, ascending."""
        starts = self._term(phrase[0])
        if len(phrase) == 1:
            return starts
        for offset, term in enumerate(phrase[1:], start=1):
            starts = np.intersect1d(starts, self._term(term) - offset, assume_unique=True)
        whole = self.segment[starts] == self.segment[starts + len(phrase) - 1]
        found: NDArray[np.int32] = starts[whole]
        return found

    def owners(self, term: str) -> NDArray[np.int32]:
        """The paper of each place of a term, ascending: more than once where it stands again."""
        return self._owners[self._range(term)]

    def holding(self, phrases: Sequence[Phrase]) -> NDArray[np.bool_]:
        """Which papers have any of the phrases, shape (papers,)."""
        has = np.zeros(self.papers, np.bool_)
        for phrase in phrases:
            if len(phrase) == 1:
                has[self.owners(phrase[0])] = True
            else:
                has[self.paper[self.segment[self.places(phrase)]]] = True
        return has

    def _term(self, term: str) -> NDArray[np.int32]:
        return self.order[self._range(term)]

    def _range(self, term: str) -> slice:
        """Where the places of a term are kept."""
        number = self._numbers.get(term)
        if number is None:
            return slice(0)
        return slice(self.ends[number - 1] if number else 0, self.ends[number])

    @cached_property
    def _owners(self) -> NDArray[np.int32]:
        owners: NDArray[np.int32] = self.paper[self.segment[self.order]]
        return owners

    def begins(self, phrases: Sequence[Phrase]) -> NDArray[np.int64]:
        """Positions at which any of the phrases begins, ascending."""
        return self.union(self.places(phrase) for phrase in phrases)

    def union(self, places: Iterable[NDArray[np.integer[Any]]]) -> NDArray[np.int64]:
        """The positions that are in any of some arrays, ascending."""
        marks = np.zeros(len(self.segment), np.bool_)
        for some in places:
            marks[some] = True
        return np.flatnonzero(marks)

    def within(
        self, begins: NDArray[np.int64], width: int, tokens: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """For each of some tokens whether one of the places is it or one of the next, up to
        ``width`` in all and in the same segment."""
        ends = np.minimum(tokens + width, self._segment_end[tokens])
        found: NDArray[np.bool_] = np.searchsorted(begins, ends) > np.searchsorted(begins, tokens)
        return found

    def best(self, scores: NDArray[np.float32], tokens: NDArray[np.int64]) -> NDArray[np.float32]:
        """The largest of the scores of some tokens in each paper, shape (papers,); at least 0."""
        best = np.zeros(self.papers, np.float32)
        np.maximum.at(best, self.paper[self.segment[tokens]], scores)
        return best

    @cached_property
    def _segment_end(self) -> NDArray[np.int32]:
        """The position after the last of each token's segment."""
        lengths = np.bincount(self.segment)
        return np.repeat(np.cumsum(lengths).astype(np.int32), lengths)


@lru_cache(maxsize=KEPT)
def concordance(retriever: Retriever) -> Concordance:
    """The concordance of a retriever's papers: that of their index or, where it has none that can
    be read, one that is made."""
    snapshot = retriever.snapshot
    try:
        kept = Concordance.load(snapshot.folder / FOLDER)
        if kept.papers == len(snapshot):
            return kept
    except UNREADABLE:
        pass
    return Concordance.of(snapshot.papers(), map(snapshot.spans, range(len(snapshot))))


def write_concordance(folder: Path, papers: Sequence[Paper]) -> None:
    """Make the concordance of papers and save it in the folder of their generation."""
    from rag.corpus.sentences import sentence_spans  # of no use to who reads it

    spans = (sentence_spans(paper.text) for paper in papers)
    Concordance.of(papers, spans).save(folder / FOLDER)


def _segments(paper: Paper, spans: Spans) -> Iterator[tuple[int, str]]:
    """Each segment's part and text."""
    for heading in (paper.title or "", *paper.keywords):
        if heading:
            yield HEADING, heading
    for start, end in spans:
        sentence = paper.text[start:end]
        own = _OWN.search(sentence) or paper.handle in sentence
        yield (RESULT if _RESULT.search(sentence) else OWN if own else CONTEXT), sentence
