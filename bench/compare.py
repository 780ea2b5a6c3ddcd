"""The same papers, questions and embedder: ours beside stock LlamaIndex and plain chromadb.

    python bench/compare.py [--sizes N …] [--embedded N] [--rounds N] [--keep FOLDER] [--json]

Papers are those of ``../shared/data/iclr2026``; beyond their number, real sentences are put
together anew with a seed. Each step of each system has a process of its own, and the systems take
turns in every round. Up to ``--embedded`` papers an ingest embeds; beyond, all systems read the
vectors of known sentences out of an index of ours, and what is timed is the rest. Figures of others
are given as multiples of ours, the least and the most of all rounds behind the median.

Stock LlamaIndex needs its BM25 retriever: pip install '.[bench]'. Without it, or without the data,
what cannot be measured is left out, and why is said on stderr.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from math import log2
from pathlib import Path
from statistics import median
from typing import Any

from systems import SYSTEMS, K

from rag.corpus.sentences import sentence_spans

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
SHARED = ROOT.parent / "shared" / "data"
CORPUS = SHARED / "iclr2026/iclr2026_accepted_12areas.jsonl"
KNOWN = SHARED / "scitldr_knownitem"
QUESTIONS, FOUND = 100, 300
"""Questions that are timed, and one-liners whose abstract is to be found."""
SEED = 0
SWAPPED = 3
"""Every so manieth sentence of a paper that is put together comes from another."""
OURS = "ours"


@dataclass
class Ground:
    """Where the systems work, and what they are asked."""

    folder: Path
    questions: Path
    python: str = sys.executable
    replay: Path | None = None
    systems: Sequence[str] = tuple(SYSTEMS)
    figures: dict[tuple[int, str, str], list[float]] = field(default_factory=dict)

    def place(self, size: int, system: str) -> Path:
        return self.folder / f"{size}-{system.replace(', ', '-')}"

    def run(self, system: str, stage: str, size: int, *more: str) -> dict[str, Any]:
        command = [self.python, str(HERE / "systems.py"), system, stage, *more]
        places = ["--papers", str(self.papers(size)), "--folder", str(self.place(size, system))]
        done = subprocess.run([*command, *places], capture_output=True, text=True, cwd=HERE)
        if done.returncode:
            raise SystemExit(f"{system}, {stage}, {size}: {done.stderr.strip()[-500:]}")
        found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return found

    def papers(self, size: int) -> Path:
        return self.folder / f"{size}.jsonl"

    def note(self, size: int, system: str, what: str, figure: float) -> None:
        self.figures.setdefault((size, system, what), []).append(figure)


def write_papers(path: Path, size: int) -> None:
    """The first papers there are, then ones put together of their sentences."""
    records = [json.loads(line) for line in CORPUS.open(encoding="utf-8")]
    chance = random.Random(SEED)
    with path.open("w", encoding="utf-8") as stream:
        for number in range(size):
            record = records[number % len(records)]
            if number >= len(records):
                other = chance.choice(records)["abstract"]
                record = {
                    "id": f"made-{number}",
                    "abstract": mixed(record["abstract"], other, number),
                }
            stream.write(json.dumps(record, ensure_ascii=False) + "\n")


def mixed(text: str, other: str, number: int) -> str:
    """A text with every third sentence of another, and one that only it has."""
    own, foreign = ([t[s:e] for s, e in sentence_spans(t)] for t in (text, other))
    told = [
        foreign[i % len(foreign)] if i % SWAPPED == 1 else sentence
        for i, sentence in enumerate(own)
    ]
    return " ".join([*told, f"This is text number {number}."])


def measure(ground: Ground, size: int, rounds: int, *, embeds: bool) -> None:
    if not ground.papers(size).exists():
        write_papers(ground.papers(size), size)
    replay = [] if embeds or not ground.replay else ["--replay", str(ground.replay)]
    asked = ["--questions", str(ground.questions)]
    for system in ground.systems:
        ingest(ground, system, size, replay)
    for number in range(rounds):
        for system in ground.systems:
            say(f"{size:,} papers, round {number + 1}: {system}")
            cold(ground, system, size)
            found = ground.run(system, "warm", size, *asked)
            for way in ("search", "ask"):
                for share in (50, 95) if way in found else ():
                    took = sorted(found[way])[max(len(found[way]) * share // 100 - 1, 0)]
                    ground.note(size, system, f"warm {way}, ms, {share} of 100", took)
            ground.note(size, system, "memory of warm questions, MB", found["peak_mb"])


def ingest(ground: Ground, system: str, size: int, replay: Sequence[str]) -> None:
    """The first ingest, the same again, and what it takes on disk."""
    if ground.place(size, system).exists():
        return
    say(f"{size:,} papers: ingest by {system}")
    first = ground.run(system, "ingest", size, *replay)
    ground.note(size, system, "ingest, s", first["seconds"])
    ground.note(size, system, "memory of the ingest, MB", first["peak_mb"])
    again = ground.run(system, "ingest", size, *replay)
    ground.note(size, system, "ingest again, nothing changed, s", again["seconds"])
    files = ground.place(size, system).rglob("*")
    disk = sum(path.stat().st_size for path in files if path.is_file())
    ground.note(size, system, "disk, MB", disk / 1e6)


def cold(ground: Ground, system: str, size: int) -> None:
    """From the start of a process to its first answer; of stock parts, to the first hits."""
    question = json.loads(ground.questions.read_text())[0]
    began = time.perf_counter()
    if system == OURS:
        command = [ground.python, "-m", "rag", "ask", question, "--quiet"]
        place = ["--store", str(ground.place(size, system))]
        subprocess.run([*command, *place], check=True, capture_output=True, cwd=ROOT)
    else:
        one = ground.folder / "one.json"
        one.write_text(json.dumps([question]))
        ground.run(system, "first", size, "--questions", str(one))
    ground.note(size, system, "cold first answer, s", time.perf_counter() - began)


def quality(ground: Ground, size: int) -> None:
    """nDCG@10 of one-liners, each of which has one abstract that is right."""
    path = ground.papers(size)
    lines = [json.loads(line) for line in (KNOWN / "corpus.jsonl").open(encoding="utf-8")]
    rows = [{"id": r["_id"], "title": r.get("title"), "abstract": r["text"]} for r in lines]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    queries = {r["_id"]: r["text"] for r in map(json.loads, (KNOWN / "queries_dev.jsonl").open())}
    pairs = [line.split("\t") for line in (KNOWN / "qrels/reviewer_dev.tsv").open()][1:]
    gold = [(queries[q], d) for q, d, *_ in pairs if q in queries][:FOUND]
    asked = ground.folder / "queries.json"
    asked.write_text(json.dumps([question for question, _ in gold]))
    for system in ground.systems:
        if not ground.place(size, system).exists():
            say(f"one-liners: ingest by {system}")
            ground.run(system, "ingest", size)
        found = ground.run(system, "found", size, "--questions", str(asked))["found"]
        gains = [
            1 / log2(2 + hits.index(right)) if right in hits[:K] else 0.0
            for hits, (_, right) in zip(found, gold, strict=True)
        ]
        ground.note(size, system, f"one-liners, nDCG@{K}", sum(gains) / len(gains))


def table(ground: Ground) -> Iterator[str]:
    """Ours in figures, the others as multiples of ours."""
    rows = list(dict.fromkeys((size, what) for size, _, what in ground.figures))
    yield f"| papers | | {' | '.join(ground.systems)} |"
    yield "|---" * (2 + len(ground.systems)) + "|"
    for size, what in rows:
        own = ground.figures.get((size, OURS, what), [])
        cells = [
            _cell(ground.figures.get((size, name, what), []), own, name) for name in ground.systems
        ]
        yield f"| {size:,} | {what} | {' | '.join(cells)} |"


def _cell(found: Sequence[float], own: Sequence[float], system: str) -> str:
    if not found:
        return "–"
    if system == OURS or not own or found[0] < 1 > own[0]:
        spread = f" ({min(found):.3g} to {max(found):.3g})" if len(found) > 1 else ""
        return f"{median(found):.3g}{spread}"
    ratios = [theirs / ours for theirs, ours in zip(found, own, strict=True)]
    spread = f" ({min(ratios):.2g} to {max(ratios):.2g})" if len(ratios) > 1 else ""
    return f"{median(ratios):.3g} ×{spread}"


def say(text: str) -> None:
    print(f"{text} …", file=sys.stderr)


def usable() -> list[str]:
    """The systems whose parts are installed."""
    if find_spec("llama_index.retrievers") and find_spec("llama_index.retrievers.bm25"):
        return list(SYSTEMS)
    say("stock LlamaIndex is left out: its BM25 needs pip install '.[bench]'")
    return [name for name in SYSTEMS if not name.startswith("stock")]


def main() -> None:
    parser = argparse.ArgumentParser(description="Ours beside stock parts.")
    parser.add_argument("--sizes", type=int, nargs="+", default=[38, 4_302, 50_000])
    parser.add_argument("--embedded", type=int, default=4_302, help="papers at most to embed")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, help="some of them")
    parser.add_argument("--replay", type=Path, help="an index of ours that knows the sentences")
    parser.add_argument("--keep", type=Path, help="a folder for what is built, used again")
    parser.add_argument("--no-quality", action="store_true", help="leave the one-liners out")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not CORPUS.exists():
        raise SystemExit(
            f"There is no {CORPUS}: the papers to compare with are those of that file."
        )
    with tempfile.TemporaryDirectory() as scratch:
        folder = (options.keep or Path(scratch)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        cases = [json.loads(line) for line in (ROOT / "evals/ask.jsonl").open(encoding="utf-8")]
        asked = [case["question"] for case in cases if not case.get("history")][:QUESTIONS]
        (folder / "questions.json").write_text(json.dumps(asked))
        ground = Ground(folder, folder / "questions.json", systems=usable())
        ground.systems = options.systems or ground.systems
        ground.replay = options.replay and options.replay.resolve()
        for size in sorted(options.sizes):
            embeds = size <= options.embedded
            measure(ground, size, options.rounds, embeds=embeds)
            ground.replay = ground.place(size, OURS) if embeds else ground.replay
        if KNOWN.exists() and not options.no_quality:
            quality(ground, 3_229)
        rows = [
            {"papers": size, "system": system, "what": what, "figures": found}
            for (size, system, what), found in ground.figures.items()
        ]
        print(json.dumps(rows) if options.json else "\n".join(table(ground)))


if __name__ == "__main__":
    main()
