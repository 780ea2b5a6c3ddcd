"""A run and its comparison as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rag.evaluate import wording
from rag.evaluate.types import Changed, Comparison, Failure, Run, SuiteName
from rag.publish.content import count
from rag.publish.evals import cases, content, notes
from rag.publish.evals.columns import WIDTH, cut, line, table, wrapped
from rag.publish.evals.content import Row
from rag.publish.evals.headline import headline
from rag.render import Style

CHANGED, OTHERS = 10, 3
"""How many changed cases are shown, and of these, how many whose scores stayed; the page has them
all."""
_INDENT = "  "
_HEAD = ("", "value", "95 % CI", "cases")
_COMPARED = ("before", "change", "verdict")
_BRIEF = {
    "corpus changed, not the code": "corpus changed",
    "too few cases to tell": "too few to tell",
    "not compared": wording.NONE,
}
"""Verdicts that are too long for a column, or say what an empty one says."""


def text(
    run: Run, comparison: Comparison | None, style: Style, failures: Sequence[Failure] = ()
) -> str:
    """The figures of every suite, then what the gate says, then the first changed cases.
    ``failures`` are those of a run that is compared with nothing."""
    shut = content.held_against(comparison, failures)
    blocks = _blocks(run, comparison, shut, style)
    return "\n\n".join(block for block in blocks if block) + "\n"


def _blocks(
    run: Run, comparison: Comparison | None, shut: Sequence[Failure], style: Style
) -> Iterator[str]:
    yield _told(content.about(run, comparison))
    for suite, rows in content.rows(run, comparison).items():
        yield "\n".join(_suite(run, suite, rows, comparison, style))
    verdict = _told(headline(run, comparison, shut))
    yield "\n".join(map(style.bold, verdict.split("\n")))
    yield "\n".join(
        [_told(content.gate(comparison, shut)), *_list(failure.text for failure in shut)]
    )
    if comparison is None:
        return
    if comparison.causes:
        yield "\n".join(["What differs from before:", *_list(comparison.causes)])
    yield "\n".join(_cases(comparison, style))


def _suite(
    run: Run, suite: SuiteName, rows: Sequence[Row], comparison: Comparison | None, style: Style
) -> Iterator[str]:
    samples = content.samples(run, suite)
    before = content.samples(comparison.before, suite) if comparison else ()
    yield style.bold(notes.title(suite, samples))
    moved, stayed = content.parted(rows)
    if moved:
        head = (*_HEAD, *_COMPARED) if comparison else _HEAD
        titles, *lines = table(head, [_cells(row, comparison) for row in moved], left=(0, 6))
        yield style.dim(titles)
        yield from lines
    if stayed:
        yield _stayed(stayed)
    for name, told in notes.notes(samples, rows, before):
        yield wrapped(line(told), f"{name}: ", _INDENT)


def _stayed(rows: Sequence[Row]) -> str:
    """The metrics with their values, none of which stands on another line than its name."""
    named = (f"{row.metric} {wording.figure_cells(row.figure)[0]}" for row in rows)
    told = ", ".join(name.replace(" ", "\xa0") for name in named)
    told = wrapped(f"{told} ({count(len(rows), 'metric')})", "No difference: ", _INDENT)
    return told.replace("\xa0", " ")


def _cells(row: Row, comparison: Comparison | None) -> tuple[str, ...]:
    cells = row.metric, *wording.figure_cells(row.figure)
    if comparison is None:
        return cells
    verdict = row.difference.verdict if row.difference else "not compared"
    before = wording.share(row.before.value if row.before else None)
    return *cells, before, wording.moved(row.difference), _BRIEF.get(verdict, verdict)


def _cases(comparison: Comparison, style: Style) -> Iterator[str]:
    found = cases.changed(comparison)
    yield f"{cases.tally(found)}."
    first = _first(found)
    for changed in first:
        yield from _case(changed, style)
    if len(found) > len(first):
        yield f"{_INDENT}and {len(found) - len(first):,} more"


def _first(found: Sequence[Changed]) -> list[Changed]:
    """The changed cases that are shown: those that only differ must not crowd out the others."""
    others = [place for place, each in enumerate(found) if cases.direction(each) in cases.OTHER]
    left = set(others[OTHERS:])
    return [each for place, each in enumerate(found) if place not in left][:CHANGED]


def _case(changed: Changed, style: Style) -> Iterator[str]:
    sample = cases.either(changed)
    kind = f" ({line(sample.kind)})" if sample.kind else ""
    name = f"{_INDENT}{cases.direction(changed)}: {sample.suite} {line(sample.case)}{kind}"
    yield style.bold(cut(name, WIDTH))
    yield cut(f"{_INDENT * 2}{line(sample.subject)}", WIDTH)
    for told in filter(None, (cases.moved(changed), line(cases.fault(changed)))):
        yield wrapped(cut(told, WIDTH * 3), _INDENT * 2, _INDENT * 2)


def _told(sentence: str) -> str:
    return wrapped(line(sentence))


def _list(sentences: Iterable[str]) -> list[str]:
    return [wrapped(line(sentence), "- ", _INDENT) for sentence in sentences]
