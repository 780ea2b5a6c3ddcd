"""Make the product worse on purpose, in many ways, and see whether the gate notices each.

    python -m evals.mutations [--limit N]

Over the sample notes, in a folder of its own: a baseline, then the same cases with one thing
broken, where the gate has to shut and to name the right metric; then changes that change
nothing, where it has to stay open with no case differing.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from evals.indexes import NOTES
from rag.cli import main as rag
from rag.engine import evidence, outcome, quoting
from rag.engine.check import Checker, Verdict
from rag.engine.evidence import Evidence
from rag.retrieve.hybrid import Retriever, Signals, standardised
from rag.summarize.extractive import Extractive
from rag.topics import membership
from rag.types import Paper, Statement, Summary
from tests.servers import Exchange, Scripted

HERE = Path(__file__).parent
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


def _fused(*signals: str) -> Change:
    """Only some of the signals count."""

    def fused(self: Signals) -> Any:
        return sum(standardised(getattr(self, name)) for name in signals)

    return lambda: patch.object(Signals, "fused", property(fused))


def _first_alone() -> Any:
    ranked = Retriever.ranked
    return patch.object(Retriever, "ranked", lambda self, *args: ranked(self, *args)[:1])


def _random_sentences() -> Any:
    def scores(texts: Sequence[str], *args: Any) -> Any:
        return np.random.default_rng(len(texts)).random(len(texts), np.float32)

    return patch.object(evidence, "sentence_scores", scores)


def _doubt(value: float) -> Change:
    return lambda: patch.object(outcome, "doubt", lambda found: value)


def _cited(change: Callable[[Any], Any]) -> Change:
    """Each citation of a quoted statement is changed."""
    made = quoting._statement

    def statement(sentence: Evidence, number: int, papers: Sequence[Paper]) -> Statement:
        found = made(sentence, number, papers)
        return replace(found, citations=tuple(map(change, found.citations)))

    return lambda: patch.object(quoting, "_statement", statement)


def _short_lines() -> Any:
    summarize = Extractive.summarize

    def short(self: Extractive, *args: Any) -> Summary:
        made = summarize(self, *args)
        return replace(made, text=" ".join(made.text.split()[:5]))

    return patch.object(Extractive, "summarize", short)


def _unchecked() -> Any:
    return patch.object(Checker, "check", lambda self, *args: Verdict(True, 1.0, ()))


def _no_citing(folder: Path) -> tuple[str, ...]:
    """Prompts of which the answer's forbids what ours demands."""
    prompts = folder / "prompts"
    if not prompts.exists():
        shutil.copytree(HERE.parent / "prompts", prompts)
        system = prompts / "answer" / "system.md"
        text = system.read_text(encoding="utf-8")
        assert CITES in text
        system.write_text(text.replace(CITES, "Never write down their ids"), encoding="utf-8")
    return ("--prompts", str(prompts))


MUTATIONS = (
    Mutation("BM25 off", ("ask", "retrieval"), ("recall@gold", "MRR"), _fused("whole", "best")),
    Mutation("dense off", ("ask", "retrieval"), ("recall@gold", "MRR"), _fused("bm25")),
    Mutation("top-k 1", ("ask", "retrieval"), ("recall@5",), _first_alone),
    Mutation("random sentences", ("ask",), ("facts", "quote precision"), _random_sentences),
    Mutation("never in doubt", ("ask",), ("refusal recall", "outcome"), _doubt(0.0)),
    Mutation("always in doubt", ("ask",), ("refusal precision", "outcome"), _doubt(1.0)),
    Mutation(
        "wrong offsets",
        ("ask",),
        ("quote integrity",),
        _cited(lambda c: replace(c, start=c.start + 3, end=c.end + 3)),
    ),
    Mutation(
        "citation numbers shifted",
        ("ask",),
        ("marker integrity",),
        _cited(lambda c: replace(c, number=c.number + 1)),
    ),
    Mutation("five words a line", ("summarize",), ("facts",), _short_lines),
    Mutation(
        "half the floor",
        ("digest",),
        ("off-topic", "empty"),
        lambda: patch.object(membership, "FLOOR", membership.FLOOR / 2),
    ),
    Mutation("checker off", ("ask",), ("no forbidden",), _unchecked, model=True),
    Mutation(
        "a prompt that forbids citing",
        ("ask",),
        ("written",),
        arguments=_no_citing,
        model=True,
    ),
)


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


def reordered(laboratory: Laboratory) -> Result:
    """The cases in another order."""
    cases = laboratory.folder / "shuffled"
    shutil.copytree(laboratory.cases, cases, ignore=shutil.ignore_patterns("runs"))
    for suite in CASES:
        lines = (cases / f"{suite}.jsonl").read_text(encoding="utf-8").splitlines()
        random.Random(0).shuffle(lines)
        (cases / f"{suite}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return laboratory.again(cases=cases)


def renamed(laboratory: Laboratory) -> Result:
    """The same index in another folder."""
    shutil.copytree(laboratory.folder / "store", laboratory.folder / "elsewhere")
    return laboratory.again(store="elsewhere")


def rebuilt(laboratory: Laboratory) -> Result:
    """An index made anew out of its own records."""
    shutil.copytree(laboratory.folder / "store", laboratory.folder / "anew")
    assert laboratory.run("rebuild", store="anew") == 0
    return laboratory.again(store="anew")


def moved(laboratory: Laboratory) -> Result:
    """Run from another folder."""
    before = Path.cwd()
    os.chdir(laboratory.folder)
    try:
        return laboratory.again()
    finally:
        os.chdir(before)


def together(laboratory: Laboratory) -> Result:
    """Several cases at once."""
    return laboratory.again("--jobs", "3")


HARMLESS: tuple[Callable[[Laboratory], Result], ...] = (
    reordered,
    renamed,
    rebuilt,
    moved,
    together,
)
"""What changes nothing."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Does the gate notice what is worse?")
    parser.add_argument("--limit", type=int, help="only the first cases of each suite")
    options = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder, Inventor() as model:
        laboratory = Laboratory(Path(folder) / "lab", options.limit)
        for mutation in MUTATIONS:
            found = laboratory.broken(mutation, model.url)
            noticed = found.status == 3 and found.named & set(mutation.metrics)
            wrong += not noticed
            print(f"{'noticed' if noticed else 'MISSED':8} {mutation.name}: {_named(found)}")
        for harmless in HARMLESS:
            found = harmless(laboratory)
            quiet = found.status == 0 and not found.report["changed"]
            wrong += not quiet
            print(f"{'quiet' if quiet else 'ALARMED':8} {harmless.__doc__} {_named(found)}")
    sys.exit(bool(wrong))


def _named(found: Result) -> str:
    return ", ".join(sorted(filter(None, found.named)))


if __name__ == "__main__":
    main()
