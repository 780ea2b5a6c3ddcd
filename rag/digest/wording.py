"""Is a sentence that says it was made of its quotes? Each of its words is looked for in them.

Without a model a line is a sentence with words left out, its system's name moved to the front,
and an overview puts such pieces beside each other: every word but a few that join them stands in
a quote or is what a paper goes by. So one changed word shows, which no likeness of meaning would.
Does not see what was left out; that is for the checker.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import lru_cache
from typing import Literal

from rag.digest.kinds import NOUNS, PLURALS, a
from rag.digest.phrases import ALIASES
from rag.engine.check import Quoted
from rag.engine.check.reading import REMEMBERED, Reading, Word, read, same

Made = Literal["freely", "of a quote", "of quotes"]
"""By a model, in any words; by leaving words out, in the order of the quote; of pieces of quotes
that a few words join."""

NAME = 12
"""Words of a name that was moved to the front, each part of a compound by itself."""
LINE = frozenset(map(same, "a an the that and we is are be has have do does present".split()))
"""What is put into a line: a verb for "we" or for a system, articles, what joins two clauses."""
CONDITIONS = frozenset(
    "in for when where under with at on across over among within if given once after".split()
)
"""What a condition begins with that a claim holds under."""
OVERVIEW = LINE | frozenset(
    map(
        same,
        "all also among another around as at both beyond but deal each for from in it its lean "
        "mention most of on one other paper several so some such than their them theme these "
        "they this those to touch toward towards what where whereas which while with".split(),
    )
)
"""What is said of papers together: how many they are, and that they have a theme."""

_LEAD = re.compile(r"(?:(?:\S*[A-Z\d]\S*|of|for|in|to|the|and|with|via|on|by|from|as)(?:\s+|$))+")
"""What a sentence begins with that may be a name."""
_PART = re.compile(r"[,;]\s")
"""Between parts of an overview's sentence, each of which may be about other papers."""
PARTS = 40
"""Of a sentence that are told apart; the rest counts as one."""
YARDSTICKS = ("benchmark", "dataset", "evaluation")
STUDIES = ("theory", "study")
"""Kinds that no noun has to tell: the quote says what the authors prove or look into."""

Places = Mapping[str, Sequence[int]]
"""Where in a quote each stem stands, by its words counted from 0."""


def not_quoted(said: str, quotes: Sequence[Quoted], made: Made) -> str:
    """What is wrong with a sentence that was made in such a way, in words; empty if nothing is."""
    if made == "of quotes":
        faults = (_joined(part, _of_its_papers(part, quotes)) for part in _PART.split(said, PARTS))
        return next(filter(None, faults), "")
    places = [_places(read(quote.text)) for quote in quotes]
    handles = [_places(read(quote.names[0])) for quote in quotes if quote.names]
    fault = _strange(read(said), LINE.union(*places, *handles))
    return fault or _disorder(read(said), places, LINE)


def _joined(part: str, quotes: Sequence[Quoted]) -> str:
    """What is wrong with a part of an overview: a word that is neither in quotes nor says what
    they say or, where it is of one paper, its order."""
    places = [_places(read(quote.text)) for quote in quotes]
    names = {name for quote in quotes for name in quote.names}
    glue = OVERVIEW.union(_kinds(quotes), *map(_spelt_out, places))
    fault = _strange(read(part), glue.union(*places, *(_places(read(name)) for name in names)))
    if fault or len({quote.names for quote in quotes}) > 1:
        return fault
    for name in sorted(names, key=lambda name: (-len(name), name)):
        part = part.replace(name, "")
    return _disorder(read(part), places, glue)


def _strange(reading: Reading, known: Set[str]) -> str:
    word = next((word.text for word in reading.words if word.stem not in known), None)
    return f"the word “{word}” is not in the quotes" if word else ""


def _of_its_papers(part: str, quotes: Sequence[Quoted]) -> Sequence[Quoted]:
    """The quotes of the papers that a part of a sentence names; all if it names none."""
    return [quote for quote in quotes if any(_stands(name, part) for name in quote.names)] or quotes


def _stands(name: str, text: str) -> bool:
    return bool(name) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _kinds(quotes: Sequence[Quoted]) -> Iterator[str]:
    """Stems of the kinds of things that quotes speak of, by any of their nouns. What just does
    something is a method too, but no yardstick is."""
    for kind in PLURALS:
        if (
            kind in STUDIES
            or any(_speaks_of(kind, quote) for quote in quotes)
            or (kind == "method" and not all(map(_measures, quotes)))
        ):
            yield from (word.stem for word in read(f"{a(kind)}, {PLURALS[kind]}").words)


def _measures(quote: Quoted) -> bool:
    return any(_speaks_of(kind, quote) for kind in YARDSTICKS)


def _speaks_of(kind: str, quote: Quoted) -> bool:
    return kind in NOUNS and re.search(rf"\b(?:{NOUNS[kind]})", quote.text, re.I) is not None


@lru_cache(maxsize=REMEMBERED)
def _places(reading: Reading) -> Places:
    """Of words, and of two or three that markup or a hyphen parts: "k" and "NN" are "kNN"."""
    places = defaultdict[str, list[int]](list)
    for i, word in enumerate(reading.words):
        for last in range(i + 1, min(i + 3, len(reading.words)) + 1):
            joined = "".join(each.low for each in reading.words[i:last])
            places[word.stem if last == i + 1 else same(joined)].append(i)
    return places


def _spelt_out(places: Places) -> Iterator[str]:
    """Stems of what abbreviations of a quote stand for."""
    for short, long in ALIASES.items():
        if same(short) in places:
            yield from (word.stem for word in read(long).words)


def _disorder(reading: Reading, quotes: Sequence[Places], glue: Set[str]) -> str:
    """Where words leave the order of their quotes, in words; empty if nowhere. Only a name may
    have been moved, to the front."""
    words = [
        word
        for word in reading.words
        if word.stem not in glue and any(word.stem in places for places in quotes)
    ]
    lead = _LEAD.match(reading.text)
    name = sum(word.end <= lead.end() for word in words) if lead else 0
    kept = max(n + _in_order(words[n:], quotes) for n in range(min(name, NAME) + 1))
    if kept == len(words):
        return ""
    before, after = words[max(0, kept - 1)].text, words[kept].text
    return f"“{before}” and “{after}” stand in another order in the quote"


def _in_order(words: Sequence[Word], quotes: Sequence[Places]) -> int:
    """How many of the words are pieces of one quote after the other, each in its order. Of a
    second quote, the condition that it begins with may stand at the end."""
    done = 0
    for places in quotes:
        done += _run(words[done:], places)
    if len(quotes) < 2 or done == len(words):
        return done
    begins = [i for i, word in enumerate(words[: done + 1]) if word.low in CONDITIONS]
    return max([done, *(i + _run(words[i:], quotes[-1]) for i in begins)])


def _run(words: Sequence[Word], places: Places) -> int:
    """How many of the words stand in this order in a quote, whatever is between them."""
    at = -1
    for count, word in enumerate(words):
        found = places.get(word.stem, ())
        later = bisect_right(found, at)
        if later == len(found):
            return count
        at = found[later]
    return len(words)
