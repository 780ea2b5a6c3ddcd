"""What the pictures of digests show: where their papers lie, and which terms come and go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rag.digest.trends import trends
from rag.store.snapshot import Snapshot
from rag.types import Atlas, Digest, Entry, Point


def atlas_of(digests: Sequence[Digest], snapshot: Snapshot) -> Atlas:
    """The papers of one digest by its groups, or of several by their digests."""
    from rag.topics.layout import layout

    topics, sizes = _topics(digests)
    placed = list(_placed(digests))
    rows = [snapshot.row_of[entry.paper.paper_id] for entry, _ in placed]
    positions = layout(snapshot, rows, [topic for _, topic in placed]).tolist()
    points = tuple(
        Point(entry.paper.paper_id, entry.paper.name, entry.line, topic, x, y)
        for (entry, topic), (x, y) in zip(placed, positions, strict=True)
    )
    by, found = trends([entry.paper for entry, _ in placed])
    return Atlas(topics, points, by, found, sizes)


def _topics(digests: Sequence[Digest]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The names of the topics, and how many papers each has."""
    if len(digests) == 1 and digests[0].groups:
        groups = digests[0].groups
        return tuple(g.name for g in groups), tuple(len(g.paper_ids) for g in groups)
    return tuple(d.topic for d in digests), tuple(len(d.entries) for d in digests)


def _placed(digests: Sequence[Digest]) -> Iterator[tuple[Entry, int]]:
    """Every paper once, with the index of the first topic that has it."""
    seen: set[str] = set()
    for d, digest in enumerate(digests):
        group_of = {pid: g for g, group in enumerate(digest.groups) for pid in group.paper_ids}
        for entry in digest.entries:
            if entry.paper.paper_id not in seen:
                seen.add(entry.paper.paper_id)
                alone = len(digests) == 1
                yield entry, group_of.get(entry.paper.paper_id, 0) if alone else d
