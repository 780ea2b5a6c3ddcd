"""How large each topic is, and how the use of terms changes over years or from venue to venue."""

from __future__ import annotations

from collections import Counter
from os.path import commonprefix
from xml.etree.ElementTree import Element

from rag.publish.content import count
from rag.publish.svg import add, cut, hint, number, picture, write
from rag.publish.topic_map import hue, shape
from rag.types import Atlas, Trend

WIDTH = 370
_ROW, _TOP = 40, 26
"""Height of a topic with its bar, and where the first begins."""
_TEXT, _BAR = 44, 270
"""Where a topic's name and bar begin, and how long the longest bar is."""
_COLUMN = 4
"""From how many topics on a second column spares height."""
_CELL, _GAP = 175, 20
"""Width of one small chart and the space between two."""
_PLOT, _BASE = 44, 76
"""Height of a curve, and where its axis lies under the top of its chart."""


def drawn(atlas: Atlas) -> list[Element]:
    """The charts that say something, side by side: sizes of more than one topic, in two columns
    where no trends stand beside them."""
    topics = len(atlas.topics)
    if atlas.trends:
        return [*([sizes(atlas)] if topics > 1 else []), trends(atlas)]
    half = -(-topics // 2) if topics > _COLUMN else topics
    parts = [range(half), range(half, topics)] if topics > 1 else []
    return [sizes(atlas, part) for part in parts if part]


def sizes(atlas: Atlas, part: range | None = None) -> Element:
    """The topics, or a part of them, in their order: mark, number, name, and a bar of papers."""
    on_map = Counter(point.topic for point in atlas.points)
    papers = atlas.sizes or [on_map[topic] for topic in range(len(atlas.topics))]
    shown = range(len(atlas.topics)) if part is None else part
    heading = "Papers in each topic"
    svg = picture(WIDTH, _TOP + _ROW * len(shown), heading)
    if shown.start == 0:
        write(svg, heading, 0, 15, class_="heading")
    most = max(papers, default=1)
    for row, topic in enumerate(shown):
        _bar(svg, _TOP + row * _ROW, topic, atlas.topics[topic], papers[topic], most)
    return svg


def _bar(svg: Element, top: float, topic: int, name: str, papers: int, most: int) -> None:
    group = add(svg, "g", class_="row", data_topic=str(topic))
    add(group, "rect", class_="hit", x=0, y=top, width=WIDTH, height=_ROW)
    hint(group, f"{cut(name, 1, 400)}: {count(papers, 'paper')}")
    shape(add(group, "g", class_=hue(topic)), topic, 7, top + 13, 5)
    write(group, str(topic + 1), _TEXT - 8, top + 18, class_="quiet end")
    write(group, cut(name, 13, WIDTH - _TEXT), _TEXT, top + 18)
    length = max(_BAR * papers / max(most, 1), 2)
    add(group, "rect", class_=hue(topic), x=_TEXT, y=top + 25, width=length, height=7, rx=2)
    write(group, f"{papers:,}", _TEXT + length + 6, top + 33, class_="quiet")


def trends(atlas: Atlas) -> Element:
    """A small chart for each term: the share of papers that have it, by year or venue."""
    high = 106 if atlas.trend_by == "year" else 34 + _most_values(atlas) * 18
    rows = -(-len(atlas.trends) // 2)
    heading = f"Share of papers with a term, by {atlas.trend_by}"
    svg = picture(WIDTH, 30 + rows * high, heading)
    write(svg, heading, 0, 15, class_="heading")
    for place, trend in enumerate(atlas.trends):
        x, y = place % 2 * (_CELL + _GAP), 30 + place // 2 * high
        cell = add(svg, "g", transform=f"translate({x} {y})")
        write(cell, cut(trend.term, 13, _CELL), 0, 16)
        (_curve if atlas.trend_by == "year" else _bars)(cell, trend)
    return svg


def _most_values(atlas: Atlas) -> int:
    return max((len(trend.counts) for trend in atlas.trends), default=0)


def _curve(cell: Element, trend: Trend) -> None:
    """Shares over years, from zero to the highest of this term."""
    shares = [_share(papers, of) for _, papers, of in trend.counts]
    top = max(shares, default=0) or 1
    step = (_CELL - 12) / max(len(shares) - 1, 1)
    spots = [(6 + i * step, _BASE - _PLOT * value / top) for i, value in enumerate(shares)]
    add(cell, "line", class_="axis", x1=0, x2=_CELL, y1=_BASE, y2=_BASE)
    path = " ".join(f"{number(x)},{number(y)}" for x, y in spots)
    add(cell, "polyline", class_="curve", points=path)
    for (x, y), counts in zip(spots, trend.counts, strict=True):
        hint(add(cell, "circle", class_="value", cx=x, cy=y, r=3), _told(counts))
    if spots:
        write(cell, _end(trend.counts[0]), 0, _BASE + 16, class_="quiet")
    if len(spots) > 1:
        write(cell, _end(trend.counts[-1]), _CELL, _BASE + 16, class_="quiet end")


def _end(counts: tuple[str, int, int]) -> str:
    """What is written under an end of a curve."""
    name, papers, of = counts
    return f"{cut(name, 13, 50)}: {_share(papers, of):.0%}"


def _bars(cell: Element, trend: Trend) -> None:
    """Shares by venue, without the words that all the venues' names begin with."""
    top = max((_share(papers, of) for _, papers, of in trend.counts), default=0) or 1
    common = commonprefix([name for name, _, _ in trend.counts]).rpartition(" ")[0]
    for row, counts in enumerate(trend.counts):
        name, papers, of = counts
        y = 34 + row * 18
        group = add(cell, "g")
        hint(group, _told(counts))
        write(group, cut(name.removeprefix(common), 13, 84), 0, y, class_="quiet")
        length = max(50 * _share(papers, of) / top, 1)
        add(group, "rect", class_="value", x=88, y=y - 9, width=length, height=9, rx=2)
        write(group, f"{_share(papers, of):.0%}", 88 + length + 5, y, class_="quiet")


def _told(counts: tuple[str, int, int]) -> str:
    name, papers, of = counts
    return f"{cut(name, 1, 200)}: {papers:,} of {count(of, 'paper')}"


def _share(papers: int, of: int) -> float:
    """The part of all papers, 0 where there are none."""
    return papers / of if of else 0.0
