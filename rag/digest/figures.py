"""Figures in a sentence: "up to 38 %", "2.3× faster", "from 9.4 cm to 6.1 cm", "1,240 dances".

Knows how papers write quantities; knows nothing of what they are of. Offsets count characters of
the sentence as it stands, so that a figure can be quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["change", "gain", "score", "size"]

_DIGITS = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
_NUMBER = rf"(?:(?:[+\-−–]\s?)?{_DIGITS}(?:\s?±\s?{_DIGITS})?)"
_ALONE = r"(?<![\w@/^_#±])(?<![^\W\d][-.–])(?<!\d[-.,–])(?<![x×]\s)"
"""No digits of a name, nor the second half of 256 × 256."""


def _spaced(words: str) -> str:
    """The alternatives of a verbose pattern, in which a plain space means nothing."""
    return "(?:" + words.replace(" ", r"\s") + ")"


_HEDGE = _spaced(
    "up to(?: an?)?|more than|less than|fewer than|greater than|at least|at most|no more than|as "
    "(?:much|many|little|few|low|high) as|over|under|nearly|almost|about|around|below|above|"
    "approximately|roughly|only|just|merely"
)
_HEDGED = rf"(?:\b{_HEDGE}\s|[~∼≈<>≤≥]\s?)"
_SHARE = r"\s?(?:%|percent(?:age)?\b|per\scent\b)(?:[\s-]?points?\b)?"
_TIMES = r"(?:\s?[x×](?![^\W_])(?!\s?\d)|[\s-]?fold\b|\stimes\b)"
_POINTS = r"[\s-](?:(?:absolute|percentage|accuracy|F1|BLEU)\s)?points?\b"
_UNIT = (
    r"\s?"
    + _spaced(
        "ms|milliseconds?|seconds?|minutes?|hours?|GB|MB|KB|TB|Hz|kHz|MHz|mm|cm|km|kg|dB|FPS|fps|"
        "GPU[- ](?:hours?|days?)|tokens?/s|pp|BLEU|mAP|Elo"
    )
    + r"\b"
)
_MEASURE = rf"(?:{_SHARE}|{_TIMES}|{_POINTS}|{_UNIT})"
_SPREAD = r"(?:\s?[-–—~∼/→]\s?|\sto\s|\svs\.?\s)"
_SCALE = r"(?:[KkMBT](?![^\W_])|\s?(?:million|billion|trillion|thousand)\b)"
_AMOUNT = rf"{_DIGITS}{_SCALE}?\+?"
_THINGS = r"\s(?:[a-z][\w-]*\s){0,2}(?!models|scales|times|parameters)[a-z][\w-]*[^\Wius]s\b"
"""What is counted: up to two words and a plural. Sizes of models are no result."""

_FIGURE = re.compile(
    rf"""
    (?P<change> \bfrom\s{_NUMBER}{_MEASURE}?(?:\s\([^()]{{1,40}}\))?\s(?:down\s|up\s)?to\s
        {_NUMBER}{_MEASURE}? )
  | (?P<gain> {_HEDGED}{{0,2}} {_ALONE} {_NUMBER} (?:{_MEASURE}?{_SPREAD}{_NUMBER})? {_MEASURE} )
  | (?P<magnitude> {_HEDGED}? \b(?:an?|one|two|three|four|several|\d+)(?:[-–]\d+)?\s
        orders?\sof\smagnitude )
  | (?P<size> {_HEDGED}? {_ALONE} {_AMOUNT} (?:{_SPREAD}{_AMOUNT})? {_THINGS} )
  | (?P<score> {_ALONE} {_DIGITS} (?![\w%×-]|[.,]\d|\s?[x×]\s?\d) )
    """,
    re.VERBOSE,
)
_LISTED = re.compile(r",?\s(?:and|or)\s|,\s|\s?/\s?")
"""What stands between figures that are told in one breath."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_SCORED = re.compile(r"\b(?:of|to|at|by|is|as|reach(?:es|ing)|=)\s*$|\(\s*$")
LARGE = 100
"""From which on a count of things is worth a line in a table."""


@dataclass(frozen=True, slots=True)
class Figure:
    """``sentence[start:end]``. A change has two ends, a gain a unit; a score is a bare number
    with decimals; a size counts things."""

    kind: Kind
    start: int
    end: int


def figures(sentence: str) -> list[Figure]:
    """The figures of a sentence, in order; those listed in one breath are one."""
    found: list[Figure] = []
    for figure in _figures(sentence):
        last = found[-1] if found else None
        if (
            last
            and last.kind == figure.kind
            and _LISTED.fullmatch(sentence, last.end, figure.start)
        ):
            found[-1] = Figure(last.kind, last.start, figure.end)
        else:
            found.append(figure)
    return found


def _figures(sentence: str) -> Iterator[Figure]:
    for match in _FIGURE.finditer(sentence):
        kind = _kind(sentence, match)
        if kind:
            start, end = match.span(match.lastgroup or 0)
            yield Figure(kind, start, end)


def _kind(sentence: str, match: re.Match[str]) -> Kind | None:
    """What a match is; None for years, marks of lists, small counts and other bare numbers."""
    if match["change"]:
        return None if _YEAR.search(match["change"]) else "change"
    if match["gain"] or match["magnitude"]:
        return "gain"
    digits = re.search(_DIGITS, match[0])
    if not digits:
        return None
    if match["score"]:
        scored = _SCORED.search(sentence, max(0, match.start() - 20), match.start())
        return "score" if "." in digits[0] and scored else None
    scaled = re.match(_SCALE, match[0][digits.end() :])
    large = float(digits[0].replace(",", "")) >= LARGE and not _YEAR.fullmatch(digits[0])
    return "size" if scaled or large else None
