"""JSON Lines that a person writes: objects by line, and what is wrong with the other lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from rag.errors import SourceError

Level = Literal["error", "warning"]

_ROW = 'write one object a line, all of it in that line: {"id": "…", …}'


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong at a line of a file, and what to do; ``line`` 0 is the file as a whole.

    An error makes a case worthless; a warning may be meant so.
    """

    path: str
    line: int
    id: str
    text: str
    fix: str
    level: Level = "error"

    def __str__(self) -> str:
        place = f"{self.path}, line {self.line}" if self.line else self.path
        return f"{place}: {f'{self.id}: ' if self.id else ''}{self.text}"

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def read_rows(path: Path, problems: list[Problem]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Objects of a JSON Lines file by line number; what is none is added to ``problems``.

    Blank lines are passed over, and notes: lines that begin with // or #.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        problems.append(Problem(str(path), 0, "", "not UTF-8 text.", "save the file as UTF-8"))
        return
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        problems.append(Problem(str(path), 0, "", f"cannot be read ({reason}).", "check the path"))
        return
    # Not splitlines: a JSON string may hold the other line separators as they are.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or line.lstrip().startswith(("//", "#")):
            continue
        try:
            yield number, _object(line)
        except SourceError as wrong:
            problems.append(Problem(str(path), number, "", wrong.message, wrong.fix))


def _object(line: str) -> dict[str, Any]:
    """The object of a line; raises SourceError without a place."""
    try:
        row = json.loads(line, parse_constant=_refuse, object_pairs_hook=_once)
        json.dumps(row, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        fix = r"write the character itself, not half of it as \ud…"
        raise SourceError("it holds half of a character.", fix) from error
    except json.JSONDecodeError as error:
        escape = "escape" in error.msg
        fix = "write every backslash twice" if escape else _ROW
        raise SourceError(f"not JSON: {error.msg}, at column {error.colno}.", fix) from error
    except (ValueError, RecursionError) as error:
        raise SourceError(f"not JSON: {error}.", _ROW) from error
    if not isinstance(row, dict):
        raise SourceError("not an object.", _ROW)
    return row


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON value")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; of a field that stands twice, one would be lost without a word."""
    row = dict(pairs)
    if len(row) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise SourceError(f'"{twice}" stands twice.', "keep one of them")
    return row
