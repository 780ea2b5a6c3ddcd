"""What a reader is and what it yields: records as they stand in a file, or refusals.

Knows nothing about paths: a reader sees text and tells lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rag.types import Rejection


@dataclass(frozen=True, slots=True)
class RawRecord:
    """A record as it stood in a file, nothing cleaned; ``line`` is where it starts, from 1."""

    line: int
    abstract: str
    id: str | None = None
    title: str | None = None
    url: str | None = None
    doi: str | None = None
    arxiv: str | None = None
    authors: tuple[str, ...] = ()
    venue: str | None = None
    year: int | None = None
    status: str | None = None
    area: str | None = None
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reader:
    """One file format.

    ``sniff(text, suffix)`` says whether the text is in it, by its content first; ``suffix``
    is the file's, lower case with its dot. ``read(text)`` yields what it finds in file order.
    """

    name: str
    sniff: Callable[[str, str], bool]
    read: Callable[[str], Iterator[RawRecord | Rejection]]


@dataclass(frozen=True, slots=True)
class BinaryReader:
    """A file format that is no text: the same of its bytes, which say by themselves what it is."""

    name: str
    sniff: Callable[[bytes], bool]
    read: Callable[[bytes], Iterator[RawRecord | Rejection]]


def reject(line: int, reason: str) -> Rejection:
    """A Rejection of what stands on ``line``; whoever knows the file fills in its path."""
    return Rejection(path="", line=line, reason=reason)
