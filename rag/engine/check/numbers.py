"""The numbers of a text, whatever their spelling: 1,000 = 1k = a thousand, threefold = 3×.

Knows nothing of names but this: digits that hang on letters, as in GPT-4, belong to one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache

from rag.engine.check.reading import REMEMBERED, Reading, same
from rag.retrieve.terms import STOP_WORDS

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
_TENS = "ten twenty thirty forty fifty sixty seventy eighty ninety".split()
_SCALES = {"dozen": 12, "hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9}
_SCALES["trillion"] = 10**12
_SHORT = {"k": 3, "K": 3, "M": 6, "B": 9, "T": 12}
_PARTS = {"half": 2, "third": 3, "quarter": 4, "fifth": 5, "tenth": 10}
_WORDS: dict[str, tuple[Decimal | int, str]] = {
    **{word: (value, "") for value, word in enumerate(_ONES)},
    **{word: (10 * value, "") for value, word in enumerate(_TENS, start=1)},
    **{word: (value, "") for word, value in _SCALES.items()},
    **{f"{word}s": (value, "many") for word, value in _SCALES.items()},
    **{f"{word}fold": (value, "times") for value, word in enumerate(_ONES)},
    **dict.fromkeys("twice double doubles doubled doubling".split(), (2, "times")),
    **dict.fromkeys("thrice triple triples tripled tripling".split(), (3, "times")),
    **dict.fromkeys("quadruple quadruples quadrupled quadrupling".split(), (4, "times")),
    **dict.fromkeys("half halves halved halving".split(), (Decimal("0.5"), "part")),
    **dict.fromkeys(("order of magnitude", "orders of magnitude"), (10, "times")),
    **{
        word: (value, "")
        for value, word in enumerate("fourth fifth sixth seventh eighth ninth tenth".split(), 4)
    },
}
"""Value and unit. "First" to "third" are left out: they order the sentences of a text."""
_ROMAN = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6, "vii": 7, "viii": 8}
_UNITS = {
    **dict.fromkeys(("%", "percent", "per cent"), "percent"),
    **dict.fromkeys(("x", "×", "fold", "times"), "times"),
    **dict.fromkeys(("ms", "milliseconds"), "milliseconds"),
    **dict.fromkeys(("s", "sec", "seconds"), "seconds"),
    **dict.fromkeys(("min", "minute", "minutes"), "minutes"),
    **dict.fromkeys(("h", "hour", "hours"), "hours"),
    **dict.fromkeys(("day", "days"), "days"),
    **dict.fromkeys(("week", "weeks"), "weeks"),
    **dict.fromkeys(("month", "months"), "months"),
    **dict.fromkeys(("year", "years"), "years"),
    **{unit: unit for unit in "kb mb gb tb hz khz mhz ghz mm cm km kg".split()},
}


def _any(words: Iterable[str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


_NUMBER = re.compile(
    rf"""
      (?: (?P<sign> (?<![\w)%.+×-]) [+-] )?
          (?P<digits> \d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?(?!\d) | \d+(?:\.\d+)? | (?<![\w.])\.\d+ )
          (?: e(?P<power>[+-]?\d{{1,2}})\b | (?-i:(?P<short>[{"".join(_SHORT)}]))(?![^\W_])
            | (?P<rank>st|nd|rd|th)\b )?
        | \b(?P<word>{_any(_WORDS)}) (?: (?<=ty)[\s-](?P<ones>{_any(_ONES[1:10])}) )? \b
        | \b(?P<article>an?) (?= \s (?: {_any(_SCALES)} | (?:{_any(_PARTS)})\sof ) \b )
        | (?<!\w) \( (?P<roman>{_any(_ROMAN)}) (?=\))
      )
      (?: [\s-]{{1,2}} (?P<scale>{_any(_SCALES)}) \b )?
      (?: [\s-]{{1,2}} (?P<parts>{_any(_PARTS)})s? \b )?
      (?: [\s-]{{0,2}} (?P<unit>{_any(_UNITS)}) (?![^\W_]) (?!(?<=[x×])\s?\d) )?
    """,
    re.VERBOSE | re.IGNORECASE,
)
_JOINT = re.compile(r"-?\s*(?:%|-|/|,|to|and|or|vs\.?|,\s*and|,\s*or)\s*")
"""What may stand between the numbers of a range or list."""
_LETTERS_BEFORE = re.compile(r"([^\W\d_]+)(?:[-.@_+]|-?\d[\d.]*-?)?$")
_LETTERS_AFTER = re.compile(r"[^\W\d_]+")
_MEASURES = frozenset(
    map(same, "point accuracy absolute relative score gain improvement speedup faster".split())
)
"""Nouns behind numbers without a unit that are not what is counted."""
_NOUN = re.compile(r"[\s-]([a-z]{3,})")


@dataclass(frozen=True, slots=True)
class Number:
    """One mention of a number: ``text[start:end]``; ``word`` is the index of its first word.

    ``value`` is without sign and unit: of 50 % it is 50. ``name`` are letters that the digits
    hang on, "GPT" of GPT-4. ``noun`` is the stem of the word after it, "" behind a unit.
    ``item`` if it only numbers the items of a list, like (ii).
    """

    value: Decimal
    unit: str
    sign: str
    name: str
    noun: str
    item: bool
    shown: str
    start: int
    end: int
    word: int

    def equals(self, other: Number) -> bool:
        """Whether both can mean the same: a missing sign or unit may be any, but 50 % is not
        50 models."""
        if {self.sign, other.sign} == {"+", "-"}:
            return False
        if {self.unit, other.unit} == {"percent", "part"}:
            part, percent = sorted((self, other), key=lambda number: number.unit)
            return part.value * 100 == percent.value
        if self.value != other.value or (self.unit and other.unit and self.unit != other.unit):
            return False
        return not (self._counts_against(other) or other._counts_against(self))

    def _counts_against(self, other: Number) -> bool:
        """Whether this one counts things, and the other is a share."""
        counts = not self.unit and self.noun and self.noun not in _MEASURES
        return bool(counts) and other.unit == "percent"


@lru_cache(maxsize=REMEMBERED)
def numbers(reading: Reading) -> tuple[Number, ...]:
    """The numbers of a text in order; a unit at the end of a range or list is that of all."""
    found: list[Number] = []
    for match in reversed([*_NUMBER.finditer(reading.text)]):
        number = _number(reading, match)
        joined = found and _JOINT.fullmatch(reading.text, number.end, found[-1].start)
        if joined and not number.unit and not number.noun:
            number = replace(number, unit=found[-1].unit)
        found.append(number)
    return tuple(reversed(found))


def _number(reading: Reading, match: re.Match[str]) -> Number:
    text, (start, end) = reading.text, match.span()
    value, unit = _meaning(match)
    bare = not (unit or match["short"] or match["rank"] or match["scale"])
    noun = _NOUN.match(text, end) if bare else None
    return Number(
        value=value,
        unit=unit,
        sign=match["sign"] or "",
        name=_letters(text, start, end) if match["digits"] and bare else "",
        noun=same(noun[1]) if noun and noun[1] not in STOP_WORDS else "",
        item=bool(match["roman"]) or (bare and _is_item(text, start, end)),
        shown=match[0].strip("( "),
        start=start,
        end=end,
        word=reading.index(start + len(match["sign"] or "")),
    )


def _meaning(match: re.Match[str]) -> tuple[Decimal, str]:
    """Value and unit."""
    value, unit = Decimal(1), ""
    if match["digits"]:
        power = int(match["power"] or 0) + _SHORT.get(match["short"] or "", 0)
        value = Decimal(match["digits"].replace(",", "")) * Decimal(10) ** power
    elif match["word"]:
        amount, unit = _WORDS[match["word"].lower()]
        value = Decimal(amount + _WORDS[(match["ones"] or "zero").lower()][0])
    elif match["roman"]:
        value = Decimal(_ROMAN[match["roman"].lower()])
    if match["scale"]:
        value *= _SCALES[match["scale"].lower()]
    if match["parts"]:
        return value / _PARTS[match["parts"].lower()], "part"
    return value, _UNITS[match["unit"].lower()] if match["unit"] else unit


def _letters(text: str, start: int, end: int) -> str:
    """The letters before or behind digits that make them part of a name."""
    before = _LETTERS_BEFORE.search(text, max(0, start - 40), start)
    glued = before and text[start - 1].isalpha()
    if before and (glued or before[1] != before[1].lower()):
        return before[1]
    after = _LETTERS_AFTER.match(text, end)
    return after[0] if after else ""


def _is_item(text: str, start: int, end: int) -> bool:
    """Whether a number is but the mark of a list's item: "(2)", "2)"."""
    return (
        end - start == 1
        and text[end : end + 1] == ")"
        and text[start - 1 : start] in ("", " ", "(")
    )
