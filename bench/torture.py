"""Is anything ever lost? Rounds of everything that can happen to an index, and a look after each.

In every round files change and are ingested by up to three processes at once, which are killed
at any moment or meet a full or read-only disk, while others ask. Afterwards each file's records
are those of a state that was acknowledged, or of one that was cut off, whole and once; what the
doctor finds is mended by it, and every quote is a stretch of a text that was ingested.

All goes through the command line and the library; only the embedder is another one, which costs
nothing. Processes are forked from one that has imported everything, and so start at once.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing as mp
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import rag.opening
from rag.embed import Document
from rag.errors import RagError, StoreMissing
from rag.library import open_corpus
from rag.store.manifest import generations
from rag.store.snapshot import Snapshot, read_papers
from rag.types import Paper

PROCESSES = mp.get_context("forkserver")
PROCESSES.set_forkserver_preload(
    ["rag.cli.app", "rag.library", "rag.store.chroma", "rag.store.ingest", "rag.engine.answer"]
)

DISK_BYTES = 256_000_000
WORDS = ("river", "lantern", "copper", "meadow", "signal", "harbour", "violin", "glacier")
SECONDS = 60.0
"""After which a process hangs."""
CALLS = frozenset({"open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate"})
"""Python's audit events before which a process may be killed."""


class Fault(Exception):
    """Something was lost, came twice or was said wrongly."""


# --- what runs in processes of its own ------------------------------------------------------------


class Cheap:
    """Sums of hashed words: equal words are near."""

    identity, dimensions = "words-32", 32

    def query(self, text: str) -> Any:
        total = np.full(self.dimensions, 1e-3, np.float32)
        for word in text.lower().split():
            total += np.random.default_rng(list(word.encode())).normal(size=self.dimensions)
        return np.asarray(total / np.linalg.norm(total), np.float32)

    def documents(self, documents: Sequence[Document]) -> Iterator[tuple[int, Any]]:
        for i, document in enumerate(documents):
            texts = [document.text, *(document.text[s:e] for s, e in document.spans)]
            yield i, np.stack([self.query(text) for text in texts])


@dataclass(frozen=True, slots=True)
class Blow:
    """What befalls a process: it is killed at its n-th call for a file, or after some seconds; or
    none of its files may have more than some bytes."""

    call: int | None = None
    seconds: float | None = None
    file_bytes: int | None = None

    def prepare(self, store: str) -> None:
        if self.file_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (self.file_bytes, self.file_bytes))
        if self.call is not None:
            left = [self.call]

            def count(event: str, arguments: tuple[Any, ...]) -> None:
                if event in CALLS and str(arguments[0]).startswith(store):
                    left[0] -= 1
                    if left[0] < 0:
                        os.kill(os.getpid(), signal.SIGKILL)

            sys.addaudithook(count)


def _command(output: str, store: str, blow: Blow, *arguments: str) -> None:
    """Run a command of ``rag`` and leave with its status."""
    from rag.cli.app import main

    _settle_in(output)
    blow.prepare(store)
    main([*arguments, "--store", store, "--json"])


def _reader(output: str, store: str, stop: Path, seed: int) -> None:
    """Ask an open index until there is a file ``stop``; each answer is a line of the output."""
    _settle_in(output)
    chance = random.Random(seed)
    with suppress(StoreMissing):
        corpus = open_corpus(store)
        while not stop.exists():
            print(json.dumps(corpus.ask(_question(chance)).to_json()), flush=True)
            time.sleep(0.02)


def _settle_in(output: str) -> None:
    """Output goes to files; the embedder becomes the cheap one."""
    for stream, name in ((1, output), (2, f"{output}.err")):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), stream)
    rag.opening.open_built_in = lambda **how: Cheap()  # type: ignore[assignment,return-value]


def _question(chance: random.Random) -> str:
    return f"What does the study of the {chance.choice(WORDS)} number {chance.randrange(40)} find?"


# --- what is known of the index -------------------------------------------------------------------

Records = tuple[tuple[str, str], ...]
"""Ids and texts of a file, in order."""


@dataclass(slots=True)
class Known:
    """The states that each file may have in the index, and every text that a paper ever had."""

    states: dict[str, set[Records]] = field(default_factory=dict)
    texts: dict[str, set[str]] = field(default_factory=dict)

    def attempted(self, file: str, records: Records, *, acknowledged: bool) -> None:
        if acknowledged:
            self.states[file] = {records}
        else:
            self.states.setdefault(file, {()}).add(records)

    def settle(self, store: Path) -> None:
        """Compare with what is there, which then is what has to stay. Raises Fault."""
        try:
            snapshot = Snapshot.open(store)
            records, papers = list(snapshot.records()), list(snapshot.papers())
        except StoreMissing:
            records, papers = [], []
        except RagError as error:
            raise Fault(f"the index does not open: {error.message}") from error
        newest = _completed(store)
        for file, states in self.states.items():
            found = _of(records, file)
            if found not in states:
                raise Fault(f"{Path(file).name} has {len(found)} records, of no known state")
            self.states[file] = {found, _of(newest, file)} & states
        once = Counter(paper.text for paper in papers)
        if once != Counter({record.text for record in records}):
            raise Fault("papers are missing, doubled or left over")

    def check_answers(self, output: Path) -> tuple[int, int]:
        """Every quote of the answers in a file is where it says; returns how many there are of
        both. Raises Fault."""
        lines, quotes = output.read_text(encoding="utf-8").splitlines(), 0
        for line in lines:
            for statement in json.loads(line).get("statements", ()):
                for cited in statement["citations"]:
                    quotes += 1
                    texts = self.texts.get(cited["paper_id"], ())
                    if all(t[cited["start"] : cited["end"]] != cited["quote"] for t in texts):
                        raise Fault(f"a quote of {cited['paper_id']} is not in its text")
        return len(lines), quotes


def _of(records: Sequence[Paper], file: str) -> Records:
    return tuple((r.paper_id, r.text) for r in records if r.sources[0].file == file)


def _completed(store: Path) -> list[Paper]:
    """Records of the newest generation, which the next writer makes valid if its own writer was
    killed before it could."""
    newest = generations(store)[-1:]
    return [record for folder in newest for record in read_papers(folder / "records.jsonl")]


def _text(id: str, version: int) -> str:
    """A text of made-up words that no other paper or version shares."""
    chance = random.Random(f"{id} {version}")

    def word() -> str:
        return "".join(chance.choice("bdfgklmnprstv") + chance.choice("aeiou") for _ in range(3))

    sentences = (
        f"The {chance.choice(WORDS)} of {word()} {word()} turns {word()} {number} times."
        for number in chance.sample(range(1000), chance.randrange(2, 9))
    )
    return " ".join(sentences)


# --- rounds ---------------------------------------------------------------------------------------


@dataclass
class Torture:
    """An index on a disk in ``folder`` and what is done to it; ``counts`` says how often."""

    folder: Path
    chance: random.Random
    small_disk: bool
    """Whether the index has a disk of its own, which can be filled and made read-only."""
    known: Known = field(default_factory=Known)
    counts: Counter[str] = field(default_factory=Counter)
    files: dict[str, dict[str, int]] = field(default_factory=lambda: {name: {} for name in "abc"})
    """The version of each paper in each file."""
    pace: float = 2.0
    """Seconds that an ingest takes here, of late."""

    @property
    def disk(self) -> Path:
        return self.folder / "disk"

    @property
    def store(self) -> Path:
        return self.disk / "index"

    def round(self) -> None:
        kind = self.chance.choices(["killed", "calm", "full", "read-only"], [6, 2, 1, 1])[0]
        self.counts[f"rounds, {kind}"] += 1
        with self._trouble(kind):
            self._write_and_read(kind)
        self.known.settle(self.store)
        self.examine(mend=self.chance.random() < 0.6)

    def examine(self, *, mend: bool) -> None:
        """Let the doctor look and perhaps mend. Raises Fault where it cannot."""
        status = self._run("doctor")
        if status not in (0, 3):
            raise Fault(f"the doctor ended with {status}: {self._said('doctor')}")
        self.counts["rounds with findings"] += status == 3
        if status == 3 and mend and (self.store / "manifest.json").exists():
            if self._run("doctor", "--fix"):
                raise Fault(f"not mended: {self._said('doctor')}")
            self.counts["mended"] += 1
            self.known.settle(self.store)

    def _write_and_read(self, kind: str) -> None:
        stop = self.folder / "stop"
        reader = self._start("reader", _reader, str(self.store), stop, self.chance.randrange(10**6))
        names = self.chance.sample("abc", self.chance.choice([1, 1, 2, 3]))
        writers = [self._ingest(name, kind) for name in names]
        asked = self._run("ask", _question(self.chance))
        for ingest in writers:
            self._await(*ingest)
        stop.touch()
        status = self._status(reader)
        stop.unlink()
        if status or (asked and "StoreMissing" not in self._said("ask")):
            raise Fault(f"a reader failed: {self._said('reader')} {self._said('ask')}")
        for name in ("reader", "ask"):
            answers, quotes = self.known.check_answers(self.folder / name)
            self.counts.update({"answers": answers, "quotes": quotes})

    def _ingest(self, name: str, kind: str) -> tuple[str, str, Records, Any]:
        """Change a file and begin to ingest it; perhaps something befalls that."""
        path = self.folder / f"{name}.jsonl"
        records = self._changed(name)
        rows = ({"id": id, "abstract": text} for id, text in records)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        blow = self._blow(kind)
        process = self._command(f"ingest {name}", blow, "ingest", str(path))
        if blow.seconds is not None:
            threading.Timer(blow.seconds, process.kill).start()
        return f"ingest {name}", str(path), records, process

    def _await(self, name: str, file: str, records: Records, process: Any) -> None:
        began, status = time.monotonic(), self._status(process)
        if status == 0:
            self.pace = 0.8 * self.pace + 0.2 * (time.monotonic() - began)
        elif status not in (1, -signal.SIGKILL):
            raise Fault(f"an ingest ended with {status}: {self._said(name)}")
        elif status == 1 and "StoreUnwritable" not in self._said(name):
            raise Fault(f"an ingest failed: {self._said(name)}")
        fates = {0: "acknowledged", 1: "refused by the disk", -signal.SIGKILL: "killed"}
        self.counts[f"ingests {fates[status]}"] += 1
        self.known.attempted(file, records, acknowledged=status == 0)

    def _changed(self, name: str) -> Records:
        """The next state of a file: papers come, change and go; some stand in several files."""
        versions = self.files[name]
        for number in range(self.chance.randrange(1, 25)):
            id = self.chance.choice([f"shared-{number % 5}", f"{name}-{self.chance.randrange(40)}"])
            if id in versions and self.chance.random() < 0.3:
                del versions[id]
            else:
                versions[id] = 0 if id.startswith("shared") else self.chance.randrange(10**6)
        versions[f"{name}-0"] = self.chance.randrange(10**6)
        records = tuple((id, _text(id, version)) for id, version in versions.items())
        for id, text in records:
            self.known.texts.setdefault(id, set()).add(text)
        return records

    def _blow(self, kind: str) -> Blow:
        if kind == "full" and not self.small_disk:
            return Blow(file_bytes=self.chance.randrange(400_000))
        if kind != "killed" or self.chance.random() < 0.25:
            return Blow()
        if self.chance.random() < 0.5:
            return Blow(call=self.chance.randrange(80))
        return Blow(seconds=self.chance.uniform(0, 1.5 * self.pace))

    @contextmanager
    def _trouble(self, kind: str) -> Iterator[None]:
        """A disk with hardly any room, or one that is read-only, where it is one of our own."""
        ballast = self.disk / "ballast"
        if not self.small_disk or kind not in ("full", "read-only"):
            yield
        elif kind == "full":
            room = os.statvfs(self.disk).f_bavail * os.statvfs(self.disk).f_frsize
            with ballast.open("wb") as stream:
                os.posix_fallocate(stream.fileno(), 0, room - self.chance.randrange(1_500_000))
            yield
            ballast.unlink()
        else:
            _mount(self.disk, "-o", "remount,ro")
            yield
            _mount(self.disk, "-o", f"remount,rw,size={DISK_BYTES}")

    # --- processes -----------------------------------------------------------------------------

    def _start(self, name: str, work: Any, *arguments: Any) -> Any:
        process = PROCESSES.Process(target=work, args=(str(self.folder / name), *arguments))
        process.start()
        return process

    def _command(self, name: str, blow: Blow, *arguments: str) -> Any:
        return self._start(name, _command, str(self.store), blow, *arguments)

    def _run(self, *arguments: str) -> int:
        return self._status(self._command(arguments[0], Blow(), *arguments))

    def _status(self, process: Any) -> int:
        process.join(SECONDS)
        if process.exitcode is None:
            process.kill()
            raise Fault("a process hangs")
        return int(process.exitcode)

    def _said(self, name: str) -> str:
        """The output and the errors of a process, the end of them."""
        paths = (self.folder / name, self.folder / f"{name}.err")
        return "\n".join(
            path.read_text(encoding="utf-8", errors="replace")[-3000:] for path in paths
        )


def _mount(*arguments: object) -> bool:
    command = ["mount", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def torture(folder: Path, rounds: int, seed: int) -> Counter[str]:
    """Run rounds in an empty folder; returns counts of what happened. Raises Fault."""
    disk = folder / "disk"
    disk.mkdir()
    mounted = _mount("-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", disk)
    work = Torture(folder, random.Random(seed), mounted)
    try:
        for number in range(1, rounds + 1):
            try:
                work.round()
            except Fault as fault:
                raise Fault(f"round {number} of seed {seed}: {fault}") from fault
            if number % 10 == 0:
                print(f"{number} rounds", file=sys.stderr)
        work.examine(mend=True)
        return work.counts
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(disk)], check=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200, help="how many (200)")
    parser.add_argument("--seed", type=int, default=0, help="of all that is random (0)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        try:
            counts = torture(Path(folder), options.rounds, options.seed)
        except Fault as fault:
            sys.exit(f"FAULT in {fault}")
    for name, count in sorted(counts.items()):
        print(f"{name:32}{count:8,}")


if __name__ == "__main__":
    main()
