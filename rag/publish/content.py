"""What all formats of a digest say alike: its sentences about itself, its order, its links.

Knows digests; knows no markup. Texts from papers pass through ``shown`` before they are shown.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rag.types import Change, Citation, Digest, Entry, Finding, MadeFrom, OpenEnd, Paper

_LINK = re.compile(r"https?://[^\s<>\\\"'`{}|^]+", re.IGNORECASE)
_INVISIBLE = "\u00ad\u200b\u200c\u200d"
"""Soft hyphen, zero-width space and joiners: harmless, and Persian and emoji need them."""
CHANGES = {"new": "New", "gone": "Gone", "changed": "Changed", "moved": "Moved"}
"""The kinds of a change in the order in which they are told."""
UNSUPPORTED = "not supported by its quotes"
MARKERS = 10
"""How many papers are named at most where a list of them would be too long to read."""


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
            found.append(Shelf(group.name, _telling(group.terms, group.name), entries))
    if left:
        name = "Other papers" if found else "Papers"
        found.append(Shelf(name, (), tuple(left.values())))
    return found


def _telling(terms: Iterable[str], heading: str) -> tuple[str, ...]:
    """The terms that the heading does not say already, whatever their case and number."""
    return tuple(term for term in terms if f" {_plain(term)} " not in f" {_plain(heading)} ")


def _plain(text: str) -> str:
    return " ".join(word.removesuffix("s") for word in re.findall(r"\w+", text.casefold()))


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


def coverage_sentence(digest: Digest) -> str:
    """How much of what was searched is on the topic, is listed and comes near."""
    coverage = digest.coverage
    kind = "accepted paper" if coverage.left_out else "paper"
    matched, searched = coverage.matched, count(coverage.population, kind)
    verb = "is" if matched == 1 else "are"
    if not matched:
        alone = coverage.population == 1
        none = f"The one {kind} searched is not" if alone else f"None of {searched} is"
        told = f"{none} on this topic"
    elif not coverage.omitted and all(entry.relevance == 1 for entry in digest.entries):
        told = f"{matched:,} of {searched}"  # of a field or a group: nothing was weighed
    else:
        told = f"{matched:,} of {searched} {verb} on this topic"
    if coverage.listed < matched:
        told += f", and {coverage.listed:,} of them listed here"
    if coverage.omitted:
        more = f"{coverage.omitted:,}{' more' if matched else ''}"
        told += f"; {more} {'comes' if coverage.omitted == 1 else 'come'} near"
    return f"{told}.{f' {left_out_sentence(coverage.left_out)}' if coverage.left_out else ''}"


def left_out_sentence(papers: int) -> str:
    """That papers were not looked at, and how they would be."""
    verb = "is" if papers == 1 else "are"
    return f"{papers:,} not accepted {verb} left out (--status all)."


def unnamed(digest: Digest) -> str:
    """How many papers were left out without being named here, or nothing."""
    more = digest.coverage.omitted - len(digest.omitted)
    return f"and {more:,} more" if more > 0 else ""


def told(changes: Sequence[Change]) -> list[tuple[str, list[Change]]]:
    """Changes by kind, each kind with its name; kinds without any are left out."""
    kinds = [(name, [c for c in changes if c.kind == kind]) for kind, name in CHANGES.items()]
    return [(name, found) for name, found in kinds if found]


def silent(digest: Digest, end: OpenEnd) -> tuple[list[Entry], str]:
    """The first entries of the papers that leave something open, and how many others there are."""
    entries = {entry.paper.paper_id: entry for entry in digest.entries}
    found = [entries[id] for id in end.paper_ids if id in entries]
    more = len(found) - MARKERS
    return found[:MARKERS], f"and {count(more, 'other')}" if more > 0 else ""


def by_paper(findings: Iterable[Finding]) -> list[tuple[str, list[Finding]]]:
    """Figures with the ids of their papers, in the order of the first of each."""
    found: dict[str, list[Finding]] = {}
    for finding in findings:
        found.setdefault(finding.paper_id, []).append(finding)
    return list(found.items())


def quotes(entry: Entry) -> list[str]:
    """What an entry quotes, once each, but for what its line says word for word."""
    found = dict.fromkeys(citation.quote for citation in entry.citations)
    return [quote for quote in found if quote != entry.line]


def made_from_rows(made_from: MadeFrom) -> list[tuple[str, str]]:
    """What a digest depends on, as names and values."""
    rows = [
        ("corpus", made_from.corpus),
        ("engine", made_from.engine),
        ("model", made_from.model or ""),
        ("prompts", ", ".join(made_from.prompts)),
        *((name, _plainly(made_from.settings[name])) for name in sorted(made_from.settings)),
    ]
    return [(name, value) for name, value in rows if value]


def _plainly(value: Any) -> str:
    """A setting as people write it; nothing for one that is not set."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(_plainly, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def count(number: int, noun: str) -> str:
    """1 paper, 2 papers."""
    return f"{number:,} {noun}{_s(number)}"


def _s(number: int) -> str:
    return "" if number == 1 else "s"
