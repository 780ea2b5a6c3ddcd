"""Text → vectors. What an embedder is; each one has a module of its own beside this.

Knows no Paper and no store: it is given texts with spans and gives back unit vectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Document:
    """A text and the half-open character spans of its sentences."""

    text: str
    spans: tuple[tuple[int, int], ...]


class Embedder(Protocol):
    """What the store and the retriever ask of an embedder. All vectors have length 1."""

    @property
    def identity(self) -> str:
        """Names model, weights and pooling: vectors of different identities never mix."""

    @property
    def dimensions(self) -> int:
        """Length of a vector."""

    def query(self, text: str) -> Matrix:
        """The question's vector, shape (dimensions,)."""

    def documents(self, documents: Sequence[Document]) -> Iterator[tuple[int, Matrix]]:
        """Yield (index, vectors) in any order; vectors has shape (1 + len(spans), dimensions).

        Row 0 is the whole text, row i the sentence at ``spans[i - 1]``.
        """


class Meter(Protocol):
    """Is asked before each request to a server that embeds, and told after it, from any thread."""

    def allow(self, tokens: int) -> None:
        """Before a request of about so many tokens; raises what forbids it."""

    def enter(self, allowed: int, tokens: int) -> None:
        """After it: as many as were allowed, and as many as it took, 0 if it was refused."""


class NoMeter:
    """Allows everything."""

    def allow(self, tokens: int) -> None:
        """Nothing is counted."""

    def enter(self, allowed: int, tokens: int) -> None:
        """Nothing is counted."""
