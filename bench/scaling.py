"""What more papers cost: exact scores beside the index of a Chroma collection.

    python bench/scaling.py --store FOLDER [--papers N …] [--chroma N] [--json]

Vectors of an index, of some thousand papers with their sentences, are varied with a seed until
there are enough: each copy is turned away from its original to a cosine of about .8, so that they
lie as real ones do. At each size a question is scored against all of them, as a search does; up to
``--chroma`` papers they are also put into a collection, whose own answers are compared. What
follows the last size is drawn on by the growth that was measured, and is marked as such.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import chromadb
import numpy as np
from chromadb.config import Settings
from numpy.typing import NDArray
from tqdm import tqdm

from rag.store.snapshot import Snapshot

SIZES = (4_302, 20_000, 50_000, 100_000)
AHEAD = 1_000_000
QUESTIONS, K, SEED = 30, 10, 0
TURNED = 0.75
"""Length of what is added to a vector of length 1: a cosine of .8."""
BLOCK = 512
BATCH = 5_000

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Row:
    """Costs at a size; those of Chroma are None where it was not tried."""

    papers: int
    vectors: int
    exact_ms: float
    """The median question, scored against everything."""
    megabytes: float
    """Vectors on disk and, once they were read, in memory that the system may take back."""
    chroma_rows_per_s: float | None = None
    chroma_ms: float | None = None
    chroma_megabytes: float | None = None
    recall: float | None = None
    """Of the nearest ten, the share that Chroma's index finds."""
    measured: bool = True


def varied(vectors: Vectors, count: int) -> Vectors:
    """``count`` vectors: the given ones, then turned copies of them."""
    chance = np.random.default_rng(SEED)
    found = np.empty((count, vectors.shape[1]), np.float32)
    for begin in range(0, count, len(vectors)):
        part = vectors[: count - begin]
        noise = chance.normal(size=part.shape).astype(np.float32) if begin else np.zeros_like(part)
        length = np.linalg.norm(noise, axis=1, keepdims=True)
        turned = part + TURNED * noise / np.maximum(length, 1e-9)
        found[begin : begin + len(part)] = turned / np.linalg.norm(turned, axis=1, keepdims=True)
    return found


def exact(vectors: Vectors, question: Vectors) -> Vectors:
    """The cosine of every vector, block by block as a search has it."""
    scores = np.empty(len(vectors), np.float32)
    for begin in range(0, len(vectors), BLOCK):
        np.matmul(vectors[begin : begin + BLOCK], question, out=scores[begin : begin + BLOCK])
    return scores


def measured(papers: int, vectors: Vectors, *, chroma: bool) -> Row:
    chance = np.random.default_rng(SEED + 1)
    asked = varied(vectors[chance.permutation(len(vectors))[:QUESTIONS]], 2 * QUESTIONS)[QUESTIONS:]
    took, nearest = [], []
    for question in asked:
        began = time.perf_counter()
        scores = exact(vectors, question)
        took.append(1000 * (time.perf_counter() - began))
        nearest.append(set(np.argpartition(-scores, K)[:K].tolist()))
    row = Row(papers, len(vectors), round(float(np.median(took)), 1), vectors.nbytes / 1e6)
    return with_chroma(row, vectors, asked, nearest) if chroma else row


def with_chroma(row: Row, vectors: Vectors, asked: Vectors, nearest: list[set[int]]) -> Row:
    """The same vectors in a collection of their own."""
    with tempfile.TemporaryDirectory() as folder:
        client = chromadb.PersistentClient(folder, Settings(anonymized_telemetry=False))
        collection = client.create_collection(
            "vectors", configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
        )
        began = time.perf_counter()
        for begin in tqdm(range(0, len(vectors), BATCH), f"{row.papers:,} papers", file=sys.stderr):
            part = vectors[begin : begin + BATCH]
            ids = [str(begin + i) for i in range(len(part))]
            collection.add(ids=ids, embeddings=part)
        rate = len(vectors) / (time.perf_counter() - began)
        took, shares = [], []
        for question, near in zip(asked, nearest, strict=True):
            began = time.perf_counter()
            found = collection.query(query_embeddings=[question], n_results=K, include=[])["ids"][0]
            took.append(1000 * (time.perf_counter() - began))
            shares.append(len(near & {int(id) for id in found}) / K)
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
    median, found_share = float(np.median(took)), float(np.mean(shares))
    costs = (round(rate), round(median, 1), size / 1e6, round(found_share, 3))
    return Row(row.papers, row.vectors, row.exact_ms, row.megabytes, *costs)


def ahead(rows: list[Row]) -> Row:
    """What the growth comes to: all costs but Chroma's time, which was flat, in proportion."""
    last = rows[-1]
    chroma = [row for row in rows if row.chroma_megabytes is not None]
    more = AHEAD / last.papers
    disk = chroma[-1].chroma_megabytes if chroma else None
    return Row(
        AHEAD,
        round(last.vectors * more),
        round(last.exact_ms * more),
        last.megabytes * more,
        chroma_megabytes=disk and disk * AHEAD / chroma[-1].papers,
        measured=False,
    )


def lines(rows: list[Row]) -> Iterator[str]:
    yield "| papers | vectors | exact, ms | vectors, GB | Chroma: rows/s | ms | GB | recall@10 |"
    yield "|---|---|---|---|---|---|---|---|"
    for row in rows:
        mark = "" if row.measured else " (drawn on)"
        disk = None if row.chroma_megabytes is None else round(row.chroma_megabytes / 1000, 2)
        theirs = (row.chroma_rows_per_s, row.chroma_ms, disk, row.recall)
        shown = " | ".join("–" if cost is None else f"{cost:,}" for cost in theirs)
        ours = f"{row.vectors:,} | {row.exact_ms:,} | {row.megabytes / 1000:.2f}"
        yield f"| {row.papers:,}{mark} | {ours} | {shown} |"


def main() -> None:
    parser = argparse.ArgumentParser(description="What more papers cost.")
    parser.add_argument("--store", type=Path, required=True, help="an index to vary")
    parser.add_argument("--papers", type=int, nargs="+", default=SIZES)
    parser.add_argument("--chroma", type=int, default=20_000, help="largest size in a collection")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    snapshot = Snapshot.open(options.store)
    each = len(snapshot.vectors) / len(snapshot)
    everything = varied(np.asarray(snapshot.vectors), round(max(options.papers) * each))
    rows = [
        measured(papers, everything[: round(papers * each)], chroma=papers <= options.chroma)
        for papers in sorted(options.papers)
    ]
    rows.append(ahead(rows))
    print(json.dumps([asdict(row) for row in rows]) if options.json else "\n".join(lines(rows)))


if __name__ == "__main__":
    main()
