"""What a doctor looks at where the index lives on a Chroma server. Changes nothing there."""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import partial
from itertools import chain
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np

from rag.errors import ServerFailed, StoreMissing
from rag.store.doctor import Checks
from rag.store.home import Shared, copied, vectors_name
from rag.store.lease import holder
from rag.store.server import guarded
from rag.store.snapshot import Snapshot
from rag.store.sync import expected_ids

if TYPE_CHECKING:
    from numpy.typing import NDArray

NEAREST = 10
ASKED = 50
"""Sentences of the corpus that stand for questions."""
SEED = 0
LEAST = 0.9
"""Recall below which an index of neighbours is not what it should be."""


def around(store: Path, home: Shared) -> Checks:
    """Checks that need no copy of the index."""
    return {
        "chroma server": partial(_server, home),
        "chroma lease": partial(_lease, home),
        "chroma generation": partial(_generation, store, home),
    }


def contents(store: Path, home: Shared) -> Checks:
    """Checks of what the server holds against this machine's copy."""
    return {"chroma": partial(_chunks, store, home), "chroma recall": partial(_recall, store, home)}


def _server(home: Shared) -> str:
    home.server.collections()  # the first opens a connection
    begin = monotonic()
    home.server.collections()
    took = 1000 * (monotonic() - begin)
    with guarded(home.address):
        version = home.server.client.get_version()
    rows = f"at most {home.server.batch:,} rows a request"
    return f"{home.address.place} answers in {took:,.1f} ms, version {version}, {rows}"


def _lease(home: Shared) -> str:
    who = holder(home.server)
    return f"{who} is writing" if who else "nobody is writing"


def _generation(store: Path, home: Shared) -> str:
    head, own = home.head(), copied(store, home.address)
    if head is None:
        raise home.missing()
    if head != own:
        what = f"The server has generation {head.number}, and {store} none of it."
        if own:
            what = f"The server has generation {head.number}, and {store} has {own.number}."
        raise StoreMissing(what, f"rag doctor --fix --store {store}, or ask anything")
    return f"the server and {store} have generation {head.number}"


def _chunks(store: Path, home: Shared) -> str:
    """The server holds the vectors of all papers; more may be of a writer at work."""
    snapshot = Snapshot.open(store)
    expected = set(chain.from_iterable(expected_ids(snapshot)))
    present = home.server.ids(vectors_name(snapshot.manifest.embedder))
    if lacking := len(expected - present):
        what = f"The server lacks {lacking:,} of {len(expected):,} vectors."
        raise ServerFailed(what, f"rag doctor --fix --store {store}")
    extra = len(present - expected)
    more = f", and {extra:,} that it does not need" * bool(extra)
    return f"the server has all {len(expected):,} vectors{more}"


def _recall(store: Path, home: Shared) -> str:
    """Of the nearest vectors by exact search, the share that the server's index finds. Answers
    here are scored exactly; this concerns other programs that ask the server."""
    found = recall(Snapshot.open(store), home)
    if found is None:
        return "not measured, as there are no sentences"
    share, asked = found
    detail = f"recall@{NEAREST} of the server's index {share:.3f}, of {asked} sentences asked"
    if share < LEAST:
        raise ServerFailed(f"{detail}.", f"rag doctor --fix --store {store}, then look again")
    return f"{detail}; answers here are exact"


def recall(snapshot: Snapshot, home: Shared) -> tuple[float, int] | None:
    """Recall@10 and the number of questions; a vector as near as the tenth counts as found."""
    sentences = len(snapshot.vectors) - len(snapshot)
    if not sentences:
        return None
    rows = sorted(random.Random(SEED).sample(range(sentences), min(ASKED, sentences)))
    asked = np.asarray(snapshot.vectors)[len(snapshot) + np.array(rows)]
    place = _rows(snapshot)
    with guarded(home.address):
        answers = home.server.opened(vectors_name(snapshot.manifest.embedder)).query(
            query_embeddings=list(asked), n_results=NEAREST, include=[]
        )["ids"]
    shares = [
        _share(snapshot.vectors @ question, [place[id] for id in ids if id in place])
        for question, ids in zip(asked, answers, strict=True)
    ]
    return float(np.mean(shares)), len(rows)


def _share(cosines: NDArray[np.float32], found: list[int]) -> float:
    wanted = min(NEAREST, len(cosines))
    tenth = np.partition(cosines, -wanted)[-wanted]
    return min(wanted, int(np.sum(cosines[found] >= tenth - 1e-4))) / wanted


def _rows(snapshot: Snapshot) -> Mapping[str, int]:
    """Chunk id → its row among the vectors: papers first, then sentences."""
    ids = expected_ids(snapshot)
    sentences = chain.from_iterable(own[1:] for own in ids)
    ordered = chain((own[0] for own in ids), sentences)
    return {id: row for row, id in enumerate(ordered)}
