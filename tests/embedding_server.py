"""A server on localhost that embeds, as well or as badly as a test wants."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.servers import Event, Exchange, Fault, Local, no_quota

if TYPE_CHECKING:
    from rag.embed import Matrix

Odd = Callable[[int, Event], Fault | None]
"""Is given a request's number, from 1, and its body; may have it answered otherwise."""


class EmbeddingServer(Local):
    """Gives each text a vector that no other text has, not of length 1. What ``odd`` says goes
    before that, and ``change`` is made to a proper reply; None changes nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.dimensions = 8
        self.reset()

    def reset(self) -> None:
        """From now on answer properly, and forget what was asked."""
        self.asked.clear()
        self.odd: Odd = lambda number, body: None
        self.change: Callable[[Event], object] = lambda reply: None
        self._numbers = count(1)

    @property
    def inputs(self) -> list[str]:
        """All texts that were sent, in the order in which they came."""
        return [text for body in self.bodies for text in body["input"]]

    def answer(self, exchange: Exchange) -> None:
        body = exchange.request.body
        fault = self.odd(next(self._numbers), body)
        if fault:
            return fault(exchange)
        reply = self._reply(body)
        self.change(reply)
        return exchange.send(200, reply)

    def _reply(self, body: Event) -> Event:
        entries = [self._entry(i, text, body) for i, text in enumerate(body["input"])]
        tokens = sum(len(text.split()) for text in body["input"])
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        return {"object": "list", "data": entries, "model": body["model"], "usage": usage}

    def _entry(self, index: int, text: str, body: Event) -> Event:
        found: Any = vector(text, body.get("dimensions", self.dimensions))
        if body.get("encoding_format") == "base64":
            found = base64.b64encode(np.array(found, np.float32).tobytes()).decode()
        return {"object": "embedding", "index": index, "embedding": found}


def vector(text: str, dimensions: int) -> list[float]:
    """Some direction of its own for each text."""
    seed = list(hashlib.sha256(text.encode()).digest())
    return [float(x) for x in 3 * np.random.default_rng(seed).normal(size=dimensions)]


def unit(text: str, dimensions: int = 8) -> Matrix:
    """What an embedder should make of the server's vector."""
    found = np.array(vector(text, dimensions))
    return np.asarray(found / np.linalg.norm(found), np.float32)


def always(fault: Fault) -> Odd:
    return lambda number, body: fault


def first(times: int, fault: Fault) -> Odd:
    return lambda number, body: fault if number <= times else None


def after(times: int, fault: Fault) -> Odd:
    return lambda number, body: fault if number > times else None


def empty_account(requests: int) -> Odd:
    """The money is gone after that many requests."""
    return after(requests, no_quota())
