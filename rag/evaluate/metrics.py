"""The metrics there are, and samples → figures. Knows no product and no file.

A score that does not apply to a case is absent from its samples, and the case stays out of the
metric's mean; a metric that no case has is no figure at all, never a zero and never NaN.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean, stdev
from typing import Literal

from rag.evaluate.types import OUTCOMES, SUITES, Figure, Sample, SuiteName

DIGITS = 6
"""Of a figure: what lies behind depends on the order in which a processor adds."""
SEED = 20_260_101
RESAMPLES = 2_000
_BLOCK = 100
"""Resamples drawn at once: memory for this many times the cases, and no more."""

Scores = Sequence[tuple[str, int, float]]
"""Case, repeat and score of all samples that have a metric."""

_ORDER = (*OUTCOMES, "listed", "empty", "error")


@dataclass(frozen=True, slots=True)
class Metric:
    """What is measured of every case of ``suites`` that it applies to, in [0, 1]; ``yes_no`` if
    it is 0 or 1 of each. An ``exact`` one is a promise of the product: it may never fall. What
    ``may_vanish`` can apply to no case any more because the answers got better."""

    name: str
    suites: tuple[SuiteName, ...]
    says: str
    better: Literal["higher", "lower"] = "higher"
    yes_no: bool = False
    exact: bool = False
    may_vanish: bool = False


_RANKED: tuple[SuiteName, ...] = ("retrieval", "ask")
_ASK: tuple[SuiteName, ...] = ("ask",)
_SUMMARIZE: tuple[SuiteName, ...] = ("summarize",)
_DIGEST: tuple[SuiteName, ...] = ("digest",)
_WORDS: tuple[SuiteName, ...] = ("ask", "summarize", "digest")

METRICS: tuple[Metric, ...] = (
    Metric("completed", SUITES, "ran without an error", yes_no=True, exact=True),
    Metric("recall@gold", _RANKED, "gold papers among as many first as there are gold ones"),
    Metric("recall@5", _RANKED, "gold papers among the first 5"),
    Metric("recall@10", _RANKED, "gold papers among the first 10"),
    Metric("MRR", _RANKED, "1 / rank of the first gold paper"),
    Metric("nDCG@10", _RANKED, "how high the gold papers stand among the first 10"),
    Metric("recall", _DIGEST, "gold papers that are listed"),
    Metric("off-topic", _DIGEST, "listed papers that are neither gold nor maybe", better="lower"),
    Metric("empty", _DIGEST, "lists nothing on a topic without papers", yes_no=True),
    Metric("coverage", _DIGEST, "listed papers of those that matched"),
    Metric("facts", _WORDS, "expected facts in the text"),
    Metric("all facts", _ASK, "no expected fact is missing", yes_no=True),
    Metric("no forbidden", _WORDS, "says nothing that it must not", yes_no=True),
    Metric("outcome", _ASK, "answers what has an answer and refuses the rest", yes_no=True),
    Metric(
        *("refusal precision", _ASK, "refused questions that have no answer"),
        yes_no=True,
        may_vanish=True,
    ),
    Metric("refusal recall", _ASK, "questions without an answer that are refused", yes_no=True),
    Metric("citation precision", _ASK, "cited papers that are gold"),
    Metric("citation recall", _ASK, "gold papers that are cited"),
    Metric("quote precision", _ASK, "quotes that hold an expected fact"),
    Metric("quote recall", _ASK, "expected facts in the quotes"),
    Metric("quote integrity", _WORDS, "quotes that stand where they say they do", exact=True),
    Metric("marker integrity", ("ask", "digest"), "markers that point at their paper", exact=True),
    Metric("support", _WORDS, "sentences that their quotes carry"),
    Metric("written", ("ask", "summarize"), "what a model wrote stands, not quotes", yes_no=True),
    Metric("length", _SUMMARIZE, "1 to 25 words", yes_no=True, exact=True),
    Metric("ROUGE-1", _SUMMARIZE, "words shared with the reference"),
    Metric("ROUGE-2", _SUMMARIZE, "pairs of words shared with the reference"),
    Metric("ROUGE-L", _SUMMARIZE, "longest run of words in the reference's order"),
)
"""In the order of reports. All of them gate, unless thresholds say otherwise."""


def metric(suite: SuiteName, name: str) -> Metric:
    """The metric of a suite by its name; raises KeyError."""
    return _BY_NAME[suite, name]


_BY_NAME: Mapping[tuple[SuiteName, str], Metric] = {
    (suite, found.name): found for suite in SUITES for found in METRICS if suite in found.suites
}


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What a judge thinks of samples: the mean over those that it has ``scored``, None of none.
    The others are ``unscored``."""

    score: float | None
    scored: int
    unscored: int


@dataclass(frozen=True, slots=True)
class Totals:
    """What the samples of a suite took. ``p50`` and ``p95`` are milliseconds, over the samples
    without an error; None where there is no such sample."""

    samples: int
    errors: int
    p50: int | None
    p95: int | None
    tokens: int
    cost_usd: float
    judges: Mapping[str, Verdicts]


def figures(samples: Iterable[Sample]) -> dict[tuple[SuiteName, str], Figure]:
    """The figure of each metric that a sample has, by suite and name, in the order of METRICS.

    A case counts once, by the mean over its repeats. The bounds are those of a percentile
    bootstrap over cases, the same ones each time.
    """
    return {key: _figure(scores) for key, scores in _scores(samples)}


def means(samples: Iterable[Sample]) -> dict[tuple[SuiteName, str], float]:
    """The values of ``figures`` alone: their bounds take a hundred times as long."""
    return {key: _mean(_by_case(scores)) for key, scores in _scores(samples)}


def by_kind(samples: Iterable[Sample]) -> dict[tuple[SuiteName, str], dict[str, Figure]]:
    """The figures of each kind of case: (suite, kind) → metric → figure, kinds by name."""
    kinds: dict[tuple[SuiteName, str], list[Sample]] = {}
    for sample in samples:
        kinds.setdefault((sample.suite, sample.kind), []).append(sample)
    order = sorted(kinds, key=lambda key: (SUITES.index(key[0]), key[1]))
    return {
        key: {name: figure for (_, name), figure in figures(kinds[key]).items()} for key in order
    }


def confusion(samples: Iterable[Sample]) -> list[tuple[str, str, int]]:
    """How often what was expected came out as what: (expected, got, samples), got "error" where
    nothing came."""
    known = (s for s in samples if s.expected)
    counts = Counter((s.expected, "error" if s.error else s.outcome) for s in known)
    order = sorted(counts, key=lambda pair: tuple(map(_place, pair)))
    return [(expected, got, counts[expected, got]) for expected, got in order]


def totals(samples: Iterable[Sample]) -> dict[SuiteName, Totals]:
    """What each suite took, in their order; suites without a sample are absent."""
    suites: dict[SuiteName, list[Sample]] = {}
    for sample in samples:
        suites.setdefault(sample.suite, []).append(sample)
    return {suite: _totals(suites[suite]) for suite in SUITES if suite in suites}


def _scores(samples: Iterable[Sample]) -> Iterator[tuple[tuple[SuiteName, str], Scores]]:
    """The scores of each metric that a sample has."""
    known = sorted(samples, key=lambda s: (s.case, s.repeat))  # in whatever order they were run
    for suite, name in _BY_NAME:
        of_suite = (s for s in known if s.suite == suite and name in s.scores)
        scores = [(s.case, s.repeat, s.scores[name]) for s in of_suite]
        if scores:
            yield (suite, name), scores


def _figure(scores: Scores) -> Figure:
    values = _by_case(scores)
    repeats = _means((repeat, score) for _, repeat, score in scores)
    low, high = interval(tuple(values))
    spread = round(stdev(repeats), DIGITS) if len(repeats) > 1 else None
    return Figure(_mean(values), len(values), low, high, spread)


def _mean(values: Iterable[float]) -> float:
    return round(fmean(values), DIGITS)


def _by_case(scores: Scores) -> list[float]:
    return _means((case, score) for case, _, score in scores)


def _means(pairs: Iterable[tuple[str | int, float]]) -> list[float]:
    """The mean of what belongs together, in the order in which it comes."""
    parts: dict[str | int, list[float]] = {}
    for key, value in pairs:
        parts.setdefault(key, []).append(value)
    return [fmean(part) for part in parts.values()]


@lru_cache(maxsize=1024)  # gate and reports ask for the same ones
def interval(values: tuple[float, ...]) -> tuple[float, float]:
    """Bounds of the 95 % interval of a mean: a percentile bootstrap, the same each time."""
    import numpy as np

    known = np.array(values, np.float64)
    random = np.random.default_rng(SEED)
    blocks = [
        known[random.integers(0, len(known), (_BLOCK, len(known)))].mean(axis=1)
        for _ in range(RESAMPLES // _BLOCK)
    ]
    low, high = np.percentile(np.concatenate(blocks), [2.5, 97.5])
    return round(float(low), DIGITS), round(float(high), DIGITS)


def _totals(samples: Sequence[Sample]) -> Totals:
    times = [sample.ms for sample in samples if sample.ms and not sample.error]
    p50, p95 = _percentiles(times) if times else (None, None)
    usage = [sample.usage for sample in samples]
    judges = dict.fromkeys(name for sample in samples for name in sample.judged)
    return Totals(
        samples=len(samples),
        errors=sum(bool(sample.error) for sample in samples),
        p50=p50,
        p95=p95,
        tokens=sum(each.input_tokens + each.output_tokens for each in usage),
        cost_usd=round(sum(each.cost_usd for each in usage), DIGITS),
        judges={name: _verdicts(samples, name) for name in sorted(judges)},
    )


def _percentiles(times: Sequence[int]) -> tuple[int, int]:
    import numpy as np

    p50, p95 = np.percentile(times, [50, 95])
    return round(float(p50)), round(float(p95))


def _verdicts(samples: Sequence[Sample], judge: str) -> Verdicts:
    given = [sample.judged[judge].score for sample in samples if judge in sample.judged]
    scored = [score for score in given if score is not None]
    return Verdicts(_mean(scored) if scored else None, len(scored), len(given) - len(scored))


def _place(outcome: str) -> tuple[int, str]:
    """Outcomes in their order, others, which a file may hold, behind them."""
    return (_ORDER.index(outcome) if outcome in _ORDER else len(_ORDER), outcome)
