"""One JSON document: an array of papers, an object that holds such arrays, or one paper.

The document is walked element by element instead of loaded whole, for the line of each
element, and so that damage costs only what stands behind it.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from rag.corpus.fields import record_from
from rag.corpus.record import RawRecord, Reader, reject
from rag.types import Rejection

_START = re.compile(r'\s*(?:\{\s*["}]|\[\s*[\[{\]"])')
_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


def sniff(text: str, suffix: str) -> bool:
    """Whether the text begins like a JSON array or object; a ``.json`` file must be one."""
    return suffix == ".json" or _START.match(text) is not None


def read(text: str) -> Iterator[RawRecord | Rejection]:
    """The record of each element, or why it is none; damage is the last thing yielded."""
    newlines = [found.start() for found in re.finditer("\n", text)]
    cursor = _Cursor(text)
    walk = _papers(cursor) if cursor.sees("{") else _array(cursor)
    try:
        for element in walk:
            yield _record(element, line=bisect_left(newlines, element.start) + 1)
        cursor.expect_end()
    except _DamageError as damage:
        line = bisect_left(newlines, damage.start) + 1
        yield reject(line, f"not valid JSON from here on: {damage.reason}")


@dataclass(frozen=True, slots=True)
class _Element:
    """A value and the offset at which it starts."""

    start: int
    value: object


class _DamageError(ValueError):
    """Nothing can be read from the offset ``start`` on."""

    def __init__(self, start: int, reason: str) -> None:
        super().__init__(reason)
        self.start, self.reason = start, reason


class _Cursor:
    """A place in a JSON text, always at something that is not space."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._move(0)

    def _move(self, offset: int) -> None:
        space = _SPACE.match(self._text, offset)
        self.at = space.end() if space else offset

    def sees(self, char: str) -> bool:
        return self._text.startswith(char, self.at)

    def take(self, char: str) -> bool:
        """Step over ``char`` if it is next."""
        seen = self.sees(char)
        if seen:
            self._move(self.at + 1)
        return seen

    def expect(self, char: str) -> None:
        if not self.take(char):
            found = "something else" if self.at < len(self._text) else "the end of the file"
            raise _DamageError(self.at, f"expected {char!r}, found {found}")

    def expect_end(self) -> None:
        if self.at < len(self._text):
            raise _DamageError(self.at, "there is more text after the end of the JSON")

    def value(self) -> _Element:
        """Step over one value of any kind."""
        start = self.at
        try:
            value, end = _DECODER.raw_decode(self._text, start)
        except json.JSONDecodeError as error:
            raise _DamageError(start, error.msg) from None
        except ValueError:
            raise _DamageError(start, "a number with too many digits") from None
        except RecursionError:
            raise _DamageError(start, "nested too deeply") from None
        self._move(end)
        return _Element(start, value)


def _items(cursor: _Cursor, opening: str, closing: str) -> Iterator[None]:
    """Step over the brackets and commas; at each turn the caller steps over the item."""
    cursor.expect(opening)
    if cursor.take(closing):
        return
    while True:
        yield
        if cursor.take(closing):
            return
        cursor.expect(",")


def _array(cursor: _Cursor) -> Iterator[_Element]:
    for _ in _items(cursor, "[", "]"):
        yield cursor.value()


def _papers(cursor: _Cursor) -> Iterator[_Element]:
    """What the object at the cursor holds; damage is raised after what stands before it."""
    whole = _Object(cursor.at)
    try:
        for _ in _items(cursor, "{", "}"):
            whole.take_member(cursor)
    except _DamageError:
        yield from whole.papers()
        raise
    yield from whole.papers()


class _Object:
    """The members of an object, with the places of what stands in its arrays."""

    def __init__(self, start: int) -> None:
        self._start = start
        self._fields: dict[str, object] = {}
        self._arrays: list[list[_Element]] = []

    def take_member(self, cursor: _Cursor) -> None:
        key = str(cursor.value().value)
        cursor.expect(":")
        if not cursor.sees("["):
            self._fields[key] = cursor.value().value
            return
        self._arrays.append([])
        for element in _array(cursor):
            self._arrays[-1].append(element)
        self._fields[key] = [element.value for element in self._arrays[-1]]

    def papers(self) -> list[_Element]:
        """The object itself if it is a paper, else the elements of its arrays of papers.

        If nothing is a paper, what could have been one is there to be rejected: the elements
        of arrays of objects, else the object itself.
        """
        whole = _Element(self._start, self._fields)
        if _is_paper(whole):
            return [whole]
        for qualifies in (_is_paper, _is_object):
            held = [array for array in self._arrays if any(map(qualifies, array))]
            if held:
                return [element for array in held for element in array]
        return [whole]


def _is_object(element: _Element) -> bool:
    return isinstance(element.value, dict)


def _is_paper(element: _Element) -> bool:
    return isinstance(_record(element, line=0), RawRecord)


def _record(element: _Element, line: int) -> RawRecord | Rejection:
    if isinstance(element.value, dict):
        return record_from(element.value, line)
    return reject(line, "not a JSON object")


JSON_DOCUMENT = Reader("json", sniff, read)
