"""The formats that can be read. A new one is a module with a ``Reader`` and a line here."""

from __future__ import annotations

from rag.corpus.readers.atom import ATOM
from rag.corpus.readers.bibtex import BIBTEX
from rag.corpus.readers.html_page import HTML
from rag.corpus.readers.json_document import JSON_DOCUMENT
from rag.corpus.readers.json_lines import JSON_LINES
from rag.corpus.readers.labelled import ARXIV_MAIL, LABELLED
from rag.corpus.readers.markdown import MARKDOWN
from rag.corpus.readers.paragraphs import PARAGRAPHS
from rag.corpus.readers.pdf import PDF
from rag.corpus.readers.pubmed_text import PUBMED_TEXT
from rag.corpus.readers.ris import RIS
from rag.corpus.readers.table import TABLE
from rag.corpus.readers.tagged import COCHRANE, ENDNOTE, NBIB, WOS
from rag.corpus.readers.workbook import WORKBOOK
from rag.corpus.readers.xml import XML
from rag.corpus.record import BinaryReader, Reader

BINARY: tuple[BinaryReader, ...] = (WORKBOOK, PDF)

READERS: tuple[Reader, ...] = (
    JSON_LINES,
    JSON_DOCUMENT,
    ATOM,
    HTML,
    XML,
    BIBTEX,
    RIS,
    WOS,
    NBIB,
    ENDNOTE,
    COCHRANE,
    PUBMED_TEXT,
    ARXIV_MAIL,
    TABLE,
    MARKDOWN,
    LABELLED,
    PARAGRAPHS,
)
"""In the order in which they are asked; the last one takes anything."""

FORMATS: dict[str, Reader | BinaryReader] = {
    **{reader.name: reader for reader in READERS},
    **{reader.name: reader for reader in BINARY},
}


def reader_for(text: str, suffix: str) -> Reader:
    """The first reader that recognises the text, by its content before its file's name.

    The name decides between JSON Lines and JSON: a single line is both.
    """
    named = next(reader for reader in READERS if reader.sniff(text, suffix))
    if named is JSON_LINES:
        return named
    return next((reader for reader in READERS[:-1] if reader.sniff(text, "")), named)


def binary_reader_for(data: bytes) -> BinaryReader | None:
    """The reader of what is no text and known; None for all else."""
    return next((reader for reader in BINARY if reader.sniff(data)), None)
