"""A metric by each way to answer or search, as a row of the table that ``quality.py`` prints."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from plain import WAYS
from search import OURS

from rag.evaluate.paired import Change, Pair, changes

T = TypeVar("T")
Values = Mapping[str, Sequence[float | None]]
"""The scores of the same questions by each way; None where a metric does not apply."""


@dataclass(frozen=True, slots=True)
class Row:
    """A metric over the questions of one set, by each way; ``gains`` is ours over each other."""

    set: str
    metric: str
    questions: int
    means: dict[str, float | None]
    gains: dict[str, Change]

    def markdown(self) -> str:
        cells = [_figure(self.means.get(way)) for way in (*WAYS, OURS)]
        known = [way for way in WAYS if self.means.get(way) is not None]
        best = max(known, key=lambda way: self.means[way] or 0.0, default="")
        gain = self.gains.get(best)
        change = f"{gain.value:+.3f} [{gain.low:+.3f}, {gain.high:+.3f}]" if gain else ""
        return f"| {' | '.join([self.set, self.metric, str(self.questions), *cells, change])} |"


def _figure(mean: float | None) -> str:
    return "–" if mean is None else f"{mean:.3f}"


def compared(name: str, metric: str, values: Values) -> Row:
    """The row of one metric; a way that it applies to nowhere has no mean."""
    known = {way: [v for v in each if v is not None] for way, each in values.items()}
    means = {way: round(float(np.mean(v)), 6) if v else None for way, v in known.items()}
    gains = {
        way: changes([_pairs(values[way], values[OURS])])[0]
        for way in WAYS
        if known.get(way) and known[OURS]
    }
    return Row(name, metric, len(known[OURS]), means, gains)


def _pairs(before: Sequence[float | None], after: Sequence[float | None]) -> list[Pair]:
    return [*zip(before, after, strict=True)]


def watched(what: str, items: Sequence[T]) -> Iterator[T]:
    """The items, with a bar on stderr; in a file it is only told how many there were."""
    every = max(len(items) // 50, 1) if sys.stderr.isatty() else len(items)
    for done, item in enumerate(items, start=1):
        yield item
        if done == len(items) or done % every == 0:
            bar = "█" * (30 * done // len(items))
            print(f"\r{what:<28}{bar:·<30} {done}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
