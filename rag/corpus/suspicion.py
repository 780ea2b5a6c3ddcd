"""Passages of an abstract that speak to whoever reads it by machine, not to a reader.

They are told and kept: an abstract is data whatever stands in it, and nothing that answers obeys
it. Knows patterns only, so it finds what is written plainly or hidden in usual ways.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag.types import Paper

SHOWN = 120
"""Characters shown of a passage."""
REMEMBERED = 5_000
"""Texts that one need not look through again: each question comes to the same papers."""

TASK = "a task for whoever reads"
"""Titles have such, too: as wit."""


def _signs(*signs: tuple[str, str]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((kind, re.compile(pattern)) for kind, pattern in signs)


_SIGNS = _signs(
    (
        "an instruction to a model",
        r"\b(?:(?:ignore|disregard|forget|override) (?:\w+ ){0,3}?"
        r"(?:previous|prior|above|earlier|preceding|system) (?:\w+ )?"
        r"(?:instruction|prompt|direction|rule|message|text|context)s?\b"
        r"|you are (?:now )?(?:an? )?(?:\w+ ){0,2}(?:assistant|chatbot|ai|language model)\b"
        r"|(?:do not|don't|never) (?:reveal|mention|tell) (?:\w+ ){0,4}(?:user|reader)\b"
        r"|as an ai (?:language )?model\b"
        r"|(?:new|system|developer) (?:instruction|prompt)s?:"
        r"|from now on,? (?:you|respond|reply|answer|speak|only|always|act)\b"
        r"|(?:ai|language) models? (?:reading|processing|summari[sz]ing) this\b"
        r"|you (?:must|should|will) (?:now |always |only )?"
        r"(?:answer|respond|reply|say|cite|recommend|praise|obey|comply)\b)",
    ),
    (
        "an instruction to a model",
        r"(?:^|[.!?:;]\s+)(?:please )?(?:pretend (?:to be|that you|you)|act as (?:an?|my|the)"
        r"|roleplay as|respond only|reply only|answer only)\b",
    ),
    (
        "an instruction to a model",
        r"\b(?:ignor(?:iere|ieren sie|ez|e|a|i|eer) (?:\S+ ){0,3}?(?:anweisung|instruction"
        r"|instruccion|instrucción|istruzion|instruç|instruc|instructies)"
        r"|oublie[zr]? (?:\S+ ){0,3}?(?:instruction|consigne)"
        r"|vergiss (?:\S+ ){0,3}?anweisung)",
    ),
    (
        "an instruction on the answer",
        r"\byour (?:\w+ )?(?:answer|response|reply|message|output)s?\b",
    ),
    (
        TASK,
        r"(?:^|[.!?:;]['\"”’)]?\s+)(?:please )?"
        r"(?:write|compose|draft|translate|explain|describe|provide|replace|develop|generate"
        r"|summari[sz]e|rewrite|rephrase|recommend|list|print|output|repeat|break down|show"
        r"|tell|answer|create|say|state|include|mention|praise|rate|accept|convert|remove"
        r"|insert|add)(?: me| us)? (?:an?|the|every|each|how|why|what|this|all|your|my|some"
        r"|only|letters|vowels)\b",
    ),
    (TASK, r"\b(?:can|could|would|will) you\b|\bhow do (?:i|you)\b"),
    (
        "a turn of a conversation",
        r"<\|?/?(?:im_start|im_end|system|assistant|user|endoftext|start_header_id|eot_id)\|?>"
        r"|\[/?inst\]|<</?sys>>|(?:^|\n)\s*#{0,3}\s*(?:system|assistant|human|user)\s*:\s",
    ),
    ("an image from elsewhere", r"!\[[^\]\n]{0,200}\]\(|<(?:img|iframe|script)\b"),
    (
        "a link that carries something away",
        r"\]\(https?://[^)\s]{0,300}[?&]\w{1,30}=(?:[\[{<$%]|\))",
    ),
    (
        "a text that no page shows",
        r"<!--|\b(?:display:\s?none|visibility:\s?hidden|font-size:\s?0"
        r"|color:\s?(?:white|#fff(?:fff)?)|opacity:\s?0)\s?(?=[;\"'}])",
    ),
    ("a text in code", r"[a-z0-9+/]{60,}={0,2}"),
)
_IN_OTHER_LETTERS = _signs(
    (
        "an instruction to a model",
        r"\b(?:игнорируй|забудь)(?:те)? (?:\S+ ){0,3}?(?:инструкц|указани)"
        r"|(?:忽略|无视|忘记|無視)[^。.]{0,12}(?:指令|指示|提示|说明)"
        r"|(?:以前|前|上記|これまで)の?(?:すべての)?(?:指示|命令)[^。]{0,6}(?:無視|忘れ)"
        r"|(?:이전|앞선|위의)[^.]{0,10}(?:지시|명령|지침)[^.]{0,8}(?:무시|잊)"
        r"|تجاهل[^.]{0,20}(?:التعليمات|الأوامر)"
        r"|निर्देशों[^।.]{0,20}(?:अनदेखा|नज़रअंदाज़)",
    ),
    ("letters that imitate others", r"[a-z]{2}[\u0430-\u044f]|[\u0430-\u044f][a-z]{2}"),
)
"""Of texts that have letters other than English ones."""
_INVISIBLE = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")
_HIDDEN = re.compile("[\u200b-\u200f\u2060-\u2064\u202a-\u202e\ufeff\U000e0000-\U000e007f]{3,}")


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A passage, cut to a length, and what it looks like."""

    kind: str
    passage: str


def suspicions(paper: Paper) -> list[Suspicion]:
    """What is suspicious in a paper's title, and in its abstract as it stood in its source; and
    in its text, where something hidden has kept its words apart before."""
    hidden = _HIDDEN.search(paper.raw) or _INVISIBLE.search(paper.raw)
    found: dict[str, str] = {}
    for kind, passage in _found(paper.title or ""):
        if kind != TASK:
            found[kind] = passage
    for text in (paper.raw, paper.text if hidden else ""):
        for kind, passage in _found(text):
            found.setdefault(kind, passage)
    return [Suspicion(kind, passage) for kind, passage in found.items()]


@lru_cache(maxsize=REMEMBERED)
def is_suspicious(text: str) -> bool:
    """Whether a text speaks to a machine or hides something."""
    return next(_found(text), None) is not None


def trusted(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Of the sentences of a text, those that may speak for it: all but the suspicious ones, unless
    all are."""
    if not is_suspicious(text):
        return [*spans]
    return [span for span in spans if not is_suspicious(text[slice(*span)])] or [*spans]


def _found(text: str) -> Iterator[tuple[str, str]]:
    lowered = text.lower()  # patterns that tell no case apart take twice as long
    for kind, pattern in _SIGNS if text.isascii() else _SIGNS + _IN_OTHER_LETTERS:
        if match := pattern.search(lowered):
            yield kind, _around(text, match.start())
    if hidden := _HIDDEN.search(text):
        yield "characters that nobody sees", _around(text, hidden.start())


def _around(text: str, place: int) -> str:
    """The sentence at a place, cut to a length."""
    before = text[max(place - SHOWN // 2, 0) : place]
    begun = max(before.rfind(mark) for mark in ".!?\n") + 1
    start = place - len(before) + begun
    return " ".join(text[start : start + SHOWN].split())
