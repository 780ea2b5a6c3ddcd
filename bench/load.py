"""What many users at once do to the server: errors, latency, throughput, memory, half answers.

One run, over a copy of an index: questions are answered by the library in this process, then by a
server for ``--users`` who ask without a pause, each from an address of its own (Linux gives this
machine all of 127.0.0.0/8). Halfway one more paper is taken in, and each answer has to be the
library's, either before it or after. At last searches are timed while a model's server hangs.

    python bench/load.py INDEX [--users 50] [--seconds 120] [--json]

Ends with status 1 where something is wrong.
"""

from __future__ import annotations

import argparse
import json
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from statistics import quantiles
from typing import Any
from urllib.parse import quote, urlsplit

from rag import open_corpus

ASKED = [
    "Which papers deal with memory?",
    "How many papers release code?",
    "What is new about diffusion models?",
    "Which papers study the safety of language models?",
    "What is QuillBird?",
    "Who won the chess championship?",
    "How do robots learn from demonstrations?",
    "What makes long contexts cheaper?",
]
NEW = "We present QuillBird, a robot that learns to write with a pen from forty sheets of paper."
HANDLES = 24
"""Papers that are asked about by name."""
ROUNDS = 5
"""How often the library is asked everything, to be timed."""
HANGING, SEARCHES = 8, 100
"""Questions that wait for the model's server, and searches beside them."""


@dataclass
class Tally:
    """What the users saw; ``seconds`` of each answer, and the answers to each question."""

    statuses: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    answers: dict[str, set[str]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, question: str, status: str, seconds: float, answer: str | None) -> None:
        with self.lock:
            self.statuses[status] += 1
            if answer is not None:
                self.seconds.append(seconds)
                self.answers.setdefault(question, set()).add(answer)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("store", type=Path)
    parser.add_argument("--users", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = Path(shutil.copytree(options.store, Path(folder) / "index"))
        found = loaded(store, options.users, options.seconds) | hung(store)
    print(json.dumps(found) if options.json else table(found))
    return 1 if found["errors"] or found["wrong"] else 0


def loaded(store: Path, users: int, seconds: float) -> dict[str, Any]:
    """Many users, and an ingest in their midst."""
    questions = asked_of(store)
    before, alone = by_library(store, questions)
    tally, sizes, end = Tally(), [], threading.Event()
    with serving(store) as (address, process):
        crowd = [
            threading.Thread(target=user, args=(address, n, questions, tally, end))
            for n in range(users)
        ]
        started = time.perf_counter()
        for thread in crowd:
            thread.start()
        for part in range(12):
            time.sleep(max(0.0, started + seconds * (part + 1) / 12 - time.perf_counter()))
            sizes.append(memory(process.pid))
            if part == 5:
                take_in(store)
        end.set()
        for thread in crowd:
            thread.join()
        took = time.perf_counter() - started
    after, again = by_library(store, questions)
    wrong = sum(
        answer not in (before[question], after[question])
        for question, answers in tally.answers.items()
        for answer in answers
    )
    new = sum(after[question] in answers for question, answers in tally.answers.items())
    rate = len(tally.seconds) / took
    cuts = quantiles(tally.seconds, n=100)
    return {
        "users": users,
        "seconds": round(took, 1),
        "answers": len(tally.seconds),
        "statuses": dict(tally.statuses),
        "errors": sum(n for status, n in tally.statuses.items() if status not in ("200", "429")),
        "wrong": wrong,
        "questions": len(questions),
        "seen_after": new,
        "p50_s": round(cuts[49], 2),
        "p95_s": round(cuts[94], 2),
        "a_second": round(rate, 1),
        "library_a_second": [round(alone, 1), round(again, 1)],
        "ratio": round(rate / ((alone + again) / 2), 2),
        "memory_mb": sizes,
    }


def asked_of(store: Path) -> list[str]:
    papers = list(open_corpus(store, engine="extractive"))
    named = papers[:: max(1, len(papers) // HANDLES)][:HANDLES]
    return ASKED + [f"What does {paper.name[:120]} propose?" for paper in named]


def by_library(store: Path, questions: list[str]) -> tuple[dict[str, str], float]:
    """The library's answers, and how many it gives in a second once it is warm."""
    corpus = open_corpus(store, engine="extractive")
    answers = {question: text_of(corpus.ask(question).to_json()) for question in questions}
    started = time.perf_counter()
    for question in questions * ROUNDS:
        corpus.ask(question)
    return answers, len(questions) * ROUNDS / (time.perf_counter() - started)


def text_of(answer: dict[str, Any]) -> str:
    """An answer without what differs each time."""
    return json.dumps({**answer, "timings_ms": None}, sort_keys=True)


def user(
    address: str, number: int, questions: Sequence[str], tally: Tally, end: threading.Event
) -> None:
    """Somebody who asks one question after another, and waits only when told to."""
    place = urlsplit(address)
    source = (f"127.0.1.{number + 1}", 0)
    connection = HTTPConnection(place.hostname or "", place.port, 120, source_address=source)
    turn = number
    while not end.is_set():
        question = questions[turn % len(questions)]
        turn += 1
        started = time.perf_counter()
        try:
            status, body = post(connection, "/api/ask", {"question": question})
        except OSError as error:
            connection.close()
            tally.note(question, type(error).__name__, 0.0, None)
            continue
        took = time.perf_counter() - started
        tally.note(question, str(status), took, text_of(body) if status == 200 else None)
        if status == 429:
            end.wait(1)
    connection.close()


def post(connection: HTTPConnection, path: str, sent: object) -> tuple[int, Any]:
    connection.request("POST", path, json.dumps(sent), {"Content-Type": "application/json"})
    response = connection.getresponse()
    return response.status, json.loads(response.read())


@contextmanager
def serving(store: Path, *more: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server in a process of its own, and its address."""
    command = [sys.executable, "-m", "rag", "serve", "--port", "0", "--store", str(store), *more]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr
    try:
        lines = iter(process.stderr.readline, "")
        address = next((word for line in lines for word in words(line) if "://" in word), "")
        if not address:
            sys.exit("the server did not start")
        rest = threading.Thread(target=shutil.copyfileobj, args=(process.stderr, sys.stderr))
        rest.start()
        yield address, process
    finally:
        process.terminate()
        process.wait()


def words(line: str) -> list[str]:
    return [word.strip(";") for word in line.split()]


def take_in(store: Path) -> None:
    """One more paper, by the command line."""
    paper = store.with_name("more.txt")
    paper.write_text(NEW, encoding="utf-8")
    command = [sys.executable, "-m", "rag", "ingest", str(paper), "--store", str(store), "-q"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def memory(process: int) -> int:
    """Megabytes that a process holds."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) // 1024


def hung(store: Path) -> dict[str, Any]:
    """Searches' latency while nobody answers for the model, beside that of a server at rest."""
    with ExitStack() as stack:
        silent = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        model = ("--base-url", f"http://127.0.0.1:{silent.getsockname()[1]}/v1", "--model", "m")
        address, _ = stack.enter_context(serving(store, "--engine", "llm", *model))
        place = urlsplit(address)
        at_rest = searches(address)
        waiting = [
            stack.enter_context(closing(HTTPConnection(place.hostname or "", place.port, 5)))
            for _ in range(HANGING)
        ]
        for connection in waiting:
            body = json.dumps({"question": ASKED[0]})
            connection.request("POST", "/api/ask", body, {"Content-Type": "application/json"})
        time.sleep(1)
        busy = searches(address)
    return {"search_ms": at_rest, "search_beside_hanging_model_ms": busy}


@contextmanager
def closing(connection: HTTPConnection) -> Iterator[HTTPConnection]:
    try:
        yield connection
    finally:
        connection.close()


def searches(address: str) -> dict[str, float]:
    place = urlsplit(address)
    seconds = []
    with closing(HTTPConnection(place.hostname or "", place.port, 30)) as connection:
        for n in range(SEARCHES):
            started = time.perf_counter()
            connection.request("GET", f"/api/search?q={quote(ASKED[n % len(ASKED)])}")
            response = connection.getresponse()
            response.read()
            if response.status != 200:
                sys.exit(f"a search was answered with {response.status}")
            seconds.append(time.perf_counter() - started)
    cuts = quantiles(seconds, n=100)
    return {"p50": round(cuts[49] * 1000, 1), "p95": round(cuts[94] * 1000, 1)}


def table(found: dict[str, Any]) -> str:
    width = max(map(len, found))
    return "\n".join(f"{name:<{width}}  {value}" for name, value in found.items())


if __name__ == "__main__":
    sys.exit(main())
