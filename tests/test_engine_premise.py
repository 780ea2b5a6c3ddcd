"""Questions that take for granted what the paper denies, over invented sentences and papers."""

from __future__ import annotations

import pytest

from rag.engine.answer import Asker
from rag.engine.premise import CORRECTED, contradicting, premises
from rag.retrieve.hybrid import Retriever

ABSTRACT = (
    "Orchards lose apples to late frost.",
    "FrostBell sets its alarm margin to zero and warns growers without any wind sensors.",
    "It reduces the share of lost apples by 30 % with less than 5 % of the usual heaters.",
    "Heating alone is insufficient to save the blossoms.",
)


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("Why does FrostBell set its alarm margin to one?", 1),
        ("How come FrostBell needs wind sensors to warn growers?", 1),
        ("Why does FrostBell increase the share of lost apples?", 2),
        ("FrostBell needs 50 % of the usual heaters, right?", 2),
        ("How does FrostBell increase the share of lost apples?", 2),
        ("Is it true that FrostBell sets its alarm margin to one?", 1),
        ("Why is heating alone enough to save the blossoms?", 3),
    ],
)
def test_the_sentence_that_denies_a_premise_is_found(question: str, place: int) -> None:
    assert contradicting(question, "FrostBell", ABSTRACT) == place


@pytest.mark.parametrize(
    "question",
    [
        "Why does FrostBell set its alarm margin to zero?",
        "How come FrostBell warns growers without wind sensors?",
        "Why does FrostBell reduce the share of lost apples?",
        "Why is heating alone insufficient to save the blossoms?",
        "Why does FrostBell need a licence from the ministry?",
        "How does FrostBell reduce the share of lost apples?",
        "How much does FrostBell increase the share of lost apples?",
        "Is it true that FrostBell warns growers without wind sensors?",
        "By how much does FrostBell increase the share of lost apples?",
    ],
)
def test_what_a_paper_says_or_leaves_open_is_not_denied(question: str) -> None:
    assert contradicting(question, "FrostBell", ABSTRACT) is None


def test_only_some_wordings_presuppose() -> None:
    assert premises("It needs labels, doesn't it?") == ["It needs labels"]
    assert premises("Does it need labels?") == []


def test_a_false_premise_is_answered_with_what_the_abstract_says(retriever: Retriever) -> None:
    answer = Asker(retriever).ask("Why do 40 of 100 trials fool biologists with drawn frames?")
    assert answer.outcome == "answered"
    assert "48 of 100" in answer.statements[0].text
    assert CORRECTED in answer.notes


def test_a_true_premise_gets_no_note(retriever: Retriever) -> None:
    answer = Asker(retriever).ask("Why does the diffusion model draw the missing frames?")
    assert CORRECTED not in answer.notes
