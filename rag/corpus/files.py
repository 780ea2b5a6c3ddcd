"""A file becomes Papers: decode, pick the reader, clean, identify.

Knows the file system and nothing about any one format, the store or other files.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from rag.corpus.clean import clean_text
from rag.corpus.decode import NotTextError, decode
from rag.corpus.handle import find_handle
from rag.corpus.identity import arxiv_of, doi_of, paper_id, printable
from rag.corpus.readers import binary_reader_for, reader_for
from rag.corpus.record import RawRecord, reject
from rag.corpus.status import parted
from rag.errors import SourceError
from rag.types import Paper, Rejection, Source

MAX_ABSTRACT_CHARS = 50_000
"""Far above any abstract; more is a file whose records were not told apart."""

MAX_TITLE_CHARS, MAX_ID_CHARS = 2_000, 500
"""Far above any; more is another field under that name."""

READING = 3
"""To be raised when the same bytes would be read differently, so that they are read again."""

_EXPECTED = (
    "give abstracts as paragraphs parted by blank lines, or as JSON or JSON Lines objects "
    'with an "abstract" key'
)
_UNENCODABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class FileReading:
    """What a file holds: ``path`` as given, ``file`` absolute, one Source for each paper.

    An equal ``digest`` means that reading the file again would give the same.
    """

    path: str
    file: str
    digest: str
    format: str
    records: tuple[Paper, ...]
    rejected: tuple[Rejection, ...]


def read_file(path: str) -> FileReading:
    """Read the papers of one file, in file order, duplicates included.

    Raises SourceError if it cannot be read, is not text, or holds no abstract.
    """
    data = _read_bytes(path)
    format, found_records = _reading(path, data)
    # A name that is no UTF-8 can be opened, but not written down.
    path, file = _writable(path), _writable(str(Path(path).resolve()))
    records: list[Paper] = []
    rejected: list[Rejection] = []
    for found in found_records:
        source = Source(path, len(records) + 1, found.line or 1, file)
        taken = _paper(found, source) if isinstance(found, RawRecord) else found
        if isinstance(taken, Paper):
            records.append(taken)
        else:
            rejected.append(replace(taken, path=path))
    if not records:
        raise _no_abstract(path, rejected)
    return FileReading(path, file, _digest(path, data), format, tuple(records), tuple(rejected))


def _reading(path: str, data: bytes) -> tuple[str, Iterator[RawRecord | Rejection]]:
    """The format of a file and what it holds, as it is read."""
    if binary := binary_reader_for(data):
        return binary.name, binary.read(data)
    text = _text(path, data)
    reader = reader_for(text, Path(path).suffix.lower())
    return reader.name, reader.read(text)


def _writable(path: str) -> str:
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def file_digest(path: str) -> str:
    """The ``digest`` that reading a file would give; raises SourceError if it cannot be read."""
    return _digest(path, _read_bytes(path))


def _digest(path: str, data: bytes) -> str:
    return hashlib.sha256(f"{READING} {path}\n".encode("utf-8", "replace") + data).hexdigest()


def _read_bytes(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise SourceError(f"{path} does not exist", "check the path") from None
    except IsADirectoryError:
        fix = f"name the files in it, e.g. rag ingest {Path(path) / '*.txt'}"
        raise SourceError(f"{path} is a directory", fix) from None
    except PermissionError:
        raise SourceError(f"{path} may not be read", f"chmod u+r {path}") from None
    except (OSError, ValueError) as error:
        raise SourceError(f"{path} cannot be read: {error}", "check the path") from None


def _text(path: str, data: bytes) -> str:
    try:
        text = decode(data)
    except NotTextError:
        raise SourceError(f"{path} is binary, not text", _EXPECTED) from None
    if not text.strip():
        raise SourceError(f"{path} is empty", _EXPECTED)
    return text


def _paper(record: RawRecord, source: Source) -> Paper | Rejection:
    """The record cleaned and identified, or why it is no abstract after all."""
    if len(record.abstract) > MAX_ABSTRACT_CHARS:
        return reject(
            record.line,
            f"an abstract of {len(record.abstract):,} characters; at most "
            f"{MAX_ABSTRACT_CHARS:,} are taken: put blank lines between abstracts",
        )
    for name, limit in (("title", MAX_TITLE_CHARS), ("id", MAX_ID_CHARS)):
        length = len(getattr(record, name) or "")
        if length > limit:
            return reject(record.line, f"its {name} has {length:,} characters; {limit:,} at most")
    text = clean_text(record.abstract)
    if not text:
        return reject(record.line, "no abstract: nothing is left of it after cleaning")
    title = _cleaned(record.title)
    url = printable(record.url) or None
    venue, status, year = parted(_cleaned(record.venue), _cleaned(record.status), record.year)
    doi = doi_of(record.doi, url)
    arxiv = arxiv_of(record.arxiv, url, doi)
    return Paper(
        paper_id=paper_id(record.id, url, text, doi, arxiv),
        handle=find_handle(text, title),
        text=text,
        raw=_UNENCODABLE.sub("", record.abstract),
        sources=(source,),
        title=title,
        url=url,
        doi=doi,
        arxiv=arxiv,
        authors=_all_cleaned(record.authors),
        venue=venue,
        year=year,
        status=status,
        area=_cleaned(record.area),
        keywords=_all_cleaned(record.keywords),
    )


def _cleaned(value: str | None) -> str | None:
    return clean_text(value or "") or None


def _all_cleaned(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(filter(None, map(_cleaned, values)))


def _no_abstract(path: str, rejected: list[Rejection]) -> SourceError:
    if not rejected:
        return SourceError(f"{path} holds no abstract, only a heading", _EXPECTED)
    first = rejected[0]
    records = "1 record" if len(rejected) == 1 else f"{len(rejected):,} records"
    return SourceError(
        f"{path} holds no abstract: {records} rejected, the first in line {first.line}: "
        f"{first.reason}",
        _EXPECTED,
    )
