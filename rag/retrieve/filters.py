"""Which papers a question is put to: by author, area, venue, status, year or id.

Unless a status or papers are named, those that were not accepted are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from rag.corpus.status import NOT_ACCEPTED, STATUSES, status_of, unaccepted
from rag.errors import QuestionError
from rag.retrieve.people import wrote
from rag.types import Paper

if TYPE_CHECKING:
    from rag.store.snapshot import Snapshot

SHOWN = 20
"""Values of a field that are named to whoever asked for another one."""
LIKE = 70
"""Of 100: how like a value has to be to be proposed."""
LEAST_PART = 3
"""Letters that may be found in almost anything."""
ALL = "all"
"""As a status: whatever became of the papers."""
YEARS = re.compile(r"(?P<from>\d{1,4})?\s*(?P<to>[-–]\s*(\d{1,4})?)?")
"""A year, or the first and the last of several, either of which may be open."""
_FIELDS = ("author", "area", "venue", "status", "year")


@dataclass(frozen=True, slots=True)
class Filters:
    """Every field that is set must match: years, ids and the known statuses exactly, authors by
    their names or parts of them, the others as a part of the value, in any case. Several ids mean
    any of them. The status ``ALL`` matches any, ``accepted`` every one of an accepted paper. A
    year may be several: "2029-2031", "2029-" or "-2031"."""

    area: str | None = None
    venue: str | None = None
    status: str | None = None
    year: int | str | None = None
    papers: tuple[str, ...] = ()
    author: str | None = None

    def __bool__(self) -> bool:
        return self != Filters()

    @property
    def only_accepted(self) -> bool:
        """Whether papers that were not accepted are left out."""
        return self.status is None and not self.papers

    def __and__(self, other: Filters) -> Filters:
        """These, and those of the other for the fields that these leave open."""
        open_ = {name: getattr(other, name) for name in _FIELDS if getattr(self, name) is None}
        return replace(self, **open_)

    def match(self, paper: Paper) -> bool:
        """Whether a paper passes."""
        texts = ((self.area, paper.area), (self.venue, paper.venue))
        return (
            all(want is None or want.casefold() in (have or "").casefold() for want, have in texts)
            and (self.status is None or _has_status(self.status, paper.status))
            and (self.year is None or _is_of(paper.year, self.year))
            and (self.author is None or wrote(self.author, paper.authors))
            and (not self.papers or paper.paper_id in self.papers)
        )

    def rows(self, papers: Iterable[Paper]) -> list[int]:
        """Rows of the papers that pass. Raises QuestionError if none does, or an id is of none:
        it says which value no paper has, which is nearest and which there are."""
        if self.year is not None:
            span(self.year)
        everything = list(papers)
        left_out = set(unaccepted([p.status for p in everything]) if self.only_accepted else ())
        found = [row for row, paper in enumerate(everything) if self.match(paper)]
        rows = [row for row in found if row not in left_out]
        known = {paper.paper_id for paper in everything}
        unknown = [paper_id for paper_id in self.papers if paper_id not in known]
        if unknown:
            raise _no_such_paper(unknown[0], everything)
        if not rows:
            raise _none_accepted(len(found)) if found else self._nothing_passes(everything)
        return rows

    def _nothing_passes(self, papers: Sequence[Paper]) -> QuestionError:
        """For the first field whose value no paper has, else for all of them together."""
        for name in _FIELDS:
            wanted = getattr(self, name)
            if wanted is not None and not any(map(Filters(**{name: wanted}).match, papers)):
                values = {value for paper in papers for value in values_of(paper, name)}
                message = f"No paper has {name} {str(wanted)!r}."
                return QuestionError(message, _hint(name, str(wanted), values))
        return QuestionError("No paper passes all of the filters.", "leave one of them out")


def values_of(paper: Paper, field: str) -> tuple[str, ...]:
    """What a paper has in a field: it may have several authors, and nothing in any field."""
    if field == "author":
        return paper.authors
    value = getattr(paper, field)
    return () if value is None else (str(value),)


@lru_cache(maxsize=64)
def span(year: int | str) -> tuple[int, int]:
    """The first and the last of the years that are meant. Raises QuestionError for anything
    else than years."""
    written = str(year).strip()
    found = YEARS.fullmatch(written)
    if not found or not any(map(str.isdigit, written)):
        raise QuestionError(
            f"{written!r} is no year.", "give one as 2031, or several as 2029-2031, 2029- or -2031"
        )
    first, last = found["from"], found[3] if found["to"] else found["from"]
    return int(first or 0), int(last or 9999)


def _is_of(year: int | None, wanted: int | str) -> bool:
    first, last = span(wanted)
    return year is not None and first <= year <= last


def passing(snapshot: Snapshot, filters: Filters | None) -> Sequence[int]:
    """The rows that the filters let pass; raises QuestionError if none of some papers does."""
    if filters and filters != Filters(status=ALL):
        return filters.rows(snapshot.papers())
    if filters or not snapshot.unaccepted:
        return range(len(snapshot))
    return [row for row in range(len(snapshot)) if row not in snapshot.unaccepted]


def left_out(snapshot: Snapshot, filters: Filters | None) -> int:
    """How many papers are left out for not having been accepted."""
    return len(snapshot.unaccepted) if (filters or Filters()).only_accepted else 0


def told_left_out(snapshot: Snapshot, filters: Filters | None) -> str:
    """Which papers count and how many do not, and how they would; nothing where all count."""
    count = left_out(snapshot, filters)
    if not count:
        return ""
    others = "1 other is" if count == 1 else f"{count:,} others are"
    return f"Of {len(snapshot) - count:,} accepted papers; {others} left out: --status all"


def _has_status(wanted: str, status: str | None) -> bool:
    known = status_of(wanted) or wanted
    if wanted.casefold() == ALL:
        return True
    if known == "accepted":
        return status not in NOT_ACCEPTED
    if known in STATUSES:
        return status_of(status) == known
    return known.casefold() in (status or "").casefold()


def _none_accepted(count: int) -> QuestionError:
    papers = "1 paper does, which was" if count == 1 else f"{count:,} papers do, which were"
    return QuestionError(f"No accepted paper passes the filters; {papers} not.", "--status all")


def _hint(name: str, wanted: str, values: Iterable[str]) -> str:
    """The nearest of a field's values and, up to a length, the others."""
    known = sorted(values)
    if not known:
        return f"leave --{name} out: none of the papers has one"
    close = nearest(wanted, known)
    others = "; ".join(known[:SHOWN]) + (f"; and {len(known) - SHOWN} more" * (len(known) > SHOWN))
    meant = f"did you mean {close[0]!r}? " if close else ""
    return f"{meant}--{name} can be: {others}"


def _no_such_paper(paper_id: str, papers: Sequence[Paper]) -> QuestionError:
    """For an id that is of no paper: the ids that look like it, or whose papers are called so."""
    ids = {paper.handle: paper.paper_id for paper in papers}
    ids |= {paper.paper_id: paper.paper_id for paper in papers}
    close = dict.fromkeys(ids[name] for name in nearest(paper_id, list(ids)))
    meant = f"did you mean {' or '.join(close)}? " if close else ""
    fix = f"{meant}rag list shows the papers and their ids"
    return QuestionError(f"No paper has the id {paper_id!r}.", fix)


def nearest(wanted: str, known: Sequence[str], limit: int = 3) -> list[str]:
    """The values most like a misspelt one, best first, ties in the order given; it may be none.
    A part of a value counts as the whole of it."""
    from rapidfuzz import fuzz, process, utils

    found = process.extract(
        wanted,
        known,
        scorer=fuzz.partial_ratio if len(wanted) > LEAST_PART else fuzz.ratio,
        processor=utils.default_process,
        limit=limit,
        score_cutoff=LIKE,
    )
    return [value for value, *_ in found]
