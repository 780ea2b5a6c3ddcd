"""Tables: comma, semicolon or tab separated text, with or without a header.

Knows how a delimiter is told from commas in prose: by the header. What the columns mean is for
``rag.corpus.fields`` to say.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from rag.corpus.fields import knows, record_from
from rag.corpus.values import squashed
from rag.corpus.record import RawRecord, Reader, reject
from rag.types import Rejection

DELIMITERS = ",;\t|"
_SUFFIXES = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
_MAX_CELL = 2**31 - 1
"""Of the module's own limit on cells nothing is left: how long an abstract may be is not its
business."""
HEADER_NAMES = 2
"""Known names by which a first line is a header, whatever the file is called."""

Row = tuple[int, Sequence[str]]
"""A row's line, from 1, and its cells."""


def sniff(text: str, suffix: str) -> bool:
    """Whether the first line names columns that we know, or the file is called a table."""
    return suffix in _SUFFIXES or _delimiter(text) is not None


def read(text: str) -> Iterator[RawRecord | Rejection]:
    """The record of each row below the header; a table without one is rejected as a whole."""
    delimiter = _delimiter(text)
    yield from records(_rows(text, delimiter or ","))


def records(rows: Iterable[Row]) -> Iterator[RawRecord | Rejection]:
    """The records of a table; the first row that has anything names the columns."""
    filled = ((line, cells) for line, cells in rows if any(cell.strip() for cell in cells))
    line, header = next(filled, (1, ()))
    if not any(map(knows, header)):
        shown = ", ".join(cell.strip()[:40] for cell in header[:8])
        yield reject(line, f"the first row names no column that is known: {shown}")
        return
    for line, cells in filled:
        yield record_from(_fields(header, cells), line)


def _fields(header: Sequence[str], cells: Sequence[str]) -> dict[str, object]:
    """Cells by column name; of columns with one name the first that is filled counts."""
    fields: dict[str, object] = {}
    for name, cell in zip(header, cells, strict=False):
        if not str(fields.get(name.strip(), "")).strip():
            fields[name.strip()] = cell
    return fields


def _delimiter(text: str) -> str | None:
    """The delimiter under which the first line names most known columns, the abstract or title
    among them; None if none does."""
    first = text.lstrip("\ufeff\n").partition("\n")[0]
    counts = {mark: _known(first, mark) for mark in DELIMITERS}
    best = max(counts, key=lambda mark: counts[mark])
    return best if counts[best] >= HEADER_NAMES else None


def _known(line: str, delimiter: str) -> int:
    """How many cells of a header are known names; 0 where neither text nor title is there."""
    cells = next(csv.reader([line[:5_000]], delimiter=delimiter), [])
    names = {squashed(cell) for cell in cells if knows(cell)}
    return len(names) if len(cells) > 1 else 0


def _rows(text: str, delimiter: str) -> Iterator[Row]:
    """Rows with the lines on which they begin."""
    csv.field_size_limit(_MAX_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    begin = 1
    for cells in reader:
        yield begin, cells
        begin = reader.line_num + 1


TABLE = Reader("csv", sniff, read)
