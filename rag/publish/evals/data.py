"""A run and its comparison as one JSON document, for programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from rag.evaluate.as_json import to_json
from rag.evaluate.metrics import confusion, totals
from rag.evaluate.types import Comparison, Difference, Failure, Run, SuiteName
from rag.publish.evals import cases, content
from rag.publish.evals.content import Row


def data(run: Run, comparison: Comparison | None, failures: Sequence[Failure]) -> dict[str, Any]:
    """The figures of each suite with what they were before, the gate, and the run itself.

    ``changed`` has the ids of the cases that are not as before and the metrics that moved; what
    they were stands in the baseline's file.
    """
    whole = to_json(run)
    samples = whole.pop("samples")
    rows = content.rows(run, comparison)
    return {
        "run": whole,
        "suites": {suite: _suite(run, suite, rows[suite]) for suite in run.suites},
        "gate": {"passed": not failures, "failures": [asdict(failure) for failure in failures]},
        "baseline": comparison.before.id if comparison else None,
        "causes": list(comparison.causes) if comparison else [],
        "changed": list(_changed(comparison)) if comparison else [],
        "samples": samples,
    }


def _suite(run: Run, suite: SuiteName, rows: Iterable[Row]) -> dict[str, Any]:
    own = content.samples(run, suite)
    taken = totals(own).get(suite)
    return {
        "cases": len({sample.case for sample in own}),
        "metrics": {row.metric: _metric(row) for row in rows},
        "outcomes": [
            {"expected": expected, "got": got, "cases": count}
            for expected, got, count in confusion(own)
        ],
        "totals": asdict(taken) if taken else None,
    }


def _metric(row: Row) -> dict[str, Any]:
    figure = asdict(row.figure) if row.figure else {}
    return {**figure, **(_difference(row.difference) if row.difference else {})}


def _difference(difference: Difference) -> dict[str, Any]:
    return {
        "before": difference.before.value if difference.before else None,
        "change": difference.change,
        "change_low": difference.low,
        "change_high": difference.high,
        "paired": difference.paired,
        "differing": difference.differing,
        "verdict": difference.verdict,
        "gates": difference.gates,
    }


def _changed(comparison: Comparison) -> Iterator[dict[str, Any]]:
    for changed in comparison.changed:
        sample = cases.either(changed)
        moved = {"better": list(changed.better), "worse": list(changed.worse)}
        yield {"suite": sample.suite, "case": sample.case, **moved}
