"""Lists and counts: which of all papers are what a question asks for.

Here is what comes of looking; looking loads much that other questions have no need of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag.engine.evidence import Evidence

KINDS = ("list", "count", "find", "similar")
"""Kinds of question that papers are looked through for."""


@dataclass(frozen=True, slots=True)
class Listed:
    """``rows`` of the papers asked for, best first, none where no list is asked for or nothing is
    found; ``picked`` their sentences; ``sure`` if some paper says it in as many words."""

    rows: Sequence[int] = ()
    picked: Sequence[Evidence] = ()
    sure: bool = False
    absent: bool = False
    """Whether all papers were looked through, and none comes near what is asked for."""
    among: int = 0
    """How many papers of the conversation were looked through; 0 for all papers there are."""
    notes: tuple[str, ...] = ()
    """What the reader has to know of how they were found."""


NOTHING = Listed()
