"""What a run comes to in one sentence. Why the gate is shut, case by case, is told elsewhere.

Knows runs and comparisons; knows no markup.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby

from rag.evaluate.differences import loss
from rag.evaluate.losses import listed as first_of
from rag.evaluate.metrics import metric
from rag.evaluate.types import SUITES, Comparison, Difference, Failure, Run
from rag.evaluate.wording import listed, share, signed
from rag.publish.content import count
from rag.publish.evals import cases

NAMED = 3
"""How many metrics a headline names; the table has the others."""
_CORPUS = "Corpus changed, not the code"
_FEW = "Too few cases to tell"
_TOLERATED = "No difference beyond the tolerance"
_UNSURE = ("corpus", "few")
"""What a gate is shut for without anything having got worse for sure."""
_WRONG: Mapping[str, str] = {
    "worse": "{metric} got worse",
    "below": "{metric} is too low",
    "above": "{metric} is too high",
    "missing-metric": "{metric} is not measured any more",
    "errors": "cases raised an error",
    "all-errors": "every case raised an error",
    "no-cases": "no case was run",
    "unrun": "cases were not run",
    "vanished": "cases have vanished",
    "rewritten": "cases were rewritten",
    "other-suite": "the baseline has no such cases",
    "no-baseline": "there is no baseline",
}
"""Failures in a few words; the gate has the sentences."""


def headline(run: Run, comparison: Comparison | None, failures: Sequence[Failure]) -> str:
    """The verdict in one sentence: what got worse or better, or why nothing can be said."""
    word, told = verdict(run, comparison, failures)
    if not told:
        return f"{word}."
    return f"{word}{';' if word == _TOLERATED else ':'} {told}"


def verdict(
    run: Run, comparison: Comparison | None, failures: Sequence[Failure]
) -> tuple[str, str]:
    """The verdict in a word or few, and what there is to say of it: a sentence, or nothing."""
    kinds = [failure.kind for failure in failures]
    if comparison is None and set(kinds) <= {"no-baseline"}:
        return "Not compared", f"{_cases(run)}, and there is no baseline."
    gating = _gating(comparison) if comparison else []
    if worse := [each for each in gating if each.verdict == "worse"]:
        return "Worse", f"{_moves(worse)}."
    if wrong := [failure for failure in failures if failure.kind not in _UNSURE]:
        return "Failed", _failed(wrong)
    if comparison is None or not gating:
        return "Nothing was compared", ""
    return _open(comparison, gating, kinds)


def _gating(comparison: Comparison) -> list[Difference]:
    """The metrics that the gate looks at and that there was something to compare of."""
    known = (each for each in comparison.differences if each.gates)
    return [each for each in known if each.verdict != "not compared"]


def _open(
    comparison: Comparison, gating: Sequence[Difference], kinds: Collection[str]
) -> tuple[str, str]:
    """The verdict where nothing is worse for sure. What the gate does not tell is told here:
    which cases got worse though it lets them pass."""
    corpus = [each for each in gating if each.verdict == "corpus changed, not the code"]
    unsure = [each for each in gating if each.verdict == "too few cases to tell"]
    better = [each for each in gating if each.verdict == "better"]
    lost = [each for each in unsure if _lost(each)]
    if "corpus" in kinds:
        return _CORPUS, _sentence(_moves(filter(_lost, corpus)))
    if "few" in kinds:
        return _FEW, _sentence(_moves(lost))
    if lost:
        also = f"better: {_moves(better)}" if better else ""
        return _FEW, _sentence(_undecided(lost), _worse(comparison, lost), also)
    if corpus or better:
        word = _CORPUS if corpus else "Better"
        return word, _sentence(_moves(corpus or better), _worse(comparison))
    if unsure:
        return _FEW, _sentence(_undecided(unsure), _worse(comparison))
    worse = _worse(comparison)
    return _TOLERATED if worse else "No difference", _sentence(worse)


def _sentence(*parts: str) -> str:
    """The parts that there are as one sentence, or nothing."""
    told = [part for part in parts if part]
    return f"{'; '.join(told)}." if told else ""


def _cases(run: Run) -> str:
    asked = {(sample.suite, sample.case) for sample in run.samples}
    names = [suite for suite in SUITES if any(name == suite for name, _ in asked)]
    return f"{count(len(asked), 'case')} in {listed(names)}" if names else "No case was run"


def _failed(failures: Sequence[Failure]) -> str:
    """facts is too low in ask, and 2 more failures."""
    first, *others = failures
    told = _WRONG.get(first.kind, first.kind).format(metric=first.metric)
    where = f" in {first.suite}" if first.suite else ""
    more = f", and {count(len(others), 'more failure')}" if others else ""
    return f"{told}{where}{more}."


def _moves(differences: Iterable[Difference]) -> str:
    """recall@10 1.000 → 0.786 and nDCG@10 0.943 → 0.834 in retrieval; and 2 more metrics"""
    largest = _by_size(differences)
    named = sorted(largest[:NAMED], key=lambda each: SUITES.index(each.suite))
    told = [
        f"{listed([_move(each) for each in moves])} in {suite}"
        for suite, moves in groupby(named, key=lambda each: each.suite)
    ]
    return "; ".join([*told, *_more(len(largest) - NAMED)])


def _move(each: Difference) -> str:
    return f"{each.metric} {' → '.join(_ends(each))}"


def _more(metrics: int) -> list[str]:
    return [f"and {count(metrics, 'more metric')}"] if metrics > 0 else []


def _undecided(differences: Iterable[Difference]) -> str:
    """facts in ask fell from 1.000 to 0.700 over 10 cases (−0.300, 95 % interval −0.600 to
    0.000); and 2 more metrics"""
    first, *others = _by_size(differences)
    before, after = _ends(first)
    verb = "fell" if (first.change or 0.0) < 0 else "rose"
    bounds = f"95 % interval {signed(first.low)} to {signed(first.high)}"
    told = (
        f"{first.metric} in {first.suite} {verb} from {before} to {after} over"
        f" {count(first.paired, 'case')} ({signed(first.change)}, {bounds})"
    )
    return "; ".join([told, *_more(len(others))])


def _ends(each: Difference) -> tuple[str, str]:
    before, after = (share(side.value if side else None) for side in (each.before, each.after))
    return before, after


def _by_size(differences: Iterable[Difference]) -> list[Difference]:
    return sorted(differences, key=lambda each: -abs(each.change or 0.0))


def _lost(each: Difference) -> bool:
    return loss(metric(each.suite, each.metric), each.change or 0.0) > 0


def _worse(comparison: Comparison, of: Iterable[Difference] = ()) -> str:
    """3 cases got worse: a, b, c, in these metrics, or else in any."""
    asked = {(each.suite, each.metric) for each in of}
    losers = []
    for each in comparison.changed:
        sample = cases.either(each)
        lost = {(sample.suite, name) for name in each.worse}
        if lost & asked if asked else lost:
            losers.append(sample.case)
    return f"{count(len(losers), 'case')} got worse: {first_of(losers)}" if losers else ""
