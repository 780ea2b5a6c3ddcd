"""The papers that a question for papers gets, and a sentence of each."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from rag.engine.listing import NOTHING, Listed
from rag.engine.listing.meaning import chance
from rag.engine.listing.members import FEW, Members, members
from rag.engine.listing.quotes import brings, one_each
from rag.engine.listing.similar import NEIGHBOURS, likeness, neighbours, ranked
from rag.engine.listing.wish import wish
from rag.engine.question import Question, kind_of
from rag.retrieve.hybrid import Retriever, Signals

FOUND = 3
"""Papers at most for a question that one paper answers, or that no paper answers in its words."""
_ASIDE = r"\b(?:other than|besides|apart from|aside from|except(?: for)?|excluding|not counting)"
_BUT_ON = re.compile(
    r"\b(?:but|only|yet)(?: (?:that|which))?(?: (?:is|are|deals?|works?))?"
    r" (?:about|on|for|with|in|using|concerning) (.+?)\W*$",
    re.I,
)
"""The subject of papers like one, "papers like TideNet but about honeybees"."""
OUTSTANDING = 4.5
"""Summed z-scores from which on a paper stands out of some forty."""


def listed(
    retriever: Retriever,
    signals: Signals,
    question: Question,
    named: Sequence[int],
    focus: Sequence[int],
    rows: Sequence[int],
) -> Listed:
    """What a question of one of ``KINDS`` gets among ``rows``, which are in the order of
    their nearness; ``named`` are called by name, and the conversation goes on about ``focus``."""
    if question.kind == "similar":
        return _similar(retriever, signals, question, [*named, *focus][:1], rows)
    excluded, request = excluding(question.wish, {retriever.snapshot.handles[r]: r for r in named})
    rows = [row for row in rows if row not in excluded] if excluded else rows
    wanted = wish(request)
    found = members(retriever, wanted)
    matched = found.among(focus or rows)
    if focus and question.narrows:
        return _narrowed(retriever, signals, question, found, matched, focus)
    if not (wanted.literal or wanted.without or focus) and doubtful(found, matched, rows):
        near = outstanding(signals, rows)
        return Listed(near, one_each(retriever, signals, question, found, near), notes=found.notes)
    plain = kind_of(question.standalone) != "fact"
    if plain and not (matched or focus):
        if len(found.units) <= FEW:
            return Listed(absent=True)
        matched = outstanding(signals, rows)
        picked = one_each(retriever, signals, question, found, matched)
        return Listed(matched, picked, notes=found.notes)
    if question.kind == "find":
        best = matched[:FOUND]
        each = 2 if len(best) > 1 else 3
        picked = [s for row in best for s in brings(retriever, signals, question, found, row, each)]
        return Listed(best, picked, found.likely, notes=found.notes)
    picked = one_each(retriever, signals, question, found, matched)
    return Listed(matched, picked, sure=True, notes=found.notes)


def excluding(request: str, named: Mapping[str, int]) -> tuple[set[int], str]:
    """The papers that a request calls by name in order to leave them out, "other than TideNet", and
    the request without that."""
    if not named:
        return set(), request
    called = "|".join(re.escape(name) for name in sorted(named, key=len, reverse=True))
    pattern = rf"{_ASIDE} (?:the |paper |on )*(?:(?:{called})(?:, |,? and |,? or )?)+"
    found = re.search(pattern, request, re.I)
    if not found:
        return set(), request
    left_out = {row for name, row in named.items() if name.lower() in found[0].lower()}
    return left_out, f"{request[: found.start()]} {request[found.end() :]}"


def _narrowed(
    retriever: Retriever,
    signals: Signals,
    question: Question,
    found: Members,
    matched: Sequence[int],
    focus: Sequence[int],
) -> Listed:
    """Those of the conversation's papers that are asked for: of a wish at length that none of them
    says, the one that stands out."""
    if not matched and len(found.units) > FEW:
        nearest = sorted(focus, key=lambda row: (-float(signals.fused[row]), row))
        matched = outstanding(signals, nearest)[:1]
    if not matched:
        return Listed(absent=True)
    picked = one_each(retriever, signals, question, found, matched)
    return Listed(matched, picked, sure=True, notes=found.notes)


def doubtful(found: Members, matched: Sequence[int], rows: Sequence[int]) -> bool:
    """Whether the words of a long request are said by papers, but by none of the nearest: then it
    was taken apart wrongly."""
    return len(found.units) > FEW and found.said and not set(matched) & set(rows[:FOUND])


def outstanding(signals: Signals, rows: Sequence[int]) -> list[int]:
    """The papers that a question in other words may mean: a few that stand out of the corpus."""
    least = OUTSTANDING / chance(len(signals.fused))
    return [row for row in rows[:FOUND] if signals.fused[row] >= least]


def _similar(
    retriever: Retriever,
    signals: Signals,
    question: Question,
    to: Sequence[int],
    rows: Sequence[int],
) -> Listed:
    """The papers most like one; of those on a subject, where one is named, the most alike."""
    if not to:
        return NOTHING
    allowed = set(rows)
    if on := _BUT_ON.search(question.standalone):
        found = members(retriever, wish(f"papers about {on[1]}"))
        allowed.intersection_update(found.among(rows))
        near = [row for row, _ in ranked(retriever, to[0]) if row in allowed][:NEIGHBOURS]
        picked = one_each(retriever, signals, question, found, near)
        return Listed(near, picked, sure=True) if near else Listed(absent=True)
    near = [row for row in neighbours(retriever, to[0]) if row in allowed]
    if not near:
        return Listed(absent=True)
    return Listed(near, [likeness(retriever, to[0], row) for row in near], sure=True)
