"""What was measured of the answers: the runs that are kept, and a page for each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict
from starlette.exceptions import HTTPException

from rag.evaluate.as_json import to_json
from rag.evaluate.gate import compare
from rag.evaluate.runs import history
from rag.evaluate.thresholds import load_thresholds
from rag.evaluate.types import Run
from rag.publish.evals.page import page

TREND = 50
"""Runs that a trend goes over."""


class RunLine(BaseModel):
    """A run that is kept; ``cases`` counts repeats too."""

    id: str
    engine: str
    model: str | None
    cases: int


class RunLines(BaseModel):
    runs: list[RunLine]


class RunObject(BaseModel):
    """All of a run, as ``rag eval --json`` gives it."""

    model_config = ConfigDict(extra="allow")

    id: str
    samples: list[dict[str, Any]]


def run_lines(evals: Path) -> RunLines:
    """The runs of a folder of cases, the newest first."""
    return RunLines(
        runs=[
            RunLine(id=run.id, engine=made.engine, model=made.model, cases=len(run.samples))
            for run in reversed(runs(evals))
            for made in [run.made_from]
        ]
    )


def run_json(evals: Path, name: str) -> dict[str, Any]:
    """A run; raises HTTPException for one that is not among ``runs``."""
    return to_json(_of(runs(evals), name))


def _of(kept: list[Run], name: str) -> Run:
    """A run by its name, which never leads to a file."""
    run = next((each for each in kept if each.id == name), None)
    if run is None:
        raise HTTPException(404, f"There is no run {name[:80]!r}; /evals lists those that are kept")
    return run


def runs(evals: Path) -> list[Run]:
    """The runs of a folder of cases that can be read, the oldest first."""
    return list(history(evals / "runs", TREND).runs)


def run_page(evals: Path, name: str) -> str:
    """A run against the one before it; raises HTTPException for one that is not among ``runs``."""
    kept = runs(evals)
    run = _of(kept, name)
    past = [each for each in kept if each.id < run.id]
    thresholds = load_thresholds(evals / "thresholds.toml")
    comparison = compare(past[-1], run, thresholds) if past else None
    return page(run, comparison, past)
