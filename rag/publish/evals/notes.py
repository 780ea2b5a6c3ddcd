"""What stands under the figures of a suite: errors, outcomes, judges, time and money. No markup."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rag.evaluate import metrics
from rag.evaluate.metrics import Totals
from rag.evaluate.types import Sample, SuiteName
from rag.evaluate.wording import plain, share
from rag.publish.content import count
from rag.publish.evals.content import Row


def title(suite: SuiteName, samples: Sequence[Sample]) -> str:
    """ask: 210 cases, 3 times each"""
    cases = len({sample.case for sample in samples})
    repeats = len({sample.repeat for sample in samples})
    return f"{suite}: {count(cases, 'case')}{f', {repeats} times each' if repeats > 1 else ''}"


def notes(
    samples: Sequence[Sample], rows: Sequence[Row], before: Sequence[Sample] = ()
) -> list[tuple[str, str]]:
    """What stands under the figures of a suite: names, each with what there is to say. ``before``
    are the samples of the run that it is compared with."""
    if not samples:
        return []
    (totals,) = metrics.totals(samples).values()
    took = [*metrics.totals(before).values()]
    told = [
        ("Errors", _raised(samples)),
        ("Outcomes", "; ".join(_outcomes(samples))),
        ("Spread", ", ".join(f"{metric} {spread}" for metric, spread in _spreads(rows))),
        ("Judges, which only advise", "; ".join(_judged(samples, totals))),
        ("Spent", _spent(totals)),
        ("Spent before", "; ".join(map(_spent, took))),
        ("Not gating", ", ".join(_ungated(rows))),
    ]
    return [(name, text) for name, text in told if text]


def _raised(samples: Iterable[Sample]) -> str:
    raised = [sample for sample in samples if sample.error]
    told = f"{count(len(raised), 'sample')} raised"
    return f"{told}; first {raised[0].case}: {raised[0].error}" if raised else ""


def _outcomes(samples: Iterable[Sample]) -> list[str]:
    """For each outcome expected: how often which one came."""
    found: dict[str, list[str]] = {}
    for expected, got, number in metrics.confusion(samples):
        found.setdefault(expected, []).append(f"{number:,} {plain(got)}")
    return [f"{plain(expected)} expected: {', '.join(came)}" for expected, came in found.items()]


def _spreads(rows: Iterable[Row]) -> list[tuple[str, str]]:
    """Of metrics that were measured more than once: the standard deviation of their means."""
    known = ((row.metric, row.figure.spread if row.figure else None) for row in rows)
    return [(metric, f"±{share(spread)}") for metric, spread in known if spread is not None]


def _judged(samples: Sequence[Sample], totals: Totals) -> list[str]:
    """What each judge says on average, and how many samples it left unscored and why first."""
    told = []
    for judge, verdicts in totals.judges.items():
        told.append(f"{judge} {share(verdicts.score)} over {count(verdicts.scored, 'sample')}")
        if verdicts.unscored:
            told[-1] += f", {verdicts.unscored:,} unscored{_aside(_reason(samples, judge))}"
    return told


def _reason(samples: Iterable[Sample], judge: str) -> str:
    verdicts = (sample.judged[judge] for sample in samples if judge in sample.judged)
    return next((each.reason for each in verdicts if each.score is None and each.reason), "")


def _aside(text: str) -> str:
    return f" ({text})" if text else ""


def _spent(totals: Totals) -> str:
    """12 ms at p50, 40 ms at p95, 1,200 tokens, $0.0031"""
    told = [
        f"{ms:,} ms at {name}"
        for name, ms in (("p50", totals.p50), ("p95", totals.p95))
        if ms is not None
    ]
    if totals.tokens:
        told += [f"{totals.tokens:,} tokens", f"${totals.cost_usd:.4f}"]
    return ", ".join(told)


def _ungated(rows: Iterable[Row]) -> list[str]:
    """The metrics that are compared, but that no gate looks at."""
    return [row.metric for row in rows if row.difference and not row.difference.gates]
