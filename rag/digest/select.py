"""Which papers go into which digest: those on a topic, those with one value of a field, or those
of each topic that the corpus itself falls into."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rag.errors import QuestionError
from rag.retrieve.filters import Filters, left_out, passing
from rag.retrieve.hybrid import Retriever
from rag.store.snapshot import Snapshot
from rag.types import Omission, Paper

Field = Literal["area", "venue", "status", "year"]


@dataclass(frozen=True, slots=True)
class Pick:
    """A paper on a topic: its row and how surely it belongs there, in [0, 1]."""

    row: int
    relevance: float


@dataclass(frozen=True, slots=True)
class Selection:
    """The papers of one digest, best first. ``population`` is how many were looked at,
    ``omitted_count`` how many of these matched in part, of which ``omitted`` names the nearest;
    ``left_out`` how many others were not looked at for not having been accepted."""

    topic: str
    picks: tuple[Pick, ...]
    population: int
    omitted: tuple[Omission, ...] = ()
    omitted_count: int = 0
    terms: tuple[str, ...] = ()
    central: tuple[int, ...] = ()
    left_out: int = 0

    @property
    def rows(self) -> list[int]:
        return [pick.row for pick in self.picks]


def on_topic(
    retriever: Retriever, topic: str, filters: Filters | None, floor: float | None
) -> Selection:
    """The papers on a topic in a user's words; raises QuestionError for a topic without any."""
    from rag.topics.membership import FLOOR, members

    found = members(retriever, topic, filters, FLOOR if floor is None else floor)
    picks = tuple(Pick(match.row, match.relevance) for match in found.matched)
    omitted = tuple(
        _omission(retriever.snapshot.paper(match.row), match.reason, match.relevance)
        for match in found.omitted
    )
    others = left_out(retriever.snapshot, filters)
    return Selection(topic, picks, found.population, omitted, found.omitted_count, left_out=others)


def by_field(snapshot: Snapshot, field: Field, filters: Filters | None) -> list[Selection]:
    """A selection for each value of a field, largest first, years in order; papers without one
    come last.

    Raises QuestionError where no paper has a value.
    """
    rows = passing(snapshot, filters)
    values = {row: _value(snapshot.paper(row), field) for row in rows}
    if rows and not any(values.values()):
        message = f"None of the {len(rows):,} papers has a value for {field}."
        raise QuestionError(message, "rag digest --auto finds the topics in the abstracts")
    parts: dict[str, list[int]] = {}
    for row, value in values.items():
        parts.setdefault(value, []).append(row)
    size = {value: 0 if field == "year" else -len(rows) for value, rows in parts.items()}
    order = sorted(parts, key=lambda value: (not value, size[value], value))
    others = left_out(snapshot, filters)
    return [
        Selection(value or f"no {field}", _sure(parts[value]), len(rows), left_out=others)
        for value in order
    ]


def by_cluster(snapshot: Snapshot, count: int | None, filters: Filters | None) -> list[Selection]:
    """A selection for each topic that the papers fall into, largest first."""
    from rag.topics.clusters import find_topics

    rows = passing(snapshot, filters)
    others = left_out(snapshot, filters)
    return [
        Selection(
            topic.name, _sure(topic.rows), len(rows), (), 0, topic.terms, topic.central, others
        )
        for topic in find_topics(snapshot, rows, count)
    ]


def renamed(found: Sequence[Selection], names: Iterable[str]) -> list[Selection]:
    """The selections under new names; one whose new name is taken keeps the old one."""
    taken = {selection.topic.casefold() for selection in found}
    named = []
    for selection, name in zip(found, names, strict=True):
        if name.casefold() not in taken:
            taken.add(name.casefold())
            selection = replace(selection, topic=name)
        named.append(selection)
    return named


def _value(paper: Paper, field: Field) -> str:
    value = getattr(paper, field)
    return " ".join(str(value).split()) if value is not None else ""


def _sure(rows: Sequence[int]) -> tuple[Pick, ...]:
    return tuple(Pick(row, 1.0) for row in rows)


def _omission(paper: Paper, reason: str, relevance: float) -> Omission:
    return Omission(paper.paper_id, paper.name, reason, relevance)
