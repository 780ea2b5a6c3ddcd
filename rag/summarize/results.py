"""What a system achieves or does: a clause of another sentence that completes a short line.

Knows the words that report results; the clause is a piece of its sentence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from rag.summarize.cuts import cuts
from rag.summarize.naming import short_form
from rag.summarize.openings import opened
from rag.summarize.plain import plain
from rag.summarize.verbs import base, is_known, third

LEAST = 4
"""Words of a clause."""

_OUTCOMES = (
    "achieve outperform improve reduce surpass exceed match attain deliver yield set boost "
    "increase lower cut close accelerate beat obtain reach"
).split()
_OUTCOME = "|".join(map(third, _OUTCOMES))
_OURS = (
    r"(?:our|the proposed|this|the resulting) (?:[\w-]+ ){0,2}?(?:method|approach|framework|model|"
    r"algorithm|system|technique|pipeline|strategy|architecture|policy|agent)|it"
)
_REPORTED = r"\b(?:that|shows?|demonstrates?|reveals?|indicates?|confirms?) |, "
_CONDITION = re.compile(r"^(?:in|for|when|where|under|with|at|if|given|once|after|within)\b", re.I)
_POINTS = re.compile(r"\b(?:this|these|those|such|its?|they|their|them|our|we|us)\b|\s/\s|:", re.I)
_MORE = re.compile(r"(?:, (?:\w+ing|which|while|with|and \w+ing|even|thereby|thus)\b|;).*$")


def result(sentences: Sequence[str], handle: str, room: int) -> tuple[int, str] | None:
    """Index of the first sentence that reports a result of the system of that name, and the
    clause, of at most ``room`` words, with the system left out: "outperforms …"."""
    return _first(_result(handle), sentences, handle, room)


def action(sentences: Sequence[str], handle: str, room: int) -> tuple[int, str] | None:
    """The same for the first sentence that begins with the system and what it does."""
    return _first(_action(handle), sentences, handle, room)


def _first(
    pattern: re.Pattern[str], sentences: Sequence[str], handle: str, room: int
) -> tuple[int, str] | None:
    for i, sentence in enumerate(sentences):
        text = opened(plain(short_form(sentence, handle)))
        found = None if _CONDITION.match(text) else pattern.search(text)
        if found and is_known(base(found["verb"].lower())):
            clause = _clause(found["verb"] + found["rest"], room)
            if LEAST <= len(clause.split()) <= room and not _POINTS.search(clause):
                return i, clause
    return None


@lru_cache(maxsize=8)
def _result(handle: str) -> re.Pattern[str]:
    own = rf"(?:^|{_REPORTED})(?:{re.escape(handle)}|{_OURS})(?:,? \w+ly)?"
    return re.compile(rf"{own} (?P<verb>{_OUTCOME})\b(?P<rest> .+)$", re.I)


@lru_cache(maxsize=8)
def _action(handle: str) -> re.Pattern[str]:
    own = rf"^(?:{re.escape(handle)}|{_OURS})(?: first)?(?: \w+ly)?"
    return re.compile(rf"{own} (?P<verb>[a-z]+s)\b(?P<rest> .+)$", re.I)


def _clause(text: str, room: int) -> str:
    """The first clause of a text or what of it can stand in ``room`` words; empty if nothing."""
    text = _MORE.sub("", text)
    if len(text.split()) <= room:
        return text
    return next((cut.text for cut in cuts(text) if cut.words <= room), "")
