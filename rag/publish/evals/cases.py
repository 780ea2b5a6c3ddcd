"""What all reports say alike of a case that is another than before. Knows no markup."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rag.evaluate.types import Changed, Comparison, Run, Sample
from rag.evaluate.wording import share
from rag.publish.content import count

OTHER = ("other words", "other ranking", "unknown")
"""Where a case goes whose scores stay: what it says is another, or only the papers behind that
are, or nobody can tell, as a run keeps no words."""
DIRECTIONS = ("worse", "mixed", "better", *OTHER, "new", "gone")
"""Where a case can go, in the order in which changed cases are told."""
NO_WORDS = "This run keeps no words, only whether they are the same."
NOT_RUN = "This case was not run."


@dataclass(frozen=True, slots=True)
class Move:
    """A metric that is another for a case; ``said`` is "worse", "better" or nothing."""

    metric: str
    said: str
    before: str
    after: str


def changed(comparison: Comparison) -> list[Changed]:
    """The changed cases by direction, those of one in the order of the comparison."""
    return sorted(comparison.changed, key=lambda each: DIRECTIONS.index(direction(each)))


def direction(changed: Changed) -> str:
    """Where a case went, as one of DIRECTIONS."""
    before, after = changed.before, changed.after
    if before is None:
        return "new"
    if after is None:
        return "gone"
    if changed.worse and changed.better:
        return "mixed"
    return "worse" if changed.worse else "better" if changed.better else _other(before, after)


def _other(before: Sample, after: Sample) -> str:
    if not all(each.text or each.quotes or each.papers for each in (before, after)):
        return "unknown"
    said, says = ((each.outcome, each.text, each.quotes) for each in (before, after))
    return "other ranking" if said == says else "other words"


def tally(changed: Iterable[Changed]) -> str:
    """3 cases changed: 1 worse, 2 other words"""
    held = [direction(each) for each in changed]
    told = [f"{held.count(name):,} {name}" for name in DIRECTIONS if name in held]
    return f"{count(len(held), 'case')} changed{': ' if told else ''}{', '.join(told)}"


def either(changed: Changed) -> Sample:
    """The sample of now, or that of before where there is none."""
    sample = changed.after or changed.before
    if sample is None:
        raise ValueError("a changed case has a sample at least")
    return sample


def moves(changed: Changed) -> list[Move]:
    """The metrics that are others, worse ones first; none where there is nothing to compare, as
    of a case that raised something: it has no scores."""
    if changed.before is None or changed.after is None or raised(changed):
        return []
    before, after = changed.before.scores, changed.after.scores
    names = dict.fromkeys([*changed.worse, *changed.better, *before, *after])
    return [
        Move(name, _said(name, changed), share(before.get(name)), share(after.get(name)))
        for name in names
        if before.get(name) != after.get(name)
    ]


def _said(metric: str, changed: Changed) -> str:
    return "worse" if metric in changed.worse else "better" if metric in changed.better else ""


def moved(changed: Changed) -> str:
    """worse: facts 1.000 → 0.500, outcome 1.000 → 0.000; better: support 0.500 → 1.000"""
    found: dict[str, list[str]] = {}
    for move in moves(changed):
        told = f"{move.metric} {move.before} → {move.after}"
        found.setdefault(move.said or "other", []).append(told)
    return "; ".join(f"{said}: {', '.join(told)}" for said, told in found.items())


def raised(changed: Changed) -> str:
    """raised: TimeoutError: 30 s"""
    for said, sample in (("raised", changed.after), ("raised before", changed.before)):
        if sample and sample.error:
            return f"{said}: {sample.error}"
    return ""


def fault(changed: Changed) -> str:
    """What is wrong with a case first of all: what was raised, or a fault that it had not
    before, or one that it had."""
    old = changed.before.faults if changed.before else ()
    now = changed.after.faults if changed.after else ()
    new = (fault for fault in now if fault not in old)
    return raised(changed) or next(iter([*new, *now]), "")


def wordless(run: Run) -> bool:
    """Whether only hashes of what came were kept, as in a baseline that more people may see."""
    said = any(sample.words for sample in run.samples)
    return said and not any(s.text or s.quotes or s.papers for s in run.samples)
