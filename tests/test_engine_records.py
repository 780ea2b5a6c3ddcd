"""Questions for what a paper's record has."""

from __future__ import annotations

import pytest

from rag.engine.question import understand
from rag.engine.records import field_asked, told
from tests.fakes import paper

KITE = paper(
    "kite",
    "Kitelet steers a kite.",
    title="Kitelet: steering kites",
    authors=("Jane Kim", "Léa de Mol"),
    year=2031,
    venue="WIND 2031",
    doi="10.1/kite",
    keywords=("kites",),
)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Who wrote Kitelet?", "The authors of Kitelet are Jane Kim and Léa de Mol. [1]"),
        ("who are the authors of the paper Kitelet", "The authors of Kitelet are"),
        ("When was the Kitelet paper published?", "The year of Kitelet is 2031. [1]"),
        ("Where did Kitelet appear?", "The venue of Kitelet is WIND 2031. [1]"),
        ("What is the link to Kitelet?", "The link of Kitelet is https://doi.org/10.1/kite. [1]"),
        ("keywords of Kitelet", "The keyword of Kitelet is kites. [1]"),
        ("Was Kitelet accepted or rejected?", "The record of Kitelet has no decision"),
    ],
)
def test_the_record_answers(question: str, said: str) -> None:
    field = field_asked(question, "Kitelet")
    assert field
    answer = told(understand(question, question), field, KITE)
    assert answer.text.startswith(said)
    assert answer.sources == (KITE,)
    assert (answer.outcome == "answered") is (field != "decision")


@pytest.mark.parametrize(
    "question",
    [
        "Which year does Kitelet forecast?",
        "Who uses Kitelet?",
        "Where does Kitelet fail?",
        "When does Kitelet beat a pilot?",
        "What are the authors of Kitelet proud of?",
        "Is the noise that Kitelet hears rejected?",
        "Who wrote this?",
    ],
)
def test_what_else_is_asked_is_for_the_abstract(question: str) -> None:
    assert field_asked(question, "Kitelet") is None
