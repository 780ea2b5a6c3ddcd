"""A mapping of field names to values, as exports have them, becomes a record.

Knows the names that fields go by, in the languages that we met them in, and how their values are
written; knows no file format.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from rag.corpus.identity import arxiv_of, doi_of
from rag.corpus.record import RawRecord, reject
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

_WRAPPINGS = ("content", "externalids")
_NOT_LETTER = re.compile(r"[\W_]+")
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
_AND = re.compile(r"\s+and\s+|\s*,\s*and\s+", re.IGNORECASE)
_ARRAY = re.compile(r"""\[\s*(?:'[^']*'|"[^"]*")(?:\s*,\s*(?:'[^']*'|"[^"]*"))*\s*\]""")
"""A list of texts as a program prints it, in one cell of a table."""
_MEMBER = re.compile(r"""'([^']*)'|"([^"]*)\"""")


def record_from(fields: Mapping[str, object], line: int) -> RawRecord | Rejection:
    """The record that ``fields`` describe, or why they describe none.

    Names match whatever their case, spaces and marks. The abstract must be text or a list of
    texts (its sentences); every other value of a wrong type is converted or ignored.
    """
    named = _named(fields)
    given = list(_values(named, "abstract"))
    abstract = next(filter(None, map(_prose, given)), None)
    if abstract is None:
        return reject(line, _why_no_abstract(given, fields))
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
        year=next(filter(None, map(_year, _values(named, "year"))), None),
        status=_first_text(named, "status"),
        area=_first_text(named, "area"),
        keywords=_first_list(named, "keywords"),
    )


def knows(name: str) -> bool:
    """Whether some field goes by a name: by two or more such names a header is known."""
    return squashed(name) in _KNOWN


def squashed(name: str) -> str:
    """A name as it is compared: letters and digits only, none of them capital."""
    return _NOT_LETTER.sub("", name.casefold())


_KNOWN = frozenset(chain.from_iterable(_NAMES.values()))


def _named(fields: Mapping[str, object]) -> dict[str, object]:
    """Values by squashed name, out of the wrappings of OpenReview: {"content": {"title":
    {"value": …}}}, and Semantic Scholar: {"externalIds": {"DOI": …}}. What CSL-JSON leaves
    to whoever wrote it is said more exactly there; else the first of equal names counts."""
    named: dict[str, object] = {}
    for name, value in fields.items():
        named.setdefault(squashed(str(name)), _unwrapped(value))
    for wrapping in _WRAPPINGS:
        if isinstance(inner := named.get(wrapping), dict):
            named = {**_named(inner), **named}
    custom = named.get("custom")
    return {**named, **_named(custom)} if isinstance(custom, dict) else named


def _unwrapped(value: object) -> object:
    return value["value"] if isinstance(value, dict) and "value" in value else value


def _values(named: Mapping[str, object], field: str) -> Iterator[object]:
    """The values of a field, by any of its names, that are neither missing nor empty."""
    for name in _NAMES[field]:
        value = named.get(name)
        if value.strip() if isinstance(value, str) else value not in (None, [], {}):
            yield value


def _prose(value: object) -> str | None:
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return " ".join(value).strip() or None
    return value if isinstance(value, str) else None


def _why_no_abstract(given: list[object], fields: Mapping[str, object]) -> str:
    if given:
        return f"the abstract is not text but {_json_type(given[0])}"
    return f"no abstract (keys: {', '.join(map(str, fields)) or 'none'})"


def _json_type(value: object) -> str:
    if isinstance(value, bool):
        return "true or false"
    names = {list: "a list", dict: "an object", int: "a number", float: "a number"}
    return names.get(type(value), "something else")


def _first_text(named: Mapping[str, object], field: str) -> str | None:
    return next(filter(None, map(_text, _values(named, field))), None)


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
    return next(filter(None, map(_list, _values(named, field))), ())


def _list(value: object) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(filter(None, map(_name, value)))
    text = _text(value)
    if not text:
        return ()
    if text.startswith('["') and (members := _json_array(text)):
        return members
    if _ARRAY.fullmatch(text):
        return tuple(one or other for one, other in _MEMBER.findall(text))
    return tuple(part.strip() for part in _split(text) if part.strip())


def _json_array(text: str) -> tuple[str, ...]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    return tuple(filter(None, map(_name, value))) if isinstance(value, list) else ()


def _name(value: object) -> str | None:
    """A name, also in its parts: {"given": …, "family": …}, or as it is to stand."""
    if not isinstance(value, dict):
        return _text(value)
    parts: Iterable[object] = (value.get("given"), value.get("family"))
    whole = _text(value.get("name")) or _text(value.get("literal"))
    return whole or " ".join(filter(None, map(_text, parts))) or None


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
