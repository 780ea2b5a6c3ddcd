"""Whether a run may pass: two runs → Comparison, and every reason to hold the second one up.

A gate that could not have been shut is shut: where nothing ran, nothing is like in the baseline,
or too little to notice a loss, that is a failure of its own. Judges are never looked at.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from rag.evaluate.differences import Paired, changed, differences, pair
from rag.evaluate.losses import failure, listed, losses, missing
from rag.evaluate.metrics import figures, totals
from rag.evaluate.provenance import causes
from rag.evaluate.thresholds import TOTALS, Threshold, Thresholds, total
from rag.evaluate.types import SUITES, Comparison, Failure, Provenance, Run, Sample, SuiteName

ERROR_CHARS = 160
"""Of an error, in a message."""
_MEND = "Mend it, then run it again."
_GONE = "Ingest these papers again, or take the cases out; rag eval lint names them all."
_MAKE = "Make a baseline of all cases with --update-baseline, and commit it."


def compare(
    before: Run, after: Run, thresholds: Thresholds, present: Collection[str] | None = None
) -> Comparison:
    """Two runs side by side, with what keeps the second one from passing.

    ``present`` are the suites that have files now; None where runs alone are compared, and so
    what a run has that was not narrowed. A run of some of the cases is compared over those.
    """
    if present is None and not _narrowed(after):
        present = after.suites.keys()
    pairs = pair(before, after)
    only_corpus = _only_the_corpus(before.made_from, after.made_from)
    chance = (before.made_from.model or after.made_from.model) is not None
    found = Comparison(
        before=before,
        after=after,
        differences=differences(pairs, thresholds, only_corpus=only_corpus, chance=chance),
        changed=changed(pairs),
        causes=(
            *causes(before.made_from, after.made_from),
            *_repeats(before, after),
            *_notes(pairs),
        ),
        failures=(),
    )
    failures = [
        *_of_the_run(after, thresholds),
        *_of_the_baseline(before),
        *_of_the_suites(before, after, thresholds, present),
        *_of_the_pairs(before, pairs),
        *losses(found.differences, pairs, thresholds),
    ]
    return replace(found, failures=_held_against(failures, thresholds))


def gate(
    before: Run | None, after: Run, thresholds: Thresholds, present: Collection[str] | None = None
) -> tuple[Failure, ...]:
    """Why a run may not pass; nothing where it may. ``before`` is the baseline, None if there is
    none; the others as in ``compare``."""
    if before is not None:
        return compare(before, after, thresholds, present).failures
    none = failure("no-baseline", f"There is no baseline to compare with. {_MAKE}")
    return _held_against([*_of_the_run(after, thresholds), none], thresholds)


def _repeats(before: Run, after: Run) -> Iterator[str]:
    old, new = (run.selection.get("repeat", 1) for run in (before, after))
    if old != new:
        yield f"repeats of a case: {old} → {new}"


def _held_against(failures: Iterable[Failure], thresholds: Thresholds) -> tuple[Failure, ...]:
    """Those that are not accepted, the first word on each thing that is wrong."""
    found: dict[tuple[str, str, str], Failure] = {}
    for each in failures:
        if each.kind not in thresholds.accept:
            found.setdefault((each.kind, each.suite, each.metric), each)
    return tuple(found.values())


def _only_the_corpus(old: Provenance, new: Provenance) -> bool:
    """Whether the papers are others and nothing else that bears on answers is. A version of ours
    that has a hash of the code says more than the commit, which may be of other files."""

    def bearing(made: Provenance) -> Provenance:
        hashed = "+" in made.packages.get("rag", "")
        commit = None if hashed else made.commit
        return replace(made, corpus="", papers=0, judge=None, commit=commit)

    return old.corpus != new.corpus and bearing(old) == bearing(new)


def _notes(pairs: Iterable[Paired]) -> Iterator[str]:
    """What the cases themselves explain."""
    for paired in pairs:
        if paired.new:
            count = _cases(len(paired.new), paired.suite)
            yield f"{count} not in the baseline: {listed(list(paired.new))}"
        if paired.rewritten:
            count = _cases(len(paired.rewritten), paired.suite)
            yield f"{count} rewritten and not compared: {listed(list(paired.rewritten))}"


def _cases(count: int, suite: str) -> str:
    return f"1 case of {suite} is" if count == 1 else f"{count} cases of {suite} are"


def _of_the_run(run: Run, thresholds: Thresholds) -> Iterator[Failure]:
    """What is wrong with a run whatever was before."""
    if not run.samples:
        text = "No case was run. Look at --filter and --limit, and at the files of the suites."
        yield failure("no-cases", text)
        return
    for suite in SUITES:
        samples = [sample for sample in run.samples if sample.suite == suite]
        if suite in run.suites:
            yield from _unrun_cases(run, suite, samples)
        if samples and all(sample.error for sample in samples):
            text = f"every case raised an error ({_raised(samples[0])})."
            yield failure("all-errors", f"{text} Mend it, then run the suite again.", suite)
        elif samples:
            yield from _bounds(run, suite, samples, thresholds)


def _unrun_cases(run: Run, suite: SuiteName, samples: Sequence[Sample]) -> Iterator[Failure]:
    """A run of everything that has not everything."""
    ran = {sample.case for sample in samples}
    left = [case for case in run.suites[suite] if case not in ran]
    if not run.suites[suite]:
        yield failure("no-cases", "there is no case in its files. Write some.", suite)
    elif left and not _narrowed(run):
        text = f"{len(left)} of {len(run.suites[suite])} cases were not run: {listed(left)}."
        yield failure("unrun", f"{text} Let the run come to its end.", suite)


def _narrowed(run: Run) -> bool:
    """Whether some cases only were to be run: by whatever selection says but how often."""
    return any(value for name, value in run.selection.items() if name != "repeat")


def _bounds(
    run: Run, suite: SuiteName, samples: Sequence[Sample], thresholds: Thresholds
) -> Iterator[Failure]:
    """Where the figures have to stand whatever was before."""
    asked = {name: bounds for (of, name), bounds in thresholds.metrics.items() if of == suite}
    if not asked:
        return
    known = {name: figure.value for (_, name), figure in figures(samples).items()}
    took = totals(samples)[suite]
    for name, bounds in asked.items():
        value = total(took, name) if name in TOTALS else known.get(name)
        if value is not None:
            yield from _outside(suite, name, value, bounds)
        elif not (bounds.min is bounds.max is None or _narrowed(run)):
            yield missing(suite, name, "thresholds.toml sets a bound for it")


def _outside(suite: str, name: str, value: float, bounds: Threshold) -> Iterator[Failure]:
    fix = "Mend what made it so, or set another bound in thresholds.toml."
    if bounds.min is not None and value < bounds.min:
        text = f"{name} is {value:.6g} and has to be {bounds.min:g} at least. {fix}"
        yield failure("below", text, suite, name)
    if bounds.max is not None and value > bounds.max:
        text = f"{name} is {value:.6g} and may be {bounds.max:g} at most. {fix}"
        yield failure("above", text, suite, name)


def _of_the_baseline(before: Run) -> Iterator[Failure]:
    """A baseline that has not all that it lists was cut or edited: what is lost is not missed."""
    has = {(sample.suite, sample.case) for sample in before.samples}
    for suite, cases in before.suites.items():
        left = [case for case in cases if (suite, case) not in has]
        if left and not _narrowed(before):
            text = f"the baseline lists {len(cases)} cases and lacks {len(left)}: {listed(left)}."
            yield failure("no-baseline", f"{text} {_MAKE}", suite)


def _of_the_suites(
    before: Run, after: Run, thresholds: Thresholds, present: Collection[str] | None
) -> Iterator[Failure]:
    """Suites and cases that are not there any more."""
    if after.suites and not before.suites.keys() & after.suites.keys():
        had, has = (", ".join(sorted(run.suites)) or "nothing" for run in (before, after))
        text = f"The baseline has {had} and the run {has}, so nothing can be compared. {_MAKE}"
        yield failure("other-suite", text)
        return
    asked = {suite for suite, _ in thresholds.metrics}
    for suite in SUITES:
        if present is not None and suite not in present and suite in {*before.suites, *asked}:
            text = "its files are gone, though the baseline or thresholds.toml has it."
            yield failure("unrun", f"{text} Bring them back, or take it out there.", suite)
        elif suite in before.suites and after.suites.get(suite):
            yield from _vanished(suite, before.suites[suite], after.suites[suite])


def _vanished(suite: str, old: Sequence[str], new: Sequence[str]) -> Iterator[Failure]:
    kept = set(new)
    gone = [case for case in old if case not in kept]
    if len(gone) == len(old):
        text = f"the baseline is of another suite; no case is in both. {_MAKE}"
        yield failure("other-suite", text, suite)
    elif gone:
        what = "1 case has" if len(gone) == 1 else f"{len(gone)} cases have"
        text = f"{what} vanished from its files: {listed(gone)}. Bring back what was lost."
        yield failure("vanished", text, suite)


def _of_the_pairs(before: Run, pairs: Iterable[Paired]) -> Iterator[Failure]:
    """Suites of the baseline that there was nothing to compare of, and cases that raise now."""
    for paired in pairs:
        old = [sample for samples, _ in paired.both.values() for sample in samples]
        if paired.suite in before.suites and not paired.both:
            text = "no case that was run is the same in the baseline, so nothing was compared."
            yield failure("other-suite", f"{text} {_MAKE}", paired.suite)
        elif old and all(sample.error for sample in old):
            text = "every case raised an error when the baseline was made; any run is better."
            yield failure("no-baseline", f"{text} {_MAKE}", paired.suite)
        elif len(paired.rewritten) > len(paired.both):
            count = f"{len(paired.rewritten)} of {len(paired.rewritten) + len(paired.both)} cases"
            text = (
                f"{count} expect something else than in the baseline, so that little is compared."
            )
            yield failure("rewritten", text, paired.suite)
        yield from _errors(paired)


def _errors(paired: Paired) -> Iterator[Failure]:
    """Cases that raised more often than before, new ones at all; not where all did."""
    cases = {**paired.both, **paired.rewritten, **{k: ((), new) for k, new in paired.new.items()}}
    raised = {case: _share(new) for case, (_, new) in cases.items()}
    more = sorted(case for case, (old, _) in cases.items() if raised[case] > _share(old))
    if more and min(raised.values()) < 1:
        first = next(sample for sample in cases[more[0]][1] if sample.error)
        text = f"{len(more)} of {len(cases)} cases raised an error and did not before"
        said = f"{text}: {listed(more)} ({_raised(first).rstrip('.')})."
        found = [sample.error for case in more for sample in cases[case][1] if sample.error]
        gone = all(error.startswith("PaperNotFound") for error in found)
        yield failure("errors", f"{said} {_GONE if gone else _MEND}", paired.suite, "completed")


def _raised(sample: Sample) -> str:
    """What a case raised, in a line."""
    return f"{sample.case}: {' '.join(sample.error.split())[:ERROR_CHARS]}"


def _share(samples: Sequence[Sample]) -> float:
    """Of samples that raised; 0 of none."""
    return sum(bool(sample.error) for sample in samples) / max(1, len(samples))
