"""Models that write: what they are asked and what they reply, whoever serves them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from rag.types import Usage

OnText = Callable[[str], None]
"""Is given each piece of a reply as it comes."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation with a model."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model wrote. ``finished`` is False where its limit of tokens cut it off."""

    text: str
    usage: Usage
    finished: bool = True


class Model(Protocol):
    """Writes replies. ``window`` is in tokens, question and reply together."""

    @property
    def name(self) -> str: ...

    @property
    def window(self) -> int: ...

    def count(self, text: str) -> int:
        """Tokens of a text; an estimate where the model's own encoding is not known."""
        ...

    def reply(
        self, messages: Sequence[Message], limit: int, on_text: OnText | None = None
    ) -> Reply:
        """The reply, of at most ``limit`` tokens; given ``on_text`` it is streamed to it, in
        pieces that add up to its text. Raises EndpointError's kinds and BudgetError."""
        ...
