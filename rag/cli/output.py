"""Files that a command writes at a user's wish: whole, or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from rag.errors import SourceError


def check(name: str) -> None:
    """Raise SourceError where a file cannot be, before the work for it is done."""
    path = Path(name)
    if path.is_dir():
        raise SourceError(f"{name} cannot be written: it is a folder.", "name a file in it")
    if not path.parent.is_dir():
        fix = f"mkdir -p {path.parent}, or name another file"
        raise SourceError(f"{name} cannot be written: there is no folder {path.parent}.", fix)


def save(name: str, content: str | bytes) -> None:
    """Write a file, in the place of one that is there; a crash leaves that one or the new one.

    What is no file, such as a pipe, is written to as it is. Raises SourceError.
    """
    check(name)
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    path = Path(name)
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)
        else:
            _replace(path.resolve(), data)  # a link stays a link
    except OSError as error:
        reason = error.strerror or str(error)
        raise SourceError(f"{name} cannot be written: {reason}.", "name another file") from error


def _replace(path: Path, data: bytes) -> None:
    temporary = path.with_name(f".{path.name[:100]}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
