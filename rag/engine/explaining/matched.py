"""What a list, a count or a search for a paper was matched by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rag.engine.explaining.values import Matched
from rag.engine.explaining.words import phrase_in
from rag.engine.listing.members import members
from rag.engine.listing.wish import wish
from rag.engine.quoting import Considered
from rag.retrieve.matching import Matcher, Unit, matcher

KINDS = ("list", "count", "find")


@dataclass(frozen=True, slots=True)
class Listing:
    """``said`` and ``meant`` are the rows of the listed papers that say it, or only mean it; none
    where nothing is asked for that they could say."""

    matched: Matched
    said: frozenset[int]
    meant: frozenset[int]
    units: tuple[Unit, ...]
    texts: Matcher

    def words_in(self, row: int, start: int, end: int) -> list[str]:
        """What was asked for and stands in a stretch of a paper's abstract."""
        return [
            unit.spelt
            for unit in self.units
            if any(start <= spot < end for spot in self.texts.spots(unit, row))
        ]


def listing(considered: Considered) -> Listing | None:
    """None for a question that asks for no papers."""
    if considered.question.kind not in KINDS:
        return None
    retriever = considered.retriever
    wanted = wish(considered.question.wish)
    found, texts = members(retriever, wanted), matcher(retriever)
    rows = considered.listed.rows
    said = frozenset(row for row in rows if found.score[row] == 1)
    meant = frozenset(row for row in rows if 0 < found.score[row] < 1)
    left_out, denied = _without(texts, wanted.without, rows)
    units = (*found.units, *denied)
    forms: tuple[tuple[tuple[str, int], ...], ...]
    forms = tuple(_forms(considered, texts, unit) for unit in units)
    if wanted.release:
        given = f"{' or '.join(wanted.release.things)} given away"
        forms = (*forms, ((given, len(found.places)),))
    beside = len(rows) - len(said) - len(meant)
    matched = Matched(forms, left_out, len(said), len(meant), beside)
    return Listing(matched, said if units else frozenset(), meant, units, texts)


def _without(
    texts: Matcher, refused: Sequence[str], rows: Sequence[int]
) -> tuple[tuple[str, ...], tuple[Unit, ...]]:
    """The notions that no listed paper has, and the units of those that the listed ones have, to
    say that they do without them."""
    matches = {notion: texts.match(notion) for notion in refused}
    denied = {n: match for n, match in matches.items() if match and match.literal[[*rows]].any()}
    units = tuple(unit for match in denied.values() for unit in match.units)
    return tuple(notion for notion in refused if notion not in denied), units


def _forms(considered: Considered, texts: Matcher, unit: Unit) -> tuple[tuple[str, int], ...]:
    """Each form of a unit as the papers write it, with how many have it, the asked one first."""
    found: dict[str, int] = {unit.spelt: 0}
    for form in unit.forms:
        having = np.flatnonzero(texts.holding(replace(unit, forms=(form,))))
        written = _written(considered, having.tolist(), form) or unit.spelt
        name = unit.spelt if written.casefold() == unit.spelt.casefold() else written
        found[name] = found.get(name, 0) + len(having)
    return tuple((name, papers) for name, papers in found.items() if papers) or ((unit.spelt, 0),)


def _written(considered: Considered, rows: Sequence[int], form: Sequence[str]) -> str | None:
    papers = (considered.retriever.snapshot.paper(row) for row in rows)
    return next(filter(None, (phrase_in(paper, form) for paper in papers)), None)
