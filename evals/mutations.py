"""Make the product worse on purpose, in many ways, and see whether the gate notices each.

    python -m evals.mutations [--limit N]

Over the sample notes, in a folder of its own: a baseline, then the same cases with one thing
broken, where the gate has to shut and to name the right metric; then changes that change
nothing, where it has to stay open with no case differing.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from evals.indexes import HERE
from evals.laboratory import CASES, CITES, Change, Inventor, Laboratory, Mutation, Result
from rag.engine import evidence, outcome, quoting
from rag.engine.check import Checker, Verdict
from rag.engine.evidence import Evidence
from rag.retrieve.hybrid import Retriever, Signals, standardised
from rag.summarize.extractive import Extractive
from rag.topics import membership
from rag.types import Paper, Statement, Summary


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
