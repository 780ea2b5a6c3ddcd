"""What is asked of each side of a comparison."""

from __future__ import annotations

import pytest

from rag.engine.answer import Asker
from rag.engine.sides import sides
from rag.retrieve.hybrid import Retriever


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
