"""Models inside models."""

from __future__ import annotations

from rag.models import Model


class Wrapped:
    """What wraps a model passes everything on but its replies."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def window(self) -> int:
        return self._model.window

    @property
    def thinking(self) -> int:
        return thinking(self._model)

    @property
    def exact(self) -> bool:
        return exact(self._model)

    def count(self, text: str) -> int:
        return self._model.count(text)


def thinking(model: Model) -> int:
    """Tokens that a reasoning model may spend before it writes, on top of a reply's limit."""
    return getattr(model, "thinking", 0)


def exact(model: Model) -> bool:
    """Whether a model counts tokens by its own encoding, as far as it tells."""
    return getattr(model, "exact", True)
