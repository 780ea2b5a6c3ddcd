"""What conversations tell of dissatisfied readers → cases for a person to accept.

A thumb up or down, a question that is put again in other words at once, "no, I meant …", "that is
not what I asked". Knows the files that ``rag chat`` keeps, and English and German.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path
from typing import Any

from rapidfuzz import fuzz

from rag.chat.conversation import TURNS
from rag.chat.feedback import FILE as FEEDBACK
from rag.chat.log import FILE as CHATS
from rag.engine.question import Turn
from rag.errors import SourceError
from rag.evaluate.collect import Said, draft_of, expecting, said_of
from rag.evaluate.draft import Draft
from rag.retrieve.terms import terms, words

TAGS = ("chat",)
ALIKE = 65.0
"""Likeness (0–100) of the stems of two questions from which on the second puts the first one in
other words. It was set on 20 invented rephrasings, of which it finds half, and 23 invented
follow-ups, of which it takes none for one."""
FEWEST = 2
"""Stems of a question that can be likened to another: of fewer, a name is all there is."""
SHOWN = 80
"""Characters of what was said that a reason quotes."""

_CORRECTED = re.compile(
    r"^(?:(?:no|nope|sorry|oops|wait|actually|nein|nee|doch|ich)\b[\s,.;:!–—-]*){0,3}"
    r"(?:i (?:meant?|was asking|asked|wanted)|i['’]m asking|ich (?:meinte?|wollte)|meinte?|wollte"
    r"|gemeint (?:war|ist))\b"
    r"|^(?:no|nope|nein|nee)\s*[,.;:!–—-]+\s*\S",
    re.I,
)
_REJECTED = re.compile(
    r"^(?:no[,.\s]+)?(?:(?:that|this)(?:['’]s| is| was)? ?(?:not|n['’]t) (?:what|right|correct|true"
    r"|it\b|an? |the |my )"
    r"|(?:that|this|it)(?:['’]s| is) (?:wrong|false|incorrect)|wrong\b|incorrect\b|not what i\b"
    r"|you (?:misunderst\w+|didn['’]t (?:answer|understand)|got (?:it|that|me) wrong)"
    r"|(?:das (?:ist|war|stimmt) )?(?:falsch|nicht (?:was|das|richtig)|so nicht)\b"
    r"|das (?:meinte|habe) ich nicht|no\W*$|nope\W*$|nein\W*$)",
    re.I,
)
_ASKS_FOR = frozenset("who whom whose where when why wer wo wann warum wieso".split())
"""Words that ask for something else than the same question without them."""


def chat_drafts(store: Path, note: Callable[[str], None]) -> Iterator[Draft]:
    """Candidates of an index's feedback and chats, the most outspoken first, each question once.
    ``note`` is told of lines that cannot be read. Raises SourceError for an unreadable file."""
    found = [*_judged(store, note), *_dissatisfied(store, note)]
    firsts: dict[tuple[str, ...], Draft] = {}
    for draft in found:
        turns = (turn.question for turn in draft.history)
        if not _REJECTED.match(draft.question):
            firsts.setdefault((draft.question, *turns), draft)
    yield from firsts.values()


def _judged(store: Path, note: Callable[[str], None]) -> Iterator[Draft]:
    """Thumbs down, then thumbs up; of two verdicts on one answer the later counts."""
    latest = {str(row.get("id")): (row, said) for row, said in _rows(store / FEEDBACK, note)}
    for good in (False, True):
        thumb = f"thumbs {'up' if good else 'down'}"
        for row, said in latest.values():
            if (row.get("verdict") == "good") == good:
                remark = _short(str(row.get("remark") or ""))
                why = f"{thumb}: {remark}" if remark else thumb
                yield draft_of(said, good=good, why=why, tags=TAGS)


def _dissatisfied(store: Path, note: Callable[[str], None]) -> Iterator[Draft]:
    chats: dict[str, list[Said]] = {}
    for row, said in _rows(store / CHATS, note):
        chats.setdefault(str(row.get("chat")), []).append(said)
    for turns in chats.values():
        yield from _of_chat(turns)


def _of_chat(turns: Sequence[Said]) -> Iterator[Draft]:
    """The questions of one conversation whose answers did not satisfy. What came of one that was
    put again is what should have come at once, if the reader left it at that: of one that was
    corrected only if it was a follow-up, which may have been misread; else it was misput."""
    complaints = [complaint(first, then) for first, then in pairwise(turns)]
    for number, why in enumerate(complaints):
        if not why:
            continue
        said, then = turns[number : number + 2]
        history = tuple(map(_turn, turns[max(0, number - TURNS) : number]))
        draft = draft_of(replace(said, history=history), good=False, why=why, tags=TAGS)
        settled = not then.refused and not any(complaints[number + 1 : number + 2])
        misread = why.startswith("corrected") and said.follows_up
        if settled and (misread or why.startswith("rephrased")):
            draft = expecting(draft, then)
        yield draft


def complaint(first: Said, then: Said) -> str:
    """How the second of two turns shows that the first did not satisfy; "" if it does not."""
    said = _short(then.question)
    if _REJECTED.match(then.question):
        return f"rejected at once: {said}"
    if _CORRECTED.match(then.question):
        return f"corrected at once: {said}"
    return f"rephrased at once: {said}" if _rephrased(first, then) else ""


def _rephrased(first: Said, then: Said) -> bool:
    """Whether two questions are the same in other words, not one and the next on its subject."""
    before, after = set(words(first.question)), set(words(then.question))
    counts = {first.kind, then.kind} & {"count"}
    if counts and first.kind != then.kind or (before ^ after) & _ASKS_FOR:
        return False
    if first.question.casefold().split() == then.question.casefold().split():
        return True
    stems = [terms(said.standalone) for said in (first, then)]
    asked = [words(said.standalone) for said in (first, then)]
    if min(map(len, stems)) < FEWEST or _parallel(*asked):
        return False
    likeness: float = fuzz.token_sort_ratio(*map(" ".join, stems))
    return likeness >= ALIKE


def _parallel(first: Sequence[str], then: Sequence[str]) -> bool:
    """Whether a question is asked again of something else: "…the error?", then "…the memory?"."""
    steps = SequenceMatcher(None, first, then, autojunk=False).get_opcodes()
    return [step for step, *_ in steps if step != "equal"] == ["replace"]


def _turn(said: Said) -> Turn:
    return Turn(said.standalone, said.answer, said.papers, said.refused)


def _rows(path: Path, note: Callable[[str], None]) -> Iterator[tuple[Mapping[str, Any], Said]]:
    """The rows of a log, which a crash may have cut and anybody may have edited."""
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}.", "move it away") from error
    unreadable = 0
    for line in filter(bytes.strip, lines):
        try:
            row = json.loads(line)
            yield row, said_of(row)
        except (ValueError, AttributeError, TypeError, RecursionError):
            unreadable += 1
    if unreadable:
        note(f"{path}: {unreadable:,} lines are not what was written there, and left out")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else f"{line[:SHOWN]}…"
