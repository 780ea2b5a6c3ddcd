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
        points[mine] += PULL * unit(points[mine].mean(axis=0))
    found = flattened(unit(points))
    low, span = found.min(axis=0), np.ptp(found, axis=0)
    return np.asarray(np.round((found - low) / np.where(span > 0, span, 1), 4))
