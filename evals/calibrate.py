"""Fit the weights of ``rag.engine.outcome`` on our questions.

    python evals/calibrate.py [--lists FOLDER] [--write] [--verbose]

All of our questions but those tagged ``held``, which stay unseen. Besides these as they are, two
kinds of question without an answer are made of the answerable ones: with their gold papers taken
out of the corpus, and with another paper's name put in. Two words that stand side by side in a
question make a request for the papers about them, once as the corpus is and once without the
papers that have the rarer.

Prints the weights; how well refusing does on questions by others, those of each tag judged by a
fit without them; and what comes of the weights that are there, as a table of what was expected
and what came, also for the ``held`` questions.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from indexes import HERE, asker_over, corpora

from rag.engine import outcome
from rag.engine.answer import Asker
from rag.engine.outcome import TOO_MUCH, WEIGHTS, Indications, weighed
from rag.evaluate.cases import load_suites
from rag.evaluate.papers import Names
from rag.evaluate.types import Case
from rag.retrieve.filters import Filters
from rag.retrieve.terms import STOP_WORDS, terms, words
from rag.types import Paper

WEIGHT = {
    "as is": 1.0,
    "paper gone": 0.1,
    "name swapped": 0.3,
    "subject": 0.05,
    "subject gone": 0.05,
}
REQUESTS = ("Which papers are about {}?", "Are there papers on {}?", "What do papers say about {}?")
RIDGE = 3.0
HELD = "held"
"""The tag of questions that nothing is fitted on."""
PLACES = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8)
"""Doubts from which on one might refuse."""
OUTCOMES = ("answered", "partial", "not_in_abstracts", "not_in_corpus")


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
    ruled: bool
    """Whether no indication changes the outcome."""


def rows(asker: Asker, cases: list[Case]) -> Iterator[Row]:
    """Every case as it is, and the cases without an answer that can be made of it."""
    snapshot = asker.retriever.snapshot
    names = Names(snapshot, HERE)
    handles = snapshot.handles
    chance = random.Random(0)
    for case in cases:
        answerable = case.outcome in ("answered", "partial")
        yield Row(case, "as is", not answerable, *look(asker, case, Filters()))
        yield from of_subject(asker, case, chance)
        if not answerable or case.history or case.kind in ("compare", "list", "count"):
            continue
        gold = names.rows(case.gold)
        gone = frozenset(snapshot.ids[row] for row in gold)
        yield Row(case, "paper gone", True, *look(asker, case, Without(gone=gone)))
        name = handles[gold[0]]
        if name in case.subject:
            others = [other for other in handles if " " not in other and other != name]
            swapped = replace(case, subject=case.subject.replace(name, chance.choice(others)))
            yield Row(case, "name swapped", True, *look(asker, swapped, Filters()))


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
        yield Row(asked, "subject", False, *look(asker, asked, Filters()))
    rarer = min(pair, key=lambda word: len(holders(asker, [word])))
    gone = Without(gone=holders(asker, [rarer]))
    yield Row(asked, "subject gone", True, *look(asker, asked, gone))


def holders(asker: Asker, asked: Sequence[str]) -> frozenset[str]:
    """The paper_ids of the papers that have all of the words."""
    having = asker.retriever.lexical.having(terms(" ".join(asked)))
    return frozenset(asker.retriever.snapshot.ids[row] for row in having.nonzero()[0])


def look(asker: Asker, case: Case, filters: Filters) -> tuple[Indications, bool]:
    asked, focus = asker.understood(case.subject, case.history)
    considered = asker.consider(asked, asker.retriever.signals(asked.text), focus, filters)
    return considered.indications, considered.ruled is not None


def fit(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Ridge-penalised logistic regression by Newton's method on standardised columns; gives the
    weights of the columns as they are, the bias last."""
    mean, spread = x.mean(0), x.std(0) + 1e-9
    z = np.column_stack([(x - mean) / spread, np.ones(len(x))])
    penalty = np.diag([RIDGE] * x.shape[1] + [1e-6])
    beta = np.zeros(z.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-z @ beta))
        gradient = z.T @ (weight * (p - y)) + penalty @ beta
        hessian = (z * (weight * p * (1 - p))[:, None]).T @ z + penalty
        beta -= np.linalg.solve(hessian, gradient)
    plain = beta[:-1] / spread
    return np.append(plain, beta[-1] - plain @ mean)


def predict(x: np.ndarray, beta: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-np.column_stack([x, np.ones(len(x))]) @ beta))


def balance(refused: np.ndarray, refuse: np.ndarray) -> str:
    right = (refused & refuse).sum()
    precision, recall = right / max(refused.sum(), 1), right / max(refuse.sum(), 1)
    agree = (refused == refuse).mean()
    return (
        f"refusal precision {precision:.3f}, recall {recall:.3f}, right {agree:.3f}, {len(refuse)}"
    )


def fitted(data: Sequence[Row], *, write: bool, verbose: bool) -> Iterator[str]:
    """Fits the weights; tells them, and the doubt of each tag's questions by a fit without them."""
    data = [row for row in data if not row.ruled]
    names = list(weighed(data[0].found))[:-1]
    x = np.array([list(weighed(row.found).values())[:-1] for row in data])
    y = np.array([row.refuse for row in data])
    weight = np.array([WEIGHT[row.made] for row in data])
    real = np.array([row.made == "as is" for row in data])
    tags = np.array([row.case.tags[0] for row in data])
    beta = fit(x, y, weight).round(2).tolist()
    weights = dict(zip([*names, "always"], beta, strict=True))
    yield json.dumps(weights, indent=1)
    if write:
        WEIGHTS.write_text(json.dumps(weights, indent=1) + "\n", encoding="utf-8")
        outcome.weights.cache_clear()
    doubt = np.zeros(len(data))
    for tag in sorted(set(tags)):
        own = tags == tag
        doubt[own] = predict(x[own], fit(x[~own], y[~own], weight[~own]))
        yield f"{tag:<12}{balance(doubt[own & real] >= TOO_MUCH, y[own & real])}"
    for least in PLACES:
        yield f"doubt {least:<6}{balance(doubt[real] >= least, y[real])}"
    refused = doubt >= TOO_MUCH
    if verbose:
        for row, refuses in zip(data, refused, strict=True):
            if row.made == "as is" and refuses != row.refuse:
                yield f"{row.case.id} {row.case.subject}\n    {row.found}"


def confusion(askers: Mapping[str, Asker], cases: Sequence[Case]) -> Iterator[str]:
    """A table of what was expected and what came; precision and recall of refusing."""
    counts: Counter[tuple[str, str]] = Counter()
    for asker in askers.values():
        for case in cases:
            counts[case.outcome or "", asker.ask(case.subject, case.history).outcome] += 1
    yield f"| expected | {' | '.join(OUTCOMES)} |"
    yield "|---" * (1 + len(OUTCOMES)) + "|"
    for want in OUTCOMES:
        yield f"| {want} | {' | '.join(str(counts[want, got]) for got in OUTCOMES)} |"
    pairs = [pair for pair, times in counts.items() for _ in range(times)]
    refuse, refused = np.array([[name.startswith("not") for name in pair] for pair in pairs]).T
    yield balance(refused, refuse)


def main() -> None:
    parser = argparse.ArgumentParser(description="Fit when to refuse.")
    parser.add_argument("--lists", type=Path, default=HERE.parent.parent / "shared" / "corpus")
    parser.add_argument("--write", action="store_true", help="make the weights the product's")
    parser.add_argument("--verbose", action="store_true", help="show the cases that go wrong")
    options = parser.parse_args()
    cases = load_suites(HERE, ["ask"])["ask"]
    askers = {name: asker_over(name, files) for name, files in corpora(options.lists).items()}
    seen = [case for case in cases if HELD not in case.tags]
    data = [row for asker in askers.values() for row in rows(asker, seen)]
    print("\n".join(fitted(data, write=options.write, verbose=options.verbose)))
    held = {name: asker for name, asker in askers.items() if name == "lists"}
    for title, over, asked in (
        ("fitted on", askers, seen),
        ("held out", held, [case for case in cases if HELD in case.tags]),
    ):
        if asked and over:
            print(f"\nThe weights that are there, on questions {title}:\n")
            print("\n".join(confusion(over, asked)))


if __name__ == "__main__":
    main()
