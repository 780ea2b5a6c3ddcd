"""What all reports of a run say alike: its verdict in words, its figures, what it was made from.

Knows runs and comparisons; knows no markup.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    Verdict,
)
from rag.publish.content import count
from rag.publish.evals.wording import listed, plainly, share, signed

NAMED = 3
"""How many metrics a headline names; the table has the others."""
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


def _row(metric: str, figure: Figure | None, difference: Difference | None) -> Row:
    compared = difference.after if difference else None
    return Row(metric, compared or figure, difference)


def headline(run: Run, comparison: Comparison | None, failures: Sequence[Failure]) -> str:
    """The verdict in one sentence: what got worse or better, or why nothing can be said."""
    word, told = verdict(run, comparison, failures)
    return f"{word}: {told}" if told else f"{word}."


def verdict(
    run: Run, comparison: Comparison | None, failures: Sequence[Failure]
) -> tuple[str, str]:
    """The verdict in a word or few, and what there is to say of it: a sentence, or nothing."""
    gating = [d for d in comparison.differences if d.gates] if comparison else []
    worse = [d for d in gating if d.verdict == "worse"]
    if worse:
        return "Worse", _moves(worse)
    if comparison is None and all(failure.kind == "no-baseline" for failure in failures):
        return "Not compared", f"{_cases(run)}, and there is no baseline."
    if failures:
        first, *others = failures
        more = f" And {count(len(others), 'more failure')}." if others else ""
        return _SHUT.get(first.kind, "Failed"), f"{first.text.rstrip('.')}.{more}"
    better = [d for d in gating if d.verdict == "better"]
    return ("Better", _moves(better)) if better else (_unmoved([d.verdict for d in gating]), "")


_SHUT = {"corpus": "Corpus changed, not the code", "few": "Too few cases to tell"}
"""What a gate is shut for without anything having got worse for sure."""


def _unmoved(said: Sequence[Verdict]) -> str:
    """What to call it when nothing got better or worse and nothing failed."""
    if "corpus changed, not the code" in said:
        return "Corpus changed, not the code"
    if said and all(each == "too few cases to tell" for each in said):
        return "Too few cases to tell"
    return "No difference" if said else "Nothing was compared"


def _cases(run: Run) -> str:
    asked = {(sample.suite, sample.case) for sample in run.samples}
    names = [suite for suite in SUITES if any(name == suite for name, _ in asked)]
    return f"{count(len(asked), 'case')} in {listed(names)}" if names else "No case was run"


def _moves(differences: Sequence[Difference]) -> str:
    largest = sorted(differences, key=lambda d: -abs(d.change or 0.0))
    told = [_move(d) for d in largest[:NAMED]]
    more = len(largest) - NAMED
    return "; ".join([*told, *([f"and {count(more, 'more metric')}"] if more > 0 else [])]) + "."


def _move(difference: Difference) -> str:
    name = f"{difference.metric} in {difference.suite}"
    before, after, change = difference.before, difference.after, difference.change
    if before is None or after is None or change is None:
        return name
    verb = "fell" if change < 0 else "rose"
    told = f"{name} {verb} from {share(before.value)} to {share(after.value)}"
    bounds = f"95 % interval {signed(difference.low)} to {signed(difference.high)}"
    return f"{told} ({signed(change)}, {bounds}, {count(difference.paired, 'case')})"


def about(run: Run, comparison: Comparison | None) -> str:
    """Which run it is, of which cases, and which one it is compared with."""
    chosen = selection(run)
    told = f"Run {run.id}{f', not of all cases ({chosen})' if chosen else ''}"
    return f"{told}, compared with {comparison.before.id}." if comparison else f"{told}."


def held_against(comparison: Comparison | None, failures: Sequence[Failure]) -> Sequence[Failure]:
    """What shuts the gate: a comparison says so itself, of a run alone ``failures`` do."""
    return comparison.failures if comparison else failures


def gate(comparison: Comparison | None, failures: Sequence[Failure]) -> str:
    """Whether the gate is open, in one sentence; nothing of a run alone that nothing is held
    against, as no gate may have looked at it."""
    if failures:
        return f"The gate is shut: {count(len(failures), 'failure')}."
    return "The gate is open." if comparison else ""


def selection(run: Run) -> str:
    """What of the cases was run, or nothing where it was all of them once."""
    whole = {"repeat": 1}
    return ", ".join(
        f"{name} {plainly(value)}"
        for name, value in sorted(run.selection.items())
        if value and value != whole.get(name)
    )


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
        ("selection", selection(run)),
    ]
    return [(name, value) for name, value in parts if value]


def _pairs(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {plainly(values[name])}" for name in sorted(values))
