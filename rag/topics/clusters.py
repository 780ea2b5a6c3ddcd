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

SCREEN, AT_A_GLANCE = 40, 6
"""Papers on one topic up to which their list is read at once, and the most parts that help."""

FEWEST, CLOSE = 3, 0.45
"""Papers that a topic should have, and the cosine from which on two alone are one, too."""


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
    wanted = min(
        len(chosen), max(1, expected(len(chosen), bool(avoid)) if count is None else count)
    )
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


def expected(papers: int, akin: bool = False) -> int:
    """How many topics a reader would expect: 2 of 7 papers, 7 of 38, 16 of 4,302. Papers that are
    ``akin``, as they are on one topic already, fall into fewer."""
    most = round(2 * log(papers) - 0.5)
    few = AT_A_GLANCE if akin and papers <= SCREEN else most
    return max(1, min((papers + 1) // 4, most, few))


def _topic(
    snapshot: Snapshot, chosen: Sequence[int], group: list[int], central: list[int], label: Label
) -> Topic:
    order = [*central, *(i for i in group if i not in central)]
    name = label.name or _by_handles([snapshot.handles[chosen[i]] for i in order])
    rows = tuple(chosen[i] for i in group)
    return Topic(name, rows, label.terms, tuple(chosen[i] for i in central))


def _by_handles(handles: list[str]) -> str:
    """A name for papers that share no telling phrase: two of them, and how many more. What a
    system is called, in one word, comes before what a paper is only known by here."""
    named = sorted(handles, key=lambda handle: " " in handle)[:2]
    more = len(handles) - len(named)
    others = [f"{more} other{'s' * (more > 1)}"] if more else []
    return " and ".join([", ".join(named), *others] if others else named)


def _groups(points: NDArray[np.float64], wanted: int) -> list[list[int]]:
    """``wanted`` groups of indices; none too small, where there are enough.

    Papers of a group that would be too small join their nearest groups; another is then split.
    """
    if wanted == 1:
        return [list(range(len(points)))]
    if 2 * wanted > len(points):
        return _split(points, wanted)
    least = min(FEWEST, len(points) // wanted)
    best: list[list[int]] = []
    for parts in range(wanted, min(2 * wanted, len(points)) + 1):
        found = _without_small(points, _split(points, parts), least)
        if len(best) < len(found) <= wanted:
            best = found
        if len(found) >= wanted:
            break
    return best


def _split(points: NDArray[np.float64], parts: int) -> list[list[int]]:
    clusters = clustered(points, parts)
    found = (np.flatnonzero(clusters == number).tolist() for number in range(parts))
    return [group for group in found if group]


def _without_small(
    points: NDArray[np.float64], groups: list[list[int]], least: int
) -> list[list[int]]:
    """Groups of ``least`` papers and more, and pairs that are very close; each paper of another
    one joins the nearest of them."""
    kept = [list(group) for group in groups if len(group) >= least or _close(points[group])]
    if not kept:
        return groups
    middles = np.stack([unit(points[group].mean(axis=0)) for group in kept])
    for paper in sorted({i for group in groups for i in group}.difference(*kept)):
        nearest = int(np.round(middles @ points[paper], 9).argmax())
        kept[nearest] = sorted([*kept[nearest], paper])
    return kept


def _close(points: NDArray[np.float64]) -> bool:
    return len(points) == 2 and float(np.round(points[0] @ points[1], 9)) >= CLOSE


def _central(points: NDArray[np.float64], group: list[int], backing: Sequence[int]) -> list[int]:
    """The few members nearest to the middle of all, nearest first; those that back the name come
    before others, so that who doubts it sees why."""
    nearness = np.round(points[group] @ points[group].mean(axis=0), 9)
    backs = set(backing)
    order = sorted(range(len(group)), key=lambda i: (group[i] not in backs, -nearness[i], i))
    return [group[i] for i in order[:CENTRAL]]
