"""Records of one paper from several places become one Paper.

Knows nothing about files or the store, and leaves to ``rag.corpus.alike`` when two records are of
one paper. What comes out does not depend on the order in which the records were read.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from rag.corpus.alike import COMPARED, Record, compatible, one_paper, reasons
from rag.corpus.copies import likely_copies
from rag.corpus.identity import identifiers, paper_id, text_key
from rag.corpus.status import NOT_ACCEPTED
from rag.types import Paper, Source

_T = TypeVar("_T")
_SCHEMES = ("openreview", "doi", "arxiv")
"""Whose ids are to be had, the best first."""


def merge(records: Iterable[Paper]) -> list[Paper]:
    """One Paper per paper, in the order of its first place; linear in the number of records.

    Records come together by an id, by the letters of a text, by an id of their own or a title,
    and as copies with small changes, the surest first; who joins a group has to fit all of it.
    Another paper with an id that is taken becomes ``ID~xxxxxxxx`` (8 hex digits of its text key)
    so that nothing is lost. Of each field the value of the fullest record wins, of texts the
    heaviest source's, of these the longest; all sources are kept.
    """
    ordered = sorted(records, key=_place)
    papers = [_fold(group) for group in _groups(ordered)]
    return list(_with_own_ids(sorted(papers, key=_place)))


def why_merged(papers: Iterable[Paper], records: Iterable[Paper]) -> dict[str, list[str]]:
    """For each paper with several sources, by its id, what ``records`` of it have in common."""
    several = [paper for paper in papers if len(paper.sources) > 1]
    id_at = {source.place: paper.paper_id for paper in several for source in paper.sources}
    found: dict[str, list[Paper]] = {paper.paper_id: [] for paper in several}
    for record in records:
        if id := id_at.get(record.sources[0].place):
            found[id].append(record)
    return {id: reasons(together) for id, together in found.items()}


def _groups(papers: Sequence[Paper]) -> list[list[Paper]]:
    records = list(map(Record, papers))
    groups = _Groups(records)
    groups.gather(lambda record: record.ids, sure=True)
    groups.gather(lambda record: [record.text])
    groups.gather(_own_keys)
    copies = {record.text: place for place, record in reversed(list(enumerate(records)))}
    places = sorted(copies.values())
    for one, other in likely_copies([papers[place].text for place in places]):
        groups.join(places[one], places[other])
    return [[papers[place] for place in group] for group in groups.members()]


def _own_keys(record: Record) -> Iterator[Hashable]:
    if record.own_id:
        yield "id", record.paper.paper_id
    if record.title and record.own_title:
        yield "title", record.title


class _Groups:
    """Records by their places, in groups that are each of one paper."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._records = records
        self._root = list(range(len(records)))
        self._unlike: dict[int, list[int]] = {}
        """Root → places of members that are compared differently, where it is not itself alone."""

    def gather(self, keys: Callable[[Record], Iterable[Hashable]], *, sure: bool = False) -> None:
        """Join records with a key in common. With each key a few that were not joined are
        remembered: a title or id may be that of several papers."""
        holders: dict[Hashable, list[int]] = {}
        for place, record in enumerate(self._records):
            for key in keys(record):
                known = holders.setdefault(key, [])
                if not any(self.join(held, place, sure=sure) for held in known):
                    known[COMPARED:] = []
                    known.append(place)

    def join(self, one: int, other: int, *, sure: bool = False) -> bool:
        """Whether two records are in one group, as they are now if they are of one paper and, if
        that is not ``sure``, all others of their groups can be, too."""
        ours, theirs = self._find(one), self._find(other)
        if ours == theirs:
            return True
        if not one_paper(self._records[one], self._records[other]):
            return False
        if not (sure or self._fit(ours, theirs)):
            return False
        first, second = sorted((ours, theirs))
        members = {self._records[i].look: i for r in (second, first) for i in self._some(r)}
        self._root[second] = first
        self._unlike[first] = sorted(members.values())[:COMPARED]
        self._unlike.pop(second, None)
        return True

    def members(self) -> list[list[int]]:
        """The places in each group, in order."""
        found: dict[int, list[int]] = {}
        for place in range(len(self._records)):
            found.setdefault(self._find(place), []).append(place)
        return list(found.values())

    def _fit(self, ours: int, theirs: int) -> bool:
        return all(
            compatible(self._records[one], self._records[other])
            for one in self._some(ours)
            for other in self._some(theirs)
        )

    def _some(self, root: int) -> list[int]:
        return self._unlike.get(root, [root])

    def _find(self, place: int) -> int:
        while self._root[place] != place:
            self._root[place] = self._root[self._root[place]]
            place = self._root[place]
        return place


def _fold(group: Sequence[Paper]) -> Paper:
    """One Paper of all records of a paper, which are in the order of their places."""
    if len(group) == 1:
        return group[0]
    fullest = sorted(group, key=_fullness, reverse=True)
    decided = _decided(fullest)
    published = [paper.doi for paper in fullest if paper.doi and "arxiv" not in paper.doi]
    return replace(
        max(fullest, key=_version),
        paper_id=min(group, key=_rank_of_id).paper_id,
        sources=_distinct(source for paper in group for source in paper.sources),
        title=_first(paper.title for paper in fullest),
        url=_first(paper.url for paper in fullest),
        doi=_first([*published, *(paper.doi for paper in fullest)]),
        arxiv=_first(paper.arxiv for paper in fullest),
        authors=_first(paper.authors for paper in fullest) or (),
        venue=_first(paper.venue for paper in decided),
        year=_first(paper.year for paper in decided),
        status=_status(decided),
        area=_first(paper.area for paper in fullest),
        keywords=_first(paper.keywords for paper in fullest) or (),
    )


def _decided(fullest: Sequence[Paper]) -> list[Paper]:
    """The records in the order in which they tell what became of the paper and where: one that
    was rejected may have been accepted by another venue, or published without such a status."""

    def rank(paper: Paper) -> int:
        if paper.status is None:
            return 1 if paper.venue else 3
        return 2 if paper.status in NOT_ACCEPTED else 0

    return sorted(fullest, key=rank)


def _status(decided: Sequence[Paper]) -> str | None:
    """What became of the paper at the venue that is told first."""
    venues = [text_key(paper.venue) if paper.venue else None for paper in decided]
    there = (None, venues[0])
    return _first(p.status for p, venue in zip(decided, venues, strict=True) if venue in there)


def _version(paper: Paper) -> tuple[int, int, str]:
    weight = max(source.weight for source in paper.sources)
    return weight, len(paper.text), paper.text


def _with_own_ids(papers: Iterable[Paper]) -> Iterator[Paper]:
    """Papers none of which has another's id."""
    taken: set[str] = set()
    for paper in papers:
        while paper.paper_id in taken:
            paper = replace(paper, paper_id=f"{paper.paper_id}~{text_key(paper.text)[:8]}")
        taken.add(paper.paper_id)
        yield paper


def _place(paper: Paper) -> tuple[str, str, int, int, str]:
    first = paper.sources[0]
    return first.path, first.file, first.ordinal, first.line, paper.text


def _fullness(paper: Paper) -> int:
    """How many fields of a record are filled."""
    fields = (paper.title, paper.url, paper.authors, paper.venue, paper.year, paper.status)
    return sum(map(bool, (*fields, paper.doi, paper.arxiv, paper.area, paper.keywords)))


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
    """Sources in order without doubles."""
    return tuple({source.place: source for source in sources}.values())
