"""How many texts go into one request, and where a text is cut that is too long for one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """At most this much in one request: texts, and tokens as ``estimated_tokens`` has them; and
    how many requests there are at once."""

    inputs: int
    tokens: int
    at_once: int


OPENAI = Limits(256, 50_000, 4)
"""Well below what it takes (2,048 and 300,000): a request is what an interruption can lose."""

COMPATIBLE = Limits(32, 8_000, 2)
"""Text Embeddings Inference takes 32 texts unless told otherwise. A server on a small machine
works on one request while the next waits; more would only wait until they are late."""


def estimated_tokens(text: str) -> int:
    """A guess on the safe side for prose, in the encodings of all models that we know of.

    Counting would need each model's own tokenizer; where the guess is too low the server says
    so and gets less at once.
    """
    return len(text.encode(errors="replace")) // 3 + 1


def batched(texts: Iterable[str], limits: Limits) -> Iterator[list[str]]:
    """The texts in order, as many together as the limits allow; a long one may stand alone."""
    batch: list[str] = []
    room = limits.tokens
    for text in texts:
        size = estimated_tokens(text)
        if batch and (len(batch) == limits.inputs or size > room):
            yield batch
            batch, room = [], limits.tokens
        batch.append(text)
        room -= size
    if batch:
        yield batch


def halves(text: str) -> list[str]:
    """Two parts of like length that add up to the text, cut after a space if one is near."""
    middle = len(text) // 2
    cut = text.rfind(" ", middle // 2, middle) + 1 or middle
    return [text[:cut], text[cut:]]
