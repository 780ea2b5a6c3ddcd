"""Records of one paper from several places become one Paper.

Knows nothing about files or the store: it compares ids, titles and texts. What comes out does not
depend on the order in which the records were read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TypeVar
from zlib import crc32

from rag.corpus.identity import identifiers, paper_id, text_key
from rag.types import Paper, Source

SAME_PAPER_OVERLAP = 0.3
"""Least Jaccard overlap of the words of two texts with one id or title that are one paper:
revisions of an abstract lie far above it, unrelated abstracts of one field well below."""
COPY_OVERLAP = 0.6
"""The same of runs of words, for two texts that nothing else says to be one paper's. Different
papers of one group that begin alike share far fewer."""
RUN = 4
"""Words of a run."""
SAMPLED = 8
"""One run in so many is looked at to find likely copies (Broder's sketch modulo m): a copy shares
several of its two dozen, and memory stays small."""
TITLE_CHARS = 20
"""Letters from which on a title is a paper's own: many are called "Introduction"."""

_T = TypeVar("_T")
_WORD = re.compile(r"\w+")
_SCHEMES = ("openreview", "doi", "arxiv")
"""Whose ids are to be had, the best first."""


def merge(records: Iterable[Paper]) -> list[Paper]:
    """One Paper per paper, in the order of its first place; linear in the number of records.

    One paper are records with one identifier (DOI, arXiv, OpenReview) or the same letters of
    text; with one id or title if their texts overlap; and copies with small changes. Another
    paper with an id that is taken becomes ``ID~xxxxxxxx`` (8 hex digits of its text key) so that
    nothing is lost. The longest text and of each field the value of the fullest record win, all
    sources are kept.
    """
    ordered = sorted(records, key=_place)
    papers = [_fold(group) for group in _groups(ordered)]
    return list(_with_own_ids(sorted(papers, key=_place)))


def _groups(records: Sequence[Paper]) -> list[list[Paper]]:
    from scipy.cluster.hierarchy import DisjointSet  # only an ingest waits for it

    same = DisjointSet(range(len(records)))
    for pair in _pairs(records):
        same.merge(*pair)
    return [[records[i] for i in sorted(group)] for group in same.subsets()]


def _pairs(records: Sequence[Paper]) -> Iterator[tuple[int, int]]:
    """Records that are of one paper, enough of them to connect all that are."""
    certain: dict[Hashable, int] = {}
    likely: dict[Hashable, int] = {}
    for i, record in enumerate(records):
        keys: list[Hashable] = [text_key(record.text), *identifiers(record)]
        for key in keys:
            yield certain.setdefault(key, i), i
        for key in _likely_keys(record):
            first = likely.setdefault(key, i)
            if first != i and _versions(records[first], record):
                yield first, i
    yield from _copies(records)


def _likely_keys(record: Paper) -> Iterator[Hashable]:
    yield "id", record.paper_id
    title = text_key(record.title) if record.title else ""
    if title and len(record.title or "") >= TITLE_CHARS:
        yield "title", title


def _copies(records: Sequence[Paper]) -> Iterator[tuple[int, int]]:
    """Records whose texts are nearly the same, and that no two identifiers of one kind part."""
    holders: dict[int, list[int]] = {}
    first_of: dict[str, int] = {}
    for i, record in enumerate(records):
        if first_of.setdefault(text_key(record.text), i) == i:
            for run in _runs(record.text):
                if run % SAMPLED == 0:
                    holders.setdefault(run, []).append(i)
    # A run that many texts have is a phrase of the field, and would make pairs of them all.
    shared = Counter(
        pair for some in holders.values() if 1 < len(some) <= 8 for pair in combinations(some, 2)
    )
    for (one, other), times in sorted(shared.items()):
        if times > 2 and _are_copies(records[one], records[other]):
            yield one, other


def _are_copies(one: Paper, other: Paper) -> bool:
    if one.title and other.title and text_key(one.title) != text_key(other.title):
        return False
    schemes = {scheme for scheme, _ in identifiers(one)} & {s for s, _ in identifiers(other)}
    return not schemes and _overlap(_runs(one.text), _runs(other.text)) >= COPY_OVERLAP


def _runs(text: str) -> set[int]:
    words = _WORD.findall(text.casefold())
    runs = zip(*(words[start:] for start in range(RUN)), strict=False)
    return {crc32(" ".join(run).encode("utf-8", "replace")) for run in runs}


def _overlap(ours: set[_T], theirs: set[_T]) -> float:
    return len(ours & theirs) / max(len(ours | theirs), 1)


def _fold(group: Sequence[Paper]) -> Paper:
    """One Paper of all records of a paper, which are in the order of their places."""
    if len(group) == 1:
        return group[0]
    fullest = sorted(group, key=_fullness, reverse=True)
    text_of = max(group, key=lambda paper: len(paper.text))
    return replace(
        text_of,
        paper_id=min(group, key=_rank_of_id).paper_id,
        sources=_distinct(source for paper in group for source in paper.sources),
        title=_first(paper.title for paper in fullest),
        url=_first(paper.url for paper in fullest),
        doi=_first(paper.doi for paper in fullest),
        arxiv=_first(paper.arxiv for paper in fullest),
        authors=_first(paper.authors for paper in fullest) or (),
        venue=_first(paper.venue for paper in fullest),
        year=_first(paper.year for paper in fullest),
        status=_first(paper.status for paper in fullest),
        area=_first(paper.area for paper in fullest),
        keywords=_first(paper.keywords for paper in fullest) or (),
    )


def _with_own_ids(papers: Iterable[Paper]) -> Iterator[Paper]:
    """Papers none of which has another's id."""
    taken: set[str] = set()
    for paper in papers:
        while paper.paper_id in taken:
            paper = replace(paper, paper_id=f"{paper.paper_id}~{text_key(paper.text)[:8]}")
        taken.add(paper.paper_id)
        yield paper


def _place(paper: Paper) -> tuple[str, str, int, int]:
    first = paper.sources[0]
    return first.path, first.file, first.ordinal, first.line


def _fullness(paper: Paper) -> int:
    """How many fields of a record are filled."""
    fields = (paper.title, paper.url, paper.authors, paper.venue, paper.year, paper.status)
    return sum(map(bool, (*fields, paper.area, paper.keywords)))


def _rank_of_id(paper: Paper) -> tuple[int, str]:
    """Where a record's id stands among those of one paper: one made of the text comes last."""
    found = {scheme for scheme, id in identifiers(paper) if id == paper.paper_id}
    if found:
        return min(map(_SCHEMES.index, found)), paper.paper_id
    derived = paper.paper_id == paper_id(None, None, paper.text)
    return len(_SCHEMES) + derived, paper.paper_id


def _first(values: Iterable[_T | None]) -> _T | None:
    return next((value for value in values if value), None)


def _distinct(sources: Iterable[Source]) -> tuple[Source, ...]:
    """Sources in order without doubles; equal paths below two folders are two places."""
    places = {
        (source.file or source.path, source.ordinal, source.line): source for source in sources
    }
    return tuple(places.values())


def _versions(one: Paper, other: Paper) -> bool:
    """Whether two papers with one id or title are versions of each other."""
    if one.paper_id == other.paper_id and _same_title(one, other):
        return True
    return _overlap(_words(one.text), _words(other.text)) >= SAME_PAPER_OVERLAP


def _same_title(one: Paper, other: Paper) -> bool:
    return bool(one.title and other.title) and text_key(one.title or "") == text_key(
        other.title or ""
    )


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))
