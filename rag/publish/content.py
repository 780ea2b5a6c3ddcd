"""What all formats of a digest say alike: its sentences about itself, its order, its links.

Knows digests; knows no markup. Texts from papers pass through ``shown`` before they are shown.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rag.types import Change, Citation, Coverage, Digest, Entry, MadeFrom, Paper

_LINK = re.compile(r"https?://[^\s<>\\\"'`{}|^]+", re.IGNORECASE)
_INVISIBLE = "\u00ad\u200b\u200c\u200d"
"""Soft hyphen, zero-width space and joiners: harmless, and Persian and emoji need them."""
CHANGES = {"new": "New", "gone": "Gone", "changed": "Changed", "moved": "Moved"}
"""The kinds of a change in the order in which they are told."""
UNSUPPORTED = "not supported by its quotes"


@dataclass(frozen=True, slots=True)
class Shelf:
    """The entries of one group in their order, or all that are in no group."""

    name: str
    terms: tuple[str, ...]
    entries: tuple[Entry, ...]


def shown(text: str) -> str:
    """The text with a visible stand-in for each character that could steer what shows it, such
    as an escape or a change of direction. It is as long as before: offsets still hold."""
    return text if text.isprintable() else "".join(map(_shown, text))


def _shown(character: str) -> str:
    if character.isprintable() or character in _INVISIBLE:
        return character
    spacing = character.isspace() or unicodedata.category(character) == "Zs"
    return " " if spacing else "\ufffd"


def link(url: str | None) -> str | None:
    """The address if it is one of the web that no format can misread, else None."""
    return url if url and url.isprintable() and _LINK.fullmatch(url) else None


def shelves(digest: Digest) -> list[Shelf]:
    """Every entry once: by the first group that names it, then those that are in no group."""
    left = {entry.paper.paper_id: entry for entry in digest.entries}
    found = []
    for group in digest.groups:
        entries = tuple(left.pop(id) for id in group.paper_ids if id in left)
        if entries:
            found.append(Shelf(group.name, group.terms, entries))
    if left:
        name = "Other papers" if found else "Papers"
        found.append(Shelf(name, (), tuple(left.values())))
    return found


def names(digests: Iterable[Digest]) -> dict[str, str]:
    """The name of every paper that a digest lists, leaves out or saw change, by its id."""
    found: dict[str, str] = {}
    for digest in digests:
        found |= {omission.paper_id: omission.title for omission in digest.omitted}
        found |= {change.paper_id: change.title for change in digest.changes or ()}
        found |= {entry.paper.paper_id: entry.paper.name for entry in digest.entries}
    return found


def cited(digest: Digest) -> dict[str, list[Citation]]:
    """All that a digest quotes of each paper, by its id, in the order of the text, once each."""
    found: dict[str, dict[tuple[int, int], Citation]] = {}
    statements = [citation for statement in digest.overview for citation in statement.citations]
    lines = [citation for entry in digest.entries for citation in entry.citations]
    figures = [finding.citation for finding in digest.findings]
    for citation in statements + lines + figures:
        found.setdefault(citation.paper_id, {})[citation.start, citation.end] = citation
    return {id: [spans[key] for key in sorted(spans)] for id, spans in found.items()}


def facts(paper: Paper, topic: str) -> list[str]:
    """Where and when a paper appeared, and its state and field, but for what its topic says."""
    year = str(paper.year) if paper.year and str(paper.year) not in (paper.venue or "") else None
    known = (paper.venue, year, paper.status, paper.area)
    return [fact for fact in known if fact and fact.casefold() != topic.casefold()]


def coverage_sentence(coverage: Coverage) -> str:
    """How much of what was searched is listed."""
    searched = count(coverage.population, "paper")
    if coverage.matched:
        told = f"Listed: {coverage.listed:,} of {coverage.matched:,} that match, among {searched}."
    else:
        told = f"Nothing among {searched} is about this."
    return f"{told} Near, but left out: {coverage.omitted:,}." if coverage.omitted else told


def unnamed(digest: Digest) -> str:
    """How many papers were left out without being named here, or nothing."""
    more = digest.coverage.omitted - len(digest.omitted)
    return f"and {more:,} more" if more > 0 else ""


def told(changes: Sequence[Change]) -> list[tuple[str, list[Change]]]:
    """Changes by kind, each kind with its name; kinds without any are left out."""
    kinds = [(name, [c for c in changes if c.kind == kind]) for kind, name in CHANGES.items()]
    return [(name, found) for name, found in kinds if found]


def made_from_rows(made_from: MadeFrom) -> list[tuple[str, str]]:
    """What a digest depends on, as names and values."""
    rows = [
        ("corpus", made_from.corpus),
        ("engine", made_from.engine),
        ("model", made_from.model or ""),
        ("prompts", ", ".join(made_from.prompts)),
        *((name, str(made_from.settings[name])) for name in sorted(made_from.settings)),
    ]
    return [(name, value) for name, value in rows if value]


def count(number: int, noun: str) -> str:
    """1 paper, 2 papers."""
    return f"{number:,} {noun}{_s(number)}"


def _s(number: int) -> str:
    return "" if number == 1 else "s"
