"""Replies on disk, so that a question asked again is free and its answer the same."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from rag.models import Message, Model, OnText, Reply
from rag.models.wrapped import Wrapped
from rag.types import Usage

KEPT = 2000
"""Replies kept, the newest."""


class Cached(Wrapped):
    """A model that answers from ``folder`` what it was asked before, in the same words.

    ``place`` is the endpoint's whole address: the same name may be another model elsewhere.
    Replies that were cut off are not kept. ``note`` is told once where the folder cannot be
    written.
    """

    def __init__(
        self,
        model: Model,
        folder: Path,
        place: str,
        note: Callable[[str], None] = lambda text: None,
    ) -> None:
        super().__init__(model)
        self._folder = folder
        self._place = place
        self._note: Callable[[str], None] | None = note

    def reply(
        self, messages: Sequence[Message], limit: int, on_text: OnText | None = None
    ) -> Reply:
        """The reply; one from the folder has no usage and comes in one piece."""
        path = self._folder / f"{self._key(messages, limit)}.json"
        text = _kept(path)
        if text is None:
            reply = self._model.reply(messages, limit, on_text)
            if reply.finished and reply.text:
                self._keep(path, reply.text)
            return reply
        if on_text and text:
            on_text(text)
        return Reply(text, Usage())

    def _key(self, messages: Sequence[Message], limit: int) -> str:
        asked = [(message.role, message.text) for message in messages]
        known = json.dumps([self.name, self._place, asked, limit])
        return hashlib.sha256(known.encode()).hexdigest()

    def _keep(self, path: Path, text: str) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            _write(path, json.dumps({"text": text}))
            _forget_oldest(self._folder)
        except OSError as error:
            if self._note:
                self._note(f"replies are not kept: {error.strerror} ({self._folder})")
                self._note = None


def _kept(path: Path) -> str | None:
    """The text of a kept reply; None without one, or if the file is damaged."""
    try:
        text = json.loads(path.read_text(encoding="utf-8"))["text"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None
    return text if isinstance(text, str) else None


def _write(path: Path, text: str) -> None:
    """Write beside the path, then rename: a reader meets all of it or nothing."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        Path(temporary).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(temporary).unlink()
        raise


def _forget_oldest(folder: Path) -> None:
    """Leave the newest; another process may be doing the same."""
    files = list(folder.iterdir())
    if len(files) <= KEPT:
        return
    ages: list[tuple[float, Path]] = []
    for file in files:
        with suppress(OSError):
            ages.append((file.stat().st_mtime, file))
    for _, file in sorted(ages)[:-KEPT]:
        file.unlink(missing_ok=True)
