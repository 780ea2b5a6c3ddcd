"""A map of papers: a mark each, coloured and shaped by topic, and the topics' names.

On a narrow screen a number stands for a name, the one that the list of topic sizes gives it.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from xml.etree.ElementTree import Element

from rag.publish.content import count, shown
from rag.publish.labels import LEADING, SIZE, Canvas, Label
from rag.publish.svg import add, hint, picture, write
from rag.types import Atlas, Point

WIDTH, HEIGHT = 760, 520
_EDGE = 26
"""Units kept free around the outermost marks."""
_HUES, _SHAPES = 8, 4


def topic_map(atlas: Atlas, links: Mapping[str, str] | None = None) -> Element:
    """The map; ``links`` has the address at which there is more of a paper, by the paper's id."""
    papers, topics = count(len(atlas.points), "paper"), count(len(atlas.topics), "topic")
    svg = picture(WIDTH, HEIGHT, f"A map of {papers} on {topics}")
    svg.set("class", "map")
    radius = _radius(atlas)
    for topic in sorted({point.topic for point in atlas.points}):
        group = add(svg, "g", class_=f"mark {hue(topic)}", data_topic=str(topic))
        for point in atlas.points:
            if point.topic == topic:
                _mark(group, point, radius, (links or {}).get(point.paper_id))
    for label in labels(atlas):
        _name(svg, label)
    return svg


def hue(topic: int) -> str:
    """The class that colours a topic."""
    return f"hue{topic % _HUES}"


def shape(parent: Element, topic: int, x: float, y: float, r: float) -> Element:
    """A topic's mark. Thirty-two topics differ in colour or shape."""
    kind = (topic + topic // _HUES) % _SHAPES
    if kind == 0:
        return add(parent, "circle", cx=x, cy=y, r=r)
    corners = {
        1: [(-0.88, -0.88), (0.88, -0.88), (0.88, 0.88), (-0.88, 0.88)],
        2: [(0, -1.2), (1.1, 0.8), (-1.1, 0.8)],
        3: [(0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)],
    }[kind]
    points = " ".join(f"{x + dx * r:.1f},{y + dy * r:.1f}" for dx, dy in corners)
    return add(parent, "polygon", points=points)


def labels(atlas: Atlas) -> list[Label]:
    """The names of the topics where they stand on the map."""
    import numpy as np

    spots = np.array([_place(point) for point in atlas.points], np.float64).reshape(-1, 2)
    topic_of = np.array([point.topic for point in atlas.points], np.int_)
    return Canvas(WIDTH, HEIGHT, spots, 1.3 * _radius(atlas)).labels(atlas.topics, topic_of)


def _radius(atlas: Atlas) -> float:
    """Of a mark: the more papers there are, the smaller."""
    return max(2.6, min(6.0, 60 / sqrt(max(len(atlas.points), 1))))


def _place(point: Point) -> tuple[float, float]:
    """A point's coordinates on the picture, whose y grows downward."""
    x, y = min(max(point.x, 0.0), 1.0), min(max(point.y, 0.0), 1.0)
    return _EDGE + x * (WIDTH - 2 * _EDGE), _EDGE + (1 - y) * (HEIGHT - 2 * _EDGE)


def _mark(group: Element, point: Point, radius: float, link: str | None) -> None:
    """A paper. Where there is more of it, the mark leads there, and the page says what it is."""
    # A list of papers is the way for keyboards; thousands of stops in a map would be none.
    named = {"href": link, "tabindex": "-1", "aria_label": shown(point.name)}
    parent = add(group, "a", **named) if link else group
    mark = shape(parent, point.topic, *_place(point), radius)
    if not link:
        told = filter(None, (point.name, point.line))
        hint(mark, "\n".join(" ".join(shown(text).split()) for text in told))


def _name(svg: Element, label: Label) -> None:
    """The name on a plate with a bar in its topic's colour; no target for pointers, which look for
    the marks under it."""
    group = add(svg, "g", class_="label", pointer_events="none")
    full = add(group, "g", class_="full")
    left, top = label.x - label.width / 2, label.y - label.height / 2
    size = {"width": label.width, "height": label.height}
    add(full, "rect", class_="plate", x=left, y=top, rx=4, **size)
    bar = {"width": 3, "height": label.height - 8}
    add(full, "rect", class_=hue(label.topic), x=left + 4, y=top + 4, rx=1, **bar)
    first = label.y - (len(label.lines) - 1) * LEADING / 2 + SIZE / 3
    for row, line in enumerate(label.lines):
        write(full, line, left + 12, first + row * LEADING)
    x, y = label.spot
    write(group, str(label.topic + 1), x, y + 9, class_="brief")
