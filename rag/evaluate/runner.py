"""Cases → samples: which are put, in what order, how many at once, and none that is there already.

Does not know how a case is put or scored, nor where samples are kept; it is handed both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from threading import Lock

from rag.digest.editor import Watch, unwatched
from rag.errors import NoCases, QuestionError
from rag.evaluate.as_json import settled
from rag.evaluate.types import Case, Sample, SuiteName
from rag.summarize.many import side_by_side

Key = tuple[SuiteName, str, int]
"""What a sample is of: its suite, the id of its case, and which repeat it is."""
Known = Mapping[Key, Sample]

VALUES: Mapping[str, Callable[[Case], Sequence[str]]] = {
    "suite": lambda case: [case.suite],
    "id": lambda case: [case.id],
    "kind": lambda case: [case.kind],
    "tag": lambda case: case.tags,
    "outcome": lambda case: [case.outcome or ""],
}
"""What a filter can ask for, and what a case has of it."""

SHOWN = 12
"""Values that an error lists; more are a wall of text."""


def run(
    cases: Sequence[Case],
    sample: Callable[[Case, int], Sample],
    *,
    repeat: int = 1,
    jobs: int = 1,
    done: Known | None = None,
    keep: Callable[[Sample], None] = lambda sample: None,
    watch: Watch = unwatched,
) -> tuple[Sample, ...]:
    """The samples of all cases in their order, the repeats of each together, counted from 0.

    ``jobs`` are under way at once; what is in ``done`` is not put again. ``keep`` is given each
    new sample the moment it is there, never two at once, so that nothing is lost where ``sample``
    raises: that stops the run once those under way have been kept.
    """
    known, one_at_a_time = dict(done or {}), Lock()
    wanted = [(case, number) for case in cases for number in range(repeat)]
    missing = [(case, n) for case, n in wanted if (case.suite, case.id, n) not in known]
    moved = watch("cases", len(missing))

    def put(what: tuple[Case, int]) -> Sample:
        made = settled(sample(*what))
        with one_at_a_time:
            keep(made)
            moved()
        return made

    for (case, number), made in zip(missing, side_by_side(put, missing, jobs), strict=True):
        known[case.suite, case.id, number] = made
    return tuple(known[case.suite, case.id, number] for case, number in wanted)


def select(
    cases: Sequence[Case], filters: Sequence[str] = (), limit: int | None = None
) -> list[Case]:
    """The cases that pass every filter, in their order; of each suite the first ``limit``.

    A filter such as ``kind=list`` or ``id=foo*,bar`` passes what has one of its values, in which
    ``*``, ``?`` and ``[…]`` are those of file names. Raises QuestionError for one that is none,
    and NoCases where no case is left: a run of nothing would look like a good one.
    """
    left = list(cases)
    for text in filters:
        passed = [case for case in left if _passes(case, *_parsed(text))]
        if left and not passed:
            raise _nothing(text, cases, left)
        left = passed
    return left if limit is None else list(_first(left, limit))


def _parsed(text: str) -> tuple[str, list[str]]:
    """A filter's field and values."""
    field, equals, values = text.partition("=")
    if not equals or field.strip() not in VALUES:
        fix = (
            f"write one of {', '.join(f'{name}=…' for name in VALUES)}, several values with commas"
        )
        raise QuestionError(f"{text!r} is no filter of cases.", fix)
    return field.strip(), [value.strip() for value in values.split(",")]


def _passes(case: Case, field: str, patterns: Sequence[str]) -> bool:
    has = VALUES[field](case)
    return any(fnmatchcase(value, pattern) for value in has for pattern in patterns)


def _first(cases: Sequence[Case], limit: int) -> Iterator[Case]:
    seen: Counter[str] = Counter()
    for case in cases:
        seen[case.suite] += 1
        if seen[case.suite] <= limit:
            yield case


def _nothing(text: str, cases: Sequence[Case], left: Sequence[Case]) -> NoCases:
    """The error for a filter that leaves nothing; it names the values that would."""
    field, _ = _parsed(text)
    there = sorted({value for case in left for value in VALUES[field](case) if value})
    listed = ", ".join([*there[:SHOWN], "…"] if len(there) > SHOWN else there)
    others = "" if len(left) == len(cases) else " that passes the filters before it"
    fix = f"there {'are' if len(there) > 1 else 'is'} {listed}" if there else "leave it out"
    return NoCases(f"No case{others} has {text}.", fix)
