"""Tables: comma, semicolon, tab or bar separated text.

Knows how the delimiter is told from commas in prose, and a broken row from a whole one. What the
columns mean is for ``rag.corpus.readers.columns`` to say.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from rag.corpus.readers.columns import Row, header_at, names_known, records
from rag.corpus.record import RawRecord, Reader, reject
from rag.types import Rejection

DELIMITERS = ",;\t|"
_SUFFIXES = (".csv", ".tsv", ".tab")
_MAX_CELL = 2**31 - 1
"""Of the module's own limit on cells nothing is left: how long an abstract may be is not its
business."""
HEADER_NAMES = 2
"""Known names by which a first line is a header, whatever the file is called."""
_HEAD = 300
"""Lines from which the delimiter is told."""
_REGULAR = 0.8
"""The share of rows with equally many cells from which on a mark parts cells, not prose."""
_SEP = re.compile(r"\s*\"?sep=(.)\"?[ \t]*\n", re.IGNORECASE)
"""Excel's own first line, which names the delimiter."""
_MARKDOWN_RULE = re.compile(r"[ \t:-]*\|[ \t|:]*-[ \t|:-]*(?:\n|\Z)")
"""What stands below the header of a table in Markdown, which is not ours."""
_MOST_RESTARTS, _FARTHEST = 100, 1_000
"""How often reading begins anew behind a broken row, and how many lines on that may be."""


def sniff(text: str, suffix: str) -> bool:
    """Whether the first line names columns that we know, or the file is called a table."""
    if suffix in _SUFFIXES or _SEP.match(text[:50]):
        return True
    first, _, rest = text.lstrip("\ufeff\n").partition("\n")
    if _MARKDOWN_RULE.match(rest[:1_000]):
        return False
    first = first[:5_000]
    heads = (_cells(first, mark) for mark in DELIMITERS)
    return any(len(cells) > 1 and names_known(cells) >= HEADER_NAMES for cells in heads)


def read(text: str) -> Iterator[RawRecord | Rejection]:
    """The record of each row below the header, or of each row where there is none; then the rows
    that are broken."""
    csv.field_size_limit(_MAX_CELL)
    told = _SEP.match(text[:50])
    first = text.count("\n", 0, told.end()) if told else 0
    lines = [line + "\n" for line in text.replace("\0", "").split("\n")][first:]
    if not text.endswith("\n"):
        lines[-1] = lines[-1][:-1]
    delimiter = told[1] if told else _delimiter(lines[:_HEAD])
    rows: list[Row] = []
    broken: list[Rejection] = []
    for row in _rows(lines, delimiter) if delimiter else enumerate([line] for line in lines):
        line, cells = row
        if cells is None:
            broken.append(reject(first + line + 1, "a broken row: a quote in it is not closed"))
        else:
            rows.append((first + line + 1, cells))
    yield from records(rows)
    yield from broken


def _delimiter(head: Sequence[str]) -> str | None:
    """The mark under which a line names most columns that we know, else the one that parts most
    lines alike; None where none does and each line is one cell."""
    parted = {mark: [cells for _, cells in _plain_rows(head, mark)] for mark in DELIMITERS}
    scores = {mark: (*_known(rows), _regularity(rows)) for mark, rows in parted.items()}
    best = max(scores, key=lambda mark: scores[mark])
    known, cells, regularity = scores[best]
    if (known and cells > 1) or regularity:
        return best
    quoted = sum(line.startswith('"') for line in head)
    return "," if quoted > sum(map(bool, map(str.strip, head))) / 3 else None


def _known(rows: Sequence[Sequence[str]]) -> tuple[int, int]:
    """How many fields the header names, and its cells."""
    at = header_at(rows)
    return (0, 0) if at is None else (names_known(rows[at]), len(rows[at]))


def _regularity(rows: Sequence[Sequence[str]]) -> float:
    """The share of rows that have the commonest number of cells, if that is nearly all; 0 where
    spaces follow the marks, as they do in prose."""
    inner = [cell for cells in rows for cell in cells[1:]]
    if 2 * sum(cell.startswith(" ") for cell in inner) > len(inner):
        return 0.0
    counts = Counter(len(cells) for cells in rows if any(map(str.strip, cells)))
    (cells, often), *_ = [*counts.most_common(1), (0, 0)]
    share = often / max(counts.total(), 1)
    return share if cells > 1 and share >= _REGULAR else 0.0


def _cells(line: str, delimiter: str) -> list[str]:
    return next(csv.reader([line], delimiter=delimiter), [])


def _plain_rows(lines: Sequence[str], delimiter: str) -> Iterator[Row]:
    """Rows with the places of the lines on which they begin, nothing being broken."""
    reader = csv.reader(lines, delimiter=delimiter)
    begin = 0
    for cells in reader:
        yield begin, cells
        begin = reader.line_num


def _rows(lines: Sequence[str], delimiter: str) -> Iterator[tuple[int, list[str] | None]]:
    """Rows with the places of the lines on which they begin; None for one that is broken.

    A quote that is never closed swallows the rows after it: reading goes on at the next line
    from which a whole row can be read.
    """
    head = [cells for _, cells in _plain_rows(lines[:_HEAD], delimiter)]
    at = header_at(head)
    width = len(head[at]) if at is not None else 0
    start = 0
    for _ in range(_MOST_RESTARTS):
        reader = csv.reader(islice(lines, start, None), delimiter=delimiter, skipinitialspace=True)
        begin, broken = start, False
        for cells in reader:
            end = start + reader.line_num
            broken = _is_broken(cells, lines[begin:end], delimiter, width, end == len(lines))
            if broken:
                yield begin, None
                break
            yield begin, cells
            begin = end
        if not broken:
            return
        start = _next_whole(lines, begin + 1, delimiter, width)


def _is_broken(
    cells: Sequence[str], source: Sequence[str], delimiter: str, width: int, is_last: bool
) -> bool:
    """Whether a row is several, joined by a quote, or is cut off."""
    if len(source) > 1 and width and len(cells) != width:
        return True
    if not is_last or not any(cells):
        return False
    cut = not source[-1].endswith("\n") and len(cells) < width
    return cut or _is_open("".join(source), delimiter)


def _is_open(source: str, delimiter: str) -> bool:
    try:
        list(csv.reader(source.splitlines(keepends=True), delimiter=delimiter, strict=True))
    except csv.Error as error:
        return "unexpected end" in str(error)
    return False


def _next_whole(lines: Sequence[str], start: int, delimiter: str, width: int) -> int:
    for at in range(start, min(len(lines), start + _FARTHEST)):
        reader = csv.reader(islice(lines, at, at + _FARTHEST), delimiter=delimiter)
        cells = next(reader, [])
        in_prose = 2 * sum(cell.startswith(" ") for cell in cells) > len(cells)
        if width > 1 and len(cells) == width and not in_prose and reader.line_num < _FARTHEST:
            return at
    return len(lines)


TABLE = Reader("csv", sniff, read)
