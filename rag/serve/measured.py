"""What was measured of the answers: the runs that are kept, and a page for each."""

from __future__ import annotations

from pathlib import Path

from rag.errors import SourceError
from rag.evaluate.gate import compare
from rag.evaluate.runs import history
from rag.evaluate.thresholds import load_thresholds
from rag.evaluate.types import Run
from rag.publish.evals.page import page

TREND = 50
"""Runs that a trend goes over."""


def runs(evals: Path) -> list[Run]:
    """The runs of a folder of cases that can be read, the oldest first."""
    return list(history(evals / "runs", TREND).runs)


def run_page(evals: Path, name: str) -> str:
    """A run against the one before it; raises SourceError for one that is not among ``runs``: a
    name never leads to a file."""
    kept = runs(evals)
    run = next((each for each in kept if each.id == name), None)
    if run is None:
        raise SourceError(f"There is no run {name!r}.", "/evals lists those that are kept")
    past = [each for each in kept if each.id < run.id]
    thresholds = load_thresholds(evals / "thresholds.toml")
    comparison = compare(past[-1], run, thresholds) if past else None
    return page(run, comparison, past)
