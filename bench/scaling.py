"""What an index of many papers costs, in its folder and on a Chroma server.

Real papers with their real vectors are repeated with a seed, each time turned a little, until there
are as many as wanted; a real ``chroma run`` on localhost takes them. Laws are fitted through what
was measured; what they say of a million papers is an extrapolation, and is called so.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import statistics
import subprocess
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rag.store.chroma import ServerCollection, chunks_of
from rag.store.inspect_server import NEAREST
from rag.store.server import Address, Server
from rag.store.snapshot import Snapshot

TURN = 0.35
"""Length of the random vector added to a unit vector: cosine 0.94 to the real one, about that of
two abstracts on the same narrow subject."""
GROUP = 128
MILLION = 1_000_000
Row = dict[str, float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("store", type=Path, help="an index of real papers")
    parser.add_argument("--local", type=int, nargs="*", default=[4_302, 10_000, 20_000, 50_000])
    parser.add_argument("--server", type=int, nargs="*", default=[1_000, 2_151, 4_302, 8_604])
    parser.add_argument("--questions", type=int, default=50)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    snapshot = Snapshot.open(options.store)
    local = [in_folder(snapshot, n, options.questions) for n in options.local]
    server = [on_server(snapshot, n, options.questions) for n in options.server]
    if options.json:
        print(json.dumps({"local": local, "server": server}, indent=1))
        return
    show("exact search in memory", local)
    show("a Chroma server", server)


def varied(snapshot: Snapshot, papers: int) -> Iterator[tuple[int, int, NDArray[np.float32]]]:
    """Row of a real paper, how often it was there before, vectors (1 + sentences, dimensions)."""
    for n in range(papers):
        again, row = divmod(n, len(snapshot))
        vectors = snapshot.paper_vectors(row)
        if again:
            noise = np.random.default_rng(n).normal(size=vectors.shape)
            noise *= TURN / np.linalg.norm(noise, axis=1, keepdims=True)
            vectors = vectors + noise
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        yield row, again, vectors.astype(np.float32)


def matrix(snapshot: Snapshot, papers: int) -> NDArray[np.float32]:
    return np.vstack([vectors for _, _, vectors in varied(snapshot, papers)])


def asked(vectors: NDArray[np.float32], questions: int) -> NDArray[np.float32]:
    """Rows that stand for questions, turned as much as a variation is."""
    rng = np.random.default_rng(7)
    found = vectors[rng.choice(len(vectors), questions, replace=False)]
    noise = rng.normal(size=found.shape)
    found = found + 2 * TURN * noise / np.linalg.norm(noise, axis=1, keepdims=True)
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


def in_folder(snapshot: Snapshot, papers: int, questions: int) -> Row:
    """Scoring every vector, as answers do by default."""
    vectors = matrix(snapshot, papers)
    times = timed(lambda question: vectors @ question, asked(vectors, questions))
    return {
        "papers": papers,
        "vectors": len(vectors),
        "vectors MB": vectors.nbytes / 1e6,
        **times,
    }


def on_server(snapshot: Snapshot, papers: int, questions: int) -> Row:
    """The same vectors with their texts on a server, and its index of neighbours asked."""
    vectors = matrix(snapshot, papers)
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as (url, process):
        server = Server(Address(url))
        begin = time.perf_counter()
        place = upload(snapshot, papers, server)
        seconds = time.perf_counter() - begin
        collection = server.opened("rag-vectors")
        asking = asked(vectors, questions)
        answers: list[list[str]] = []

        def ask(question: NDArray[np.float32]) -> None:
            found = collection.query(query_embeddings=[question], n_results=NEAREST, include=[])
            answers.append(found["ids"][0])

        times = timed(ask, asking)
        shares = [
            share(vectors @ question, [place[id] for id in ids])
            for question, ids in zip(asking, answers, strict=True)
        ]
        size = sum(p.stat().st_size for p in Path(folder).rglob("*") if p.is_file())
        return {
            "papers": papers,
            "vectors": len(vectors),
            "upload s": seconds,
            "disk MB": size / 1e6,
            "memory MB": peak_memory(process.pid),
            **times,
            f"recall@{NEAREST}": float(np.mean(shares)),
        }


def upload(snapshot: Snapshot, papers: int, server: Server) -> dict[str, int]:
    """Put everything on the server; returns the row of each id."""
    place: dict[str, int] = {}
    with ServerCollection(snapshot.store, server, "rag-vectors", []) as collection:
        chunks, rows = [], []
        for n, (row, again, vectors) in enumerate(varied(snapshot, papers), start=1):
            paper = snapshot.paper(row)
            paper = replace(paper, paper_id=f"{paper.paper_id}-{again}")
            chunks += chunks_of(paper, snapshot.spans(row), snapshot.manifest.embedder)
            rows.append(vectors)
            if n % GROUP == 0 or n == papers:
                place |= {c.id: len(place) + i for i, c in enumerate(chunks)}
                collection.upsert(chunks, np.vstack(rows))
                chunks, rows = [], []
    return place


def share(cosines: NDArray[np.float32], found: Sequence[int]) -> float:
    tenth = np.partition(cosines, -NEAREST)[-NEAREST]
    return min(NEAREST, int(np.sum(cosines[list(found)] >= tenth - 1e-4))) / NEAREST


def timed(
    ask: Callable[[NDArray[np.float32]], object], questions: NDArray[np.float32]
) -> dict[str, float]:
    times = []
    for question in questions:
        begin = time.perf_counter()
        ask(question)
        times.append(1000 * (time.perf_counter() - begin))
    return {"p50 ms": statistics.median(times), "p95 ms": float(np.quantile(times, 0.95))}


def peak_memory(process: int) -> float:
    """Megabytes that a process had in memory at most."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1e3


@contextmanager
def running(folder: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A Chroma server on a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    chroma = Path(sysconfig.get_path("scripts")) / "chroma"
    process = subprocess.Popen(
        [chroma, "run", "--path", folder, "--host", "127.0.0.1", "--port", str(port)],
        env={**os.environ, "ANONYMIZED_TELEMETRY": "False"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(200):
            with socket.socket() as knock:
                if not knock.connect_ex(("127.0.0.1", port)):
                    break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}", process
    finally:
        process.kill()
        process.wait()


def show(title: str, rows: Sequence[Row]) -> None:
    """Measured rows, then what the laws through them say of a million."""
    if not rows:
        return
    names = [name for name in rows[0] if name != "papers"]
    print(f"\n{title}\n")
    print("| papers | " + " | ".join(names) + " |\n|" + "---|" * (1 + len(names)))
    for row in rows:
        print(f"| {shown(row['papers'])} | " + " | ".join(shown(row[n]) for n in names) + " |")
    if len(rows) > 2:
        laws = [law(rows, name) for name in names]
        print("| 1,000,000, extrapolated | " + " | ".join(million for million, _ in laws) + " |")
        print("| by the law | " + " | ".join(form for _, form in laws) + " |")


def law(rows: Sequence[Row], name: str) -> tuple[str, str]:
    """What a million papers would have, and the law that says so. Sizes are a + b·papers; times
    are a·papers^b, by least squares of the logarithms; recall follows no law that is known."""
    papers, values = (np.array([row[key] for row in rows]) for key in ("papers", name))
    if "recall" in name:
        return "not known", ""
    if name.endswith(("MB", "vectors")):
        slope, start = np.polyfit(papers, values, 1)
        return shown(start + slope * MILLION), f"{shown(start)} + {shown(1000 * slope)} a thousand"
    power, start = np.polyfit(np.log(papers), np.log(values), 1)
    return shown(np.exp(start) * MILLION**power), f"papers^{power:.2f}"


def shown(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:,.3g}"


if __name__ == "__main__":
    main()
