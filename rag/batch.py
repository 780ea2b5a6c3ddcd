"""Questions as rows of JSON Lines. A row that is none becomes the error that says so."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rag.errors import QuestionError

if TYPE_CHECKING:
    from rag.engine.question import Turn

_ROW = 'write one object a line: {"id": "1", "question": "…"}'
_HISTORY = 'give it "history": [["question", "answer"], …]'


@dataclass(frozen=True, slots=True)
class Row:
    """A question of a batch with the turns before it; ``error`` if it cannot be asked.

    ``id`` is whatever the row gave, None where it gave none.
    """

    id: Any
    question: str = ""
    history: tuple[Turn, ...] = ()
    error: QuestionError | None = None


def parse_rows(text: str, path: str) -> Iterator[Row]:
    """The rows of a JSON Lines text, in order, blank lines left out; ``path`` is for errors."""
    # Not splitlines: a JSON string may hold the other line separators as they are.
    for number, line in enumerate(text.lstrip("\ufeff").split("\n"), start=1):
        if line.strip():
            yield _row(line, f"{path}, line {number}")


def _row(line: str, place: str) -> Row:
    from rag.engine.question import Turn  # which takes longer to load than all of rag --help

    try:
        data = json.loads(line, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return Row(None, error=QuestionError(f"{place}: not JSON.", _ROW))
    if not isinstance(data, dict):
        return Row(None, error=QuestionError(f"{place}: not an object.", _ROW))
    question, turns = data.get("question"), data.get("history")
    turns = [] if turns is None else turns
    if not isinstance(question, str):
        error = QuestionError(f"{place}: the row has no question.", _ROW)
        return Row(data.get("id"), error=error)
    if not isinstance(turns, list) or not all(_is_turn(turn) for turn in turns):
        error = QuestionError(f"{place}: the history is not a list of turns.", _HISTORY)
        return Row(data.get("id"), error=error)
    return Row(data.get("id"), question, tuple(Turn(asked, answer) for asked, answer in turns))


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _is_turn(turn: object) -> bool:
    return isinstance(turn, list) and len(turn) == 2 and all(isinstance(t, str) for t in turn)
