"""How many of the truly nearest chunks the index of a Chroma server finds.

Answers do not depend on it: they come of exact scores. Who searches at the server, as a stock
LlamaIndex does, gets this.
"""

from __future__ import annotations

import numpy as np

from rag.store.server import Server
from rag.store.snapshot import Snapshot
from rag.store.sync import expected_ids

SAMPLE, K, SEED = 100, 10, 0


def recall(server: Server, collection: str, snapshot: Snapshot) -> float:
    """Of the ``K`` nearest chunks to each of some sentences, the share that the server finds."""
    vectors, ids = snapshot.vectors, _ids(snapshot)
    chosen = np.random.default_rng(SEED).permutation(len(vectors))[:SAMPLE]
    found = server.nearest(collection, vectors[chosen], min(K, len(vectors)))
    shares = []
    for row, near in zip(chosen.tolist(), found, strict=True):
        cosines = vectors @ vectors[row]
        least = np.sort(cosines)[-len(near)]
        at = [place for id in near if (place := ids.get(id)) is not None]
        shares.append(float((cosines[at] >= least - 1e-6).sum() / len(near)))
    return float(np.mean(shares))


def _ids(snapshot: Snapshot) -> dict[str, int]:
    """Chunk id → row of ``vectors``."""
    each = expected_ids(snapshot)
    heads = {ids[0]: row for row, ids in enumerate(each)}
    tails = (id for ids in each for id in ids[1:])
    return heads | {id: row for row, id in enumerate(tails, start=len(each))}
