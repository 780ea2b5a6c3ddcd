"""What all reports of a run say alike: which it is, its figures, what it was made from.

Knows runs and comparisons; knows no markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rag.evaluate import metrics
from rag.evaluate.types import (
    SUITES,
    Comparison,
    Difference,
    Failure,
    Figure,
    Run,
    Sample,
    SuiteName,
)
from rag.evaluate.wording import plainly
from rag.publish.content import count

MAIN: Mapping[SuiteName, tuple[str, ...]] = {
    "retrieval": ("recall@gold", "recall@5", "MRR", "nDCG@10"),
    "ask": ("recall@5", "facts", "outcome", "citation precision", "citation recall", "support"),
    "summarize": ("facts", "length", "support", "ROUGE-L"),
    "digest": ("recall", "off-topic", "coverage", "facts", "support"),
}
"""The metrics of each suite that its kinds and its past are told by."""


@dataclass(frozen=True, slots=True)
class Row:
    """A metric of a suite: its figure, and what it is compared with if it is."""

    metric: str
    figure: Figure | None
    difference: Difference | None

    @property
    def before(self) -> Figure | None:
        """What it was, if it was measured then."""
        return self.difference.before if self.difference else None

    @property
    def stayed(self) -> bool:
        """Whether it is compared, and no case scored otherwise."""
        known = self.difference
        return known is not None and known.verdict == "no difference" and not known.differing


def suites(run: Run) -> list[SuiteName]:
    """The suites of which the run has samples or cases, in the order of all suites."""
    sampled = {sample.suite for sample in run.samples}
    return [suite for suite in SUITES if suite in run.suites or suite in sampled]


def samples(run: Run, suite: SuiteName) -> list[Sample]:
    """The run's samples of one suite, in their order."""
    return [sample for sample in run.samples if sample.suite == suite]


def rows(run: Run, comparison: Comparison | None) -> dict[SuiteName, list[Row]]:
    """Every metric of every suite that has a figure now or had one before. The figure is over the
    cases compared where there is a comparison, so that it and its change belong together."""
    figures = metrics.figures(run.samples)
    known = {(d.suite, d.metric): d for d in (comparison.differences if comparison else ())}
    found: dict[SuiteName, list[Row]] = {}
    for suite in dict.fromkeys([*suites(run), *(suite for suite, _ in known)]):
        found[suite] = []
        for metric in metrics.METRICS:
            key = suite, metric.name
            if key in figures or key in known:
                found[suite].append(_row(metric.name, figures.get(key), known.get(key)))
    return found


def parted(rows: Iterable[Row]) -> tuple[list[Row], list[Row]]:
    """The rows that there is something to tell of, and those that stayed as they were."""
    told: tuple[list[Row], list[Row]] = [], []
    for row in rows:
        told[row.stayed].append(row)
    return told


def _row(metric: str, figure: Figure | None, difference: Difference | None) -> Row:
    compared = difference.after if difference else None
    return Row(metric, compared or figure, difference)


def about(run: Run, comparison: Comparison | None) -> str:
    """Which run it is, of which cases and how often each, and which one it is compared with."""
    chosen = narrowing(run)
    told = [
        f"Run {run.id}",
        f"not of all cases ({chosen})" if chosen else "",
        repeated(run),
        f"compared with {comparison.before.id}" if comparison else "",
    ]
    return f"{', '.join(filter(None, told))}."


def held_against(comparison: Comparison | None, failures: Sequence[Failure]) -> Sequence[Failure]:
    """What shuts the gate: a comparison says so itself, of a run alone ``failures`` do."""
    return comparison.failures if comparison else failures


CHANGES = {"worse", "corpus", "vanished", "rewritten"}
"""Failures that a change may be meant to bring."""
RENEW = "If that is meant, rag eval --update-baseline takes the run as the new baseline."


def gate(comparison: Comparison | None, failures: Sequence[Failure]) -> str:
    """Whether the gate is open, in one sentence; nothing of a run alone that nothing is held
    against, as no gate may have looked at it."""
    if failures:
        shut = f"The gate is shut: {count(len(failures), 'failure')}."
        return f"{shut} {RENEW}" if {each.kind for each in failures} & CHANGES else shut
    return "The gate is open." if comparison else ""


def narrowing(run: Run) -> str:
    """What of the cases was run, or nothing where it was all of them."""
    chosen = sorted(run.selection.items())
    return ", ".join(f"{name} {plainly(v)}" for name, v in chosen if v and name != "repeat")


def repeated(run: Run) -> str:
    """How often each case was run, or nothing where it was once."""
    times = run.selection.get("repeat") or 1
    return f"each {plainly(times)} times" if times != 1 else ""


def made_from_rows(run: Run) -> list[tuple[str, str]]:
    """What a run was made from, as names and values."""
    made = run.made_from
    parts = [
        ("run", run.id),
        ("corpus", f"{made.corpus}, {count(made.papers, 'paper')}"),
        ("embedder", made.embedder),
        ("engine", made.engine),
        ("model", made.model or ""),
        ("judge", made.judge or ""),
        ("prompts", ", ".join(made.prompts)),
        ("settings", _pairs(made.settings)),
        ("packages", _pairs(made.packages)),
        ("commit", made.commit or ""),
        ("cases", ", ".join(filter(None, [narrowing(run), repeated(run)]))),
    ]
    return [(name, value) for name, value in parts if value]


def _pairs(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {plainly(values[name])}" for name in sorted(values))
