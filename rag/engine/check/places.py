"""Whether something in a statement stands where the quotes have something else.

"From 50 to 45" holds the same numbers as "from 45 to 50". What tells them apart are the words
around each. Knows words and how far apart they are; nothing of what they mean.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag.engine.check.reading import REMEMBERED, Reading

REACH = 12
"""Places within which words are around a mention."""
SMALL = 0.25
"""Weight of a word without content, such as "from" and "to"."""
OTHER_SIDE = 0.3
"""Weight of a word that is before the one mention and behind the other."""
RATIO = 1.2
"""How many times more a mention has to be like another one of the quotes than like its own."""


@dataclass(frozen=True, slots=True)
class Mention:
    """Where something stands: the words from ``first`` up to ``last``, which is not included.

    Mentions of equal ``kind`` can be confused; those of equal ``key`` mean the same. One that
    is ``new`` may be in the statement alone; another has to be in the quotes as well.
    """

    key: Hashable
    kind: Hashable
    reading: Reading
    first: int
    last: int
    new: bool = False

    @property
    def shown(self) -> str:
        words = self.reading.words[self.first : self.last]
        return self.reading.text[words[0].start : words[-1].end]


Surroundings = dict[tuple[str, int], float]
"""Weight of each stem on each side, -1 or 1."""


def displaced(
    said: Sequence[Mention], quoted: Sequence[Mention], margin: float
) -> Iterator[tuple[Mention, Mention]]:
    """Mentions of a statement with the mention of the quotes in whose place they stand.

    A word next to both mentions counts 1. ``margin`` is what has to be left over.
    """
    known = {mention.key for mention in quoted}
    for mention in said:
        rivals = [q for q in quoted if q.kind == mention.kind and q.key != mention.key]
        if rivals and (mention.new or mention.key in known):
            own = _best(mention, [q for q in quoted if q.key == mention.key])
            for rival in rivals:
                like = _likeness(mention, rival)
                rightful = [m for m in said if m.key == rival.key]
                if like > RATIO * own + margin and like > _best(rival, rightful):
                    yield mention, rival
                    break


def _best(mention: Mention, others: Sequence[Mention]) -> float:
    return max((_likeness(mention, other) for other in others), default=0.0)


@lru_cache(maxsize=16 * REMEMBERED)
def _around(reading: Reading, first: int, last: int) -> Surroundings:
    words = reading.words
    found: Surroundings = {}
    for index in range(max(0, first - REACH), min(len(words), last + REACH)):
        if first <= index < last:
            continue
        side, edge = (-1, words[first]) if index < first else (1, words[last - 1])
        distance = abs(words[index].place - edge.place)
        if distance <= REACH:
            key = (words[index].stem, side)
            weight = (1.0 if words[index].content else SMALL) / distance
            found[key] = max(found.get(key, 0.0), weight)
    return found


@lru_cache(maxsize=16 * REMEMBERED)
def _likeness(a: Mention, b: Mention) -> float:
    """What the surroundings have in common, each word at the smaller of its weights."""
    ours, theirs = (_around(m.reading, m.first, m.last) for m in (a, b))
    return sum(
        max(
            min(weight, theirs.get((stem, side), 0.0)),
            OTHER_SIDE * min(weight, theirs.get((stem, -side), 0.0)),
        )
        for (stem, side), weight in ours.items()
    )
