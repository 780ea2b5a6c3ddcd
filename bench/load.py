"""Many people at the server at once, beside one program that asks the library.

    python bench/load.py --store FOLDER [--users 50] [--seconds 120] [--json]

The index is copied; users, each with a connection kept open and no time to think, put our questions
to a server of its own process, which quotes. Half way through a paper is ingested: every answer has
to be, to the letter, the library's of before or of after. Then the server gets a model that never
answers, some users wait for it, and searches are timed beside them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from statistics import median
from typing import Any

import httpx

ROOT = Path(__file__).resolve().parent.parent
ALONE = 10.0
"""Seconds for which the library is asked by itself."""
WAITING, SEARCHES = 8, 40
"""Users who wait for the model that hangs, and searches beside them."""
EVERY = 1.0
"""Seconds between looks at the server's memory."""
NEW = {
    "id": "lodestone",
    "title": "Lodestone: Needles for Broken Compasses",
    "abstract": "Compasses near iron are wrong. We present Lodestone, which tells by how much.",
}


@dataclass
class Tally:
    """What users got, and when, in seconds from the start."""

    statuses: Counter[int] = field(default_factory=Counter)
    took: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)


def questions() -> list[str]:
    cases = [json.loads(line) for line in (ROOT / "evals/ask.jsonl").open(encoding="utf-8")]
    return [case["question"] for case in cases if not case.get("history")]


def told(answer: dict[str, Any]) -> str:
    """An answer without what differs from one time to the next."""
    return json.dumps({k: v for k, v in answer.items() if k != "timings_ms"}, sort_keys=True)


def by_library(store: Path, asked: list[str]) -> tuple[dict[str, str], float]:
    """Each question's answer, and how many a second one program gets."""
    from rag import open_corpus

    corpus = open_corpus(store)
    found = {question: told(corpus.ask(question).to_json()) for question in asked}
    began, count, again = time.perf_counter(), 0, cycle(asked)
    while time.perf_counter() - began < ALONE:
        corpus.ask(next(again))
        count += 1
    return found, count / (time.perf_counter() - began)


@contextmanager
def server(store: Path, **settings: str) -> Iterator[tuple[str, int]]:
    """The address of a server in a process of its own, and its number."""
    given = {f"RAG_{name.upper()}": value for name, value in settings.items()}
    command = [sys.executable, "-m", "rag", "serve", "--port", "0", "--store", str(store)]
    process = subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, **given}, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr
        address = next(
            found[0] for line in process.stderr if (found := re.search(r"http://\S+:\d+", line))
        )
        threading.Thread(target=process.stderr.read, daemon=True).start()
        yield address, process.pid
    finally:
        process.terminate()
        process.wait()


def memory_mb(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    return int(found[1]) // 1024 if found else 0


async def users(
    address: str, pid: int, count: int, seconds: float, known: list[dict[str, str]], store: Path
) -> Tally:
    """What so many users get in that time; half way, a paper is ingested."""
    tally, over, asked = Tally(), time.perf_counter() + seconds, list(known[0])

    async def user(number: int) -> None:
        async with httpx.AsyncClient(base_url=address, timeout=60, trust_env=False) as client:
            for question in cycle(asked[number:] + asked[:number]):
                if time.perf_counter() > over:
                    return
                began = time.perf_counter()
                reply = await client.post("/api/ask", json={"question": question})
                tally.statuses[reply.status_code] += 1
                if reply.status_code == 429:
                    await asyncio.sleep(float(reply.headers["Retry-After"]))
                elif reply.status_code == 200:
                    tally.took.append(time.perf_counter() - began)
                    if told(reply.json()) not in [each[question] for each in known]:
                        tally.wrong.append(question)

    async def watch() -> None:
        while time.perf_counter() < over:
            tally.memory.append(memory_mb(pid))
            await asyncio.sleep(EVERY)

    async def writer() -> None:
        await asyncio.sleep(seconds / 2)
        command = [sys.executable, "-m", "rag", "ingest", str(store.parent / "new.jsonl")]
        place = ["--store", str(store), "--quiet"]
        done = await asyncio.create_subprocess_exec(*command, *place, cwd=ROOT)
        await done.wait()

    await asyncio.gather(watch(), writer(), *map(user, range(count)))
    return tally


async def beside_a_model(address: str, asked: list[str]) -> list[float]:
    """Seconds that searches take while some wait for a model that never answers."""
    async with httpx.AsyncClient(base_url=address, timeout=60, trust_env=False) as client:
        waiting = [
            asyncio.create_task(client.post("/api/ask", json={"question": question}))
            for question in asked[:WAITING]
        ]
        await asyncio.sleep(1)
        took = []
        for question in asked[:SEARCHES]:
            began = time.perf_counter()
            reply = await client.get("/api/search", params={"q": question})
            reply.raise_for_status()
            took.append(time.perf_counter() - began)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
    return took


@contextmanager
def hanging() -> Iterator[str]:
    """A server that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"


def share(took: list[float], part: float) -> float:
    return 1000 * sorted(took)[max(int(len(took) * part) - 1, 0)]


def measured(store: Path, count: int, seconds: float) -> dict[str, Any]:
    asked = questions()
    with tempfile.TemporaryDirectory() as scratch:
        here, after = Path(scratch) / "store", Path(scratch) / "after"
        for place in (here, after):
            shutil.copytree(store, place)
        new = Path(scratch) / "new.jsonl"
        new.write_text(json.dumps(NEW) + "\n", encoding="utf-8")
        ingest = [sys.executable, "-m", "rag", "ingest", str(new), "--store", str(after), "-q"]
        subprocess.run(ingest, check=True, cwd=ROOT, capture_output=True)
        print("the library alone …", file=sys.stderr)
        before, rate = by_library(here, asked)
        then, _ = by_library(after, asked)
        print(f"{count} users for {seconds:.0f} s …", file=sys.stderr)
        with server(here) as (address, pid):
            tally = asyncio.run(users(address, pid, count, seconds, [before, then], here))
        print("searches beside a model that hangs …", file=sys.stderr)
        with hanging() as url, server(here, model="silent", base_url=url) as (address, _):
            beside = asyncio.run(beside_a_model(address, asked))
    third = max(len(tally.memory) // 3, 1)
    return {
        "answers": len(tally.took),
        "statuses": {str(code): number for code, number in sorted(tally.statuses.items())},
        "wrong answers": len(tally.wrong),
        "answers a second": round(len(tally.took) / seconds, 1),
        "of one program's": round(len(tally.took) / seconds / rate, 2),
        "ms, 50 of 100": round(share(tally.took, 0.5)),
        "ms, 95 of 100": round(share(tally.took, 0.95)),
        "MB, first third": round(median(tally.memory[:third])),
        "MB, last third": round(median(tally.memory[-third:])),
        "ms of a search beside a model that hangs, 95 of 100": round(share(beside, 0.95)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Many people at the server at once.")
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--users", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = measured(options.store, options.users, options.seconds)
    rows = (f"{name:52}{value}" for name, value in found.items())
    print(json.dumps(found) if options.json else "\n".join(rows))
    if found["wrong answers"] or {*found["statuses"]} - {"200", "429"}:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
