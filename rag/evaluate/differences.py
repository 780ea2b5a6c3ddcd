"""Two runs, case by case and metric by metric: what changed, and how surely. Knows no gate.

A case is compared if both runs have it and it expects the same in both. A metric is compared over
those of these cases that have it in one of the runs at least: a question that is refused now and
was not before bears on the precision of refusals, though it has no such score from before.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from rag.evaluate.metrics import DIGITS, METRICS, Metric, figures, metric
from rag.evaluate.paired import Change, Pair, changes
from rag.evaluate.thresholds import Thresholds
from rag.evaluate.types import SUITES, Changed, Difference, Figure, Run, Sample, SuiteName, Verdict

_HAIR = 5e-7
"""Scores are alike if they are nearer than this: half of their last digit."""

RAN = "completed"
"""The metric that every sample has, also one that raised."""

Place = tuple[int, float]
"""Where a changed case stands in their list: what happened to it, and how much, most first."""
_LAST: Place = (3, 0.0)

Two = tuple[Sequence[Sample], Sequence[Sample]]
"""The samples of a case in the first run and in the second, by repeat."""


@dataclass(frozen=True, slots=True)
class Paired:
    """The cases of a suite that the second of two runs has samples of, by id, in the order of the
    ids. ``both`` are those that are compared, ``ended`` of these the ones that raised in neither
    run; ``rewritten`` expect something else now; ``new`` have samples of the second run alone;
    ``gone`` are in no file of the suite any more."""

    suite: SuiteName
    both: Mapping[str, Two]
    ended: Mapping[str, Two]
    rewritten: Mapping[str, Two]
    new: Mapping[str, Sequence[Sample]]
    gone: Mapping[str, Sequence[Sample]]

    def scores(self, name: str) -> dict[str, Pair]:
        """What the compared cases scored before and after, means over repeats, by id; None where
        the metric does not apply, or one of the runs came to no end with the case: who raises
        where it is hard would seem to be better."""
        return {
            case: (score(before, name), score(after, name))
            if name == RAN or case in self.ended
            else (None, None)
            for case, (before, after) in self.both.items()
        }


def _ended(samples: Sequence[Sample]) -> bool:
    return not all(sample.error for sample in samples)


def pair(before: Run, after: Run) -> list[Paired]:
    """Every suite of which the second run has samples, in the order of SUITES."""
    old, new = _by_case(before.samples), _by_case(after.samples)
    return [
        _paired(suite, old[suite], new[suite], {*after.suites.get(suite, ()), *new[suite]})
        for suite in SUITES
        if new[suite]
    ]


def score(samples: Iterable[Sample], name: str) -> float | None:
    """The mean over those samples that have the metric; None if none has."""
    known = [sample.scores[name] for sample in samples if name in sample.scores]
    return round(fmean(known), DIGITS) if known else None


def differences(
    pairs: Iterable[Paired], thresholds: Thresholds, *, only_corpus: bool, chance: bool
) -> tuple[Difference, ...]:
    """Each metric of each suite; ``only_corpus`` says that nothing but the papers differs, and
    ``chance`` that answers may vary by themselves, as those of a model do."""
    found = [each for paired in pairs for each in _differences(paired, thresholds, chance)]
    return tuple(_excused(each, thresholds) if only_corpus else each for each in found)


def changed(pairs: Iterable[Paired]) -> tuple[Changed, ...]:
    """The cases that came out in another way: those that lost first, the most lost at the top,
    then those that only won, then other words, then cases that one of the runs does not know."""
    found = [each for paired in pairs for each in _placed(paired)]
    return tuple(case for _, case in sorted(found, key=lambda each: each[0]))


def loss(of: Metric, rise: float) -> float:
    """By how much a metric got worse that rose by so much; negative if it got better."""
    return -rise if of.better == "higher" else rise


def _by_case(samples: Iterable[Sample]) -> dict[SuiteName, dict[str, list[Sample]]]:
    found: dict[SuiteName, dict[str, list[Sample]]] = {suite: {} for suite in SUITES}
    for sample in sorted(samples, key=lambda each: (each.case, each.repeat)):
        found[sample.suite].setdefault(sample.case, []).append(sample)
    return found


def _paired(
    suite: SuiteName,
    old: Mapping[str, Sequence[Sample]],
    new: Mapping[str, Sequence[Sample]],
    known: Collection[str],
) -> Paired:
    """``known`` are the ids of all cases that the suite has now."""
    common = {case: (old[case], new[case]) for case in new if case in old}
    both = {case: two for case, two in common.items() if _expects_the_same(*two)}
    return Paired(
        suite,
        both=both,
        ended={case: two for case, two in both.items() if all(map(_ended, two))},
        rewritten={case: two for case, two in common.items() if not _expects_the_same(*two)},
        new={case: samples for case, samples in new.items() if case not in old},
        gone={case: samples for case, samples in old.items() if case not in known},
    )


def _expects_the_same(old: Sequence[Sample], new: Sequence[Sample]) -> bool:
    before, after = old[0].expects, new[0].expects
    return before == after or not (before and after)


def _differences(paired: Paired, thresholds: Thresholds, chance: bool) -> Iterator[Difference]:
    """Of one suite; where it has no case to compare, the figures of its new ones."""
    before, after = _sides(paired)
    names = [each.name for each in METRICS if each.name in before and each.name in after]
    moved = changes([list(paired.scores(name).values()) for name in names])
    known = dict(zip(names, moved, strict=True))
    for each in METRICS:
        sides = (before.get(each.name), after.get(each.name))
        if sides != (None, None):
            yield _difference(paired, each, sides, known.get(each.name), thresholds, chance)


def _sides(paired: Paired) -> Sequence[dict[str, Figure]]:
    """The figures before and after: whether the compared cases ended, over all of them; the rest
    over those that did."""
    if not paired.both:
        return {}, _figures(paired.new.values())
    ran = [_figures(side) for side in zip(*paired.both.values(), strict=True)]
    ended = [_figures(side) for side in zip(*paired.ended.values(), strict=True)] or [{}, {}]
    return [
        {**{name: each for name, each in all_.items() if name == RAN}, **known}
        for all_, known in zip(ran, ended, strict=True)
    ]


def _figures(cases: Iterable[Sequence[Sample]]) -> dict[str, Figure]:
    found = figures(sample for samples in cases for sample in samples)
    return {name: figure for (_, name), figure in found.items()}


def _difference(
    paired: Paired,
    of: Metric,
    sides: tuple[Figure | None, Figure | None],
    moved: Change | None,
    thresholds: Thresholds,
    chance: bool,
) -> Difference:
    pairs = [pair for pair in paired.scores(of.name).values() if pair != (None, None)]
    differing = sum(not _alike(*two) for two in pairs)
    sure = moved is not None and (
        not moved.low <= 0 <= moved.high or not chance and _one_way(pairs)
    )
    verdict = _verdict(paired.suite, of, moved, sure, thresholds)
    value, low, high = (moved.value, moved.low, moved.high) if moved else (None, None, None)
    gates = thresholds.of(paired.suite, of.name).gate
    named = (paired.suite, of.name)
    return Difference(*named, *sides, value, low, high, len(pairs), differing, verdict, gates)


def _verdict(
    suite: SuiteName, of: Metric, moved: Change | None, sure: bool, thresholds: Thresholds
) -> Verdict:
    if moved is None:
        return "not compared"
    if abs(moved.value) <= thresholds.slack(suite, of) + _HAIR:
        return "no difference"
    if not (sure or thresholds.strict(suite, of)):
        return "too few cases to tell"
    return "worse" if loss(of, moved.value) > 0 else "better"


def _one_way(pairs: Iterable[Pair]) -> bool:
    """Whether no case moved the other way than the others: where nothing is left to chance, such
    a change is one, however few cases it shows in."""
    moves = [(after or 0.0) - (before or 0.0) for before, after in pairs]
    known = all(None not in pair for pair in pairs)
    return known and (min(moves) > -_HAIR or max(moves) < _HAIR)


def _excused(each: Difference, thresholds: Thresholds) -> Difference:
    """The difference between two corpora; a promise holds for all of them."""
    promised = thresholds.strict(each.suite, metric(each.suite, each.metric))
    if promised or each.verdict not in ("better", "worse"):
        return each
    return replace(each, verdict="corpus changed, not the code")


def _alike(before: float | None, after: float | None) -> bool:
    if before is None or after is None:
        return before is after
    return abs(after - before) < _HAIR


def _placed(paired: Paired) -> Iterator[tuple[Place, Changed]]:
    """The changed cases of a suite, each with its place among all."""
    for two in paired.both.values():
        moves = _moves(*two)
        if moves or _other_words(*two):
            yield _place(moves), _changed(two, moves)
    for two in paired.rewritten.values():
        if _other_words(*two):
            yield _place({}), _changed(two, {})
    for samples in paired.new.values():
        yield _LAST, Changed(None, samples[0], (), ())
    for samples in paired.gone.values():
        yield _LAST, Changed(samples[0], None, (), ())


def _moves(old: Sequence[Sample], new: Sequence[Sample]) -> dict[str, float]:
    """By how much each metric of a case got worse, negative if better; without those that stayed
    and those that it has in one run only."""
    found = {}
    for each in METRICS:
        before, after = score(old, each.name), score(new, each.name)
        if before is not None and after is not None and not _alike(before, after):
            found[each.name] = loss(each, after - before)
    return found


def _other_words(old: Sequence[Sample], new: Sequence[Sample]) -> bool:
    return {(s.outcome, s.words) for s in old} != {(s.outcome, s.words) for s in new}


def _place(moves: Mapping[str, float]) -> Place:
    lost = sum(move for move in moves.values() if move > 0)
    if lost:
        return 0, -round(lost, DIGITS)
    return (1, round(sum(moves.values()), DIGITS)) if moves else (2, 0.0)


def _changed(two: Two, moves: Mapping[str, float]) -> Changed:
    """Of the repeats of a case, one of each run that shows the difference, where there is one."""
    old, new = two
    before, after = {s.words for s in old}, {s.words for s in new}
    return Changed(
        before=next((sample for sample in old if sample.words not in after), old[0]),
        after=next((sample for sample in new if sample.words not in before), new[0]),
        better=tuple(name for name, move in moves.items() if move < 0),
        worse=tuple(name for name, move in moves.items() if move > 0),
    )
