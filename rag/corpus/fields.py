"""A mapping of field names to values, as exports have them, becomes a record.

Knows the names that fields go by, in the languages that we met them in, and how their values are
written; knows no file format.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import TypeVar

from rag.corpus.identity import arxiv_of, doi_of
from rag.corpus.naming import in_force, squashed
from rag.corpus.record import NO_ABSTRACT, RawRecord, reject
from rag.types import Rejection

_NAMES: dict[str, tuple[str, ...]] = {
    field: tuple(names.split())
    for field, names in {
        "abstract": "abstract abstracts abstracttext abstractnote summary notesabstract"
        " originalabstract text description zusammenfassung kurzfassung résumé resume resumen"
        " resumo riassunto samenvatting sammanfattning аннотация реферат 摘要 要旨 要約 초록",
        "title": "title primarytitle articletitle papertitle documenttitle originaltitle headline"
        " titel titre título titulo titolo название заглавие 标题 題名 标题名称 タイトル 제목",
        "id": "id paperid forum openreviewid corpusid pmid accessionnumber eid",
        "doi": "doi articledoi digitalobjectidentifier",
        "arxiv": "arxiv arxivid eprint",
        "url": "url urls link links site openreviewurl forumurl paperurl pageurl openurllink"
        " absurl abs pdf pdflink pdfurl",
        "authors": "authors author authornames authorfullnames firstauthors creators autoren"
        " auteurs autores autori авторы 作者 著者 저자",
        "venue": "venue conference journal journalname publication sourcetitle booktitle"
        " publicationtitle containertitle secondarytitle zeitschrift revue revista 期刊 会议",
        "year": "year publicationyear pubyear date published publicationdate updated issued jahr"
        " année año ano anno год 年 年份",
        "status": "status decision presentation presentationtype venueid",
        "area": "area primaryarea track primarycategory subjectarea category categories",
        "keywords": "keywords keyword authorkeywords tags subjects schlagwörter motsclés"
        " palabrasclave 关键词 キーワード",
    }.items()
}
"""Field → its names without spaces, marks and capitals, the plainest first."""

_T = TypeVar("_T")
_WRAPPINGS = ("content", "externalids")
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
_AND = re.compile(r"\s+and\s+|\s*,\s*and\s+", re.IGNORECASE)
_ARRAY = re.compile(r"""\[\s*(?:'[^']*'|"[^"]*")(?:\s*,\s*(?:'[^']*'|"[^"]*"))*\s*\]""")
"""A list of texts as a program prints it, in one cell of a table."""
_MEMBER = re.compile(r"""'([^']*)'|"([^"]*)\"""")


def record_from(fields: Mapping[str, object], line: int) -> RawRecord | Rejection:
    """The record that ``fields`` describe, or why they describe none.

    Names match whatever their case, spaces and marks. The abstract must be text or a list of
    texts (its sentences); every other value of a wrong type is converted or ignored. Line 0
    is for who only tries: that file's names are not remembered.
    """
    named = _named(fields)
    if line:
        in_force().meet(fields, named)
    abstract = _first(named, "abstract", _prose)
    if abstract is None:
        return reject(line, _why_no_abstract(_first(named, "abstract", _json_type), fields))
    doi = _first_text(named, "doi") or ""
    return RawRecord(
        line=line,
        abstract=abstract,
        id=_first_text(named, "id"),
        title=_first_text(named, "title"),
        url=_first_text(named, "url") or _doi_link(doi),
        doi=doi_of(doi),
        arxiv=arxiv_of(_first_text(named, "arxiv")),
        authors=_first_list(named, "authors"),
        venue=_first_text(named, "venue"),
        year=_first(named, "year", _year),
        status=_first_text(named, "status"),
        area=_first_text(named, "area"),
        keywords=_first_list(named, "keywords"),
    )


def knows(name: str) -> bool:
    """Whether some field goes by a name: by two or more such names a header is known."""
    return is_usual(name) or squashed(name) in in_force().told.values()


def is_usual(name: str) -> bool:
    """The same without what a person told of the file at hand."""
    return squashed(name) in _KNOWN


FIELDS = tuple(_NAMES)
"""Our fields, the abstract first."""
_KNOWN = frozenset(chain.from_iterable(_NAMES.values()))


def _named(fields: Mapping[str, object]) -> dict[str, object]:
    """Values by squashed name, out of the wrappings of OpenReview: {"content": {"title":
    {"value": …}}}, and Semantic Scholar: {"externalIds": {"DOI": …}}. The first of equal names
    counts."""
    named: dict[str, object] = {}
    for name, value in fields.items():
        named.setdefault(squashed(str(name)), _unwrapped(value))
    for wrapping in _WRAPPINGS:
        if isinstance(inner := named.get(wrapping), dict):
            named = {**_named(inner), **named}
    return named


def _unwrapped(value: object) -> object:
    return value["value"] if isinstance(value, dict) and "value" in value else value


def _first(
    named: Mapping[str, object], field: str, made_of: Callable[[object], _T | None]
) -> _T | None:
    """What can be made of a field under the first of its names for which it can."""
    names = in_force()
    for name in names.names_of(field, _NAMES[field], named):
        value = named.get(name)
        if not _is_empty(value) and (made := made_of(value)):
            names.take(field, name)
            return made
    return None


def _is_empty(value: object) -> bool:
    return not value.strip() if isinstance(value, str) else value in (None, [], {})


def _prose(value: object) -> str | None:
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return " ".join(value).strip() or None
    return value if isinstance(value, str) else None


def _why_no_abstract(given: str | None, fields: Mapping[str, object]) -> str:
    if given:
        return f"the abstract is not text but {given}"
    return f"{NO_ABSTRACT} (keys: {', '.join(map(str, fields)) or 'none'})"


def _json_type(value: object) -> str:
    if isinstance(value, bool):
        return "true or false"
    names = {list: "a list", dict: "an object", int: "a number", float: "a number"}
    return names.get(type(value), "something else")


def _first_text(named: Mapping[str, object], field: str) -> str | None:
    return _first(named, field, _text)


def _text(value: object) -> str | None:
    """Text and numbers as text; lists joined; what has no readable form is no text."""
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, list):
        return ", ".join(filter(None, map(_text, value))) or None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return None


def _first_list(named: Mapping[str, object], field: str) -> tuple[str, ...]:
    return _first(named, field, _list) or ()


def _list(value: object) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(filter(None, map(_name, value)))
    text = _text(value)
    if not text:
        return ()
    if _ARRAY.fullmatch(text):
        return tuple(one or other for one, other in _MEMBER.findall(text))
    return tuple(part.strip() for part in _split(text) if part.strip())


def _name(value: object) -> str | None:
    """A name, also in its parts: {"given": …, "family": …}."""
    if not isinstance(value, dict):
        return _text(value)
    parts: Iterable[object] = (value.get("given"), value.get("family"))
    return _text(value.get("name")) or " ".join(filter(None, map(_text, parts))) or None


def _split(text: str) -> list[str]:
    """Parts of a written list. Where semicolons or "and" part names, commas may be inside."""
    if ";" in text:
        return text.split(";")
    parts = _AND.split(text)
    if len(parts) > 1 and all(part.count(",") == 1 for part in parts):
        return parts
    return [piece for part in parts for piece in part.split(",")]


def _year(value: object) -> int | None:
    """The first year in a date of any form: "2014//", {"date-parts": [[2020, 5]]}."""
    if isinstance(value, dict):
        return next(filter(None, map(_year, value.values())), None)
    if isinstance(value, list):
        return next(filter(None, map(_year, value)), None)
    found = _YEAR.search(_text(value) or "")
    return int(found[0]) if found else None


def _doi_link(written: str) -> str | None:
    """A DOI as an address; in its place exports also have one of the publisher's."""
    doi = doi_of(written)
    return f"https://doi.org/{doi}" if doi else written if "://" in written else None
