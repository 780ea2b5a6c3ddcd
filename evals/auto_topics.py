"""Measure the topics that are found in a corpus without being asked for.

    python evals/auto_topics.py [--store DIR] [--count N] [--drop 5] [--rounds 3] [--map]

Prints the topics with their terms and central papers; how well they agree with the areas that
authors chose (V-measure of Rosenberg and Hirschberg, 2007), where papers have one; how alike the
topics are when a few papers are taken away (adjusted Rand index, over the papers in both); and
the seconds. ``digest`` changes when anything found does: compare it between processes, and with
other values of OMP_NUM_THREADS. ``--map`` lays the papers out, too, and prints the share of their
five neighbours on the map that are of the same topic.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from sklearn.metrics import adjusted_rand_score, v_measure_score
from sklearn.neighbors import NearestNeighbors

from rag.store.snapshot import Snapshot
from rag.topics.clusters import Topic, find_topics
from rag.topics.layout import layout

NEIGHBOURS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure topics found without being asked for.")
    parser.add_argument("--store", type=Path, default=Path("index_store"))
    parser.add_argument("--count", type=int, help="how many topics (default: its own choice)")
    parser.add_argument("--drop", type=int, default=5, help="papers taken away at a time")
    parser.add_argument("--rounds", type=int, default=3, help="how often some are taken away")
    parser.add_argument("--map", action="store_true", help="lay the papers out as well")
    options = parser.parse_args()
    snapshot = Snapshot.open(options.store)
    began = time.perf_counter()
    topics = find_topics(snapshot, count=options.count)
    seconds = time.perf_counter() - began
    show(snapshot, topics)
    print(f"{len(snapshot):,} papers, {len(topics)} topics, {seconds:.1f} s")
    print(f"digest {hashlib.sha256(repr(topics).encode()).hexdigest()[:16]}")
    areas = [paper.area for paper in snapshot.papers()]
    if any(areas):
        known = [row for row, area in enumerate(areas) if area]
        numbers = numbered(topics)
        score = v_measure_score([areas[row] for row in known], [numbers[row] for row in known])
        print(f"V-measure against {len(set(areas) - {None})} areas: {score:.3f}")
    agreement = [
        stability(snapshot, topics, options.count, options.drop, seed)
        for seed in range(options.rounds)
    ]
    if agreement:
        each = " ".join(f"{value:.2f}" for value in agreement)
        print(f"adjusted Rand without {options.drop} papers: {each}, mean {np.mean(agreement):.2f}")
    if options.map:
        show_map(snapshot, topics)


def show(snapshot: Snapshot, topics: Sequence[Topic]) -> None:
    for topic in topics:
        print(f"{len(topic.rows):5}  {topic.name}")
        print(f"       terms: {'; '.join(topic.terms)}")
        for row in topic.central:
            print(f"       · {snapshot.paper(row).name}")


def numbered(topics: Sequence[Topic]) -> dict[int, int]:
    """Row → number of its topic."""
    return {row: number for number, topic in enumerate(topics) for row in topic.rows}


def stability(
    snapshot: Snapshot, topics: Sequence[Topic], count: int | None, drop: int, seed: int
) -> float:
    """Agreement of the topics with those found after ``drop`` random papers are taken away."""
    kept = sorted(random.Random(seed).sample(range(len(snapshot)), len(snapshot) - drop))
    before, after = numbered(topics), numbered(find_topics(snapshot, kept, count or len(topics)))
    return float(adjusted_rand_score([before[row] for row in kept], [after[row] for row in kept]))


def show_map(snapshot: Snapshot, topics: Sequence[Topic]) -> None:
    began = time.perf_counter()
    of = numbered(topics)
    rows = sorted(of)
    numbers = np.array([of[row] for row in rows])
    places = layout(snapshot, rows, numbers.tolist())
    seconds = time.perf_counter() - began
    near = NearestNeighbors(n_neighbors=NEIGHBOURS).fit(places).kneighbors(return_distance=False)
    pure = float((numbers[near] == numbers[:, None]).mean())
    print(f"map: {seconds:.1f} s, {pure:.0%} of neighbours of the same topic")
    print(f"digest {hashlib.sha256(places.tobytes()).hexdigest()[:16]}")


if __name__ == "__main__":
    main()
