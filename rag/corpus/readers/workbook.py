"""Excel workbooks (.xlsx), read by ``openpyxl``: every sheet is a table."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from rag.corpus.readers.columns import Row, header_at, records
from rag.corpus.record import BinaryReader, RawRecord, reject
from rag.types import Rejection

_ZIP = b"PK\x03\x04"
_OLD = b"\xd0\xcf\x11\xe0"
_OPEN_DOCUMENT = b"application/vnd.oasis.opendocument.spreadsheet"
_LARGEST = 300_000_000
"""Bytes of a workbook's parts together, unpacked: more is no list of papers but a trap."""


def sniff(data: bytes) -> bool:
    """Whether it is a zip archive with a workbook in it, or another program's workbook."""
    return data.startswith(_OLD) or (
        data.startswith(_ZIP) and (b"xl/" in data or _OPEN_DOCUMENT in data[:200])
    )


def read(data: bytes) -> Iterator[RawRecord | Rejection]:
    """The record of each row of each sheet, whose rows are counted as lines."""
    import zipfile

    import openpyxl

    if data.startswith(_OLD) or _OPEN_DOCUMENT in data[:200]:
        yield reject(1, "an .xls or .ods workbook: save it as .xlsx or CSV")
        return
    try:
        parts = zipfile.ZipFile(io.BytesIO(data)).infolist()
        if sum(part.file_size for part in parts) > _LARGEST:
            yield reject(1, "its parts unpack to more than any list of papers")
            return
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        sheets = [list(_rows(sheet)) for sheet in book.worksheets]
    except Exception as error:  # whatever a damaged archive makes the libraries raise
        yield reject(1, f"not a whole workbook: {error}")
        return
    tables = [rows for rows in sheets if header_at([cells for _, cells in rows]) is not None]
    for rows in tables or sheets:  # a sheet of notes beside the tables is no list of papers
        if rows:
            yield from records(rows)


def _rows(sheet: Any) -> Iterator[Row]:
    sheet.reset_dimensions()  # some programs write down a size that is wrong
    for line, row in enumerate(sheet.iter_rows(values_only=True), start=1):
        texts = ["" if cell is None else str(cell) for cell in row]
        if any(text.strip() for text in texts):
            yield line, texts


WORKBOOK = BinaryReader("xlsx", sniff, read)
