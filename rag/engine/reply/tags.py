"""What the tags in a reply stand for: thoughts, turns, markup. Knows them by their names."""

from __future__ import annotations

import re
from typing import Literal

Meaning = Literal["think", "thought", "turn", "asked", "answers", "over", "line", "style", "text"]
"""Thoughts begin; they end; a role or channel is named next; the other side speaks; the model
does; the turn ends; what follows begins anew; nothing; no tag at all."""

_PLAIN = re.compile(r"<<?(/?)\s?([\w:.-]+)")
_THOUGHT = re.compile(r"think|thought|reason|reflection|scratchpad|monologue")
_TURN = frozenset("start imstart channel startheaderid startofturn startofturntoken".split())
_ASKED = frozenset("user human system inst sys prompter usertoken systemtoken".split())
_ANSWERS = frozenset("assistant model bot chatbottoken".split())
_OVER = re.compile(r"end(?!header)\w*|eo[stm]\w*|imend|return|call|/s")
_LINE = re.compile(
    r"/?(?:br|p|li|ul|ol|div|tr|table|h[1-6]|hr|abstracts?|papers?|answers?|sentences?|statements?"
    r"|response|output|final\w*|result|document|context|summary)"
)
_STYLE = re.compile(r"/.*|s|b|i|u|em|strong|small|mark|code|span|sub|a|cite|q|t[dh]|ref|text")


def meaning(raw: str) -> Meaning:
    """What the tag ``raw``, brackets and all, stands for."""
    special = raw[1] in "|｜" or raw[0] in "[◁"
    plain = None if special else _PLAIN.match(raw)
    written = "".join(plain.groups()) if plain else raw
    name = re.sub(r"[^a-z/0-9]", "", written.lower())
    if _THOUGHT.search(name):
        return "thought" if "/" in name or name.startswith("end") else "think"
    if name in _TURN:
        return "turn"
    if name == "/inst":
        return "thought"
    if name in _ASKED:
        return "asked"
    if special and name in _ANSWERS:
        return "answers"
    if _OVER.fullmatch(name):
        return "over"
    if special:
        return "style"
    if _LINE.fullmatch(name):
        return "line"
    return "style" if _STYLE.fullmatch(name) else "text"
