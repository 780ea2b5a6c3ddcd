"""A metric as a bar with its interval, and its way over runs as a curve."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from math import ceil, floor
from xml.etree.ElementTree import Element

from rag.evaluate.wording import interval, share
from rag.publish.content import count
from rag.publish.evals.content import Row
from rag.publish.evals.trend import Point, Series
from rag.publish.svg import add, hint, number, picture, write

_LENGTH, _HEIGHT = 240, 22
"""Of the bar of 1, and of the picture that it stands in."""
_MARGIN = 3
"""Room beside a bar for the half of a line at 0 or 1."""
_TIME = re.compile(r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)")
"""The beginning of a run's id."""
_WIDE, _PLOT, _TOP, _LEFT = 280, 70, 26, 34
"""Width of a curve's picture, height of its plot, and where it begins."""


def bar(row: Row) -> Element:
    """The value as a bar from 0 to 1, its interval as a whisker, the value before as a tick."""
    told = [f"{row.metric} {share(row.figure.value)}" if row.figure else row.metric]
    told += [f"95 % interval {interval(row.figure.low, row.figure.high)}"] if row.figure else []
    told += [f"before {share(row.before.value)}"] if row.before else []
    svg = picture(_LENGTH + 2 * _MARGIN, _HEIGHT, ", ".join(told))
    svg.set("class", "bar")
    hint(svg, ", ".join(told))
    add(svg, "rect", class_="track", x=_MARGIN, y=6, width=_LENGTH, height=10)
    if row.figure:
        length = _LENGTH * _within(row.figure.value)
        add(svg, "rect", class_="value", x=_MARGIN, y=6, width=length, height=10)
        low, high = (_place(bound) for bound in (row.figure.low, row.figure.high))
        ends = [(low, 8.0, low, 14.0), (high, 8.0, high, 14.0)]
        _lines(svg, "whisker", [(low, 11.0, high, 11.0), *ends])
    if row.before:
        x = _place(row.before.value)
        _lines(svg, "tick", [(x, 0.0, x, float(_HEIGHT))])
    return svg


def _lines(svg: Element, kind: str, lines: Sequence[tuple[float, float, float, float]]) -> None:
    """Lines, each (x1, y1, x2, y2), on halos that keep them apart from a bar."""
    for name in (f"halo {kind}", kind):
        for x1, y1, x2, y2 in lines:
            add(svg, "line", class_=name, x1=x1, y1=y1, x2=x2, y2=y2)


def _place(value: float) -> float:
    return _MARGIN + _LENGTH * _within(value)


def _within(value: float) -> float:
    return min(max(value, 0.0), 1.0)


def curve(series: Series) -> Element:
    """The values of runs in their order; those that cannot be compared are hollow, and no line
    leads to them."""
    points = series.points
    name = f"{series.metric} in {series.suite}"
    ends = f"first {share(points[0].value)}, last {share(points[-1].value)}"
    svg = picture(_WIDE, _TOP + _PLOT + 24, f"{name} over {count(len(points), 'run')}: {ends}")
    write(svg, series.metric, 0, 14, class_="heading")
    low, high = _bounds([point.value for point in points])
    for value in (low, high):
        y = _height(value, low, high)
        add(svg, "line", class_="axis", x1=_LEFT, x2=_WIDE, y1=y, y2=y)
        write(svg, number(value), _LEFT - 6, y + 4, class_="quiet end")
    step = (_WIDE - _LEFT - 16) / (len(points) - 1)
    spots = [
        (_LEFT + 8 + i * step, _height(point.value, low, high), point)
        for i, point in enumerate(points)
    ]
    _path(svg, spots)
    for x, y, point in spots:
        mark = add(svg, "circle", class_="other" if point.remark else "value", cx=x, cy=y, r=4)
        hint(mark, _told(point))
    first, last = _times(points[0].run, points[-1].run)
    write(svg, first, _LEFT, _TOP + _PLOT + 20, class_="quiet")
    write(svg, last, _WIDE, _TOP + _PLOT + 20, class_="quiet end")
    return svg


def _times(first: str, last: str) -> tuple[str, str]:
    """The days of two runs, or of one and the same day the times; of an id that says neither, its
    beginning."""
    known = [_TIME.match(id) for id in (first, last)]
    if not all(known):
        return first[:8], last[:8]
    (day, time), (other, later) = (
        ("-".join(found.groups()[:3]), ":".join(found.groups()[3:])) for found in known if found
    )
    return (f"{day} {time}", later) if day == other else (day, other)


def _path(svg: Element, spots: Iterable[tuple[float, float, Point]]) -> None:
    """A line through each stretch of runs that can be compared."""
    for remark, stretch in groupby(spots, key=lambda spot: spot[2].remark):
        line = " ".join(f"{number(x)},{number(y)}" for x, y, _ in stretch)
        if not remark:
            add(svg, "polyline", class_="curve", points=line)


def _told(point: Point) -> str:
    return f"{point.run}: {share(point.value)}{f' ({point.remark})' if point.remark else ''}"


def _bounds(values: list[float]) -> tuple[float, float]:
    """The tenths that the values lie between, at least one apart."""
    low, high = floor(min(values) * 10 + 1e-6) / 10, ceil(max(values) * 10 - 1e-6) / 10
    return (low, high) if high > low else (max(low - 0.1, 0.0), max(low, 0.1))


def _height(value: float, low: float, high: float) -> float:
    return _TOP + _PLOT * (1 - (value - low) / (high - low))
