"""Words that say the opposite of each other, as mentions that can be confused."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from rag.engine.check.places import Mention
from rag.engine.check.polarity import denials, hints
from rag.engine.check.reading import Reading, Word, same

_PAIRS = (
    "increase raise rise grow enlarge amplify boost / decrease reduce lower decline drop fall "
    "shrink diminish lessen cut mitigate alleviate suppress curb relieve limit minimize",
    "more higher greater larger most highest longer bigger / less lower fewer smaller least lowest "
    "shorter reduced",
    "improve enhance strengthen better best superior benefit outperform surpass exceed beat strong "
    "stronger powerful / degrade worsen worse worst inferior deteriorate weaken harm hurt "
    "underperform trail lag weak weaker",
    "well / poor poorly",
    "fast faster quick quickly accelerate / slow slower slowly decelerate",
    "robust / fragile brittle",
    "easy easier simple / hard harder difficult complex challenging",
    "positive / negative",
    "dense / sparse",
    "online / offline",
    "local / global",
    "static / dynamic",
    "early / late",
    "first / last",
    "before / after",
    "always / never",
    "all / none",
    "maximize / minimize",
    "gain / loss",
    "open / closed",
    "high / low",
    "large / small",
    "many / few",
    "long / short",
    "wide / narrow",
    "include / exclude",
    "accept / reject",
    "correct / wrong",
    "upper / lower",
    "under below / over above exceed",
    "maximum maximal / minimum minimal",
    "continuous / discrete",
    "rarely seldom / always often usually consistently",
    "preserve keep / harm destroy",
    "remove eliminate / cause",
    "ahead / behind",
)
_SIDES: dict[str, list[tuple[str, bool]]] = {}
for _pair in _PAIRS:
    for _side, _words in enumerate(_pair.split(" / ")):
        for _word in _words.split():
            _SIDES.setdefault(same(_word), []).append((_pair, bool(_side)))
_PREFIX = re.compile(r"(?:un|in|im|ir|il|non|dis)(?=\w{5})")


def opposites(reading: Reading) -> Iterator[Mention]:
    """The words of a text that can be confused with their opposites.

    Not those that are denied, "too costly to be practical", nor those beside their opposites.
    """
    words = reading.words
    denied = {denial.index + step for denial in denials(reading) for step in (1, 2, 3)}
    denied |= {i + step for i, word in enumerate(words) if word.low == "too" for step in range(7)}
    undone = {stem for index in hints(reading) if (stem := _undone(words[index]))}
    sides = [[*_sides(word, undone)] if len(word.low) > 2 else [] for word in words]
    for index, found in enumerate(sides):
        near = [other for others in sides[max(0, index - 2) : index + 3] for other in others]
        for kind, side in found:
            both = kind in undone and kind in reading.stems
            if index not in denied and (kind, not side) not in near and not both:
                yield Mention((kind, side), kind, reading, index, index + 1, new=True)


def _undone(word: Word) -> str:
    """The stem of what a prefix denies, "stabil" of "instability"; empty if nothing is."""
    bare = _PREFIX.sub("", word.low, count=1)
    return same(bare) if bare != word.low else ""


def _sides(word: Word, undone: Set[str]) -> Iterator[tuple[str, bool]]:
    """The pairs that a word belongs to, and on which side."""
    yield from _SIDES.get(word.stem, ())
    stem = _undone(word)
    yield (stem, True) if stem in undone else (word.stem, False)
