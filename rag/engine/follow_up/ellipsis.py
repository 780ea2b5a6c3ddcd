"""Questions that leave most to the one before: "And DRIFT?", "on ImageNet?", "no, I meant FIRE"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.engine.anaphora import content, leans
from rag.engine.follow_up.past import QUESTION_CHARS, Past
from rag.engine.follow_up.pointers import pointers, pronoun, put
from rag.engine.question import FRAME, kind_of

LONGEST = 6
"""Words with a meaning in a fragment, at most."""

_CLAUSE = re.compile(
    r"\b(?:what|which|who|whom|whose|when|where|why|how|do|does|did|is|are|was|were|can|could|will"
    r"|would|should|has|have|had|may|might|must)\b"
    r"|^(?:tell|explain|describe|show|list|name|compare|summari[sz]e|give|find|define)\b",
    re.I,
)
"""What only a whole question has."""
_ALONE = re.compile(
    r"^(?:(?:and|but|so|or|also|then|now|ok(?:ay)?)\b[\s,]*){0,3}"
    r"(?:(?:what|how) (?:about|of)|(?:the )?same(?: question| thing)? (?:for|about|with))\b(.+)$"
    r"|^(?:and|or|but|also|then)\b[\s,]+(.+)$",
    re.I,
)
_PLACE = re.compile(
    r"^(on|in|for|with|without|at|under|against|over|from|after|before|during|by|using|across"
    r"|beyond|within|among|compared (?:to|with)|versus|vs\.?|as opposed to) ",
    re.I,
)
_CORRECTION = re.compile(
    r"^(?:(?:no|nope|sorry|oops|wait|actually|not (?:that|this)(?: one)?)\b[\s,.;:!–—-]*){0,4}"
    r"(?:i (?:meant?|was asking|wanted)(?: to (?:ask|say|know))?(?: about)?"
    r"|i['’]m asking about|make that)\b[\s:,]+(.+)$"
    r"|^(?:no|nope|sorry|oops|wait|not (?:that|this) one)\s*[,.;:!–—-]+\s*(.+)$"
    r"|^not [^,?]{1,80}, (?:but )?(.+)$",
    re.I,
)
_OF_THEM = re.compile(r"\bof (?:them|these|those)\b", re.I)
_SUBJECT = re.compile(
    r"(.*\b(?:about|on|with|for|in|uses?|using|mentions?|concerns?|treats?|stud(?:y|ies)))\b .+",
    re.I,
)
"""A question up to the words before its subject."""
_WHY = re.compile(r"(?:and |but |so )?((?:why|how) (?:so|come|not|exactly)|why)\W*", re.I)
_AND_WHY = re.compile(r", and (?:why|how)(?: \w+)?$")
_RATHER = re.compile(r",? (?:and |but )?not [^,?]{1,80}$", re.I)
_NAME = re.compile(r"\b\w+[A-Z]\w*\b")
"""With a capital inside: of a data set, a benchmark, a method."""
_ENDS = " \t?!.,;:"


def completed(question: str, past: Past) -> tuple[str, list[int]]:
    """The question with what it leaves out taken from the one before, and the papers that it is
    about then; itself, and none, if it leaves out nothing."""
    meant = _corrected(question)
    asked, fragment = _asked_before(past), _fragment(meant, corrects=meant != question)
    if asked is None:
        return meant, []
    again = _again(asked, fragment, past) if fragment else _reason(asked, meant, past)
    return again or (meant, [])


def narrowed_again(question: str, past: Past) -> str | None:
    """Of "what about sound?" after "which of them are about honeybees?" the question which of them
    are about sound: it is put to the same papers."""
    fragment, asked = _fragment(_corrected(question)), past.turns[0].question
    if not fragment or len(past.turns) < 2 or kind_of(asked) not in ("list", "count"):
        return None
    found = _SUBJECT.match(asked)
    if not found or not _OF_THEM.search(asked) or leans(fragment) or past.named(fragment):
        return None
    return f"{found[1]} {_PLACE.sub('', fragment)}?"


def _corrected(question: str) -> str:
    """What somebody means who says so: of "no, I meant DRIFT?" the "DRIFT?"."""
    found = _CORRECTION.match(question)
    meant = _RATHER.sub("", _group(found).strip(_ENDS)) if found else ""
    return meant + "?" * question.endswith("?") if meant else question


def _fragment(question: str, *, corrects: bool = False) -> str | None:
    """What is new in a question that is no whole one; None for a whole one."""
    found = _ALONE.match(question)
    if not (found or corrects or _PLACE.match(question)):
        return None
    rest = (_group(found) if found else question).strip(_ENDS)
    return None if not rest or _CLAUSE.search(rest) or content(rest) > LONGEST else rest


def _asked_before(past: Past) -> str | None:
    """The latest question that says what it asks."""
    asked = (turn.question for turn in past.turns if len(turn.question) <= QUESTION_CHARS)
    # "FIRE: And why?", as we put it, says no more than "And why?".
    telling = (q for q in asked if content(q.rpartition(": ")[2]))
    return next((q for q in telling if not (_CORRECTION.match(q) or _fragment(q))), None)


def _again(asked: str, fragment: str, past: Past) -> tuple[str, list[int]] | None:
    """The question before, asked of other papers, of another place, or for another subject."""
    if not all(pointer.rows for pointer in pointers(fragment, past)):
        return None
    rows = _papers_alone(fragment, past)
    several = kind_of(asked) in ("list", "count")
    if rows:
        before = past.named(asked)
        new = not several and (len(before) < 2 or not set(rows) <= set(before))
        text = _swapped(asked, rows, past) if new else past.ask_about(rows)
        return text, past.named(text)
    if _PLACE.match(fragment):
        text = _placed(asked, fragment, past)
        return text, [] if several else past.named(text)
    frame = FRAME.match(asked) if several and not leans(fragment) else None
    return (f"{frame[0]}{fragment}?", []) if frame else None


def _reason(asked: str, question: str, past: Past) -> tuple[str, list[int]] | None:
    """The question just asked of one paper, with the "why?" that follows it."""
    why, about = _WHY.fullmatch(question), past.named(asked)
    if not why or len(about) != 1 or asked != past.turns[0].question:
        return None
    return f"{_AND_WHY.sub('', asked.rstrip(_ENDS))}, and {why[1].lower()}?", about


def _papers_alone(fragment: str, past: Past) -> list[int]:
    """The papers that a fragment calls by name or points at, if it says nothing else."""
    pointed = pointers(fragment, past)
    spans = [past.mention(fragment, row) for row in past.named(fragment)]
    rest = fragment
    for start, end in sorted(filter(None, [*spans, *(p.span for p in pointed)]), reverse=True):
        rest = f"{rest[:start]} {rest[end:]}"
    rows = [*past.named(fragment), *(row for p in pointed for row in p.rows)]
    return [] if content(rest) else list(dict.fromkeys(rows))


def _swapped(asked: str, rows: Sequence[int], past: Past) -> str:
    """A question with other papers in the place of the one that it is about."""
    spans = [past.mention(asked, row) for row in past.named(asked)]
    spans = spans or [p.span for p in pointers(asked, past)] or [pronoun(asked)]
    span = max(filter(None, spans), default=None)
    name = past.joined(rows)
    if span and name:
        return put(asked, span, name)
    return past.before(rows, put(asked, span, "it") if span else asked)


def _placed(asked: str, place: str, past: Past) -> str:
    """A question asked of another place: "… on CIFAR?" and "on ImageNet" are "… on ImageNet?",
    and so is "the ImageNet gain" if it is the one name there beside the papers'."""
    place = place[0].lower() + place[1:]
    preposition, _, name = place.partition(" ")
    asked = asked.rstrip(_ENDS)
    other = [found for found in _NAME.finditer(asked) if not past.named(found[0])]
    if len(other) == 1 and _NAME.fullmatch(name):
        return f"{put(asked, other[0].span(), name)}?"
    asked = re.sub(rf" {preposition}(?: [^\s,]+){{1,3}}$", "", asked, flags=re.I)
    return f"{asked} {place}?"


def _group(found: re.Match[str]) -> str:
    """The only group of a pattern that took part."""
    return next(group for group in found.groups() if group)
