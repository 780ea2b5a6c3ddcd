"""The pictures of an atlas, each as an SVG file of its own."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from rag.publish import charts, topic_map
from rag.publish.svg import add, picture, standalone
from rag.types import Atlas

_GAP, _EDGE = 20, 16


def map_svg(atlas: Atlas) -> str:
    """Papers on a plane, coloured by topic, with the topics' names."""
    return standalone(topic_map.topic_map(atlas))


def sizes_svg(atlas: Atlas) -> str:
    """How many papers each topic has."""
    return standalone(charts.sizes(atlas))


def trends_svg(atlas: Atlas) -> str:
    """How often terms are used over years or venues; empty where the atlas has no trends."""
    return standalone(charts.trends(atlas)) if atlas.trends else ""


def plot_svg(atlas: Atlas) -> str:
    """All of them in one picture: the map, under it sizes and trends side by side."""
    lower = charts.drawn(atlas)
    heights = [float(part.get("viewBox", "").split()[3]) for part in lower]
    top = _EDGE + topic_map.HEIGHT + _GAP
    high = top + max(heights, default=0) + _EDGE
    svg = picture(topic_map.WIDTH + 2 * _EDGE, high, "A map of papers")
    _put(svg, _EDGE, _EDGE).extend(topic_map.topic_map(atlas))
    for column, part in enumerate(lower):
        _put(svg, _EDGE + column * (charts.WIDTH + _GAP), top).extend(part)
    return standalone(svg)


def _put(svg: Element, x: float, y: float) -> Element:
    return add(svg, "g", transform=f"translate({x} {y})")
