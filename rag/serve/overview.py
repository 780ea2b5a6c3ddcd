"""All papers at once: what they can be narrowed down by, and where they lie on a map."""

from __future__ import annotations

from collections import Counter
from typing import Any
from urllib.parse import quote

from rag.digest.select import by_cluster
from rag.publish.svg import inline
from rag.publish.topic_map import topic_map
from rag.retrieve.filters import values_of
from rag.store.snapshot import Snapshot
from rag.topics.layout import layout
from rag.types import Atlas, Point

FIELDS = ("area", "venue", "status", "year", "author")
MOST = 1_000
"""Values of a field that are offered."""


def facets(snapshot: Snapshot) -> list[tuple[str, list[tuple[str, int]]]]:
    """The fields that papers have values of, with how many have each, most often first."""
    papers = list(snapshot.papers())
    found = []
    for field in FIELDS:
        values = Counter(value for paper in papers for value in values_of(paper, field) if value)
        ranked = sorted(values.items(), key=lambda item: (-item[1], item[0]))
        if ranked:
            found.append((field, ranked[:MOST]))
    return found


def drawn(snapshot: Snapshot) -> dict[str, Any]:
    """``Map``: the picture as SVG, and its topics with how many papers each has."""
    selections = by_cluster(snapshot, None, None)
    topic_of: dict[int, int] = {}
    for topic, selection in enumerate(selections):
        for row in selection.rows:
            topic_of.setdefault(row, topic)
    rows = sorted(topic_of)
    places = layout(snapshot, rows, [topic_of[row] for row in rows]).tolist()
    points = tuple(
        Point(snapshot.ids[row], snapshot.paper(row).name, "", topic_of[row], x, y)
        for row, (x, y) in zip(rows, places, strict=True)
    )
    names = tuple(selection.topic for selection in selections)
    sizes = tuple(len(selection.rows) for selection in selections)
    links = {point.paper_id: f"/papers/{quote(point.paper_id, safe='')}" for point in points}
    svg = inline(topic_map(Atlas(names, points, sizes=sizes), links))
    topics = [{"name": name, "papers": size} for name, size in zip(names, sizes, strict=True)]
    return {"svg": svg, "topics": topics}
