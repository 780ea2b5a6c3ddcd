"""A sentence as a reader should see it: without ids, emphasis, labels and what they leave behind.

The patterns work on one sentence of bounded length, so none of them needs to be clever.
"""

from __future__ import annotations

import re

from rag.engine.reply.lines import MARK, Sentence
from rag.engine.reply.markers import Id, ids_in

_SOURCE = r"(?:paper|abstract|sentence|passage|source|document)s?"
_TOLD = r"(?:shown|stated|said|described|reported|noted|mentioned|discussed|explained|seen|given)"

_POWER = re.compile(r"<sup>\s*([^<>]*?)\s*</sup>", re.I)
_BOLD = re.compile(r"(?<!\w)(?:\*{2,3}|__)|(?:\*{2,3}|__)(?!\w)")
_ITALIC = re.compile(r"(?<![\w*])([*_])(?=\S)([^*_]+)(?<=\S)\1(?![\w*])")
_LABEL = re.compile(
    r"^(?:(?:(?:the )?(?:final |short )?(?:answer|response|reply)|assistant|ai|bot)\s*:\s*)+"
    r"|^(?-i:A:\s+)",
    re.I,
)
_NAMED = re.compile(
    r"\b(paper|abstract|passage|document) #?(\d{1,3}(?:\.\d{1,3})?)(?![\w%/]|\.\d)"
    r"|\b(sentence) #?(\d{1,3}\.\d{1,3})(?![\w%/])",
    re.I,
)
_UNCLOSED = re.compile(r"(?:\[(?=\d+\.)|【)()(\d{1,3}(?:\.\d{1,3})?)(?=\s+[A-Z]|\W*$)")
_ROUND_LAST = re.compile(r"\(()(\d{1,3}\.\d{1,3})\)(?=[.!?]*$)")

_RUN = re.compile(r"\x00(?:(?:[\s,;&/–-]|\band\b)*\x00)+")
_IN_BRACKETS = re.compile(
    rf"[(\[](?:[\s,;:&–-]|\b(?:see|also|and|cf|refs?|cited?|in|from|e\.g|{_SOURCE})\b\.?)*"
    r"\x00[\s,;:]*[)\]]",
    re.I,
)
_ACCORDING = re.compile(
    rf"^(?:as {_TOLD} (?:in|by)|according to|based on|in|from|per)\s+(?:the\s+)?(?:{_SOURCE}\s+)?"
    r"\x00\s*,?\s*",
    re.I,
)
_SAYS_THAT = re.compile(
    rf"^(?:(?:the\s+)?{_SOURCE}\s+)?\x00\s*(?:(?:states?|says?|shows?|mentions?|reports?|notes?"
    r"|finds?|indicates?|explains?)\s+that\b|:)\s*",
    re.I,
)
_AS_TOLD = re.compile(
    rf",?\s*\b(?:as {_TOLD} (?:in|by)|according to|see|cf\.?)\s+(?:the\s+)?(?:{_SOURCE}\s+)?\x00",
    re.I,
)
_A_PAPER = re.compile(
    r"(^|\b(?:in|of|by|from|with|and|than|while|but)\s+)(paper|abstract|passage|document)\s+\x00",
    re.I,
)
_FROM_ABSTRACTS = re.compile(
    r"^(?:based on|according to|from|in)\s+(?:the\s+)?(?:(?:provided|given|above|numbered)\s+)*"
    r"(?:abstracts?|sentences|passages|context|information)(?:\s+(?:provided|given|above))?\s*,\s*"
    r"|^here(?:['’]s|\s+(?:is|are))\b[^.:!?]{0,80}:\s*|^(?:sure|certainly|of course)[,!]\s*",
    re.I,
)
_STOP_TWICE = re.compile(r"([.!?])[\s\x00]*\x00[\s\x00]*\.")
_CLEAN_UP = (
    (re.compile(r"\s*\x00\s*(?=[.,;:!?)\]。，、！？；：」』）]|$)"), ""),
    (re.compile(r"\s*\x00\s*"), " "),
    (re.compile(r"\s+([.,;:!?)])(?=\s|$)"), r"\1"),
    (re.compile(r"[\s,;:([–-]+([.!?]?)$"), r"\1"),
    (re.compile(r"^(?:[\s.,;:!?)\]|*–—]|[->](?!\s*\d))+|^\((?=[^)]*$)"), ""),
    (re.compile(r"^(?:\(\d{1,2}\)|\d{1,2}[.)])\s+(?=\S)"), ""),
    (re.compile(r"\s+"), " "),
)
_LOWER_WORD = re.compile(r"^([\s\x00]*)([a-z])(?=[a-z]*(?:[\s,]|$))")


def tidied(sentence: Sentence) -> tuple[str, list[Id]]:
    """The text of a sentence and all its ids: those at it, then those in its wording."""
    text = _row(sentence.text) if sentence.kind == "row" else sentence.text
    text = _LABEL.sub("", _ITALIC.sub(r"\2", _BOLD.sub("", _POWER.sub(r"^\1", text))).strip())
    ids = list(sentence.ids)
    for written in (_NAMED, _UNCLOSED, _ROUND_LAST):
        text = written.sub(lambda match: _marked(match, ids), text)
    return _unquoted(_worded(_RUN.sub(MARK, text))), ids


def _row(text: str) -> str:
    """A table's row as a sentence: its first cell, then what holds of it."""
    cells = [cell.strip() for cell in text.split("|")]
    first, *others = [cell for cell in cells if cell] or [""]
    return f"{first}: {', '.join(others)}" if others else first


def _marked(match: re.Match[str], ids: list[Id]) -> str:
    """A mark in place of an id in words, such as "abstract 2", which joins ``ids``."""
    source, number = [part for part in match.groups() if part is not None]
    found = ids_in(number)
    if not found:
        return match[0]
    ids += found
    return f"{source} {MARK}" if source else MARK


def _worded(text: str) -> str:
    """The text without marks, and without words that only lead to one."""
    text = _RUN.sub(MARK, _IN_BRACKETS.sub(MARK, text))
    for pattern in (_ACCORDING, _SAYS_THAT):
        text = _capital(pattern.sub("", text), text)
    text = _A_PAPER.sub(_the_paper, _AS_TOLD.sub(MARK, text))
    text = _STOP_TWICE.sub(r"\1", text)
    for pattern, replacement in _CLEAN_UP:
        text = pattern.sub(replacement, text)
    return _capital(_FROM_ABSTRACTS.sub("", text.strip()), text)


def _the_paper(match: re.Match[str]) -> str:
    """Readers do not know the numbers by which the model knows the papers."""
    return f"{match[1]}{'the' if match[1] else 'The'} {match[2].lower()}{MARK}"


def _capital(text: str, before: str) -> str:
    """The text with a capital, if it begins otherwise than ``before`` and not with a name."""
    if text == before:
        return text
    return _LOWER_WORD.sub(lambda match: match[1] + match[2].upper(), text)


def _unquoted(text: str) -> str:
    """The text without quotation marks around it; one mark's partner may be elsewhere."""
    inside = text.strip('"“” ')
    return inside if not any(mark in inside for mark in '"“”') else text
