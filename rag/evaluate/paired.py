"""How surely a mean changed between two runs of the same cases. Knows numbers only.

The bootstrap of Efron & Tibshirani, An Introduction to the Bootstrap (1993), chapters 8 and 13:
cases are drawn with replacement, each with what both runs scored for it, and the change of the
mean is taken again; the middle 95 % of 10,000 such changes are the interval. It is used for yes/no
scores, too: McNemar's test would speak of those alone, gives no interval, and cannot pair a metric
that applies to a case in one run and not in the other. Where few cases differ the bootstrap is
too sure of itself; the gate wants a least number of those besides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rag.evaluate.metrics import DIGITS, SEED

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RESAMPLES = 10_000
_CELLS = 1_000_000
"""Counts held at once, whatever the number of cases."""

Pair = tuple[float | None, float | None]
"""What a case scored before and after; None where the metric did not apply to it."""


@dataclass(frozen=True, slots=True)
class Change:
    """Mean after minus mean before, and the bounds of its 95 % interval."""

    value: float
    low: float
    high: float


def changes(scores: Sequence[Sequence[Pair]]) -> list[Change]:
    """How the mean of each metric changed. ``scores`` has a row of pairs for each metric, of the
    same cases in the same order: the same draws serve all of them. A mean is over the cases that
    have a score in that run, so in each row at least one has to have one before and one after.
    """
    if all(before == after for row in scores for before, after in row):
        return [Change(0.0, 0.0, 0.0)] * len(scores)
    import numpy as np

    columns = np.array([[_columns(pair) for pair in row] for row in scores]).swapaxes(0, 1)
    sums = np.concatenate([np.tensordot(draw, columns, 1) for draw in _draws(len(columns))])
    return [
        _change(whole[None], drawn)
        for whole, drawn in zip(columns.sum(axis=0), sums.swapaxes(0, 1), strict=True)
    ]


def _columns(pair: Pair) -> tuple[float, bool, float, bool]:
    before, after = pair
    return before or 0.0, before is not None, after or 0.0, after is not None


def _draws(cases: int) -> Iterator[NDArray[np.float64]]:
    """How often each case comes up in each resample, in blocks of shape (resamples, cases)."""
    import numpy as np

    random = np.random.default_rng(SEED)
    block = max(1, _CELLS // cases)
    for start in range(0, RESAMPLES, block):
        size = min(block, RESAMPLES - start)
        yield random.multinomial(cases, np.full(cases, 1 / cases), size).astype(np.float64)


def _change(whole: NDArray[np.float64], drawn: NDArray[np.float64]) -> Change:
    """From sums of shape (1, 4) over all cases, and (resamples, 4) over those drawn."""
    import numpy as np

    found = (_risen(whole)[0], *np.percentile(_risen(drawn), [2.5, 97.5]))
    return Change(*(round(float(each), DIGITS) + 0.0 for each in found))  # + 0.0: never -0.0


def _risen(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean after minus mean before, of those resamples that have both."""
    before, has_before, after, has_after = sums[(sums[:, 1] > 0) & (sums[:, 3] > 0)].T
    risen: NDArray[np.float64] = after / has_after - before / has_before
    return risen
