"""The formats that can be read. A new one is a module with a ``Reader`` and a line here."""

from __future__ import annotations

from rag.corpus.readers.json_document import JSON_DOCUMENT
from rag.corpus.readers.json_lines import JSON_LINES
from rag.corpus.readers.paragraphs import PARAGRAPHS
from rag.corpus.record import Reader

READERS: tuple[Reader, ...] = (JSON_LINES, JSON_DOCUMENT, PARAGRAPHS)
"""In the order in which they are asked; the last one takes anything."""


def reader_for(text: str, suffix: str) -> Reader:
    """The first reader that recognises the text."""
    return next(reader for reader in READERS if reader.sniff(text, suffix))
