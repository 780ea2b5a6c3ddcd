"""A map of papers: places in the plane where neighbours are akin. Knows nothing of drawing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rag.store.snapshot import Snapshot
from rag.topics.learners import flattened
from rag.topics.vectors import paper_vectors, unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

PULL = 0.3
"""How strongly a paper is drawn to the middle of its topic, as a share of its own vector: enough
for topics to show as shapes, while kin of different topics still touch."""
SMALL = 4
"""Papers of a topic that is drawn together twice as strongly: two papers alone are torn apart."""
OUTER, REACH = 0.1, 0.3
"""The share of papers on either side beyond which a place may be far out, and how far it may lie
beyond these, as a share of the width of the others."""


def layout(snapshot: Snapshot, rows: Sequence[int], topic_of: Sequence[int]) -> NDArray[np.float64]:
    """Places of papers, shape (rows, 2), within [0, 1] and rounded to 4 decimals.

    ``topic_of`` has a topic's number for each row; papers of one topic lie together.
    """
    if len(rows) < 4:  # too few for neighbourhoods: side by side
        places = (np.arange(len(rows)) + 1) / (len(rows) + 1)
        return np.asarray(np.round(np.column_stack([places, np.full(len(rows), 0.5)]), 4))
    points = paper_vectors(snapshot, rows).among_neighbours
    topics = np.asarray(topic_of)
    for topic in np.unique(topics):
        mine = topics == topic
        pull = PULL * (1 + SMALL / mine.sum())
        points[mine] += pull * unit(points[mine].mean(axis=0))
    found = _drawn_in(flattened(unit(points)))
    low, span = found.min(axis=0), np.ptp(found, axis=0)
    return np.asarray(np.round((found - low) / np.where(span > 0, span, 1), 4))


def _drawn_in(found: NDArray[np.float64]) -> NDArray[np.float64]:
    """The places with those far out at the edge of the others: else a few papers in a corner
    squeeze all the rest into a part of the map."""
    low, high = np.quantile(found, (OUTER, 1 - OUTER), axis=0)
    room = REACH * (high - low)
    return np.asarray(np.clip(found, low - room, high + room))
