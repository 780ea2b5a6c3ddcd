"""Planted errors are caught and true statements kept, as we say."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from rag.embed.minilm import MiniLM
from rag.engine.check import Checker

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT / "evals"))

from planted import ERRORS, planted, shares, table  # noqa: E402
from statements import HALVES, Trial, abstracts, sampled, true_statements  # noqa: E402

SHARED = ROOT.parent / "shared"
FLOORS = {
    "verbatim": 1.0,
    "part of a sentence": 0.95,
    "reworded by rule": 0.95,
    "our paraphrase": 0.95,
    "note": 0.95,
    "two papers": 0.80,
    "number changed": 0.99,
    "name swapped": 0.95,
    "name invented": 0.95,
    "wrong paper": 0.90,
    "wrong paper, the likest": 0.85,
    "papers exchanged": 0.90,
    "claim added": 0.60,
    "numbers exchanged": 0.80,
    "names exchanged": 0.75,
    "negation added": 0.85,
    "negation removed": 0.60,
    "opposite said": 0.75,
}
EACH = 20
"""Trials of a kind and half: with eleven kinds of errors more than 300."""
CORPORA = [
    pytest.param(ROOT / "none", id="notes"),
    pytest.param(
        SHARED,
        id="lists",
        marks=pytest.mark.skipif(
            not (SHARED / "corpus").is_dir(), reason="the real lists are not beside this folder"
        ),
    ),
]


@pytest.fixture(scope="module", params=CORPORA)
def trials(request: pytest.FixtureRequest) -> list[Trial]:
    papers = abstracts(request.param)
    true = true_statements(papers)
    return sampled(true, EACH) + planted(true, papers, EACH)


@pytest.fixture(scope="module")
def found(trials: list[Trial], minilm: MiniLM) -> dict[str, dict[str, tuple[int, float]]]:
    return shares(Checker(minilm), trials)


def test_three_hundred_errors_are_planted(trials: list[Trial]) -> None:
    errors = [trial for trial in trials if trial.kind in ERRORS]
    assert len(errors) >= 300
    assert {trial.half for trial in errors} == set(HALVES)


@pytest.mark.parametrize("kind", FLOORS)
def test_the_checker_is_as_good_as_we_say(
    found: dict[str, dict[str, tuple[int, float]]], kind: str
) -> None:
    halves = found.get(kind, {}).values()
    if not halves:
        pytest.skip(f"without the real lists there is nothing for: {kind}")
    count = sum(n for n, _ in halves)
    right = sum(n * share for n, share in halves)
    assert right / count >= FLOORS[kind]


def test_the_table_has_a_line_for_each_kind(
    found: dict[str, dict[str, tuple[int, float]]],
) -> None:
    assert len(table(found).splitlines()) == len(found) + 2


def test_planting_is_repeatable_and_always_changes_something() -> None:
    papers = abstracts(ROOT / "none")
    true = true_statements(papers)
    errors = planted(true, papers, 5)
    assert errors == planted(true_statements(papers), papers, 5)
    told = {(trial.statement, trial.quotes) for trial in true}
    assert all((error.statement, error.quotes) not in told for error in errors)
