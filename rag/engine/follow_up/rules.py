"""The rules that make a question of a conversation stand alone. They read the wording only; what
they take wrongly is asked about the paper that was talked of last, or as it stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from rag.engine.anaphora import continues
from rag.engine.follow_up.ellipsis import completed, narrowed_again
from rag.engine.follow_up.past import QUESTION_CHARS, Past
from rag.engine.follow_up.pointers import (
    Pointer,
    Span,
    leaning,
    leans_past,
    pointers,
    put,
    too_many,
)
from rag.engine.names import Names
from rag.engine.question import FollowUp, Turn
from rag.types import Paper

_FOR_OTHERS = re.compile(
    r"\bother (?:papers|works|studies)\b|^(?:which|what|list|how many) (?:papers|works|studies)\b"
    r"(?!.*\b(?:do|does|did|is|are|was|were) (?:it|its|they|their)\b)",
    re.I,
)
"""Asks for papers that have to do with the one before: "which other papers use it?"."""
_BARE = re.compile(r"(?:and|so|ok(?:ay)?|now|please|\W)*", re.I)
"""What is left of a question that only points at a paper."""
_LINK = re.compile(r"^(?:(?:and|but|so|then|also|ok(?:ay)?),? )+(?=[a-z]+ )", re.I)


def resolve(
    question: str,
    history: Sequence[Turn],
    names: Names,
    paper: Callable[[int], Paper],
    row_of: Callable[[str], int | None],
    nearest: Callable[[str], int],
) -> FollowUp:
    """What ``question``, on one line, means after the turns of ``history``.

    ``paper`` gives the paper of a row, ``row_of`` the row of a paper_id, None for one that has
    gone, and ``nearest`` the row that a text is most like, where no paper was shown or named.
    """
    if not history or len(question) > QUESTION_CHARS:
        return FollowUp(question)
    past = Past(history, names, paper, row_of, nearest)
    if again := narrowed_again(question, past):
        found = resolve(again, history[:-1], names, paper, row_of, nearest)
        return replace(found, put=again)
    whole, rows = completed(question, past)
    pointed = _references(whole, past)
    if note := too_many(pointed, past):
        return FollowUp(question, note=note)
    if pointed:
        rows = [row for pointer in pointed for row in pointer.rows] + past.named(whole)
    if _FOR_OTHERS.search(whole) and not any(pointer.certain for pointer in pointed):
        rows = []
    request = _cut(whole, [pointer.span for pointer in pointed]) if pointed else ""
    return FollowUp(_spelt_out(whole, pointed, past), tuple(dict.fromkeys(rows)), request=request)


def _references(question: str, past: Past) -> list[Pointer]:
    """What a question says of earlier papers without naming them, in its order."""
    found, named = pointers(question, past), past.named(question)
    spans = [past.mention(question, row) or (0, 0) for row in named]
    spans += [pointer.span for pointer in found]
    called = [*named, *(row for pointer in found for row in pointer.rows)]
    if leans_past(question, min(spans)[0], called, past) if spans else continues(question):
        more = leaning(question, past)
        found += [more] if more.rows else []
    return sorted(found)


def _spelt_out(question: str, found: Sequence[Pointer], past: Past) -> str:
    """The question with names in the place of words; before it where they do not fit in."""
    text, before = question, list[int]()
    for pointer in reversed(found):
        name = past.joined(pointer.rows)
        if name and pointer.span[1]:
            text = put(text, pointer.span, name)
        else:
            before = [*pointer.rows, *before]
            one = pointer.certain and len(pointer.rows) == 1
            text = put(text, pointer.span, "it") if one else text
    if found and _BARE.fullmatch(_cut(question, [pointer.span for pointer in found])):
        return past.ask_about([row for pointer in found for row in pointer.rows])
    if before:
        return past.before(before, text)
    return question if text == question else _capital(_LINK.sub("", text))


def _cut(question: str, spans: Sequence[Span]) -> str:
    """The question without some stretches, which are in order."""
    for start, end in reversed(spans):
        question = f"{question[:start]}{question[end:]}"
    return question


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
