"""Authors, areas, years, venues and decisions that a question names: "orals from 2031 by Kim".

They become filters where the corpus has the field with such a value and the words name it plainly;
else they stay words. Knows the values of fields, and no abstract.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable
from dataclasses import asdict, replace
from itertools import islice
from typing import NamedTuple

from rag.engine.listing.wish import PAPERS, bare
from rag.retrieve.filters import Filters
from rag.retrieve.people import wrote
from rag.types import Paper


class Values:
    """What the papers of a corpus have in their fields."""

    def __init__(self, papers: Iterable[Paper], unaccepted: Container[str] = ()) -> None:
        """``unaccepted`` are the ids of papers that count only where a status is asked for."""
        self._alike: dict[tuple[str, ...], list[Paper]] = {}
        self._authors: set[str] = set()
        for paper in papers:
            key = tuple(str(getattr(paper, field) or "") for field in _FIELDS)
            self._alike.setdefault(key, []).append(paper)
            self._authors.update(paper.authors)
        self._values = dict(zip(_FIELDS, map(set, zip(*self._alike, strict=True)), strict=False))
        self._unaccepted = unaccepted

    def wrote(self, name: str) -> bool:
        """Whether some paper's author is called so."""
        return wrote(name, self._authors)

    def has(self, field: str, name: str) -> bool:
        """Whether a name is a value of a field, or some whole words of one."""
        word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.I)
        return bool(name) and any(map(word.search, self._values.get(field, ())))

    def passing(self, filters: Filters) -> int:
        """How many papers pass."""
        fields = replace(filters, papers=(), author=None)
        own = Filters(papers=filters.papers, author=filters.author)
        lots = [papers for papers in self._alike.values() if fields.match(papers[0])]
        if filters.only_accepted:  # papers alike in all fields have one status
            lots = [papers for papers in lots if papers[0].paper_id not in self._unaccepted]
        return sum(own.match(paper) if own else True for papers in lots for paper in papers)


class Named(NamedTuple):
    """Where a question names a value of a field, and the words that take its place."""

    span: tuple[int, int]
    field: str
    value: str
    instead: str = ""
    known: bool = True
    """Whether some paper has it."""


_FIELDS = ("area", "venue", "status", "year")
_KIND = r"(?:research |subject |primary |topic )?(?:area|track|category)"
_IN = r"(?:in|from|of|within|under|by)"
_IN_AREA = re.compile(rf"\b{_IN} (?:the )?((?:(?!\b{_IN}\b)[^?.!]){{3,90}}?) {_KIND}\b", re.I)
_OF_AREA = re.compile(rf"\b(?:{_IN} )?(?:the )?{_KIND}(?: of\b|:)?\s*[\"“']?(?=\w)", re.I)
_NO_DATA = r"(?<!data )(?<!sets )(?<!news )(?<!texts )(?<!records )"
"""Before a year that is not the one of papers but of what they use."""
_YEAR = re.compile(
    rf"\b{PAPERS}(?: (?:(?:that|which) )?(?:were|are|appeared))?"
    r" (?:published |dated )?(?:from|in|of)(?: the year)? (?P<after>(?:19|20)\d\d)\b"
    rf"|\b(?P<before>(?:19|20)\d\d) (?={PAPERS}\b)"
    rf"|\b(?:published in|{_NO_DATA}from)(?: the year)?"
    r" ((?:19|20)\d\d)(?=\W*$)",
    re.I,
)
_HEAD = (
    r"^(?:(?:please|list|show|give|find|name|me|all|any|the|which|what|how many|are|there|of)\s+)*"
)
_DECISION = r"(oral|spotlight|poster|accepted|rejected|withdrawn)"
_PRESENTED = ("oral", "spotlight", "poster")
"""Decisions that mean nothing else where papers are asked for."""
_DECIDED = re.compile(
    rf"{_HEAD}(?P<plural>(oral|spotlight|poster)s|{_DECISION} (?:talks|presentations))\b"
    rf"|\b{_DECISION} (?={PAPERS}\b)"
    rf"|\b(?:accepted|presented|given|selected) as (?:an? )?{_DECISION}s?(?: {PAPERS})?\b"
    rf"|(?:(?<=\bare )|(?<=\bis )|(?<=\bwere ))(?P<end>(?:an? )?{_DECISION}s?)(?=\W*$)",
    re.I,
)
_NAME = r"(?-i:[A-Z][\w'’-]*\.?(?: (?:[A-Z][\w'’-]*\.?|de|del|der|di|la|van|von))*)"
_ET_AL = r"(?:,? et al\.?|(?:,? and| &) (?:others|colleagues|co-?authors))?"
_WROTE = r"(?:write|wrote|written|publish(?:ed)?|(?:co-?)?author(?:ed)?)"
_DID = rf"(?:did|do|does|has|have) (?P<did>{_NAME}){_ET_AL} {_WROTE}\b"
_AUTHOR = re.compile(
    rf"\b(?:{PAPERS}|{_WROTE})(?P<after>,? by (?P<by>{_NAME}){_ET_AL})(?!\w)"
    rf"|^(?P<which>(?:which|what) (?:{PAPERS} )?{_DID})"
    rf"|^(?P<any>{_DID.replace('<did>', '<had>')}) (?=any|some|a )"
    rf"|(?P<end> by (?P<last>{_NAME}){_ET_AL})(?=\W*$)",
    re.I,
)
"""Where an author is named, and what else is said there."""
_Y = r"(?:19|20)\d\d"
_RANGE = (
    rf"(?:(?:since|after|before|until|till|up to) {_Y}|between {_Y} and {_Y}"
    rf"|from {_Y} (?:onwards?|on(?=\W*$)|(?:to|until|till|through) {_Y})"
    rf"|(?:in |of |from )?{_Y} ?[-–] ?{_Y})"
)
_BOUND = re.compile(r"\b(?:before|after|until|till|up to)\b", re.I)
_YEARS = re.compile(
    rf"\b{PAPERS}(?P<after>(?: (?:that|which|are|were|appeared|published|dated))* {_RANGE})\b"
    rf"|\b(?P<published>(?:published|appeared) {_RANGE})\b"
    rf"|{_NO_DATA}\b(?P<end>{_RANGE})(?=\W*$)",
    re.I,
)
_VENUE = re.compile(
    r"\b(?:at|from|in) (?:the )?((?-i:[A-Z])[\w-]*(?: (?:(?-i:[A-Z])[\w-]*|(?:19|20)\d\d))*)", re.I
)
_ASKS_FOR_PAPERS = re.compile(
    rf"\b(?:{PAPERS}|area|track|category|(?:oral|spotlight|poster)s?|{_WROTE})\b"
    r"|\bof (?:them|these|those)\b",
    re.I,
)
_OF_THEM = re.compile(r"\b(?:them|these|those|ones)\b", re.I)
_OPEN = re.compile(r"\b(are|is|were)(?=\W*$)", re.I)
_GAP = re.compile(r" (?=[?.!,])")
MENTIONS = 4
"""Of areas in a question, at most."""
LONGEST = 14
"""Words of an area's name that are tried."""


def worded(question: str, values: Callable[[], Values]) -> tuple[str, Filters, list[str]]:
    """The question without the fields that it names in words, those as filters, and what to tell
    of those that no paper has: they say nothing of what papers are about either."""
    filters, lacking = Filters(), []
    if not _ASKS_FOR_PAPERS.search(question):
        return question, filters, []
    for read in (_author, _area, _decision, _venue, _years, _year):
        named = read(question, values)
        if named and not getattr(filters, named.field):
            (begin, end), field, value = named[:3]
            if named.known:
                filters = _with(filters, field, value)
            else:
                lacking.append(f"No paper here has the {field} “{value}”, so that was left out.")
            question = " ".join(f"{question[:begin]} {named.instead} {question[end:]}".split())
    return (_whole(question) if filters or lacking else question), filters, lacking


def _whole(question: str) -> str:
    """What is left of a question; where that is nothing, the question which papers there are."""
    if bare(question) or _OF_THEM.search(question):
        return _GAP.sub("", _OPEN.sub(r"\1 papers", question))
    return f"{'How many' if question.lower().startswith('how many') else 'Which'} papers are there?"


def _with(filters: Filters, field: str, value: str) -> Filters:
    if field == "year":
        return replace(filters, year=int(value) if value.isdigit() else value)
    if field == "author":
        return replace(filters, author=value)
    texts = {field: value}
    return filters & Filters(texts.get("area"), texts.get("venue"), texts.get("status"))


def remark(filters: Filters, passed: int, papers: int) -> str:
    """What the reader is told of filters that were read off the words."""
    named = [f"{name} “{value}”" for name, value in asdict(filters).items() if value]
    return f"Read as filters: {' and '.join(named)}, which {passed:,} of {papers:,} papers have."


def _author(question: str, values: Callable[[], Values]) -> Named | None:
    """Whoever wrote the papers; what else stands there is put so that it can stand alone."""
    for match in islice(_AUTHOR.finditer(question), MENTIONS):
        name = next(filter(None, match.group("by", "did", "had", "last")))
        known = values().wrote(name)
        place = next(g for g in ("after", "which", "any", "end") if match[g])
        if known or place != "end":
            instead = {"which": "Which papers are", "any": "Is there"}.get(place, "")
            return Named(match.span(place), "author", name, instead, known)
    return None


def _years(question: str, values: Callable[[], Values]) -> Named | None:
    match = _YEARS.search(question)
    if not match:
        return None
    place = next(g for g in ("after", "published", "end") if match[g])
    return Named(match.span(place), "year", _span(match[place]))


def _span(words: str) -> str:
    """The years that are meant, as filters have them."""
    first, *last = map(int, re.findall(_Y, words))
    if last:
        return f"{first}-{last[0]}"
    bound = _BOUND.search(words)
    match bound and bound[0].lower():
        case "before":
            return f"-{first - 1}"
        case "until" | "till" | "up to":
            return f"-{first}"
        case "after":
            return f"{first + 1}-"
        case _:
            return f"{first}-"


def _area(question: str, values: Callable[[], Values]) -> Named | None:
    for match in islice(_IN_AREA.finditer(question), MENTIONS):
        if values().has("area", match[1]):
            return Named(match.span(), "area", match[1])
    for match in islice(_OF_AREA.finditer(question), MENTIONS):
        tokens = [*re.finditer(r"[^\s\"”]+", question[match.end() :])][:LONGEST]
        for last in reversed(tokens):
            name = question[match.end() : match.end() + last.end()].strip(" ,.;:!?'’")
            if values().has("area", name):
                return Named((match.start(), match.end() + len(name)), "area", name)
    return None


def _decision(question: str, values: Callable[[], Values]) -> Named | None:
    """A decision is a status or a part of the venue; "orals" themselves are papers."""
    match = _DECIDED.search(question)
    if not match:
        return None
    name = re.findall(_DECISION, match.group(), re.I)[-1]
    field = next((f for f in ("status", "venue") if values().has(f, name)), None)
    if not field and name.lower() not in _PRESENTED:
        return None
    span = match.span("plural") if match["plural"] else match.span()
    instead = "papers" if match["plural"] else ""
    return Named(span, field or "status", name, instead, known=field is not None)


def _venue(question: str, values: Callable[[], Values]) -> Named | None:
    for match in _VENUE.finditer(question):
        if values().has("venue", match[1]):
            return Named(match.span(), "venue", match[1])
    return None


def _year(question: str, values: Callable[[], Values]) -> Named | None:
    for match in _YEAR.finditer(question):
        year = next(filter(None, match.groups()))
        field = next((f for f in ("year", "venue") if values().has(f, year)), None)
        plain = bool(match["after"] or match["before"])  # not just "from 2019" at the end
        if field or plain:
            instead = "papers" if match["after"] else ""
            return Named(match.span(), field or "year", year, instead, known=field is not None)
    return None
