"""The bytes of files, unpacked: what is compressed, an archive's members, standard input.

Knows how much may be read; knows no format of papers.
"""

from __future__ import annotations

import io
import os
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from threading import Timer
from typing import Protocol

from rag.corpus.places import STDIN, Place, Skipped, no_paper
from rag.errors import NoAbstracts, SourceError

LARGEST = 100_000_000
"""Bytes of a file, unpacked: some 50,000 papers; a file is held in memory while it is read."""
PATIENCE = 2.0
"""Seconds after which it is told that nothing comes from a pipe."""
_GZIP, _ZIP = b"\x1f\x8b", b"PK\x03\x04"
_TAR, _TAR_AT = b"ustar", 257
_OFFICE = {"[Content_Types].xml", "mimetype"}
"""What tells an office document from other archives."""


class _Stream(Protocol):
    def read(self, size: int, /) -> bytes: ...


Note = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Content:
    """A file's bytes: ``path`` as given, ``file`` absolute; ``named`` as in Place.

    ``passing`` is what a pipe gave: the next time there is something else, which says nothing
    of this.
    """

    path: str
    file: str
    data: bytes
    named: bool = True
    passing: bool = False

    @property
    def suffix(self) -> str:
        """Of its name, lower case with its dot, without that of its packing."""
        name = PurePath(self.path.lower())
        return PurePath(name.stem).suffix if name.suffix == ".gz" else name.suffix


def contents(place: Place, note: Note) -> Iterator[Content | Skipped]:
    """What is in a file: itself or, of a zip archive, each member. Raises SourceError."""
    data = _unzipped(place.path, read_bytes(place.path, note))
    if data.startswith(_TAR, _TAR_AT):
        raise NoAbstracts(f"{place.path} is a tar archive", "unpack it, and name its folder")
    file = STDIN if place.path == STDIN else os.path.realpath(place.path)
    passing = place.path == STDIN or not Path(place.path).is_file()
    content = Content(place.path, file, data, place.named, passing)
    if members := _members(content):
        yield from members
    else:
        yield content


def read_bytes(path: str, note: Note) -> bytes:
    """All bytes of a file, or of standard input; raises SourceError."""
    try:
        with _told_if_slow(path, note):
            if path == STDIN:
                return _bounded(path, sys.stdin.buffer)
            with Path(path).open("rb") as stream:
                return _bounded(path, stream)
    except FileNotFoundError:
        raise SourceError(f"{path} does not exist", "check the path") from None
    except IsADirectoryError:
        raise SourceError(f"{path} is a directory", f"rag ingest {path} reads all in it") from None
    except PermissionError:
        raise SourceError(f"{path} may not be read", f"chmod u+r {path}") from None
    except (OSError, ValueError) as error:
        raise SourceError(f"{path} cannot be read: {error}", "check the path") from None


def _bounded(path: str, stream: _Stream) -> bytes:
    data = stream.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise _too_large(path)
    return data


def _too_large(path: str) -> SourceError:
    message = f"{path} has, unpacked, more than the {LARGEST / 1e6:,.0f} MB that a file may have"
    return SourceError(message, "split it into several files")


@contextmanager
def _told_if_slow(path: str, note: Note) -> Iterator[None]:
    """Say what is waited for where nothing comes, as from a pipe that nobody writes to."""
    what = "standard input" if path == STDIN else path
    timer = Timer(PATIENCE, note, [f"waiting for what {what} gives; Ctrl-C stops"])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _unzipped(path: str, data: bytes) -> bytes:
    """The data without gzip's packing."""
    if not data.startswith(_GZIP):
        return data
    import gzip

    try:
        with gzip.open(io.BytesIO(data)) as stream:
            return _bounded(path, stream)
    except (OSError, EOFError, zlib.error) as error:
        raise SourceError(f"{path} is damaged: {error}", "get it again") from None


def _members(archive: Content) -> list[Content | Skipped]:
    """What is in a zip archive; nothing where it is none, or a workbook, which has a reader."""
    packed = io.BytesIO(archive.data)
    if not archive.data.startswith(_ZIP) or b"xl/" in archive.data:
        return []
    if not zipfile.is_zipfile(packed):
        return []
    try:
        with zipfile.ZipFile(packed) as opened:
            if _OFFICE & set(opened.namelist()):
                fix = "save it as text, PDF or, of tables, as .xlsx"
                raise NoAbstracts(f"{archive.path} is a document of an office program", fix)
            return list(_unpacked(archive, opened))
    except SourceError:
        raise
    except Exception as error:  # whatever a damaged, odd or encrypted archive makes it raise
        message = f"{archive.path} cannot be unpacked: {error}"
        raise SourceError(message, "unpack it, and name what was in it") from None


def _unpacked(archive: Content, opened: zipfile.ZipFile) -> Iterator[Content | Skipped]:
    """Members in sorted order, as many bytes together as one file may have."""
    left = LARGEST
    for member in sorted(opened.infolist(), key=lambda member: member.filename):
        path = f"{archive.path}/{member.filename}"
        hidden = any(part.startswith((".", "__MACOSX")) for part in member.filename.split("/"))
        if member.is_dir() or hidden:
            continue
        if reason := no_paper(path):
            yield Skipped(path, reason)
            continue
        with opened.open(member) as stream:
            data = stream.read(left + 1)
        left -= len(data)
        if left < 0:
            raise _too_large(archive.path)
        file = f"{archive.file}/{member.filename}"
        yield Content(path, file, data, named=False, passing=archive.passing)
