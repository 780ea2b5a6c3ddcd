"""Which numbers of a statement its quotes do not hold.

A number may be missing only where a reader would see at once that it is right: a spelled-out
count of what the quotes list, the marks of a list, or "one" for "a".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rag.engine.check.numbers import Number, numbers
from rag.engine.check.reading import Reading

MOST_COUNTED = 10
"""Items of a list that a statement may count by itself."""

_PAIR = frozenset("both pair dual either second latter between".split())
_ASIDE = re.compile(r"\s*\([^()]*\)|^\w+,\s")
_CLAUSE = re.compile(r"[.;:]\s|\s-\s")
_CONJUNCTION = re.compile(r",?\s(?:and|or)\s")


def missing_numbers(
    said: Reading, quotes: Sequence[Reading], titles: Sequence[Reading]
) -> Iterator[str]:
    """The numbers of a statement that its quotes do not hold, or less often, as written."""
    quoted = [number for quote in quotes for number in numbers(quote)]
    cited = [span for title in titles for span in _spans(said, title)]
    # A name is checked as one, with its digits.
    found = [number for number in numbers(said) if not number.name]
    for i, number in enumerate(found):
        if any(start <= number.start and number.end <= end for start, end in cited):
            continue
        held = sum(_stands_for(other, number, said) for other in quoted)
        before = sum(number.equals(other) for other in found[:i] if not other.shown.isalpha())
        if held <= before and not (
            _is_article(number, quoted)
            or _is_both(number, said, quoted, quotes)
            or (number.item and _numbers_items(number, found))
            or _counts(number, quoted, quotes)
        ):
            yield number.shown


def _spans(said: Reading, title: Reading) -> Iterator[tuple[int, int]]:
    """Where a statement mentions a title."""
    start = said.text.casefold().find(title.text.casefold()) if title.text else -1
    if start >= 0:
        yield start, start + len(title.text)


def _stands_for(other: Number, number: Number, said: Reading) -> bool:
    """Whether a number of the quotes is that of the statement; one in a name only behind it, and
    "one" a 1 only of the same things: "one reason is …" counts nothing."""
    if other.shown.lower() == "one" and number.shown[0].isdigit() and number.noun != other.noun:
        return False
    before = said.text[: number.start].rstrip(" -").casefold()
    named = not other.name or before.endswith(other.name.casefold())
    return number.equals(other) and number.item == other.item and named


def _is_article(number: Number, quoted: Sequence[Number]) -> bool:
    """Whether "one" says no more than "a": the quotes count none of that otherwise."""
    return number.shown.lower() == "one" and not any(
        number.noun and number.noun == other.noun for other in quoted
    )


def _is_both(
    number: Number, said: Reading, quoted: Sequence[Number], quotes: Sequence[Reading]
) -> bool:
    """Whether "the two" sums up what an "and" joins in the quotes."""
    before = said.words[number.word - 1].low if number.word else ""
    return (
        number.shown.lower() == "two"
        and before in ("the", "these", "those")
        and any(word.low == "and" for quote in quotes for word in quote.words)
        and not any(number.noun and number.noun == other.noun for other in quoted)
    )


def _numbers_items(number: Number, found: Sequence[Number]) -> bool:
    """Whether the statement itself numbers its items from 1 on."""
    marks = [other.value for other in found if other.item]
    return marks == list(range(1, len(marks) + 1)) and len(marks) > 1


def _counts(number: Number, quoted: Sequence[Number], quotes: Sequence[Reading]) -> bool:
    """Whether a spelled-out number counts what the quotes list and do not count themselves."""
    value = number.value
    if not (number.noun and number.shown.isalpha() and 2 <= value <= MOST_COUNTED):
        return False
    if any(number.noun == other.noun for other in quoted):
        return False
    items = max((other.value for other in quoted if other.item), default=None)
    pair = value == 2 and any(not _PAIR.isdisjoint(word.low for word in q.words) for q in quotes)
    known = (quote for quote in quotes if number.noun in quote.stems and items is None)
    return pair or value == items or any(value in _listed(quote) for quote in known)


def _listed(quote: Reading) -> set[int]:
    """Lengths of the lists in a quote."""
    text = _ASIDE.sub("", quote.text)
    joined = [_CONJUNCTION.split(clause)[:-1] for clause in _CLAUSE.split(text)]
    return {part.count(", ") + 2 for parts in joined for part in parts}
