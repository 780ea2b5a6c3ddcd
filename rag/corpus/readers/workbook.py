"""Excel workbooks (.xlsx), read by ``openpyxl``: every sheet is a table."""

from __future__ import annotations

import io
from collections.abc import Iterator

from rag.corpus.readers.table import Row, records
from rag.corpus.record import BinaryReader, RawRecord, reject
from rag.types import Rejection

_ZIP = b"PK\x03\x04"
_LARGEST = 300_000_000
"""Bytes of a workbook's parts together, unpacked: more is no list of papers but a trap."""


def sniff(data: bytes) -> bool:
    """Whether it is a zip archive with a workbook in it."""
    return data.startswith(_ZIP) and b"xl/" in data


def read(data: bytes) -> Iterator[RawRecord | Rejection]:
    """The record of each row of each sheet, whose rows are counted as lines."""
    import zipfile

    import openpyxl

    try:
        parts = zipfile.ZipFile(io.BytesIO(data)).infolist()
        if sum(part.file_size for part in parts) > _LARGEST:
            yield reject(1, "its parts unpack to more than any list of papers")
            return
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        sheets = [list(_rows(sheet.iter_rows(values_only=True))) for sheet in book.worksheets]
    except Exception as error:  # whatever a damaged archive makes the libraries raise
        yield reject(1, f"not a whole workbook: {error}")
        return
    for rows in sheets:
        if rows:
            yield from records(rows)


def _rows(cells: Iterator[tuple[object, ...]]) -> Iterator[Row]:
    for line, row in enumerate(cells, start=1):
        texts = ["" if cell is None else str(cell) for cell in row]
        if any(text.strip() for text in texts):
            yield line, texts


WORKBOOK = BinaryReader("xlsx", sniff, read)
