"""How well the doubt tells questions without an answer from others, on public questions.

    python evals/unanswerable.py [--shared FOLDER]

Far: SciFact's claims and PubMedQA's questions, put to our 38 abstracts, against our own answerable
questions. Near: reviewers' one-liners of SciTLDR's development part, put to an index of every
other one of their papers, against those whose papers are there. Nothing is fitted on any of them.
Prints areas under the ROC curve: how often a question without an answer has more doubt.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from indexes import HERE, STORES, Notes, asker_over, corpora
from search import batch, claims, one_liners

from rag.embed.minilm import MiniLM
from rag.engine.answer import Asker, clean
from rag.engine.outcome import doubt
from rag.evaluate.cases import load_suites
from rag.retrieve.hybrid import Retriever
from rag.retrieve.indexing import write_index
from rag.store.ingest import Batch, ingest
from rag.store.snapshot import Snapshot

SAMPLE = 300
"""Questions of a set at most."""


def doubts(asker: Asker, questions: Iterable[str]) -> np.ndarray:
    found = []
    for question in questions:
        asked, focus = asker.understood(clean(question), ())
        signals = asker.retriever.signals(asked.text)
        found.append(doubt(asker.consider(asked, signals, focus).indications))
    return np.array(found)


def auroc(yes: np.ndarray, no: np.ndarray) -> float:
    """How often one of ``yes`` has more than one of ``no``; a tie counts half."""
    return float((yes[:, None] > no).mean() + 0.5 * (yes[:, None] == no).mean())


def sample(texts: Sequence[str]) -> list[str]:
    return random.Random(0).sample(texts, min(SAMPLE, len(texts)))


def over_half(shared: Path, wanted: set[str]) -> tuple[Asker, set[str]]:
    """An index of every other one of the wanted papers of SciTLDR, and which they are."""
    papers = [paper for paper in batch("scitldr", shared).records if paper.paper_id in wanted]
    kept = tuple(sorted(papers, key=lambda paper: paper.paper_id)[::2])
    store, embedder = STORES / "half", MiniLM()
    ingest(store, [Batch("scitldr", "scitldr", kept, whole=True)], embedder, write_index, Notes())
    asker = Asker(Retriever(Snapshot.open(store), embedder))
    return asker, set(asker.retriever.snapshot.ids)


def main() -> None:
    parser = argparse.ArgumentParser(description="Tell questions without an answer from others.")
    parser.add_argument("--shared", type=Path, default=HERE.parent.parent / "shared")
    shared: Path = parser.parse_args().shared
    if not (shared / "data/scifact").is_dir():
        print(f"no public questions in {shared}: nothing to measure")
        return
    for name, files in corpora(shared / "corpus").items():
        asker = asker_over(name, files)
        cases = [c for c in load_suites(HERE, ["ask"])["ask"] if c.outcome == "answered"]
        answered = doubts(asker, [case.subject for case in cases if not case.history])
        pubmed = json.loads((shared / "data/pubmedqa/pqal_dev.json").read_text(encoding="utf-8"))
        facts = [q.text for learnt in (True, False) for q in claims(shared, learnt_from=learnt)]
        for title, texts in (
            ("SciFact's claims", facts),
            ("PubMedQA's questions", [row["QUESTION"] for row in pubmed.values()]),
        ):
            print(f"far, {name}: {title} {auroc(doubts(asker, sample(texts)), answered):.3f}")
    lines = one_liners(shared, "reviewer")
    asker, kept = over_half(shared, {line.gold[0] for line in lines})
    there = [line.text for line in lines if line.gold[0] in kept]
    gone = [line.text for line in lines if line.gold[0] not in kept]
    print(f"near: reviewers' one-liners {auroc(doubts(asker, gone), doubts(asker, there)):.3f}")


if __name__ == "__main__":
    main()
