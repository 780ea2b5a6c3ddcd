"""What public servers have answered, kept on disk for a day.

A run that was broken off goes on where it was, and asking for the same papers again the same day
costs the server nothing.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

KEPT = 86_400.0
"""Seconds for which an answer is used again: arXiv's change once a day."""


class Answers:
    """The answers in ``folder``, each in a file of its own, named by a hash of its ``key``.

    ``note`` is told once where one cannot be written.
    """

    def __init__(self, folder: Path, note: Callable[[str], None]) -> None:
        self._folder = folder
        self._note: Callable[[str], None] | None = note
        for path in [*folder.glob("*.answer"), *folder.glob("*.tmp")]:
            if _age(path) > KEPT:
                with suppress(OSError):
                    path.unlink()

    def get(self, key: str) -> tuple[bytes, float] | None:
        """The answer and the time at which it came; None without one that is not too old."""
        path = self._path(key)
        try:
            body, when = path.read_bytes(), path.stat().st_mtime
        except OSError:
            return None
        return (body, when) if time.time() - when <= KEPT else None

    def keep(self, key: str, body: bytes) -> None:
        """Write an answer in one step, so that there is never a part of one."""
        path = self._path(key)
        temporary = path.with_suffix(f".{os.getpid()}.tmp")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(body)
            temporary.replace(path)
        except OSError as error:
            with suppress(OSError):
                temporary.unlink()
            if self._note:
                self._note(f"answers cannot be kept in {self._folder}: {error.strerror}")
            self._note = None

    def _path(self, key: str) -> Path:
        name = hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()
        return self._folder / f"{name}.answer"


def _age(path: Path) -> float:
    try:
        return time.time() - path.stat().st_mtime
    except OSError:
        return 0.0
