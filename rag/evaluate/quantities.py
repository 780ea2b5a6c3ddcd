"""Quantities of a text as facts of a case: each with its unit or what it counts, in all spellings.

Knows how quantities are written; knows nothing of what they are of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.engine.check.numbers import Number, numbers
from rag.engine.check.reading import read

Fact = tuple[str, ...]

_QUANTITY = re.compile(
    r"(?:[+\-−–]\s?)?(?P<number>(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)"
    r"(?P<unit>\s?(?:%|percent(?:age)?(?:[\s-]points?)?|per cent|[x×](?![^\W_])|[\s-]?fold\b|"
    r"times\b|points?\b|pp\b|[KkMBT](?![^\W_])|million\b|billion\b|trillion\b|thousand\b|"
    r"(?:ms|milliseconds?|seconds?|minutes?|hours?|GB|MB|KB|TB|Hz|kHz|MHz|mm|cm|km|kg|dB|FPS|fps)\b))?"
)
_ALIKE = {
    "%": ("%", " percent"),
    "x": ("×", "x", " times", "-fold"),
}
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_IN_WORDS = {
    **{str(value): word for value, word in enumerate(_ONES)},
    **{str(10 * value): word for value, word in enumerate(_TENS, start=2)},
}
_IN_DIGITS = {word: digits for digits, word in _IN_WORDS.items()}
NO_NOUN = (
    r"(?!(?:an?|the|of|on|in|for|with|to|at|by|from|across|under|over|when|as|and|or|but|if|is|are|"
    r"was|were|has|have|had|can|that|which|who|while|than|per|within|after|before|during|into|"
    r"between|among|more|less|fewer|it|its|their|this|these|those|we|our|such|not|only|all)\b)"
)
"""What no phrase of a noun begins with, or goes on with."""
PLURAL = (
    r"(?:[a-z][\w-]*[^\Wius]s|people|children|mice|larvae|genera|fish|data|criteria|phenomena)\b"
)
_THINGS = re.compile(rf"[\s-](?:{NO_NOUN}[a-z][\w-]*\s){{0,2}}?{NO_NOUN}{PLURAL}")
"""What is counted: up to two words and a plural."""
_UNIT = re.compile(
    rf"\s?(?:[°µμ]\s?[A-Za-z]{{1,3}}\b|{NO_NOUN}[A-Za-z]{{1,3}}\b)|[\s-](?:{PLURAL})"
)
_NO_QUANTITY = re.compile(
    r"(?:fourth|fifth|sixth|seventh|eighth|ninth|tenth|one|twice|(?:doubl|tripl|quadrupl|halv)\w+|"
    r"(?:19|20)\d\d|\d+(?:st|nd|rd|th))$",
    re.I,
)
"""Numbers that order, years, and words that say no more than "more"."""
_FIRST = re.compile(r"[\d,.]*\d|[A-Za-z]+(?= (?!thirds|quarters|fifths))")
_BARE, _LETTERS = re.compile(r"[+-]?[\d,]+"), re.compile(r"^[a-z]+$|\d[KkMBT]$", re.I)
"""Numbers that need a noun: whole ones below ``_FEW``, and words and sizes, as in "7B"."""
_FEW = 10


def quantities(text: str) -> Iterator[Fact]:
    """What a text says in numbers, as facts in its order."""
    reading = read(text)
    for number in numbers(reading):
        if not (number.name or number.item):
            fact = _fact(number, reading.text)
            if fact:
                yield fact


def _fact(number: Number, text: str) -> Fact:
    """A number with its unit or noun; without either it has to be telling by itself."""
    shown = text[number.start : number.end]
    things = None if number.unit else _THINGS.match(text, number.end)
    unit = None if number.unit or things else _UNIT.match(text, number.end)
    behind = (things or unit or [""])[0]
    if _NO_QUANTITY.match(shown) and not (things and shown.isdigit()):
        return ()
    small = _BARE.fullmatch(shown + behind) and number.value < _FEW
    lonely = _LETTERS.search(shown) and not (behind or number.unit)
    if small or lonely:
        return ()
    ways = facts_of_figure(shown) if number.unit in ("percent", "times") else ()
    return ways[0] if len(ways) == 1 else _spelled(shown + behind)


def _spelled(shown: str) -> Fact:
    """A quantity with its number in digits and in words, with and without commas."""
    number = _FIRST.match(shown)
    if not number:
        return (shown,)
    low, behind = number[0].lower(), shown[number.end() :]
    other = (_IN_WORDS.get(low), _IN_DIGITS.get(low)) if behind[:1] in (" ", "-") else ()
    ways = (low, low.replace(",", ""), *other)
    return tuple(dict.fromkeys(f"{way}{behind}" for way in ways if way))


def facts_of_figure(figure: str) -> tuple[Fact, ...]:
    """A figure as facts of a case: each quantity in it with its unit, in the ways that units are
    written, the way of ``figure`` first. A range lends its unit to both ends."""
    found = list(_QUANTITY.finditer(figure))
    units = [match["unit"] or "" for match in found]
    last = next(filter(None, reversed(units)), "")
    facts = (_written(m["number"], u or last) for m, u in zip(found, units, strict=True))
    return tuple(dict.fromkeys(facts))


def _written(number: str, unit: str) -> Fact:
    """Ways to write a quantity; the way it stands comes first."""
    bare = unit.strip(" -")
    family = "%" if bare[:1] == "%" or bare.startswith(("percent", "per ")) else ""
    family = "x" if bare in ("x", "×", "fold", "times") else family
    ways = [f"{number}{unit}", *(f"{number}{other}" for other in _ALIKE.get(family, ()))]
    if "," in number:
        ways.append(f"{number.replace(',', '')}{unit}")
    return tuple(dict.fromkeys(ways))


def facts_of_count(number: str, things: str) -> tuple[Fact, ...]:
    """How many ``things`` there are, as a fact: a small number in digits could be any, and takes
    its noun along."""
    ways = (way.strip() for way in _spelled(f"{number} "))
    return (tuple(way if len(way) > 1 else f"{way} {things}" for way in ways),)
