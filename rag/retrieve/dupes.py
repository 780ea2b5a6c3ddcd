"""Papers that may be the same though they were not taken for it when they were read.

Merging joins what is certain. Here each paper is compared with the few that are nearest to it in
meaning, and with those of one title, for a person to decide. Nothing is learned from vectors but
whom to compare, so any embedder will do.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from rag.corpus.identity import text_key
from rag.store.snapshot import Snapshot
from rag.types import Paper

NEAREST = 5
"""Papers that each is compared with."""
BLOCK = 512
"""Papers whose nearest are looked for at once: the whole table would not fit into memory."""
SAME_TITLE = 0.9
"""Likeness from which on two titles may be one: what differs is a colon, an article, a plural.
Those two of the same conference that are most alike have 0.87."""
SHARED_TEXT = 0.15
"""Share of three-word runs that two texts have in common, from which on one may be a version of
the other. Of 4,302 abstracts of one conference, no two share six in a hundred."""
MANY = 20
"""Papers of one title beyond which it is no title but a heading."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Dupe:
    """Two papers, the fuller one first; ``likeness`` in [0, 1] is that of what they share most."""

    kept: Paper
    other: Paper
    likeness: float
    reason: str


def dupes(snapshot: Snapshot, rows: Sequence[int]) -> list[Dupe]:
    """Pairs among some papers that may be one, the likest first."""
    papers = {row: snapshot.paper(row) for row in rows}
    pairs = {*_near(snapshot, rows), *_titled(papers)}
    compare = _Comparer(papers)
    found = [dupe for pair in sorted(pairs) if (dupe := compare(*pair))]
    return sorted(found, key=lambda d: (-d.likeness, d.kept.paper_id, d.other.paper_id))


def _near(snapshot: Snapshot, rows: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Each paper with those nearest to it."""
    vectors = snapshot.vectors[np.array(rows, np.int64)]
    count = min(NEAREST + 1, len(rows))  # itself among them
    for begin in range(0, len(rows), BLOCK):
        cosines = vectors[begin : begin + BLOCK] @ vectors.T
        nearest = np.argpartition(-cosines, count - 1, axis=1)[:, :count]
        for i, others in enumerate(nearest.tolist(), start=begin):
            yield from ((min(rows[i], rows[j]), max(rows[i], rows[j])) for j in others if i != j)


def _titled(papers: dict[int, Paper]) -> Iterator[tuple[int, int]]:
    """Papers whose titles have the same letters."""
    having: defaultdict[str, list[int]] = defaultdict(list)
    for row, paper in papers.items():
        if paper.title:
            having[text_key(paper.title)].append(row)
    for same in having.values():
        if len(same) <= MANY:
            yield from combinations(sorted(same), 2)


class _Comparer:
    """Compares papers, the runs of each made once."""

    def __init__(self, papers: dict[int, Paper]) -> None:
        self._papers = papers
        self._runs: dict[int, set[tuple[str, ...]]] = {}

    def __call__(self, one: int, other: int) -> Dupe | None:
        first, second = self._papers[one], self._papers[other]
        title, text = _titles(first, second), self._texts(one, other)
        reasons = []
        if title >= SAME_TITLE:
            reasons.append("the same title" if title == 1 else f"titles alike to {title:.0%}")
        if text >= SHARED_TEXT:
            reasons.append(f"{text:.0%} of the text in common")
        if not reasons:
            return None
        kept, less = sorted((first, second), key=_fullness, reverse=True)
        return Dupe(kept, less, round(max(title, text), 4), ", ".join(reasons))

    def _texts(self, one: int, other: int) -> float:
        ours, theirs = self._runs_of(one), self._runs_of(other)
        return round(len(ours & theirs) / max(len(ours | theirs), 1), 4)

    def _runs_of(self, row: int) -> set[tuple[str, ...]]:
        if row not in self._runs:
            words = _WORD.findall(self._papers[row].text.casefold())
            self._runs[row] = set(zip(words, words[1:], words[2:], strict=False))
        return self._runs[row]


def _titles(one: Paper, other: Paper) -> float:
    """How alike two titles are, whatever the order of their words; 0 where one has none."""
    if not (one.title and other.title):
        return 0.0
    from rapidfuzz import fuzz, utils

    alike: float = fuzz.token_sort_ratio(one.title, other.title, processor=utils.default_process)
    return round(alike / 100, 4)


def _fullness(paper: Paper) -> tuple[int, int, str]:
    """By which the paper to keep is chosen: what is known of it, then how much it says."""
    fields = (paper.title, paper.url, paper.doi, paper.authors, paper.venue, paper.year)
    filled = sum(map(bool, (*fields, paper.status, paper.area, paper.keywords)))
    return filled, len(paper.text), paper.paper_id
