"""Which brackets of a text are ids of sentences, such as [2.3], and which are part of the text.

Models write ids in many ways: [1, 2], [1.2-1.4], 【1†source】, [Paper 1, sentence 2], ¹. Papers
write intervals and tokens in brackets. Knows nothing of sentences or of what was shown.
"""

from __future__ import annotations

import re

Id = tuple[int, int | None]
"""A paper's number and the sentence's in it, from 1; None where only the paper is named."""

LONGEST_RANGE = 20

_DELIMITERS = re.compile(
    r"^(?:<sup>|\\cite\w*\{|[\\^\[(【［\s\"'])+|(?:</sup>|[\\\])】］}\s\"'])+$", re.I
)
_DASH = re.compile(r"(?<=\d)\s*(?:[-–—‐‑]|\bto\b)\s*(?=\d)")
_PAIR = re.compile(r"(?<![\d.])(\d{1,3})\s*[,.:]?\s*s(?:ent(?:ence)?s?)?\.?\s*#?(\d{1,3})(?!\d)")
_LABEL = re.compile(
    r"(?<![a-z])(?:papers?|abstracts?|sent(?:ence)?s?|sources?|refs?|references?|citations?|cited?"
    r"|docs?|documents?|passages?|ids?|see|nos?|and|also|s|p)(?![a-z])[.:]?"
)
_BETWEEN = re.compile(r"[\s,;/&#^]+")
_ITEM = re.compile(r"([1-9]\d{0,2})(?:\.([1-9]\d{0,2}))?(?:-([1-9]\d{0,2})(?:\.([1-9]\d{0,2}))?)?")
_STAND_INS = frozenset(
    "p.s id ids n.m x.y citation citations source sources cite cite_start cite_end marker".split()
) | {"citation needed", "sentence id", "sentence ids"}
_PLAIN_PAPER = re.compile(r"\W*(?:paper|abstract|source|document|doc|ref)s?\b", re.I)

_VALUES = re.compile(
    r"(?:\b(?:intervals?|ranges?|ranging|within|between|from|over|values?|set|in|to)(?:\s+of)?"
    r"|[∈∉⊂=∼~≈×<>≤≥])\s*$",
    re.I,
)
_TOLD_IN = re.compile(
    r"(?:^|\b(?:shown|stated|said|described|reported|noted|found|mentioned|given|seen|detailed"
    r"|discussed|presented|proposed|introduced|explained|as))\s*in\s*$",
    re.I,
)
_VARIABLE = re.compile(r"(?<!\w)[A-Za-z]$")
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_POWER = re.compile(r"(?:[\d⁺⁻]|(?<!\w)(?:\w{1,2}|log|exp|sin|cos|tan))$")
"""What a superscript raises, so that it is no id: a number, a variable, a unit, a function."""


def ids_in(content: str) -> list[Id] | None:
    """The ids that a bracket holds, without its delimiters; None if it holds anything else.

    An empty list is a marker that names nothing, such as "citation needed".
    """
    plain = _DASH.sub("-", content.partition("†")[0].strip().lower())
    if plain in _STAND_INS:
        return []
    items = _BETWEEN.split(_LABEL.sub(" ", _PAIR.sub(r"\1.\2", plain)).strip(" ,;.:#^&"))
    found: list[Id] = []
    for item in items:
        ids = _item(item.rstrip("."))
        if ids is None:
            return None
        found += ids
    return found


def _item(text: str) -> list[Id] | None:
    match = _ITEM.fullmatch(text)
    if not match:
        return None
    paper, sentence, last_paper, last = (int(part) if part else None for part in match.groups())
    assert paper is not None
    if last_paper is None:
        return [(paper, sentence)]
    if sentence is None:
        return None if last else [(n, None) for n in _range(paper, last_paper)]
    if last is None:
        last_paper, last = paper, last_paper
    if last_paper != paper:
        return [(paper, sentence), (last_paper, last)]
    return [(paper, n) for n in _range(sentence, last)]


def _range(first: int, last: int) -> list[int]:
    """All from the first to the last; both ends alone if that is far, or backwards."""
    near = 0 <= last - first < LONGEST_RANGE
    return list(range(first, last + 1)) if near else [first, last]


def marker(raw: str, before: str) -> list[Id] | None:
    """The ids of a bracket as it stands, ``before`` being its sentence so far; None: it is text."""
    if raw[0] in "⁰¹²³⁴⁵⁶⁷⁸⁹":
        return None if _POWER.search(before) else ids_in(raw.translate(_SUPERSCRIPT))
    ids = ids_in(_DELIMITERS.sub("", raw))
    if ids is None and "†" in raw:
        return []
    if not ids:
        return None if raw[0] == "(" else ids
    if raw[0] == "(":
        return ids if _plainly(raw, ids, before) else None
    if raw[:5].lower() == "<sup>":
        return None if _POWER.search(before) else ids
    return None if _of_numbers(raw, ids, before) else ids


def _plainly(raw: str, ids: list[Id], before: str) -> bool:
    """Whether round brackets are a marker: by a word in them, or behind a whole sentence."""
    if _PLAIN_PAPER.match(raw):
        return True
    dotted = all(sentence for _, sentence in ids)
    return dotted and (raw[1].isalpha() or before.rstrip("\x00 ").endswith((".", "!", "?")))


def _of_numbers(raw: str, ids: list[Id], before: str) -> bool:
    """Whether square brackets hold numbers of the text: an interval, a set, an index."""
    if any(char.isalpha() for char in raw) or raw[0] != "[":
        return False
    if len(ids) > 1:
        return bool(_VALUES.search(before)) and not _TOLD_IN.search(before)
    return ids[0][1] is None and bool(_VARIABLE.search(before) or re.search(r"[=∈]\s*$", before))
