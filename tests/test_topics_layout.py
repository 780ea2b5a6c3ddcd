"""The map of papers: topics lie together, and the same papers always in the same place."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from rag.store.snapshot import Snapshot
from rag.topics.layout import layout
from tests.fakes import batch, papers, put


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    store: Path = tmp_path_factory.mktemp("map") / "store"
    put(store, batch(papers(30)))
    return Snapshot.open(store)


@pytest.mark.parametrize("rows", [[], [7], [7, 2], [7, 2, 9], [7, 2, 9, 1], range(30)])
def test_each_paper_has_a_place_of_its_own_within_the_map(
    snapshot: Snapshot, rows: Sequence[int]
) -> None:
    places = layout(snapshot, rows, [0] * len(rows))
    assert places.shape == (len(rows), 2)
    assert len({tuple(place) for place in places.tolist()}) == len(rows)
    assert ((places >= 0) & (places <= 1)).all()
    assert np.array_equal(places, places.round(4))


def test_papers_of_one_topic_lie_together(snapshot: Snapshot) -> None:
    topics = np.arange(30) % 2
    places = layout(snapshot, range(30), topics.tolist())
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    same = topics[:, None] == topics[None]
    assert apart[same].mean() < 0.8 * apart[~same].mean()


def test_the_same_papers_lie_in_the_same_places(snapshot: Snapshot) -> None:
    once, again = (layout(snapshot, range(12), [0, 1] * 6) for _ in range(2))
    assert once.tobytes() == again.tobytes()
