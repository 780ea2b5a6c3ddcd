"""Text in the columns of a terminal, where Chinese letters take two and accents none."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from itertools import accumulate, takewhile

from rag.publish.content import shown
from rag.render import safe

WIDTH = 100
"""Columns at most: a table of figures with their changes needs them."""
Cells = Sequence[str]


def line(text: str) -> str:
    """Text from outside on one line, with nothing in it that steers a terminal."""
    return " ".join(safe(shown(text)).split())


def columns(text: str) -> int:
    """How many columns a text takes."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.east_asian_width(character) in "WF":
        return 2
    return 0 if unicodedata.category(character) in ("Mn", "Me", "Cf") else 1


def cut(text: str, room: int) -> str:
    """The text, or as much of its beginning as has room, with an ellipsis."""
    if columns(text) <= room:
        return text
    return text[: _fitting(text, room - 1)].rstrip() + "…"


def _fitting(text: str, room: int) -> int:
    """How many characters of the text have room, one at least."""
    reached = accumulate(map(_columns, text))
    return max(sum(1 for _ in takewhile(lambda end: end <= room, reached)), 1)


def wrapped(text: str, first: str = "", indent: str = "") -> str:
    """The text on lines that fit, broken between words and else within them. ``first`` stands
    before the first line, ``indent`` before the others."""
    lines = _lines(text, WIDTH - max(columns(first), columns(indent)))
    head = next(lines, "")
    return "\n".join([first + head, *(indent + rest for rest in lines)])


def _lines(text: str, room: int) -> Iterator[str]:
    held, taken = "", 0
    for word in text.split(" "):
        size = columns(word)
        if held and taken + 1 + size > room:
            yield held
            held, taken = "", 0
        if held:
            held, taken = f"{held} {word}", taken + 1 + size
            continue
        while size > room:
            end = _fitting(word, room)
            yield word[:end]
            word = word[end:]
            size = columns(word)
        held, taken = word, size
    yield held


def table(head: Cells, rows: Sequence[Cells], left: Sequence[int]) -> list[str]:
    """Lines of a table, its cells aligned to the right but for the columns named in ``left``."""
    widths = [max(map(columns, cells)) for cells in zip(head, *rows, strict=True)]
    return [
        "  ".join(
            _padded(cell, widths[place], place in left) for place, cell in enumerate(cells)
        ).rstrip()
        for cells in (head, *rows)
    ]


def _padded(cell: str, room: int, left: bool) -> str:
    gap = " " * (room - columns(cell))
    return cell + gap if left else gap + cell
