"""Small file habits: write whole or not at all, and say plainly when the disk refuses."""

from __future__ import annotations

import errno
import json
import os
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from threading import Lock
from typing import Any

from rag.errors import StoreUnwritable


@contextmanager
def writing(store: Path) -> Iterator[None]:
    """Turn the operating system's refusals into StoreUnwritable."""
    try:
        yield
    except OSError as error:
        raise unwritable(store, error) from error


def unwritable(store: Path, error: OSError) -> StoreUnwritable:
    """The error for a write that failed, with the fix that fits its cause."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        fix = "free some space, or name a folder on another disk with --store, and run it again"
        return StoreUnwritable(f"No space left to write the index in {store}.", fix)
    if error.errno in (errno.ENOTDIR, errno.EEXIST):
        fix = "name a folder with --store"
        return StoreUnwritable(f"{store} is a file, not a folder for an index.", fix)
    fix = "check the folder's permissions, or name another with --store"
    reason = error.strerror or str(error)
    return StoreUnwritable(f"Cannot write the index in {store}: {reason}.", fix)


def replace_json(path: Path, data: Any) -> None:
    """Write JSON beside ``path``, flush it to the disk, then rename it over ``path``."""
    temporary = path.with_suffix(".tmp")
    write_flushed(temporary, json.dumps(data, ensure_ascii=False, indent=1, sort_keys=True))
    temporary.replace(path)


def write_flushed(path: Path, text: str) -> None:
    """Write a text file that a power cut cannot leave half written once this has returned."""
    with path.open("w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())


def append_line(path: Path, line: str) -> None:
    """Add a line by a single write, which no other process's comes between. It begins with a line
    break: what somebody before could not finish is then a line of its own. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(handle, f"\n{line}\n".encode())
    finally:
        os.close(handle)


def added_lines(path: Path) -> list[bytes]:
    """What ``append_line`` added to a file, the last of it maybe torn; nothing without a file."""
    try:
        return list(filter(None, path.read_bytes().split(b"\n")))
    except OSError:
        return []


class OpenFile:
    """A file that is read here and there, by many threads: whoever maps a large one instead soon
    has all of it in his memory. It can be read even after it was removed."""

    def __init__(self, path: Path) -> None:
        self._file, self._lock = FileIO(path), Lock()
        self.size = os.fstat(self._file.fileno()).st_size
        weakref.finalize(self, self._file.close)

    def read(self, begin: int, end: int) -> bytes:
        """The bytes between two offsets; fewer where the file ends before."""
        found = bytearray(end - begin)
        return bytes(found[: self.fill(memoryview(found), begin)])

    def fill(self, target: memoryview, begin: int) -> int:
        """Read what lies at an offset into ``target``; returns how many bytes there were."""
        if hasattr(os, "preadv"):
            return os.preadv(self._file.fileno(), [target], begin)
        with self._lock:
            self._file.seek(begin)
            return self._file.readinto(target) or 0
