"""What a request to an OpenAI-compatible server says beside its messages.

Servers differ in what they take. We begin with what is known by the model's name, and learn the
rest from refusals.
"""

from __future__ import annotations

import re
from typing import Any

from rag.endpoint.failures import all_said, hopeless, status_of

REASONING = re.compile(r"(o[1-9]\d*|gpt-([5-9]|\d\d)(\.\d+)?)(?!\w)(?!.*-chat)")
"""Names of models that think before they write: they take no temperature and call the limit
otherwise. Names may have a gateway's prefix."""

THINKING = 2048
"""Tokens for a reasoning model's thoughts, which count towards its limit."""

LIMITS = ("max_tokens", "max_completion_tokens")


class Parameters:
    """The parameters of a connection. Answers are to repeat: temperature 0 and a fixed seed."""

    def __init__(self, model: str, seed: int) -> None:
        reasons = bool(REASONING.match(model.rsplit("/", 1)[-1]))
        self.thinking = THINKING if reasons else 0
        self._limit = LIMITS[reasons]
        self._values: dict[str, Any] = {"seed": seed}
        if reasons:
            self._values["reasoning_effort"] = "low"
        else:
            self._values["temperature"] = 0.0
        self._usage_in_stream = True
        self._refused: set[str] = set()

    def values(self, limit: int, stream: bool) -> dict[str, Any]:
        """The parameters of one request, for LlamaIndex, whose own temperature is kept out."""
        from openai import NOT_GIVEN

        values = {"temperature": NOT_GIVEN, **self._values, self._limit: limit + self.thinking}
        if stream and self._usage_in_stream:
            values["stream_options"] = {"include_usage": True}
        return values

    def learn(self, error: Exception) -> str | None:
        """Do without what a server refuses, once each; what was done about it, or None."""
        if status_of(error) not in (400, 422) or hopeless(error):
            return None
        said = f"{getattr(error, 'param', '')} {all_said(error)}"
        for name in ("stream_options", self._limit, *self._values):
            if name not in self._refused and re.search(rf"\b{name}\b", said):
                self._refused.add(name)
                return self._without(name)
        return None

    def _without(self, name: str) -> str:
        if name == self._limit:
            self._limit = LIMITS[name == LIMITS[0]]
            return f"takes {self._limit} instead of {name}"
        if name == "stream_options":
            self._usage_in_stream = False
        self._values.pop(name, None)
        return f"does not take {name}, which is left out"
