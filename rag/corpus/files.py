"""A file becomes Papers: decode, pick the reader, clean, identify.

Knows the file system and nothing about any one format, the store or other files.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from rag.corpus.clean import clean_abstract, clean_text, clean_title
from rag.corpus.contents import Content, read_bytes
from rag.corpus.decode import NotTextError, decode
from rag.corpus.handle import find_handle
from rag.corpus.identity import arxiv_of, doi_of, paper_id, printable
from rag.corpus.naming import Fields, naming
from rag.corpus.places import is_about
from rag.corpus.readers import FORMATS, READERS, binary_reader_for, reader_for
from rag.corpus.record import NO_ABSTRACT, BinaryReader, RawRecord, Reader, reject
from rag.corpus.status import parted
from rag.corpus.wanting import EXPECTED, no_abstract
from rag.errors import NoAbstracts
from rag.types import Paper, Rejection, Source

MAX_ABSTRACT_CHARS = 50_000
"""Far above any abstract; more is a file whose records were not told apart."""

MAX_TITLE_CHARS, MAX_ID_CHARS = 2_000, 500
"""Far above any; more is another field under that name."""

READING = 3
"""To be raised when the same bytes would be read differently, so that they are read again."""

PROSE = (".txt", ".text", ".md", ".markdown", ".rst")
"""Suffixes of what nobody named and may yet be abstracts in plain prose."""

_UNENCODABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class ReadAs:
    """How a person wants files to be read: ``format`` names a reader, where their content does
    not tell; ``names`` is our field → the name that it has in them."""

    format: str | None = None
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FileReading:
    """What a file holds: ``path`` as given, ``file`` absolute, one Source for each paper.

    An equal ``digest`` means that reading the file again would give the same. What a pipe gave
    is ``passing``: it says nothing of what it gave before. ``problem`` is the error of a file
    from which no record was taken.
    """

    path: str
    file: str
    digest: str
    format: str
    records: tuple[Paper, ...]
    rejected: tuple[Rejection, ...]
    fields: Fields = Fields()
    passing: bool = False
    problem: NoAbstracts | None = None

    @property
    def is_whole(self) -> bool:
        """Whether a paper that is not in it has gone from it, and is not in what was damaged."""
        lacking = all(rejection.reason.startswith(NO_ABSTRACT) for rejection in self.rejected)
        return lacking and not self.passing


AS_FOUND = ReadAs()


def read_file(path: str, read_as: ReadAs = AS_FOUND) -> FileReading:
    """Read the papers of one file, in file order, duplicates included.

    Raises SourceError if it cannot be read, is not text, or holds no abstract.
    """
    data = read_bytes(path, note=lambda _: None)
    reading = read(Content(path, os.path.realpath(path), data), read_as)
    if reading.problem:
        raise reading.problem
    return reading


def read(
    content: Content, read_as: ReadAs = AS_FOUND, on_record: Callable[[], object] = bool
) -> FileReading:
    """Read the papers of a file whose bytes are there, telling at each one.

    Raises NoAbstracts where there is not even a record to reject.
    """
    # A name that is no UTF-8 can be opened, but not written down.
    path, file = writable(content.path), writable(content.file)
    with naming(read_as.names) as names:
        format, found = _opened(content, read_as.format)
        records, rejected = papers_of(path, file, found, on_record)
    reading = FileReading(
        path,
        file,
        digest(content, read_as),
        format,
        records,
        rejected,
        names.fields(),
        content.passing,
    )
    if records:
        return reading
    problem = _misfit(content, read_as.format) or no_abstract(path, rejected, reading.fields)
    return replace(reading, problem=problem)


def papers_of(
    path: str,
    file: str,
    found: Iterable[RawRecord | Rejection],
    on_record: Callable[[], object] = bool,
) -> tuple[tuple[Paper, ...], tuple[Rejection, ...]]:
    """What a reader or a loader finds, cleaned and identified: the papers and the refusals.

    ``path`` and ``file`` are where it is found, as given and as it is known everywhere.
    """
    records: list[Paper] = []
    rejected: list[Rejection] = []
    for each in found:
        on_record()
        source = Source(path, len(records) + 1, each.line or 1, file)
        taken = _paper(each, source) if isinstance(each, RawRecord) else each
        if isinstance(taken, Paper):
            records.append(taken)
        else:
            rejected.append(replace(taken, path=path))
    return tuple(records), tuple(rejected)


def _opened(content: Content, told: str | None) -> tuple[str, Iterator[RawRecord | Rejection]]:
    """The format of a file and what it holds, as it is read."""
    reader = FORMATS[told] if told else binary_reader_for(content.data)
    if isinstance(reader, BinaryReader):
        return reader.name, reader.read(content.data)
    text = _text(content, told)
    if reader is None:
        reader = reader_for(text, content.suffix)
        _check_name(content, reader)
    return reader.name, reader.read(text)


def _check_name(content: Content, reader: Reader) -> None:
    """Raise NoAbstracts where prose, which any text is, is by its name no list of papers."""
    if reader is not READERS[-1]:
        return
    odd = not content.named and content.suffix not in PROSE
    if odd or is_about(content.path):
        message = f"{writable(content.path)} is by its name no list of abstracts"
        raise NoAbstracts(message, "name it, with --format text, to have it read all the same")


def _misfit(content: Content, told: str | None) -> NoAbstracts | None:
    """The error where the content is not in the format that was told."""
    looks = _format(content)
    if told is None or looks == told:
        return None
    message = f"{writable(content.path)} cannot be read as {told}: its content looks like {looks}"
    return NoAbstracts(message, "leave --format out, or name another one")


def _format(content: Content) -> str:
    """What the content looks like."""
    try:
        found = binary_reader_for(content.data) or reader_for(decode(content.data), content.suffix)
    except NotTextError:
        return "binary data"
    return found.name


def writable(path: str) -> str:
    """A path as it can be told, whatever its bytes."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def digest(content: Content, read_as: ReadAs) -> str:
    """The ``digest`` that reading a file so would give."""
    how = [READING, content.path, read_as.format, *sorted(read_as.names.items())]
    given = " ".join(map(str, how)) + "\n"
    return hashlib.sha256(given.encode("utf-8", "replace") + content.data).hexdigest()


def _text(content: Content, told: str | None) -> str:
    path = writable(content.path)
    try:
        text = decode(content.data)
    except NotTextError:
        binary = NoAbstracts(f"{path} is binary, not text", EXPECTED)
        raise _misfit(content, told) or binary from None
    if not text.strip():
        raise NoAbstracts(f"{path} is empty", EXPECTED)
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
    text = clean_abstract(record.abstract)
    if not text:
        return reject(record.line, f"{NO_ABSTRACT}: nothing is left of it after cleaning")
    title = clean_title(record.title or "") or None
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
