"""A mapping of field names to values, as exports have them, becomes a record.

Knows the names that fields go by and how their values are written; knows no file format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from rag.corpus.record import RawRecord, reject
from rag.types import Rejection

_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
_AND = re.compile(r"\s+and\s+|\s*,\s*and\s+", re.IGNORECASE)


def record_from(fields: Mapping[str, object], line: int) -> RawRecord | Rejection:
    """The record that ``fields`` describe, or why they describe none.

    Names match whatever their case. The abstract must be text or a list of texts (its
    sentences); every other value of a wrong type is converted or ignored.
    """
    named = {name.strip().lower(): value for name, value in fields.items()}
    given = list(_values(named, "abstract", "summary", "text"))
    abstract = next(filter(None, map(_prose, given)), None)
    if abstract is None:
        return reject(line, _why_no_abstract(given, fields))
    return RawRecord(
        line=line,
        abstract=abstract,
        id=_first_text(named, "id", "_id", "paper_id"),
        title=_first_text(named, "title"),
        url=_first_text(named, "url", "site"),
        authors=_first_list(named, "authors", "author"),
        venue=_first_text(named, "venue"),
        year=_year(named.get("year")),
        status=_first_text(named, "status"),
        area=_first_text(named, "area", "primary_area"),
        keywords=_first_list(named, "keywords"),
    )


def _values(named: Mapping[str, object], *names: str) -> Iterator[object]:
    """The values under ``names`` that are neither missing nor empty."""
    for name in names:
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
    return f"no abstract (keys: {', '.join(fields) or 'none'})"


def _json_type(value: object) -> str:
    if isinstance(value, bool):
        return "true or false"
    names = {list: "a list", dict: "an object", int: "a number", float: "a number"}
    return names.get(type(value), "something else")


def _first_text(named: Mapping[str, object], *names: str) -> str | None:
    return next(filter(None, map(_text, _values(named, *names))), None)


def _text(value: object) -> str | None:
    """Text and numbers as text; lists joined; what has no readable form is no text."""
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, list):
        return ", ".join(filter(None, map(_text, value))) or None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return None


def _first_list(named: Mapping[str, object], *names: str) -> tuple[str, ...]:
    return next(filter(None, map(_list, _values(named, *names))), ())


def _list(value: object) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(filter(None, map(_name, value)))
    text = _text(value)
    return tuple(part.strip() for part in _split(text) if part.strip()) if text else ()


def _name(value: object) -> str | None:
    return _text(value.get("name")) if isinstance(value, dict) else _text(value)


def _split(text: str) -> list[str]:
    """Parts of a written list. Where semicolons or "and" part names, commas may be inside."""
    if ";" in text:
        return text.split(";")
    parts = _AND.split(text)
    if len(parts) > 1 and all(part.count(",") == 1 for part in parts):
        return parts
    return [piece for part in parts for piece in part.split(",")]


def _year(value: object) -> int | None:
    found = _YEAR.search(_text(value) or "")
    return int(found[0]) if found else None
