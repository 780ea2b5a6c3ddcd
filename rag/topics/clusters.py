"""Topics that nobody named: which papers belong together, and what they share.

Every paper is in one topic, the nearest: readers look for each paper somewhere, and a rest group
would be the least coherent of all. Knows nothing of digests and pictures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

import numpy as np

from rag.store.snapshot import Snapshot
from rag.topics.labels import Label, label_topics
from rag.topics.learners import clustered
from rag.topics.vectors import paper_vectors, unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

CENTRAL = 3
"""Papers that a topic's label is backed by."""


@dataclass(frozen=True, slots=True)
class Topic:
    """Papers that belong together. ``rows`` of the snapshot, ascending; ``terms`` set them apart,
    most telling first; ``central`` are at most three rows, nearest to the middle first."""

    name: str
    rows: tuple[int, ...]
    terms: tuple[str, ...]
    central: tuple[int, ...]


def find_topics(
    snapshot: Snapshot,
    rows: Sequence[int] | None = None,
    count: int | None = None,
    avoid: str = "",
) -> tuple[Topic, ...]:
    """Topics of some papers (all, if None), each paper in one; the largest topic comes first.

    ``count`` is how many to find (None: as many as a reader would expect), fewer where there
    are fewer papers. ``avoid`` are words that say nothing here, as all these papers share them.
    """
    chosen = sorted(set(range(len(snapshot)) if rows is None else rows))
    if not chosen:
        return ()
    wanted = min(len(chosen), max(1, expected(len(chosen)) if count is None else count))
    vectors = paper_vectors(snapshot, chosen)
    groups = _groups(vectors.among_neighbours, wanted)
    groups.sort(key=lambda group: (-len(group), group[0]))
    texts = [snapshot.paper(row).indexed_text for row in chosen]
    labels = label_topics(texts, groups, avoid)
    joined = vectors.joined
    return tuple(
        _topic(snapshot, chosen, group, _central(joined, group, label.backing), label)
        for group, label in zip(groups, labels, strict=True)
    )


def expected(papers: int) -> int:
    """How many topics a reader would expect: 2 of 7 papers, 7 of 38, 16 of 4,302."""
    return max(1, min(papers // 3, round(2 * log(papers) - 0.5)))


def _topic(
    snapshot: Snapshot, chosen: Sequence[int], group: list[int], central: list[int], label: Label
) -> Topic:
    name = label.name or _by_handles([snapshot.handles[chosen[i]] for i in central], len(group))
    rows = tuple(chosen[i] for i in group)
    return Topic(name, rows, label.terms, tuple(chosen[i] for i in central))


def _by_handles(handles: list[str], papers: int) -> str:
    """A name for papers that share no telling phrase: some of them, and how many more."""
    if papers > len(handles):
        return f"{', '.join(handles[:2])} and {papers - 2} others"
    return " and ".join(filter(None, (", ".join(handles[:-1]), handles[-1])))


def _groups(points: NDArray[np.float64], wanted: int) -> list[list[int]]:
    """``wanted`` groups of indices; of at least two papers each, where there are enough.

    A paper that would be alone joins its nearest group; another group is then split.
    """
    if wanted == 1:
        return [list(range(len(points)))]
    if 2 * wanted > len(points):
        return _split(points, wanted)
    best: list[list[int]] = []
    for parts in range(wanted, min(2 * wanted, len(points)) + 1):
        found = _without_singles(points, _split(points, parts))
        if len(best) < len(found) <= wanted:
            best = found
        if len(found) >= wanted:
            break
    return best


def _split(points: NDArray[np.float64], parts: int) -> list[list[int]]:
    clusters = clustered(points, parts)
    found = (np.flatnonzero(clusters == number).tolist() for number in range(parts))
    return [group for group in found if group]


def _without_singles(points: NDArray[np.float64], groups: list[list[int]]) -> list[list[int]]:
    """Groups of two and more; each single one joins the nearest of them."""
    kept = [list(group) for group in groups if len(group) > 1]
    if not kept:
        return groups
    middles = np.stack([unit(points[group].mean(axis=0)) for group in kept])
    for (single,) in (group for group in groups if len(group) == 1):
        nearest = int(np.round(middles @ points[single], 9).argmax())
        kept[nearest] = sorted([*kept[nearest], single])
    return kept


def _central(points: NDArray[np.float64], group: list[int], backing: Sequence[int]) -> list[int]:
    """The few members nearest to the middle of all, nearest first; those that back the name come
    before others, so that who doubts it sees why."""
    nearness = np.round(points[group] @ points[group].mean(axis=0), 9)
    backs = set(backing)
    order = sorted(range(len(group)), key=lambda i: (group[i] not in backs, -nearness[i], i))
    return [group[i] for i in order[:CENTRAL]]
