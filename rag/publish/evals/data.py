"""A run and its comparison as one JSON document, for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rag.evaluate.as_json import to_json
from rag.evaluate.metrics import confusion, figures, totals
from rag.evaluate.types import Comparison, Difference, Failure, Run, Sample, SuiteName


def data(run: Run, comparison: Comparison | None, failures: Sequence[Failure]) -> dict[str, Any]:
    """The figures of each suite with what they were before, the gate, and the run itself.

    ``changed`` has the ids of the cases that are not as before and the metrics that moved; what
    they were stands in the baseline's file.
    """
    whole = to_json(run)
    samples = whole.pop("samples")
    return {
        "run": whole,
        "suites": {suite: _suite(run, suite, comparison) for suite in run.suites},
        "gate": {"passed": not failures, "failures": [asdict(failure) for failure in failures]},
        "baseline": comparison.before.id if comparison else None,
        "causes": list(comparison.causes) if comparison else [],
        "changed": _changed(comparison) if comparison else [],
        "samples": samples,
    }


def _suite(run: Run, suite: SuiteName, comparison: Comparison | None) -> dict[str, Any]:
    own = [sample for sample in run.samples if sample.suite == suite]
    taken = totals(own).get(suite)
    return {
        "cases": len({sample.case for sample in own}),
        "metrics": _metrics(own, suite, comparison),
        "outcomes": [
            {"expected": expected, "got": got, "cases": count}
            for expected, got, count in confusion(own)
        ],
        "totals": asdict(taken) if taken else None,
    }


def _metrics(
    samples: Sequence[Sample], suite: SuiteName, comparison: Comparison | None
) -> dict[str, Any]:
    now = {name: asdict(figure) for (_, name), figure in figures(samples).items()}
    compared = comparison.differences if comparison else ()
    moved = {each.metric: _difference(each) for each in compared if each.suite == suite}
    return {name: {**now.get(name, {}), **moved.get(name, {})} for name in {**now, **moved}}


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


def _changed(comparison: Comparison) -> list[dict[str, Any]]:
    rows = []
    for changed in comparison.changed:
        sample = changed.after or changed.before
        if sample:
            moved = {"better": list(changed.better), "worse": list(changed.worse)}
            rows.append({"suite": sample.suite, "case": sample.case, **moved})
    return rows
