"""How much of their wording texts share, and which of many share much of it.

Knows letters and words only: what it means that two texts are alike is for others to say.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING
from zlib import crc32

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Runs = NDArray[np.uint64]

RUN = 4
"""Words of a run."""
SKETCH = 24
"""Runs of a text that are looked at to find likely copies, those with the smallest numbers, which
are the same in a copy (Broder's bottom-k sketch); memory stays small."""
LEAST_SHARED = 3
"""Runs that two sketches must share for the texts to be looked at."""
TOGETHER = 8
"""Texts with one run of which all pairs are looked at; of more, only neighbours in the order given:
a phrase of the field would make pairs of them all."""
REMEMBERED = 4_096

_WORD = re.compile(r"\w+")
_MULTIPLIER = 0x9E3779B97F4A7C15
"""2^64 over the golden ratio, which spreads what is multiplied with it (Knuth)."""


def same_words(one: str, other: str) -> float:
    """Jaccard overlap of the words of two texts."""
    ours, theirs = _words(one), _words(other)
    return len(ours & theirs) / max(len(ours | theirs), 1)


def same_runs(one: str, other: str) -> float:
    """Jaccard overlap of the runs of words of two texts; of texts too short for one, of words."""
    import numpy as np

    ours, theirs = _runs(one), _runs(other)
    if not (len(ours) and len(theirs)):
        return same_words(one, other)
    shared = len(np.intersect1d(ours, theirs, assume_unique=True))
    return shared / (len(ours) + len(theirs) - shared)


def likely_copies(texts: Sequence[str]) -> list[tuple[int, int]]:
    """Places of pairs of texts whose sketches share several runs, those that share most first;
    about linear in time and memory."""
    import numpy as np

    sketches = [_all_runs(text)[:SKETCH].copy() for text in texts]
    holders = np.repeat(np.arange(len(texts)), [len(sketch) for sketch in sketches])
    runs = np.concatenate(sketches) if sketches else np.zeros(0, np.uint64)
    order = np.argsort(runs, kind="stable")
    runs, holders = runs[order], holders[order]
    _, group, sizes = np.unique(runs, return_inverse=True, return_counts=True)
    pairs = [np.zeros(0, np.int64)]
    for step in range(1, TOGETHER):
        alike = runs[:-step] == runs[step:]
        if step > 1:
            alike &= (sizes <= TOGETHER)[group[step:]]
        pairs.append(holders[:-step][alike] * len(texts) + holders[step:][alike])
    found, times = np.unique(np.concatenate(pairs), return_counts=True)
    found, times = found[times >= LEAST_SHARED], times[times >= LEAST_SHARED]
    best = found[np.argsort(-times, kind="stable")]
    return [divmod(pair, len(texts)) for pair in best.tolist()]


@lru_cache(maxsize=REMEMBERED)
def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


@lru_cache(maxsize=REMEMBERED)
def _runs(text: str) -> Runs:
    return _all_runs(text)


def _all_runs(text: str) -> Runs:
    """A number for each run of words of a text, each once, sorted."""
    import numpy as np

    words = _WORD.findall(text.casefold())
    codes = np.array([crc32(word.encode("utf-8", "replace")) for word in words], np.uint64)
    runs = np.zeros(max(len(codes) - RUN + 1, 0), np.uint64)
    for place in range(RUN):
        runs = (runs + codes[place : place + len(runs)]) * np.uint64(_MULTIPLIER)
    return np.unique(runs ^ (runs >> np.uint64(29)))
