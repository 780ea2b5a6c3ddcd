"""What is asked of each side of a comparison."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag.embed.minilm import MiniLM
from rag.engine.answer import Asker
from rag.engine.sides import sides
from rag.retrieve.hybrid import Retriever
from rag.store.snapshot import Snapshot
from tests.corpus import index
from tests.fakes import paper


def asked(retriever: Retriever, question: str) -> dict[str, str]:
    """Paper → what it is asked."""
    asker = Asker(retriever)
    understood, _ = asker.understood(question, ())
    signals = retriever.signals(understood.text)
    rows, named = retriever.ranked(signals), asker.understanding.named(question)
    found = sides(retriever, signals, understood, named, (), rows).found
    return {retriever.snapshot.ids[side.row]: side.question.text for side in found}


@pytest.mark.parametrize(
    ("question", "tide", "proof"),
    [
        (
            "What is counted by TideNet, and what by LemmaLoom?",
            "What is counted by TideNet",
            "What is counted by LemmaLoom?",
        ),
        (
            "TideNet and LemmaLoom both save work. How much does each of them save?",
            "TideNet save work. How much does it save?",
            "LemmaLoom save work. How much does it save?",
        ),
        (
            "TideNet or LemmaLoom: which one names a port, and which one a library?",
            "which one names a port",
            "which one a library?",
        ),
    ],
)
def test_each_side_is_asked_all_of_its_question_and_nothing_of_the_other(
    retriever: Retriever, question: str, tide: str, proof: str
) -> None:
    assert asked(retriever, question) == {"tide": tide, "proof": proof}


def test_a_described_side_without_a_question_has_that_of_the_other(retriever: Retriever) -> None:
    question = "How much is gained from hydrophones in a harbour as opposed to broken proofs?"
    assert "How much is gained" in asked(retriever, question)["proof"]
    assert "harbour" not in asked(retriever, question)["proof"]


@pytest.mark.parametrize(
    "question",
    [
        "Contrast TideNet with its predecessors.",
        "What are the pros and cons of TideNet compared to predecessors?",
    ],
)
def test_what_came_before_a_paper_is_no_side_that_is_missing(
    retriever: Retriever, question: str
) -> None:
    answer = Asker(retriever).ask(question)
    assert answer.outcome == "answered" and not answer.notes


def test_a_name_that_is_no_handle_is_a_side_where_one_paper_goes_by_it(
    tmp_path: Path, minilm: MiniLM
) -> None:
    papers = [
        paper("ebb", "We present Ebb. Ebb reads tides by phone.", title="Ebb: tides by phone"),
        paper(
            "foam",
            "A reader of waves, FOAM-X, is trained. FOAM-X needs no phone.",
            title="Reading waves",
        ),
        paper("reef", "Corals grow. They were once compared with GPT-9.", title="Corals"),
    ]
    index(tmp_path, minilm, papers)
    understanding = Asker(Retriever(Snapshot.open(tmp_path), minilm)).understanding
    assert understanding.called("Ebb or FOAM-X: which is better?") == {0: "Ebb", 1: "FOAM-X"}
    assert understanding.called("Is Ebb better than GPT-9?") == {0: "Ebb"}
