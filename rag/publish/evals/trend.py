"""How metrics went from run to run: the runs that are stored, and the one that is reported."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rag.evaluate.metrics import means
from rag.evaluate.types import Run, SuiteName
from rag.publish.evals import content

RUNS = 30
"""How many runs are shown at most, the last ones."""


@dataclass(frozen=True, slots=True)
class Point:
    """A metric in one run. ``remark`` says why it is not to be compared with that of the run
    reported, as of another corpus; it is empty where it is."""

    run: str
    value: float
    remark: str


@dataclass(frozen=True, slots=True)
class Series:
    """A metric of a suite over the runs that have it, by time."""

    suite: SuiteName
    metric: str
    points: tuple[Point, ...]


def series(run: Run, history: Iterable[Run]) -> list[Series]:
    """The main metrics of the run's suites of which more than one run has a value."""
    stored = {each.id: each for each in [*history, run]}
    runs = [stored[id] for id in sorted(stored)][-RUNS:]
    values = [(each, means(each.samples)) for each in runs]
    found = []
    for suite in content.suites(run):
        for metric in content.MAIN[suite]:
            key = suite, metric
            points = tuple(_point(r, known[key], run) for r, known in values if key in known)
            if len(points) > 1:
                found.append(Series(suite, metric, points))
    return found


def _point(run: Run, value: float, now: Run) -> Point:
    chosen = content.narrowing(run)
    told = [
        *(["another corpus"] if run.made_from.corpus != now.made_from.corpus else []),
        *([f"not all cases: {chosen}"] if chosen else []),
    ]
    return Point(run.id, value, ", ".join(told))
