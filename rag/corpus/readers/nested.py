"""Papers are found in values nested in any sensible way: lists, objects by id, tables, columns.

Knows no format: its values are what JSON, or XML turned into lists and objects, has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from rag.corpus.fields import field_of, has_abstract, is_like_record, knows, record_from
from rag.corpus.naming import squashed
from rag.corpus.record import RawRecord, reject
from rag.types import Rejection

NONE, WEAK, STRONG = range(3)
"""Whether there is an abstract, under a name that may mean something else, or under its own."""

_ASIDES = frozenset(
    "references referencedworks citations citedby related relatedworks relatedpapers similar"
    " recommendations reviews replies comments details".split()
)
"""Names of lists of other papers, or of what was said about one."""
_DEEPEST = 40
_PROSE = 100
"""Characters, on average, that make texts without a name abstracts."""


@dataclass(frozen=True, slots=True)
class Found:
    """What is a paper, or stands where one should: ``holder[key]``."""

    holder: Any
    key: int | str
    abstract: int = NONE

    def record(self, line: int) -> RawRecord | Rejection:
        value = self.holder[self.key]
        if not isinstance(value, Mapping):
            return reject(line, "not a JSON object")
        if isinstance(self.holder, dict) and len(self.holder) > 1:
            by_id = all(isinstance(other, Mapping) for other in self.holder.values())
            value = {**_told_by(str(self.key), value), **value} if by_id else value
        return record_from(value, line)


def _told_by(key: str, value: Mapping[str, Any]) -> dict[str, str]:
    """What the key says of an object among others: its title or its id, if it does not itself."""
    named = {field_of(str(name)) for name in value}
    if " " in key.strip():
        return {} if "title" in named else {"title": key}
    return {} if named & {"id", "doi", "url", "arxiv"} else {"id": key}


def papers_in(values: list[Any]) -> list[Found]:
    """What is found in documents, in their order. Where nothing is, what could have been papers is
    there to be rejected: the elements of the longest list of objects."""
    return _in_list(values, 0) or _longest(values, 0)


def _in(holder: Any, key: int | str, depth: int) -> list[Found]:
    value = holder[key]
    if depth > _DEEPEST or not isinstance(value, dict | list):
        return []
    if objects := _objects(value):
        return [Found(objects, place, STRONG) for place in range(len(objects))]
    return _in_list(value, depth) if isinstance(value, list) else _in_object(holder, key, depth)


def _in_object(holder: Any, key: int | str, depth: int) -> list[Found]:
    value = holder[key]
    if has_abstract(value, weak=False):
        return [Found(holder, key, STRONG)]
    inner = [
        found
        for name in value
        if squashed(name) not in _ASIDES
        for found in _in(value, name, depth + 1)
    ]
    best = max((found.abstract for found in inner), default=NONE)
    if best == STRONG:
        inner = _without_asides(inner, value)
    if best != NONE:
        return inner
    if has_abstract(value):
        return [Found(holder, key, WEAK)]
    return [Found(holder, key)] if is_like_record(value) else inner


def _without_asides(inner: list[Found], value: Mapping[str, Any]) -> list[Found]:
    """Without what one object beside the papers says, which is about the list; where papers are
    objects by id, one without an abstract is one of them."""
    by_id = any(found.holder is value and found.abstract == STRONG for found in inner)
    return [
        found
        for found in inner
        if found.holder is not value
        or found.abstract == STRONG
        or (by_id and found.abstract == NONE)
    ]


def _in_list(value: list[Any], depth: int) -> list[Found]:
    each = [_in(value, place, depth + 1) for place in range(len(value))]
    if depth and any(found.holder is value for found in chain.from_iterable(each)):
        each = [found or [Found(value, place)] for place, found in enumerate(each)]
    return list(chain.from_iterable(each))


def _longest(value: Any, depth: int) -> list[Found]:
    """The elements of the longest list of objects, wherever it is."""
    if depth > _DEEPEST or not isinstance(value, dict | list):
        return []
    inner = value.values() if isinstance(value, dict) else value
    own: list[Found] = []
    if depth and isinstance(value, list) and any(isinstance(item, dict) for item in value):
        own = [Found(value, place) for place in range(len(value))]
    return max([own, *(_longest(item, depth + 1) for item in inner)], key=len)


def _objects(value: Any) -> list[dict[str, Any]]:
    """The objects that another way of writing a table stands for; none where it is no table."""
    if isinstance(value, list):
        return _from_rows(value) or _from_texts(value)
    return _from_columns(value) or _from_titles(value)


def _from_rows(value: Sequence[Any]) -> list[dict[str, Any]]:
    """``[["title", "abstract"], ["…", "…"]]``"""
    if len(value) < 2 or not all(isinstance(row, list) for row in value):
        return []
    header = [str(cell) for cell in value[0]]
    if sum(map(knows, header)) < 2:
        return []
    return [dict(zip(header, row, strict=False)) for row in value[1:]]


def _from_texts(value: Sequence[Any]) -> list[dict[str, Any]]:
    """``["abstract", "abstract"]``"""
    return [{"abstract": text} for text in value] if _are_prose(value) else []


def _from_columns(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    """``{"title": ["…", "…"], "abstract": ["…", "…"]}``, or with objects by row number, or
    ``{"columns": ["title", "abstract"], "data": [["…", "…"]]}``."""
    if isinstance(names := value.get("columns"), list) and isinstance(value.get("data"), list):
        return _from_rows([names, *value["data"]])
    columns = {name: list(_cells(column)) for name, column in value.items()}
    filled = {field_of(str(name)): len(cells) for name, cells in columns.items() if cells}
    rows = filled.get("abstract", 0)
    if rows < 2 or filled.get("title") != rows:
        return []
    whole = {name: cells for name, cells in columns.items() if len(cells) == rows}
    return [{name: cells[row] for name, cells in whole.items()} for row in range(rows)]


def _cells(column: Any) -> Iterator[Any]:
    if isinstance(column, list):
        yield from column
    elif isinstance(column, dict) and all(str(key).isdecimal() for key in column):
        yield from column.values()


def _from_titles(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    """``{"title": "abstract", "title": "abstract"}``"""
    if not _are_prose(list(value.values())) or any(map(knows, value)):
        return []
    return [{"title": title, "abstract": text} for title, text in value.items()]


def _are_prose(texts: Sequence[Any]) -> bool:
    if len(texts) < 2 or not all(isinstance(text, str) for text in texts):
        return False
    return sum(map(len, texts)) >= _PROSE * len(texts) and all(" " in text for text in texts)
