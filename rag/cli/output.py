"""Files that a command writes at a user's wish: whole, or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from rag.errors import SourceError


def check(name: str) -> None:
    """Raise SourceError where a file cannot be, before the work for it is done and paid."""
    with _told(name):
        path = Path(name)
        if path.is_dir():
            raise SourceError(f"{name} cannot be written: it is a folder.", "name a file in it")
        if not path.parent.is_dir():
            fix = f"mkdir -p {path.parent}, or name another file"
            raise SourceError(f"{name} cannot be written: there is no folder {path.parent}.", fix)
        if _is_plain(path):
            temporary = _beside(path.resolve())
            temporary.touch()
            temporary.unlink()


def save(name: str, content: str | bytes) -> None:
    """Write a file, in the place of one that is there; a crash leaves that one or the new one.

    What is no file, such as a pipe, is written to as it is. Raises SourceError.
    """
    check(name)
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    with _told(name):
        path = Path(name)
        if _is_plain(path):
            _replace(path.resolve(), data)  # a link stays a link
        else:
            path.write_bytes(data)


@contextmanager
def _told(name: str) -> Iterator[None]:
    """Turn what the system refuses into SourceError; a link to itself is a RuntimeError."""
    try:
        yield
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SourceError(f"{name} cannot be written: {reason}.", "name another file") from error


def _is_plain(path: Path) -> bool:
    """Whether it is a file or nothing yet."""
    return path.is_file() or not path.exists()


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name[:100]}.{os.getpid()}.tmp")


def _replace(path: Path, data: bytes) -> None:
    temporary = _beside(path)
    try:
        with temporary.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if path.exists():
            shutil.copymode(path, temporary)
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
