"""What a comparison says against the second of its runs, metric by metric."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rag.evaluate.differences import Paired, loss
from rag.evaluate.metrics import METRICS, metric
from rag.evaluate.thresholds import Kind, Thresholds
from rag.evaluate.types import Difference, Failure, SuiteName
from rag.evaluate.wording import share, signed

NAMED = 3
"""Names in a sentence, of as many as there may be."""


def failure(kind: Kind, text: str, suite: str = "", name: str = "") -> Failure:
    return Failure(kind, f"{suite}: {text}" if suite else text, suite, name)


def missing(suite: str, name: str, why: str) -> Failure:
    text = f"no case of the run has {name}, though {why}."
    fix = f"Mend what keeps it from being measured; if this is meant: gate = false for {name}."
    return failure("missing-metric", f"{text} {fix}", suite, name)


def listed(names: Sequence[str]) -> str:
    """The first few names, and how many more there are: "a, b, c and 4 more"."""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def losses(
    found: Iterable[Difference], pairs: Iterable[Paired], thresholds: Thresholds
) -> Iterator[Failure]:
    """What the differences say against the run, but for ``completed``, which errors tell of."""
    by_suite = {paired.suite: paired for paired in pairs}
    for each in found:
        paired = by_suite[each.suite]
        if not each.gates or each.metric == "completed":
            continue
        if each.verdict == "not compared" and each.before and _came(paired):
            if metric(each.suite, each.metric).may_vanish:
                continue
            yield missing(each.suite, each.metric, "the baseline has it")
        elif each.change is not None and loss(metric(each.suite, each.metric), each.change) > 0:
            yield from _lost(each, paired, thresholds)
    for suite, name in _unknown(by_suite.values()):
        yield missing(suite, name, "the baseline has it")


def _came(paired: Paired) -> bool:
    """Whether any of the compared cases came to an end."""
    return any(not sample.error for _, new in paired.both.values() for sample in new)


def _unknown(pairs: Iterable[Paired]) -> list[tuple[SuiteName, str]]:
    """Metrics of the baseline that there are not any more."""
    known = {(suite, each.name) for each in METRICS for suite in each.suites}
    had = {
        (paired.suite, name)
        for paired in pairs
        for old, _ in paired.both.values()
        for sample in old
        for name in sample.scores
    }
    return sorted(had - known)


def _lost(each: Difference, paired: Paired, thresholds: Thresholds) -> Iterator[Failure]:
    said = _told(each, paired)
    if each.verdict == "worse":
        yield failure("worse", said, each.suite, each.metric)
    elif each.verdict == "corpus changed, not the code":
        why = "Only the corpus changed, not the code. Look at the changed cases."
        text = f"{said} {why}"
        yield failure("corpus", text, each.suite, each.metric)
    elif each.verdict == "too few cases to tell" and each.paired < thresholds.cases:
        why = (
            f"With fewer than {thresholds.cases} cases no loss could be told from chance. Write"
            ' more, or let it pass with accept = ["few"] under [gate] in thresholds.toml.'
        )
        yield failure("few", f"{said} {why}", each.suite, each.metric)


def _told(each: Difference, paired: Paired) -> str:
    """A loss in a sentence, and the cases that it is most owed to."""
    assert each.before and each.after
    verb = "fell" if each.after.value < each.before.value else "rose"
    cases = _losers(each, paired)
    over = "1 case" if each.paired == 1 else f"{each.paired} cases"
    return (
        f"{each.metric} {verb} from {share(each.before.value)} to {share(each.after.value)} over"
        f" {over} (change {signed(each.change)}, 95 % interval {signed(each.low)} to"
        f" {signed(each.high)}). {len(cases)} got worse: {listed(cases)}."
    )


def _losers(each: Difference, paired: Paired) -> list[str]:
    """Ids of the cases that pulled the metric down, the most first; a score that is missing
    counts as the mean before."""
    assert each.before
    usual = each.before.value
    losses = {
        case: loss(metric(each.suite, each.metric), _or(after, usual) - _or(before, usual))
        for case, (before, after) in paired.scores(each.metric).items()
    }
    return sorted((c for c, lost in losses.items() if lost > 0), key=lambda c: (-losses[c], c))


def _or(score: float | None, usual: float) -> float:
    return usual if score is None else score
