"""Words that stand for papers: "the second one", "[2]", "both", "it"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from rag.engine.anaphora import plain
from rag.engine.follow_up.past import Past

Span = tuple[int, int]


class Pointer(NamedTuple):
    """A stretch of a question and the papers that it stands for; an empty stretch where the
    question needs them and has no word that they could replace."""

    span: Span
    rows: list[int]
    certain: bool = False
    """Whether it cannot be anything else, as a pronoun can."""


_NTH = {
    word: place
    for words in (
        "first second third fourth fifth sixth seventh eighth ninth tenth",
        "1st 2nd 3rd 4th 5th 6th 7th 8th 9th 10th",
    )
    for place, word in enumerate(words.split())
}
_KIND = r"(?:ones?|papers?|works?|study|studies|articles?|abstracts?)"
_GROUP = r"(?:them|these|those)"
_VERB = (
    r"(?:(?:also|still|even|actually|really|only|all|both) (?=[a-z])"
    r"|is|are|was|were|has|have|do|does|did|(?:do|does|did)n['’]t|can|uses?|works?|reports?"
    r"|studies|study|apply|applies|needs?|shows?|proposes?|deals?|evaluates?|releases?|mentions?"
    r"|trains?|tests?|concerns?|contains?|covers?|discuss|involves?|introduces?|rely|relies"
    r"|requires?|come|comes|make|makes|focus|treats?|without|about|on|with)"
)
_POINTER = re.compile(
    r"(?<!\w)\[(?P<mark>[1-9]\d?)\](?!\()"
    r"|(?:#|\b(?:number|no\.|paper|source|result) ?#?)(?P<number>[1-9]\d?)\b(?! ?%|[.,]\d)"
    rf"|\b(?:the )?(?:very )?(?P<nth>{'|'.join(_NTH)}|last|final)(?: (?P<many>two|three))?"
    rf" (?:{_KIND}|of (?:{_GROUP}|the two))\b(?! (?:to|that|on|about|which|who)\b)"
    rf"|\bthe (?P<bare>{'|'.join(_NTH)}|last)(?=['’]s|\W*$| (?:and|or)\b)"
    r"|\bthe (?P<pair>former|latter)\b"
    r"|\bthe (?P<other>other) (?:one|paper|work|study)\b"
    r"|\bthe (?P<others>others|other (?:ones|two|three|papers|works|studies))\b"
    rf"|(?<=\bof )(?:them|{_GROUP}(?: (?:two|three))?(?: {_KIND}|(?=\W*$| {_VERB}\b)))\b"
    rf"|\b(?:all|both) of {_GROUP}\b|\bboth (?:papers|works|studies)\b"
    r"|\b(?:these|those) (?:two |three )?(?:papers|works|studies|abstracts)\b"
    r"|\b(?:the|those) ones(?= (?:that|which|who|on|about|with|without|using|for|from)\b)"
    r"|(?<=^which )ones\b|(?:(?<=\bnarrow )|(?<=\bfilter )|(?<=\brestrict )|(?<=\blimit ))"
    r"(?:it|them|this|that|these|those|the list)(?= (?:down )?(?:to|by)\b)"
    r"|\b(?:the|all) (?:two|three)(?: papers| works| studies|(?=\W*$))"
    r"|(?:(?<=\bdo )|(?<=\bdid )|(?<=\bare )|(?<=\bhave )|(?<=\bcan ))both\b(?! \S+ and\b)",
    re.I,
)
"""What points at papers that were shown, whatever else a question says; without a group, all."""

_SINGULAR = re.compile(
    r"\bits\b|\bit\b(?!['’])|\b(?:this|that) (?:paper|work|study|article|one)\b|\bthe paper\b", re.I
)
_PLURAL = re.compile(r"\b(?:their|they|them)\b", re.I)
_OWN = ("its", "their")
_COMPARING = re.compile(r"\bthan\b|\bcompare|\bdiffer|\bversus\b|\bvs\b", re.I)
_DIFFER = re.compile(r"\bdiffer|\bcompare\b|\bin common\b|\balike\b", re.I)
"""Wants two papers at least."""
_BETWEEN = re.compile(
    r"^which (?:one )?(?:is|was|has|does|works|performs)\b|\bboth\b|\bdiffer", re.I
)


def pointers(question: str, past: Past) -> list[Pointer]:
    """The words that point at papers which were shown: at none by a number or an ordinal beyond
    the last. "The other one" where there is none means the one talked of last."""
    return [
        Pointer(found.span(), _pointed(found, past), True) for found in _POINTER.finditer(question)
    ]


def _pointed(found: re.Match[str], past: Past) -> list[int]:
    number, word = int(found["mark"] or found["number"] or 0), found["nth"] or found["bare"]
    if number:
        return past.listed(number)[number - 1 : number]
    if word:
        return _nth(word.lower(), found["many"], past)
    if found["pair"]:
        rest = past.together[:1] if found["pair"].lower() == "former" else past.together[1:2]
    elif found["other"] or found["others"]:
        rest = [row for row in past.together if row not in past.subjects[:1]]
        rest = rest[:1] if found["other"] else rest
    else:
        rest = past.together
    return rest or past.subjects[:1]


def _nth(word: str, many: str | None, past: Past) -> list[int]:
    """The paper of an ordinal; ``many`` of them in "the first two papers"."""
    count = {"two": 2, "three": 3}.get((many or "").lower(), 1)
    if word in ("last", "final"):
        return past.listed(2)[-count:]
    begin = _NTH[word]
    return past.listed(max(begin + count, 2))[begin : begin + count]


def too_many(found: Sequence[Pointer], past: Past) -> str:
    """What to tell of pointers at papers that there were not; "" if there are none such."""
    if all(pointer.rows for pointer in found):
        return ""
    most = max(len(past.shown(turn)) for turn in past.turns)
    return f"Only {most} {'paper was' if most == 1 else 'papers were'} shown before."


def leaning(question: str, past: Past) -> Pointer:
    """What a question that leans on the turns before it is about."""
    text = plain(question)
    one, they = _SINGULAR.search(text), _PLURAL.search(text)
    together = past.together if past.plural else _different(past) if _DIFFER.search(text) else []
    if len(together) > 1 and not one and (they or _BETWEEN.search(text)):
        return Pointer(they.span() if they else (0, 0), together)
    found = one or (they if they and they[0].lower() == "their" else None)
    return Pointer(found.span() if found else (0, 0), past.subjects[:1])


def _different(past: Past) -> list[int]:
    """Papers that can be held against each other: of the last two turns, else of one."""
    return past.last_two if len(past.last_two) > 1 else past.together


def pronoun(question: str) -> Span | None:
    """Where a question has a pronoun that a name can replace."""
    found = _SINGULAR.search(plain(question)) or _PLURAL.search(plain(question))
    return found.span() if found else None


def leans_past(question: str, first: int, named: Sequence[int], past: Past) -> bool:
    """Whether a question that calls papers, at ``first`` the first of them, is about one more."""
    found = _SINGULAR.search(plain(question))
    if not found or set(past.subjects[:1]) <= set(named):
        return False
    return found.start() < first or bool(_COMPARING.search(question))


def put(question: str, span: Span, name: str) -> str:
    """The question with a name in the place of a pointer; "its" becomes "NAME's"."""
    start, end = span
    own = ("'" if name.endswith("s") else "'s") if question[start:end].lower() in _OWN else ""
    return f"{question[:start]}{name}{own}{question[end:]}"
