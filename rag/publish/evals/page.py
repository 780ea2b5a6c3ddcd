"""A run, its comparison and its past as one HTML page that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from rag.evaluate import metrics, wording
from rag.evaluate.types import Changed, Comparison, Failure, Figure, Quote, Run, Sample, SuiteName
from rag.publish.assets import asset
from rag.publish.evals import cases, content, notes, pictures
from rag.publish.evals.headline import verdict
from rag.publish.evals.trend import Series, series
from rag.publish.html import rendered
from rag.publish.svg import inline

LONG = 1_500
"""Characters of a text that are shown at once; the others are one click away."""
OPEN = 10
"""Changed cases that are shown at once, before the figures; the others are one click away, too."""
LEVELS = 5
"""Shades of the cells of the kinds."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure of a kind of cases; ``level`` is 0 where it is as good as can be."""

    figure: Figure
    level: int


@dataclass(frozen=True, slots=True)
class Kind:
    """A row of figures: ``cells`` are as many as the suite has main metrics, None without one."""

    name: str
    cases: int
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True, slots=True)
class Kinds:
    """The kinds of a suite, and the metrics that they are told by."""

    suite: SuiteName
    metrics: tuple[str, ...]
    kinds: tuple[Kind, ...]


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two samples of a changed case, or that there is none. ``quotes`` and ``papers``
    are each with whether the other side has it not; of a ``mute`` side no words were kept."""

    name: str
    sample: Sample | None
    mute: bool = False
    quotes: tuple[tuple[Quote, bool], ...] = ()
    papers: tuple[tuple[str, bool], ...] = ()


def page(
    run: Run,
    comparison: Comparison | None,
    history: Sequence[Run] = (),
    failures: Sequence[Failure] = (),
) -> str:
    """The page: verdict, changed cases, figures, kinds, the way over the runs of ``history``.
    ``failures`` are those of a run that is compared with nothing."""
    shut = content.held_against(comparison, failures)
    word, told = verdict(run, comparison, shut)
    return rendered(
        "evals/page.html",
        style=asset("page.css") + asset("figures.css") + asset("evals/page.css"),
        script=asset("evals/page.js"),
        word=word,
        told=told,
        run=run,
        comparison=comparison,
        gate=content.gate(comparison, shut),
        shut=[failure.text for failure in shut],
        rows=content.rows(run, comparison),
        kinds=kinds(run),
        trends=[(suite, list(each)) for suite, each in _by_suite(series(run, history))],
        changed=_sides(comparison) if comparison else [],
        open=OPEN,
        made=made_from(run, comparison),
        evals=content,
        notes=notes,
        wording=wording,
        cases=cases,
        bar=lambda row: inline(pictures.bar(row)),
        curve=lambda each: inline(pictures.curve(each)),
        parts=parts,
        facets=_facets(comparison.changed if comparison else ()),
    )


def _by_suite(found: Sequence[Series]) -> groupby[SuiteName, Series]:
    return groupby(found, key=lambda each: each.suite)


def kinds(run: Run) -> list[Kinds]:
    """The suites whose cases are of more than one kind, each with the figures of its kinds."""
    found = metrics.by_kind(run.samples)
    tables = []
    for suite in content.suites(run):
        rows = {kind: figures for (name, kind), figures in found.items() if name == suite}
        shown = tuple(m for m in content.MAIN[suite] if any(m in row for row in rows.values()))
        if len(rows) > 1 and shown:
            told = tuple(_kind(run, suite, kind, row, shown) for kind, row in rows.items())
            tables.append(Kinds(suite, shown, told))
    return tables


def _kind(
    run: Run, suite: SuiteName, kind: str, figures: dict[str, Figure], shown: Sequence[str]
) -> Kind:
    number = len({s.case for s in run.samples if (s.suite, s.kind) == (suite, kind)})
    cells = (figures.get(metric) for metric in shown)
    told = zip(shown, cells, strict=True)
    return Kind(
        kind or "no kind",
        number,
        tuple(Cell(f, _level(suite, name, f.value)) if f else None for name, f in told),
    )


def _level(suite: SuiteName, metric: str, value: float) -> int:
    lower = metrics.metric(suite, metric).better == "lower"
    missing = value if lower else 1 - value
    return min(int(missing * LEVELS + 1e-6), LEVELS - 1)


def _sides(comparison: Comparison) -> list[tuple[Changed, tuple[Side, Side]]]:
    mute = cases.wordless(comparison.before), cases.wordless(comparison.after)
    return [(changed, sides(changed, mute)) for changed in cases.changed(comparison)]


def sides(changed: Changed, mute: tuple[bool, bool]) -> tuple[Side, Side]:
    """Before and after, of two runs that are ``mute`` if they keep no words."""
    before, after = changed.before, changed.after
    if any(mute):  # what only one side has cannot be told
        return _side("Before", before, None, mute[0]), _side("After", after, None, mute[1])
    return _side("Before", before, after, False), _side("After", after, before, False)


def _side(name: str, sample: Sample | None, other: Sample | None, mute: bool) -> Side:
    """A side with what ``other`` has not, if there is another one to tell."""
    if sample is None:
        return Side(name, None)
    if other is None:
        quotes, papers = {quote.text for quote in sample.quotes}, set(sample.papers)
    else:
        quotes, papers = {quote.text for quote in other.quotes}, set(other.papers)
    return Side(
        name,
        sample,
        mute,
        tuple((quote, quote.text not in quotes) for quote in sample.quotes),
        tuple((paper, paper not in papers) for paper in sample.papers),
    )


def parts(text: str) -> tuple[list[str], list[str]]:
    """The paragraphs of a text, those of its beginning apart from the others if it is long."""
    head, tail = text[:LONG], text[LONG:]
    return _paragraphs(head), _paragraphs(tail)


def _paragraphs(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def made_from(run: Run, comparison: Comparison | None) -> list[tuple[str, str, str, bool]]:
    """What the run and the one before were made from: name, before, now, whether they differ."""
    now = dict(content.made_from_rows(run))
    old = dict(content.made_from_rows(comparison.before)) if comparison else {}
    names = dict.fromkeys([*now, *old])
    return [(n, old.get(n, ""), now.get(n, ""), _differs(n, old, now)) for n in names]


def _differs(name: str, old: dict[str, str], now: dict[str, str]) -> bool:
    return bool(old) and name != "run" and old.get(name) != now.get(name)


def _facets(found: Sequence[Changed]) -> list[tuple[str, list[str]]]:
    """What changed cases can be chosen by: names, each with the values that there are."""
    samples = [cases.either(each) for each in found]
    held = {cases.direction(each) for each in found}
    return [
        ("suite", list(dict.fromkeys(sample.suite for sample in samples))),
        ("kind", sorted({sample.kind for sample in samples if sample.kind})),
        ("direction", [name for name in cases.DIRECTIONS if name in held]),
    ]
