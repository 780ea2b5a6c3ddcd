"""The same papers, questions and embedder: ours beside stock LlamaIndex and plain chromadb.

    python bench/compare.py [--sizes N …] [--systems NAME …] [--rounds N] [--ingests N]
                            [--embedded N] [--keep FOLDER] [--no-quality] [--json]

Papers are those of ``../shared/data/iclr2026``; beyond their number, real sentences are put
together anew with a seed. Each step of each system has a process of its own, and the systems take
turns in every round; in the first ``--ingests`` of the rounds each begins with an empty folder. Up
to ``--embedded`` papers an ingest embeds; at all sizes it is also timed with the vectors of known
sentences read out of an index of ours, which is what grows with the papers. Figures of others are
given as multiples of ours in the same round, the least and the most behind the median.

In a folder to ``--keep``, what was measured stays (``figures.jsonl``) and is not measured again: so
a table can be made in parts, of sizes or of systems, and one that was cut off goes on.

Stock LlamaIndex needs its BM25 retriever: pip install '.[bench]'. Without it, or without the data,
what cannot be measured is left out, and why is said on stderr.
"""

from __future__ import annotations

import argparse
import json
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from math import log2
from pathlib import Path
from typing import Any

from figures import OURS, Figures, growth, table
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
BARE, SHARE = "bare model, papers a second", "ingest, share of the bare model's speed"
FIRST, GAIN = "cold first answer, s", f"one-liners, nDCG@{K}"
ONE_LINERS = 3_229
"""Papers of the set of one-liners."""


@dataclass
class Ground:
    """Where the systems work, what they are asked, and what was measured."""

    folder: Path
    questions: Path
    figures: Figures
    systems: Sequence[str]
    embedded: int
    """Papers up to which an ingest embeds."""
    replay: Path | None = None
    """An index of ours that knows the sentences."""

    def embeds(self, size: int) -> bool:
        return size <= self.embedded

    def place(self, size: int, system: str) -> Path:
        return self.folder / f"{size}-{system.replace(', ', '-')}"

    def run(self, system: str, stage: str, size: int, place: Path, *more: str) -> dict[str, Any]:
        """What a system tells of a stage."""
        command = [sys.executable, str(HERE / "systems.py"), system, stage, *more]
        places = ["--papers", str(self.papers(size)), "--folder", str(place)]
        found: dict[str, Any] = json.loads(done([*command, *places], HERE).splitlines()[-1])
        return found

    def papers(self, size: int) -> Path:
        return self.folder / f"{size}.jsonl"

    def known(self, size: int) -> list[str]:
        """How a system is told to take vectors out of an index, where there is one."""
        own = self.place(size, OURS)
        index = own if self.embeds(size) and own.exists() else self.replay
        return ["--replay", str(index)] if index else []


def done(command: Sequence[str], folder: Path) -> str:
    """What a command prints; ends with what it complains of where it fails."""
    ended = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    if ended.returncode:
        raise SystemExit(f"{shlex.join(command)}\n{ended.stderr.strip()[-2_000:]}")
    return ended.stdout


def write_papers(path: Path, size: int) -> None:
    """The first papers there are, then ones put together of their sentences."""
    records = [json.loads(line) for line in CORPUS.open(encoding="utf-8")]
    sentences = [sentences_of(record["abstract"]) for record in records]
    chance = random.Random(SEED)
    with path.open("w", encoding="utf-8") as stream:
        for number in range(size):
            record = records[number % len(records)]
            if number >= len(records):
                text = mixed(sentences, len(sentences[number % len(records)]), chance)
                told = f"{text} This is text number {number}."
                record = {"id": f"made-{number}", "abstract": told}
            stream.write(json.dumps(record, ensure_ascii=False) + "\n")


def sentences_of(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


def mixed(sentences: Sequence[Sequence[str]], length: int, chance: random.Random) -> str:
    """Each sentence is of a paper of its own: ours takes texts that share more for one paper, and
    would then hold fewer than the others."""
    return " ".join(chance.choice(chance.choice(sentences)) for _ in range(length))


def measure(ground: Ground, size: int, rounds: int, ingests: int) -> None:
    if not ground.papers(size).exists():
        write_papers(ground.papers(size), size)
    for number in range(rounds):
        if ground.embeds(size) and number not in ground.figures.of(size, OURS, BARE):
            speed = ground.run(OURS, "bare", size, ground.place(size, OURS))["speed"]
            ground.figures.note(size, OURS, BARE, number, speed)
        for system in ground.systems:
            if number in ground.figures.of(size, system, FIRST):
                continue
            say(f"{size:,} papers, round {number + 1} of {rounds}: {system}")
            if anew := number < ingests or not ground.place(size, system).exists():
                ingest(ground, system, size, number)
            warm(ground, system, size, number)
            if anew:
                again(ground, system, size, number)
            cold(ground, system, size, number)


def ingest(ground: Ground, system: str, size: int, number: int) -> None:
    """Into an empty folder, and what it takes on disk."""
    place, note = ground.place(size, system), ground.figures.note
    shutil.rmtree(place, ignore_errors=True)
    if ground.embeds(size):
        took = ground.run(system, "ingest", size, place)
        note(size, system, "ingest, s", number, took["seconds"])
        note(size, system, "memory of the ingest, MB", number, took["peak_mb"])
        bare = ground.figures.of(size, OURS, BARE)[number]
        note(size, system, SHARE, number, size / took["seconds"] / bare)
    if known := ground.known(size):
        with beside(place) as aside:
            target = aside if place.exists() else place
            took = ground.run(system, "ingest", size, target, *known)
        note(size, system, "ingest, vectors known, s", number, took["seconds"])
    elif not place.exists():
        raise SystemExit(f"Nothing knows the vectors of {size:,} papers: --replay, or --embedded")
    files = [path.stat().st_size for path in place.rglob("*") if path.is_file()]
    note(size, system, "disk, MB", number, sum(files) / 1e6)


def again(ground: Ground, system: str, size: int, number: int) -> None:
    """The same file again, in a copy: stock parts may have it twice afterwards."""
    place, known = ground.place(size, system), [] if ground.embeds(size) else ground.known(size)
    with beside(place) as aside:
        shutil.copytree(place, aside)
        took = ground.run(system, "ingest", size, aside, *known)
    ground.figures.note(size, system, "ingest again, nothing changed, s", number, took["seconds"])


@contextmanager
def beside(place: Path) -> Iterator[Path]:
    """A folder that is there for a moment."""
    aside = place.with_name(f"{place.name}-aside")
    shutil.rmtree(aside, ignore_errors=True)
    yield aside
    shutil.rmtree(aside, ignore_errors=True)


def warm(ground: Ground, system: str, size: int, number: int) -> None:
    place, questions = ground.place(size, system), ["--questions", str(ground.questions)]
    found, note = ground.run(system, "warm", size, place, *questions), ground.figures.note
    for way in ("search", "ask"):
        for share in (50, 95) if way in found else ():
            took = sorted(found[way])[max(len(found[way]) * share // 100 - 1, 0)]
            note(size, system, f"warm {way}, {share} of 100, ms", number, took)
    note(size, system, "memory of warm questions, MB", number, found["peak_mb"])


def cold(ground: Ground, system: str, size: int, number: int) -> None:
    """From the start of a process to its first answer; of stock parts, to the first hits."""
    question, place = json.loads(ground.questions.read_text())[0], ground.place(size, system)
    one = ground.folder / "one.json"
    one.write_text(json.dumps([question]))
    began = time.perf_counter()
    if system == OURS:
        command = [sys.executable, "-m", "rag", "ask", question, "--quiet"]
        done([*command, "--store", str(place)], ROOT)
    else:
        ground.run(system, "first", size, place, "--questions", str(one))
    ground.figures.note(size, system, FIRST, number, time.perf_counter() - began)


def quality(ground: Ground) -> None:
    """nDCG@10 of one-liners, each of which has one abstract that is right."""
    path = ground.papers(ONE_LINERS)
    lines = [json.loads(line) for line in (KNOWN / "corpus.jsonl").open(encoding="utf-8")]
    rows = [{"id": r["_id"], "title": r.get("title"), "abstract": r["text"]} for r in lines]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    queries = {r["_id"]: r["text"] for r in map(json.loads, (KNOWN / "queries_dev.jsonl").open())}
    pairs = [line.split("\t") for line in (KNOWN / "qrels/reviewer_dev.tsv").open()][1:]
    gold = [(queries[q], d) for q, d, *_ in pairs if q in queries][:FOUND]
    asked = ground.folder / "queries.json"
    asked.write_text(json.dumps([question for question, _ in gold]))
    for system in ground.systems:
        place = ground.place(ONE_LINERS, system)
        if ground.figures.of(ONE_LINERS, system, GAIN):
            continue
        say(f"one-liners: {system}")
        shutil.rmtree(place, ignore_errors=True)
        ground.run(system, "ingest", ONE_LINERS, place)
        hits = ground.run(system, "found", ONE_LINERS, place, "--questions", str(asked))["found"]
        gains = [
            1 / log2(2 + found.index(right)) if right in found[:K] else 0.0
            for found, (_, right) in zip(hits, gold, strict=True)
        ]
        ground.figures.note(ONE_LINERS, system, GAIN, 0, sum(gains) / len(gains))


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
    parser.add_argument("--ingests", type=int, default=3, help="rounds that ingest anew")
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
        questions = [case["question"] for case in cases if not case.get("history")][:QUESTIONS]
        (folder / "questions.json").write_text(json.dumps(questions))
        ground = Ground(
            folder,
            folder / "questions.json",
            Figures.kept(folder / "figures.jsonl"),
            options.systems or usable(),
            options.embedded,
            options.replay and options.replay.resolve(),
        )
        for size in sorted(options.sizes):
            measure(ground, size, options.rounds, options.ingests if ground.embeds(size) else 1)
            if ground.embeds(size) and ground.place(size, OURS).exists():
                ground.replay = ground.place(size, OURS)
        if KNOWN.exists() and not options.no_quality:
            quality(ground)
        lines = ground.figures.file.read_text(encoding="utf-8").splitlines()
        told = lines if options.json else [*table(ground.figures), *growth(ground.figures)]
        print("\n".join(told))


if __name__ == "__main__":
    main()
