"""A place to break the product in: an index of the sample notes, the suites over them, a model
that makes things up, and the command as it is or with one thing broken.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Sequence
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from evals.indexes import HERE, NOTES
from rag.cli import main as rag
from tests.servers import Exchange, Scripted

CASES = ("ask", "retrieval", "summarize", "digest")
INVENTED = "Quoxline"
"""A name that no paper has, for a model that makes things up."""
CITES = "End it with their ids"
"""How our prompt asks for citations."""

Change = Callable[[], Any]
"""Gives a context in which something is otherwise than it should be."""


@dataclass(frozen=True)
class Mutation:
    """A way to be worse, the suites that suffer, and metrics of which one has to be named.

    ``arguments`` are added to the command, given a folder to write to. With ``model``, it is an
    inventive model that answers.
    """

    name: str
    suites: tuple[str, ...]
    metrics: tuple[str, ...]
    change: Change = lambda: ExitStack()
    arguments: Callable[[Path], tuple[str, ...]] = lambda folder: ()
    model: bool = False


@dataclass(frozen=True)
class Result:
    """What a run of the command came to."""

    status: int
    report: dict[str, Any]

    @property
    def named(self) -> set[str]:
        """The metrics that keep the gate shut."""
        return {failure["metric"] for failure in self.report["gate"]["failures"]}


class Inventor(Scripted):
    """A model that answers each question with sentences of two papers in one, cites them if its
    prompt asks for ids, and then adds a claim of its own. Asked to mend that, it insists."""

    def __init__(self) -> None:
        super().__init__("")

    def answer(self, exchange: Exchange) -> None:
        self.replies = [self._reply(exchange.request.body.get("messages", []))]
        super().answer(exchange)

    def _reply(self, messages: Sequence[dict[str, str]]) -> str:
        system = "".join(m["content"] for m in messages if m["role"] == "system")
        asked = "".join(m["content"] for m in messages if m["role"] == "user")
        shown = re.findall(r"\[(\d+\.\d+)\] (.+)", asked)
        if not shown:
            found = re.search(r"^Sentence: (.+)$", asked, re.M)
            return found[1] if found else "NOT IN THE ABSTRACTS"
        (first, one), (second, two) = _likest(shown, asked.rsplit("Question:", 1)[-1])
        ids = f" [{first}][{second}]" if CITES in system else ""
        claim = f"It beats {INVENTED} by 73.19 points{f' [{first}]' if ids else ''}."
        return f"{one.rstrip('.')}, while {two.rstrip('.')}{ids}. {claim}"


def _likest(shown: Sequence[tuple[str, str]], question: str) -> list[tuple[str, str]]:
    """The sentence with most of the question's words, and that of another paper: no one paper
    carries both, so whoever leaves the ids out cannot be helped."""
    asked = _words(question)
    ranked = sorted(shown, key=lambda each: -len(asked & _words(each[1])))
    paper = ranked[0][0].partition(".")[0]
    other = next((each for each in ranked if each[0].partition(".")[0] != paper), ranked[-1])
    return [ranked[0], other]


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w{4,}", text.lower()))


class Laboratory:
    """An index of the notes and the suites over them in ``folder``, with a baseline made once
    for each way of asking. ``limit`` takes the first cases of each suite."""

    def __init__(self, folder: Path, limit: int | None = None) -> None:
        self.folder, self.cases = folder, folder / "cases"
        self.cases.mkdir(parents=True)
        for name in ("papers.jsonl", "thresholds.toml"):
            shutil.copy(HERE / name, self.cases)
        for suite in CASES:
            lines = (HERE / f"{suite}.jsonl").read_text(encoding="utf-8").splitlines()
            rows = [json.loads(line) for line in lines][:limit]
            write(self.cases / f"{suite}.jsonl", forbid(rows) if suite == "ask" else rows)
        self.run("ingest", str(NOTES))

    def run(self, *arguments: str, store: str = "store") -> int:
        """The status of a command over the index; its output goes nowhere."""
        return self._status([*arguments, "--store", str(self.folder / store), "-q"], StringIO())

    def eval(self, *arguments: str, store: str = "store", cases: Path | None = None) -> Result:
        """What ``rag eval`` says."""
        out = StringIO()
        where = ("--store", str(self.folder / store), "--cases", str(cases or self.cases))
        status = self._status(["eval", *arguments, *where, "--json"], out)
        return Result(status, json.loads(out.getvalue()))

    def _status(self, arguments: Sequence[str], out: StringIO) -> int:
        with redirect_stdout(out), redirect_stderr(StringIO()):
            try:
                rag(arguments)
            except SystemExit as stop:
                return int(stop.code or 0)
        return 0

    def broken(self, mutation: Mutation, model: str) -> Result:
        """What the gate says of a mutation; ``model`` is the URL of one that answers."""
        asking = ("--base-url", model, "--strict", "--no-cache") if mutation.model else ()
        baseline, more = self._baseline(asking), mutation.arguments(self.folder)
        with mutation.change():
            return self.eval(
                *mutation.suites, "--check", "--baseline", str(baseline), *asking, *more
            )

    def again(self, *arguments: str, **where: Any) -> Result:
        """What the gate says of the same once more."""
        return self.eval("--check", "--baseline", str(self._baseline(())), *arguments, **where)

    def _baseline(self, asking: Sequence[str]) -> Path:
        path = self.folder / ("baseline-model.json" if asking else "baseline.json")
        if not path.exists():
            made = self.eval(*(["ask"] if asking else []), *asking)
            runs = self.cases / "runs" / f"{made.report['run']['id']}.json"
            shutil.copy(runs, path)
        return path


def forbid(rows: Sequence[Any]) -> list[Any]:
    """The cases, with the model's invention among what must not be said."""
    return [{**row, "forbidden": [*row.get("forbidden", []), INVENTED]} for row in rows]


def write(path: Path, rows: Sequence[Any]) -> None:
    text = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    path.write_text(text, encoding="utf-8")
