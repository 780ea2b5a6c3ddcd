"""Records of one paper from several places become one Paper.

Knows nothing about files or the store: it compares ids, titles and texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from rag.corpus.identity import paper_id, text_key
from rag.types import Paper, Source

SAME_PAPER_OVERLAP = 0.3
"""Least Jaccard overlap of the words of two texts with one id that are one paper: revisions
of an abstract lie far above it, unrelated abstracts of one field well below."""

_T = TypeVar("_T")
_WORD = re.compile(r"\w+")


def merge(records: Iterable[Paper]) -> list[Paper]:
    """One Paper per paper, in order of first appearance; linear in the number of records.

    Records with an equal ``text_key`` are one paper. So are records with an equal
    ``paper_id`` if their titles are equal or their texts overlap; otherwise the id was used
    twice, and the later paper becomes ``ID~xxxxxxxx`` (8 hex digits of its text key) so that
    nothing is lost. The first non-empty value of each field wins, all sources are kept.
    """
    by_text: dict[str, list[Paper]] = {}
    for record in records:
        by_text.setdefault(text_key(record.text), []).append(record)
    by_id: dict[str, list[Paper]] = {}
    for key, group in by_text.items():
        paper = _fold(group, text_of=group[0])
        while paper.paper_id in by_id and not _same_paper(by_id[paper.paper_id][0], paper):
            paper = replace(paper, paper_id=f"{paper.paper_id}~{key[:8]}")
        by_id.setdefault(paper.paper_id, []).append(paper)
    # With one id the texts are versions of one abstract, and the longer one says more.
    return [_fold(group, text_of=max(group, key=_text_length)) for group in by_id.values()]


def _fold(group: Sequence[Paper], text_of: Paper) -> Paper:
    """One Paper of all: the text of ``text_of``, else the first non-empty of each field."""
    if len(group) == 1:
        return text_of
    named = (paper.paper_id for paper in group if not _is_text_derived(paper))
    return replace(
        text_of,
        paper_id=next(named, group[0].paper_id),
        sources=_distinct(source for paper in group for source in paper.sources),
        title=_first(paper.title for paper in group),
        url=_first(paper.url for paper in group),
        authors=_first(paper.authors for paper in group) or (),
        venue=_first(paper.venue for paper in group),
        year=_first(paper.year for paper in group),
        status=_first(paper.status for paper in group),
        area=_first(paper.area for paper in group),
        keywords=_first(paper.keywords for paper in group) or (),
    )


def _first(values: Iterable[_T | None]) -> _T | None:
    return next((value for value in values if value), None)


def _distinct(sources: Iterable[Source]) -> tuple[Source, ...]:
    """Sources in order without doubles; equal paths below two folders are two places."""
    places = {
        (source.file or source.path, source.ordinal, source.line): source for source in sources
    }
    return tuple(places.values())


def _is_text_derived(paper: Paper) -> bool:
    return paper.paper_id == paper_id(None, None, paper.text)


def _text_length(paper: Paper) -> int:
    return len(paper.text)


def _same_paper(one: Paper, other: Paper) -> bool:
    """Whether two papers with one id are versions of each other rather than a clash of ids."""
    if one.title and other.title and text_key(one.title) == text_key(other.title):
        return True
    ours, theirs = _words(one.text), _words(other.text)
    return len(ours & theirs) >= SAME_PAPER_OVERLAP * len(ours | theirs)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))
