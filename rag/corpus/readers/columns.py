"""Rows of cells become records: of a text, a workbook or a table in Markdown.

Knows where the header is among the rows, and what columns without one most likely hold.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean

from rag.corpus.fields import field_of, knows, record_from
from rag.corpus.formulas import unguarded
from rag.corpus.record import RawRecord, reject
from rag.types import Rejection

Row = tuple[int, Sequence[str]]
"""A row's line, from 1, and its cells."""

_HEAD = 25
"""Rows among which the header is looked for: some exports say above it what they are."""
_LONGEST_NAME = 100
_SAMPLE = 200
_PROSE_CHARS, _PROSE_WORDS = 80, 8
"""What the cells of a column have on average that holds abstracts, or words and no spaces."""
_WOS = {
    **{"TI": "title", "AB": "abstract", "AF": "authors", "AU": "author", "SO": "journal"},
    **{"PY": "year", "DI": "doi", "UT": "accession number", "DE": "keywords"},
}
"""Columns of the Web of Science, where the first is called PT."""


def names_known(cells: Sequence[str]) -> int:
    """How many fields the cells name: 0 where one is too long for a name."""
    if any(len(cell) > _LONGEST_NAME for cell in cells):
        return 0
    return len({field_of(cell) or cell for cell in _translated(cells) if knows(cell)})


def header_at(rows: Sequence[Sequence[str]]) -> int | None:
    """The place of the row that names most fields; one name is enough in the first only."""
    known = [names_known(cells) for cells in rows[:_HEAD]]
    best = max(range(len(known)), key=lambda place: known[place], default=None)
    if best is None or known[best] < 1 or (known[best] == 1 and best > 0):
        return None
    return best


def records(rows: Iterable[Row]) -> Iterator[RawRecord | Rejection]:
    """The records of a table, in order; what stands above the header says nothing of papers."""
    filled = [(line, cells) for line, cells in rows if any(cell.strip() for cell in cells)]
    at = header_at([cells for _, cells in filled])
    if at is None:
        yield from _guessed(filled)
        return
    body = filled[at + 1 :]
    header = _aligned(_translated(filled[at][1]), body)
    for line, cells in body:
        if [cell.strip() for cell in cells] != header:  # some repeat it on every page
            yield _record(header, cells, line)


def _translated(cells: Sequence[str]) -> list[str]:
    names = [cell.strip().lstrip("\ufeff#").strip() for cell in cells]
    return [_WOS.get(name, name) for name in names] if names[:1] == ["PT"] else names


def _aligned(header: list[str], body: Sequence[Row]) -> list[str]:
    """The header with a name for the first column, where it has none for the row numbers."""
    widths = Counter(len(cells) for _, cells in body)
    usual = widths.most_common(1)[0][0] if widths else 0
    return ["", *header] if usual == len(header) + 1 and header[-1] else header


def _record(header: Sequence[str], cells: Sequence[str], line: int) -> RawRecord | Rejection:
    surplus = [cell for cell in cells[len(header) :] if cell.strip()]
    if surplus:
        counted = f"{len(cells)} cells where the header names {len(header)}"
        return reject(line, f"{counted}: one that has the delimiter in it needs quotes")
    record = record_from(_fields(header, cells), line)
    if isinstance(record, Rejection) and len(cells) < len(header):
        return reject(line, f"{record.reason}; {len(cells)} of {len(header)} cells")
    return record


def _fields(header: Sequence[str], cells: Sequence[str]) -> dict[str, object]:
    """Cells by column name; of columns with one name the first that is filled counts."""
    fields: dict[str, object] = {}
    for name, cell in zip(header, cells, strict=False):
        if name and not str(fields.get(name, "")).strip():
            fields[name] = unguarded(cell)
    return fields


def _guessed(rows: Sequence[Row]) -> Iterator[RawRecord | Rejection]:
    """The records of a table without a header that is known: the column with the most prose has
    the abstracts; a first row that has none there is a header in words that are not known."""
    columns = _columns([cells for _, cells in rows])
    if "abstract" not in columns:
        line, first = rows[0] if rows else (1, ())
        shown = ", ".join(cell.strip()[:40] for cell in first[:8])
        yield reject(line, f"the first row names no column that is known: {shown}")
        return
    for place, (line, cells) in enumerate(rows):
        fields = {name: cells[at] for name, at in columns.items() if at < len(cells)}
        if place > 0 or len(rows) == 1 or _is_prose([fields.get("abstract", "")]):
            yield record_from(fields, line)


def _columns(rows: Sequence[Sequence[str]]) -> dict[str, int]:
    """Field → column, as the cells tell it."""
    width = max(map(len, rows), default=0)
    cells = [
        [row[at].strip() for row in rows[:_SAMPLE] if at < len(row) and row[at].strip()]
        for at in range(width)
    ]
    longest = max(range(width), key=lambda at: _length(cells[at]), default=0)
    if not width or not _is_prose(cells[longest]):
        return {}
    found = {"abstract": longest}
    for at in range(width):
        if at != longest and cells[at] and (name := _kind(cells[at])):
            found.setdefault(name, at)
    return found


def _kind(cells: Sequence[str]) -> str | None:
    """What cells that are no abstracts hold, if it can be told."""
    patterns = (("url", r"https?://\S+"), ("doi", r"10\.\d{4,9}/\S+"), ("year", r"[12]\d{3}"))
    for name, pattern in patterns:
        if sum(re.fullmatch(pattern, cell) is not None for cell in cells) > len(cells) / 2:
            return name
    marks = fmean(len(re.findall(r"[;,]", cell)) for cell in cells)
    words = fmean(len(cell.split()) for cell in cells)
    return "title" if words >= 2 and marks < 1 and _length(cells) < 300 else None


def _length(cells: Sequence[str]) -> float:
    return fmean(map(len, cells)) if cells else 0.0


def _is_prose(cells: Sequence[str]) -> bool:
    if _length(cells) < _PROSE_CHARS:
        return False
    words = fmean(len(re.findall(r"[\u3040-\u9fff]{2}|[^\W\d_]+", cell)) for cell in cells)
    return words >= _PROSE_WORDS and not any(cell.startswith("http") for cell in cells[:3])
