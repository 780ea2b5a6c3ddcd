"""Fit the weights of ``rag.engine.outcome`` on our questions.

    python evals/calibrate.py [--lists FOLDER] [--verbose]

Only our questions tagged ``dev`` or ``test``, so that the others stay unseen. Besides these as
they are, two kinds of question without an answer are made of the answerable ones: with their gold
papers taken out of the corpus, and with another paper's name put in. Two words that stand side by
side in a question make a request for the papers about them, once as the corpus is and once without
the papers that have the rarer. Prints the weights, and refusal precision and recall over ten folds
by question.
"""

from __future__ import annotations

import argparse
import random
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from indexes import HERE, asker_over, corpora

from rag.engine.answer import Asker
from rag.engine.outcome import Indications
from rag.evaluate.cases import load_suites
from rag.evaluate.papers import Names
from rag.evaluate.types import Case
from rag.retrieve.filters import Filters
from rag.retrieve.terms import STOP_WORDS, terms, words
from rag.types import Paper

WEIGHT = {
    "as is": 1.0,
    "paper gone": 0.05,
    "name swapped": 0.3,
    "subject": 0.05,
    "subject gone": 0.05,
}
REQUESTS = ("Which papers are about {}?", "Are there papers on {}?", "What do papers say about {}?")
RIDGE = 0.1
FOLDS = 10


@dataclass(frozen=True)
class Without(Filters):
    """All papers but some."""

    gone: frozenset[str] = frozenset()

    def match(self, paper: Paper) -> bool:
        return paper.paper_id not in self.gone


@dataclass(frozen=True)
class Row:
    case: Case
    made: str
    refuse: bool
    found: Indications


def rows(asker: Asker, cases: list[Case]) -> Iterator[Row]:
    """Every case as it is, and the cases without an answer that can be made of it."""
    snapshot = asker.retriever.snapshot
    names = Names(snapshot, HERE)
    handles = snapshot.handles
    chance = random.Random(0)
    for case in cases:
        answerable = case.outcome == "answered"
        yield Row(case, "as is", not answerable, look(asker, case, Filters()))
        yield from of_subject(asker, case, chance)
        if not answerable or case.kind in ("compare", "list", "follow-up"):
            continue
        gold = names.rows(case.gold)
        gone = frozenset(snapshot.ids[row] for row in gold)
        yield Row(case, "paper gone", True, look(asker, case, Without(gone=gone)))
        name = handles[gold[0]]
        if case.kind in ("named", "number") and name in case.subject:
            others = [other for other in handles if " " not in other and other != name]
            swapped = replace(case, subject=case.subject.replace(name, chance.choice(others)))
            yield Row(case, "name swapped", True, look(asker, swapped, Filters()))


def of_subject(asker: Asker, case: Case, chance: random.Random) -> Iterator[Row]:
    """A request for the papers about two words of a question: if it has an answer, two that
    some paper has, once as it is and once without the papers that have the rarer; else two that
    none has."""
    pairs = (two for two in pairwise(words(case.subject)) if STOP_WORDS.isdisjoint(two))
    fitting = [pair for pair in pairs if bool(holders(asker, pair)) == bool(case.gold)]
    if not fitting or case.history:
        return
    pair = chance.choice(fitting)
    asked = replace(case, subject=chance.choice(REQUESTS).format(" ".join(pair)))
    if case.gold:
        yield Row(asked, "subject", False, look(asker, asked, Filters()))
    rarer = min(pair, key=lambda word: len(holders(asker, [word])))
    gone = Without(gone=holders(asker, [rarer]))
    yield Row(asked, "subject gone", True, look(asker, asked, gone))


def holders(asker: Asker, asked: Sequence[str]) -> frozenset[str]:
    """The paper_ids of the papers that have all of the words."""
    having = asker.retriever.lexical.having(terms(" ".join(asked)))
    return frozenset(asker.retriever.snapshot.ids[row] for row in having.nonzero()[0])


def look(asker: Asker, case: Case, filters: Filters) -> Indications:
    asked, focus = asker.understood(case.subject, case.history)
    signals = asker.retriever.signals(asked.text)
    return asker.consider(asked, signals, focus, filters).indications


def fit(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Ridge-penalised logistic regression by Newton's method; the bias is last."""
    x = np.column_stack([x, np.ones(len(x))])
    penalty = np.diag([RIDGE] * (x.shape[1] - 1) + [1e-6])
    beta = np.zeros(x.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ beta))
        gradient = x.T @ (weight * (p - y)) + penalty @ beta
        hessian = (x * (weight * p * (1 - p))[:, None]).T @ x + penalty
        beta -= np.linalg.solve(hessian, gradient)
    return beta


def predict(x: np.ndarray, beta: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-np.column_stack([x, np.ones(len(x))]) @ beta))


def balance(doubt: np.ndarray, refuse: np.ndarray, threshold: float) -> tuple[float, float]:
    """Precision and recall of refusing above a threshold."""
    refused = doubt > threshold
    right = (refused & refuse).sum()
    return right / max(refused.sum(), 1), right / max(refuse.sum(), 1)


def threshold(doubt: np.ndarray, refuse: np.ndarray, corpus: np.ndarray) -> float:
    """Where the least of the precisions and recalls of all corpora is greatest; of several such
    places the middle one."""

    def least(t: float) -> float:
        parts = [corpus == name for name in set(corpus)]
        return min(min(balance(doubt[part], refuse[part], t)) for part in parts)

    places = np.linspace(0.2, 0.8, 61)
    values = np.array([least(t) for t in places])
    return float(np.median(places[values == values.max()]))


def main() -> None:
    parser = argparse.ArgumentParser(description="Fit when to refuse.")
    parser.add_argument("--lists", type=Path, default=HERE.parent.parent / "shared" / "corpus")
    parser.add_argument("--verbose", action="store_true", help="show the cases that go wrong")
    options = parser.parse_args()
    cases = [case for case in load_suites(HERE, ["ask"])["ask"] if {"dev", "test"} & {*case.tags}]
    data, corpus = [], []
    for name, files in corpora(options.lists).items():
        found = list(rows(asker_over(name, files), cases))
        data += found
        corpus += [name] * len(found)
    x = np.array([astuple(row.found) for row in data])
    y = np.array([row.refuse for row in data])
    weight = np.array([WEIGHT[row.made] for row in data])
    real = np.array([row.made == "as is" for row in data])
    where = np.array(corpus)[real]
    beta = fit(x, y, weight)
    best = threshold(predict(x, beta)[real], y[real], where)
    beta[-1] -= np.log(best / (1 - best))  # so that the threshold becomes 0.5
    print("WEIGHTS =", tuple(round(float(value), 2) for value in beta[:-1]))
    print("BIAS =", round(float(beta[-1]), 2))
    fold = np.array([zlib.crc32(row.case.id.encode()) % FOLDS for row in data])
    doubt = np.zeros(len(data))
    for f in range(FOLDS):
        kept = fold != f
        doubt[~kept] = predict(x[~kept], fit(x[kept], y[kept], weight[kept]))
    precision, recall = balance(doubt[real], y[real], best)
    print(f"{FOLDS} folds: refusal precision {precision:.3f}, recall {recall:.3f}")
    if options.verbose:
        for row, d in zip(data, doubt, strict=True):
            if row.made == "as is" and (d > best) != row.refuse:
                print(f"{row.case.id} {d:.2f} {row.case.subject}\n    {row.found}")


if __name__ == "__main__":
    main()
