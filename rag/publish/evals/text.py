"""A run and its comparison as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rag.evaluate.types import Changed, Comparison, Failure, Run, SuiteName
from rag.publish.evals import cases, content, notes, wording
from rag.publish.evals.columns import WIDTH, cut, line, table, wrapped
from rag.publish.evals.content import Row
from rag.render import Style

CHANGED = 10
"""How many changed cases are shown; the page has them all."""
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
    headline = _told(content.headline(run, comparison, shut))
    yield "\n".join(map(style.bold, headline.split("\n")))
    yield "\n".join([content.gate(comparison, shut), *_list(failure.text for failure in shut)])
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
    if rows:
        head = (*_HEAD, *_COMPARED) if comparison else _HEAD
        titles, *lines = table(head, [_cells(row, comparison) for row in rows], left=(0, 6))
        yield style.dim(titles)
        yield from lines
    for name, told in notes.notes(samples, rows, before):
        yield wrapped(line(told), f"{name}: ", _INDENT)


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
    for changed in found[:CHANGED]:
        yield from _case(changed, style)
    if len(found) > CHANGED:
        yield f"{_INDENT}and {len(found) - CHANGED:,} more"


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
