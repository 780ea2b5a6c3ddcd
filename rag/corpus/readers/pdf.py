"""The abstract on the first page of a paper's PDF, read by ``pypdf``.

A page has no fields: the abstract is what stands between its heading and the next one, the title
what the file says of itself, else the first lines.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

from rag.corpus.record import BinaryReader, RawRecord, reject
from rag.types import Rejection

PAGES = 2
"""Pages that are read: an abstract begins on the first and may go on."""
FEWEST_CHARS = 100
"""Of an abstract: less is a heading that was met by chance."""

_HEADING = re.compile(r"^\s*abstract\s*[:.—–-]*\s*", re.IGNORECASE | re.MULTILINE)
_NEXT = re.compile(
    r"^\s*(?:(?:1|I)\.?\s+)?(?:introduction|keywords?|index terms|ccs concepts|general terms"
    r"|categories and subject descriptors)\b",
    re.IGNORECASE | re.MULTILINE,
)
_BROKEN = re.compile(r"(?<=[a-z])-\n(?=[a-z])")


def sniff(data: bytes) -> bool:
    """Whether it is a PDF, after whatever a mail program put before it."""
    return b"%PDF-" in data[:1_024]


def read(data: bytes) -> Iterator[RawRecord | Rejection]:
    """One record, or why there is none."""
    import logging

    from pypdf import PdfReader

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        document = PdfReader(io.BytesIO(data))
        text = "\n".join(page.extract_text() for page in document.pages[:PAGES])
        told = document.metadata.title if document.metadata else ""
    except Exception as error:  # whatever a damaged file makes the library raise
        yield reject(1, f"not a PDF that can be read: {error}")
        return
    yield _record(text, told or "")


def _record(text: str, told: str) -> RawRecord | Rejection:
    begin = _HEADING.search(text)
    if not begin:
        return reject(1, "no heading that says abstract on its first pages; perhaps it is scanned")
    end = _NEXT.search(text, begin.end())
    abstract = _BROKEN.sub("", text[begin.end() : end.start() if end else None]).strip()
    if not end or len(abstract) < FEWEST_CHARS:
        return reject(1, "where its abstract ends could not be told")
    first = next((line for line in text.split("\n") if line.strip()), "")
    return RawRecord(1, abstract, title=told.strip() or first.strip() or None)


PDF = BinaryReader("pdf", sniff, read)
