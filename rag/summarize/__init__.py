"""A paper in one checked sentence of at most 25 words: what it is, what it does, what came of it.

``extractive`` joins what the others do: ``chooser`` takes the sentence, ``compress`` makes a line
of it (``plain``, ``openings``, ``pointing``, ``naming``, ``cuts``), ``whole`` refuses a broken one,
``results`` completes a short one, and the evidence checker has the last word.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rag.types import Paper, Summary

MAX_WORDS = 25
"""Words of a summary, as a person counts them."""


class Summarizer(Protocol):
    """Whatever says in one sentence what a paper brings.

    ``identity`` changes whenever the same paper may get another summary.
    """

    @property
    def identity(self) -> str: ...

    def summarize(self, paper: Paper, spans: Sequence[tuple[int, int]]) -> Summary:
        """The paper in a sentence; ``spans`` are the sentences of its text. With a model
        raises EndpointError's kinds and BudgetError; without one, nothing."""
