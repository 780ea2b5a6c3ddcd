"""A model that several threads ask."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

from rag.models import Message, Model, OnText, Reply
from rag.models.wrapped import Wrapped


class Shared(Wrapped):
    """A model whose first reply all threads wait for: with it libraries are loaded and a server
    is got to know, neither of which may be done twice at a time."""

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self._lock = Lock()
        self._known = False

    def count(self, text: str) -> int:
        with self._lock:
            if not self._known:
                return self._model.count(text)
        return self._model.count(text)

    def reply(
        self, messages: Sequence[Message], limit: int, on_text: OnText | None = None
    ) -> Reply:
        with self._lock:
            if not self._known:
                reply = self._model.reply(messages, limit, on_text)
                self._known = True
                return reply
        return self._model.reply(messages, limit, on_text)
