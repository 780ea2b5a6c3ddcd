"""A JSON file of somebody else's, read strictly: every value is what it should be, or a
SourceError says what is wrong and where. Knows nothing of what the files are about.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rag.errors import SourceError

MAX_BYTES = 200_000_000
"""A larger file is none of ours, and would not fit into memory."""
MAX_OFFSET = 2**31
FIX = "give what rag ask, rag summarize or rag digest prints with --json"


@dataclass(frozen=True, slots=True)
class Part:
    """A JSON object of a file and where in it that stands, which every error names."""

    path: str
    where: str
    data: Mapping[str, Any]

    def wrong(self, what: str) -> SourceError:
        place = f"{self.path}, {self.where}" if self.where else self.path
        return SourceError(f"{place}: {what}.", FIX)

    def has(self, name: str) -> bool:
        return self.data.get(name) is not None

    def text(self, name: str) -> str:
        """A text that can be written and hashed, which one with half a character cannot."""
        value = self.data.get(name)
        if not isinstance(value, str):
            raise self.wrong(f'"{name}" is not a text')
        return value.encode("utf-8", "replace").decode()

    def optional(self, name: str) -> str | None:
        return self.text(name) if self.has(name) else None

    def flag(self, name: str) -> bool:
        """A missing one is true: what an older file does not mark is claimed."""
        value = self.data.get(name, True)
        if not isinstance(value, bool):
            raise self.wrong(f'"{name}" is neither true nor false')
        return value

    def whole(self, name: str) -> int:
        value = self.data.get(name)
        if type(value) is not int or not 0 <= value < MAX_OFFSET:
            raise self.wrong(f'"{name}" is not a whole number from 0 on')
        return value

    def many(self, name: str) -> list[Any]:
        value = self.data.get(name)
        if value is not None and not isinstance(value, list):
            raise self.wrong(f'"{name}" is not a list')
        return value or []

    def texts(self, name: str) -> tuple[str, ...]:
        values = self.many(name)
        if not all(isinstance(value, str) for value in values):
            raise self.wrong(f'"{name}" is not a list of texts')
        return tuple(values)

    def inner(self, name: str) -> Part:
        return self._part(self.data.get(name, {}), name)

    def each(self, name: str, called: str) -> Iterator[Part]:
        """The objects of a list, counted from 1."""
        for number, value in enumerate(self.many(name), start=1):
            yield self._part(value, f"{called} {number}")

    def _part(self, value: object, called: str) -> Part:
        part = Part(self.path, f"{self.where}, {called}".removeprefix(", "), {})
        if not isinstance(value, dict):
            raise part.wrong("not an object")
        return Part(part.path, part.where, value)


def parts(path: str) -> Iterator[Part]:
    """The object of a file, or the objects of its lines if its first one is whole by itself;
    of stdin for "-". Raises SourceError."""
    text = _text(path)
    # Not splitlines: a JSON string may hold the other line separators as they are.
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    in_lines = len(lines) > 1 and _is_json(lines[0][1])
    for number, line in lines if in_lines else [(0, text)]:
        part = Part(path, f"line {number}" if in_lines else "", {})
        try:
            value = _json(line)
        except (ValueError, RecursionError) as error:
            raise part.wrong(f"not JSON ({_reason(error)})") from error
        if not isinstance(value, dict):
            raise part.wrong("not an object")
        yield Part(path, part.where, value)


def _text(path: str) -> str:
    try:
        if path == "-":
            data = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            with Path(path).open("rb") as stream:
                data = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        raise SourceError(f"{path} cannot be read: {error}", FIX) from error
    if len(data) > MAX_BYTES:
        raise SourceError(f"{path} has more than {MAX_BYTES // 1_000_000} MB.", FIX)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SourceError(f"{path} is not UTF-8 text.", FIX) from error
    if not text.strip():
        raise SourceError(f"{path} is empty.", FIX)
    return text


def _is_json(line: str) -> bool:
    try:
        _json(line)
    except (ValueError, RecursionError):
        return False
    return True


def _json(text: str) -> Any:
    return json.loads(text, parse_constant=_refuse)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no number")


def _reason(error: Exception) -> str:
    return "too deeply nested" if isinstance(error, RecursionError) else str(error)
