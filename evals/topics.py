"""Fit and measure which papers are about a topic.

    python evals/topics.py [FILE…] [--lists FOLDER] [--iclr FILE] [--fit] [--floor F] [--verbose]

Topics are read from the FILEs, all ``topics*.jsonl`` beside this file unless some are named.
Those without a ``corpus`` are put to the real lists and to the sample notes, whose papers have
the same keys; the others to the papers of that name in ``topics_corpora.json``, taken from the
FILE of ICLR papers without their keywords. Prints recall, the share of off-topic papers among
the members, both averaged over topics, and how many off-corpus topics came out empty.

``--fit`` first fits the weights on the split ``dev``, prints the same figures over ten folds by
topic, and writes ``rag/retrieve/topicality.json``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from calibrate import fit
from indexes import HERE, STORES, Notes, asker_over, corpora

from rag.corpus import read_file
from rag.embed.minilm import MiniLM
from rag.evaluate.papers import keys_of
from rag.retrieve.about import SIGNALS
from rag.retrieve.hybrid import Retriever
from rag.retrieve.indexing import write_index
from rag.retrieve.topicality import WEIGHTS, Model
from rag.store.ingest import Batch, ingest
from rag.store.snapshot import Snapshot
from rag.topics.membership import FLOOR, considered

SHARED = HERE.parent.parent / "shared"
ELSEWHERE = 0.25
"""Weight, in the fit, of topics that are not of the real lists."""
FOLDS = 10


@dataclass(frozen=True)
class Case:
    """A topic put to a corpus. ``signals`` (aspects, papers, signals); ``gold`` and ``maybe``
    (papers,) say which papers are about it, and of which that is a matter of taste."""

    topic: str
    split: str
    corpus: str
    keys: Sequence[str]
    signals: np.ndarray
    gold: np.ndarray
    maybe: np.ndarray

    def probabilities(self, model: Model) -> np.ndarray:
        return np.max([model.probabilities(signals) for signals in self.signals], axis=0)


def cases(
    rows: Sequence[Mapping], retrievers: Mapping[str, tuple[Retriever, Sequence[str]]]
) -> Iterator[Case]:
    """Every topic with every corpus that it is for."""
    for row in rows:
        for name in [row["corpus"]] if "corpus" in row else ["lists", "notes"]:
            if name not in retrievers:
                continue
            retriever, keys = retrievers[name]
            signals = np.stack([found.matrix() for _, found in considered(retriever, row["topic"])])
            gold, maybe = (np.isin(keys, row.get(kind, [])) for kind in ("gold", "maybe"))
            yield Case(row["topic"], row["split"], name, keys, signals, gold, maybe)


def retrievers(
    rows: Sequence[Mapping], lists: Path, iclr: Path
) -> dict[str, tuple[Retriever, Sequence[str]]]:
    """By name each corpus that is there, with the key of each of its rows."""
    found = {}
    for name, files in corpora(lists).items():
        retriever = asker_over(name, files).retriever
        keys = keys_of(retriever.snapshot.papers(), HERE / "papers.jsonl")
        found[name] = (retriever, [keys[paper_id] for paper_id in retriever.snapshot.ids])
    wanted = json.loads((HERE / "topics_corpora.json").read_text()) if iclr.exists() else {}
    everything = {paper.paper_id: paper for paper in read_file(str(iclr)).records} if wanted else {}
    for name, ids in wanted.items():
        if any(row.get("corpus") == name for row in rows):
            papers = tuple(replace(everything[paper_id], keywords=()) for paper_id in ids)
            batch = Batch(f"{name}.jsonl", f"/{name}.jsonl", papers, whole=True)
            ingest(STORES / f"topics-{name}", [batch], MiniLM(), write_index, Notes())
            snapshot = Snapshot.open(STORES / f"topics-{name}")
            found[name] = (Retriever(snapshot, MiniLM()), snapshot.ids)
    return found


def fitted(training: Sequence[Case]) -> Model:
    """The weights that tell members from others; of several aspects a paper is judged by the one
    in which it stands out most."""
    x, y, weight = [], [], []
    for case in training:
        best = case.signals[:, :, SIGNALS.index("standing")].argmax(axis=0)
        x.append(case.signals[best, np.arange(len(best))])
        y.append(case.gold)
        weight.append(~case.maybe * (1.0 if case.corpus == "lists" else ELSEWHERE))
    beta = fit(np.vstack(x).astype(float), np.concatenate(y), np.concatenate(weight))
    return Model(
        dict(zip(SIGNALS, beta[:-1].round(3).tolist(), strict=True)), round(float(beta[-1]), 3)
    )


def report(
    title: str, found: Sequence[tuple[Case, np.ndarray]], floor: float, verbose: bool
) -> None:
    """Print figures over (case, probabilities), and with ``verbose`` what was missed or wrong."""
    recalls, shares, empty = [], [], []
    for case, probability in found:
        inside = (probability >= floor) & ~case.maybe
        wrong, missed = inside & ~case.gold, case.gold & (probability < floor)
        if case.gold.any():
            recalls.append(1 - missed.sum() / case.gold.sum())
            shares.append(wrong.sum() / max(inside.sum(), 1))
        else:
            empty.append(not wrong.any())
        if verbose and (wrong.any() or missed.any()):
            print(f"  {case.topic}: missed {named(case, probability, missed)}", end="; ")
            print(f"off {named(case, probability, wrong)}")
    print(
        f"{title:24} {len(found):4} topics  recall {np.mean(recalls or [1]):.3f}  "
        f"off-topic {np.mean(shares or [0]):.3f}  empty {sum(empty)} of {len(empty)}"
    )


def named(case: Case, probability: np.ndarray, rows: np.ndarray) -> str:
    return ", ".join(f"{case.keys[i]} {probability[i]:.2f}" for i in np.flatnonzero(rows)) or "none"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--lists", type=Path, default=SHARED / "corpus")
    parser.add_argument(
        "--iclr", type=Path, default=SHARED / "data/iclr2026/iclr2026_accepted_12areas.jsonl"
    )
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--floor", type=float, default=FLOOR)
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    files = arguments.files or sorted(HERE.glob("topics*.jsonl"))
    rows = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    found = list(cases(rows, retrievers(rows, arguments.lists, arguments.iclr)))
    show = (arguments.floor, arguments.verbose)
    if arguments.fit:
        training = [case for case in found if case.split == "dev" and case.corpus != "notes"]
        folds = [
            (
                case,
                case.probabilities(
                    fitted([c for j, c in enumerate(training) if j % FOLDS != i % FOLDS])
                ),
            )
            for i, case in enumerate(training)
        ]
        for name in sorted({case.corpus for case in training}):
            report(f"folds, {name}", [pair for pair in folds if pair[0].corpus == name], *show)
        model = fitted(training)
        WEIGHTS.write_text(json.dumps(model.to_json(), indent=2) + "\n", encoding="utf-8")
    model = Model.read()
    for split, name in sorted({(case.split, case.corpus) for case in found}):
        chosen = [case for case in found if (case.split, case.corpus) == (split, name)]
        report(f"{split}, {name}", [(case, case.probabilities(model)) for case in chosen], *show)


if __name__ == "__main__":
    main()
