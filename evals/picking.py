"""Which papers answer a question that names none: measure how sentences are shared out.

    python evals/picking.py [--shared FOLDER]

Such a question is led by the wrong paper in one of five cases. Printed is what three sentences say
of the expected facts, and which share of the papers that they are from is right, by how they are
shared out: all from the first paper, some from the others, or as the product does it. No answer is
refused. Then, by the lead of the first paper, how often it is right; and the facts where the lead
that makes it the only one is chosen without the question.
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from indexes import HERE, asker_over, corpora

from rag.engine.answer import Asker
from rag.engine.evidence import Evidence, evidence
from rag.engine.extractive import (
    CLEAR_LEAD,
    NEAR,
    SENTENCES,
    candidates,
    described,
    select,
)
from rag.engine.question import Question
from rag.evaluate.cases import load_suites
from rag.evaluate.matching import missing
from rag.evaluate.metrics import interval
from rag.evaluate.papers import Names
from rag.evaluate.types import Case
from rag.retrieve.hybrid import Retriever, Signals

SHARED = HERE.parent.parent / "shared"
TAGS = ("dev", "test", "more")
LEADS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.5)
"""Between which one is chosen."""
FOLDS = 5


@dataclass(frozen=True)
class Put:
    """A question put to one corpus: its papers, best first, and those that are right."""

    case: Case
    retriever: Retriever
    signals: Signals
    question: Question
    rows: Sequence[int]
    right: frozenset[int]

    @property
    def parts(self) -> tuple[Retriever, Signals, Question]:
        return self.retriever, self.signals, self.question

    def sentences(self, place: int) -> list[Evidence]:
        """Those of the paper at a place of the ranking."""
        return evidence(*self.parts, self.rows[place])

    @property
    def lead(self) -> float:
        first, second = self.signals.fused[list(self.rows[:2])].tolist()
        return float(first - second)

    @property
    def near(self) -> list[int]:
        fused = self.signals.fused
        return [row for row in self.rows[:SENTENCES] if fused[self.rows[0]] - fused[row] <= NEAR]

    def facts(self, picked: Sequence[Evidence]) -> float:
        text = " ".join(sentence.text for sentence in picked)
        return 1 - len(missing(self.case.facts, text)) / len(self.case.facts)

    def cited(self, picked: Sequence[Evidence]) -> float:
        rows = {sentence.row for sentence in picked}
        return len(rows & self.right) / len(rows)


Rule = Callable[[Put], Sequence[Evidence]]


def by_lead(lead: float) -> Rule:
    """One paper where the first leads by more, else each that may be meant."""
    return lambda put: (
        described(*put.parts, put.rows[0]) if put.lead > lead else candidates(*put.parts, put.near)
    )


RULES: dict[str, Rule] = {
    "three of the first": lambda put: put.sentences(0)[:3],
    "two and one": lambda put: [*put.sentences(0)[:2], put.sentences(1)[0]],
    "the best of each": lambda put: [put.sentences(place)[0] for place in range(3)],
    "one paper": by_lead(-1.0),
    "three papers": by_lead(np.inf),
    "as shipped": lambda put: select(*put.parts, (), put.rows),
    "right paper given": lambda put: described(*put.parts, min(put.right)),
}


def unnamed(asker: Asker, cases: Sequence[Case]) -> Iterator[Put]:
    """The questions for something that one paper says, which call no paper by its name."""
    retriever = asker.retriever
    names = Names(retriever.snapshot, HERE)
    for case in cases:
        question, _ = asker.understood(case.subject, case.history)
        answered = case.facts and case.outcome == "answered" and not case.history
        if (
            answered
            and question.kind == "fact"
            and not asker.understanding.names.rows(question.standalone)
        ):
            signals = retriever.signals(question.text)
            right = frozenset(names.rows((*case.gold, *case.maybe)))
            yield Put(case, retriever, signals, question, retriever.ranked(signals), right)


def print_rules(puts: Sequence[Put]) -> None:
    groups = {tag: [put for put in puts if tag in put.case.tags] for tag in TAGS}
    print("Facts in three sentences / share of right papers\n" + " " * 22, end="")
    print("".join(f"{f'{tag} ({len(of)})':>16}" for tag, of in groups.items()))
    for name, rule in RULES.items():
        cells = []
        for of in groups.values():
            picked = [(put, rule(put)) for put in of]
            facts = np.mean([put.facts(sentences) for put, sentences in picked])
            cited = np.mean([put.cited(sentences) for put, sentences in picked])
            cells.append(f"{facts:.3f} / {cited:.3f}")
        print(f"{name:<22}" + "".join(f"{cell:>16}" for cell in cells))


def print_leads(puts: Sequence[Put]) -> None:
    print("\nFirst paper right, by its lead")
    for low, high in zip(LEADS, (*LEADS[1:], np.inf), strict=True):
        of = [put.rows[0] in put.right for put in puts if low <= put.lead < high]
        print(f"{low:5.2f} to {high:5.2f}  {np.mean(of) if of else np.nan:.2f} of {len(of)}")
    facts = np.array([[put.facts(by_lead(lead)(put)) for lead in LEADS] for put in puts])
    folds = np.array([zlib.crc32(put.case.id.encode()) % FOLDS for put in puts])
    print("\nFacts by the lead that makes the first paper the only one")
    print(
        "  ".join(
            f"{lead:.2f}: {mean:.3f}" for lead, mean in zip(LEADS, facts.mean(0), strict=True)
        )
    )
    chosen = [facts[folds != fold].mean(axis=0).argmax() for fold in range(FOLDS)]
    held_out = facts[np.arange(len(puts)), np.array(chosen)[folds]]
    shipped = facts[:, LEADS.index(CLEAR_LEAD)]
    low, high = interval(tuple((held_out - shipped).tolist()))
    print(f"chosen without the question: {held_out.mean():.3f} [{low:+.3f}, {high:+.3f}]")


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure how sentences are shared out.")
    parser.add_argument("--shared", type=Path, default=SHARED)
    options = parser.parse_args()
    cases = load_suites(HERE, [str(HERE / "ask.jsonl")])["ask"]
    files = corpora(options.shared / "corpus").items()
    puts = [put for name, of in files for put in unnamed(asker_over(name, of), cases)]
    print_rules(puts)
    print_leads(puts)


if __name__ == "__main__":
    main()
