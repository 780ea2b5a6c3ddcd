"""Slips of the finger in the words of a question."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag.retrieve.correcting import corrected
from rag.retrieve.hybrid import Retriever
from rag.retrieve.lexical import Lexical, write_bm25
from tests.commands import Run
from tests.fakes import paper


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("How does TideNet forecsat the tide?", "How does TideNet forecast the tide?"),
        ("anythng of robots for me?", "anything of robots for me?"),
        ("Whcih of them helps most?", "Which of them helps most?"),
        ("how many hoours does it take", "how many hours does it take"),
        ("What is the famoly of models?", "What is the family of models?"),
    ],
    ids=["a paper's word", "English", "capital", "doubled", "wrong letter of a short word"],
)
def test_a_slip_becomes_the_word_that_was_meant(
    retriever: Retriever, typed: str, meant: str
) -> None:
    assert retriever.corrected(typed) == meant


@pytest.mark.parametrize(
    "question",
    [
        "Is there work on parsing, perceptrons or splatting?",
        "Do carved lathes meddle with copes?",
        "Does Gemmma beat LLaMMA2 on xqzvw?",
        "mail whoch@example.org about /tmp/whoch",
        "Welche Arbeiten behandeln Vorhersagen mittels neuronaler Netzwerke?",
        "¿Qué artículos tratan sobre predicciones?",
        "潮の予測",
        "What of qurl, lora and vlms?",
    ],
)
def test_what_is_no_slip_stays(retriever: Retriever, question: str) -> None:
    assert retriever.corrected(question) == question


def test_papers_decide_before_english(tmp_path: Path) -> None:
    write_bm25(tmp_path, [paper("mill", "The mill grinds fine flours.")])
    known = {"floors": 10, "of": 1, "kinds": 2}
    for ranks in (known, known | {"flours": 500}):
        told = corrected("kinds of flors", Lexical(tmp_path), ranks.get, {"flours"}.__contains__)
        assert told == "kinds of flours"
    unsaid = corrected("kinds of flors", Lexical(tmp_path), known.get, lambda word: False)
    assert unsaid == "kinds of floors"


def test_the_question_is_answered_and_shown_as_it_was_meant(indexed: Run) -> None:
    right = indexed("ask", "By how much does TideNet lower the error?", "--json").json
    slips = indexed("ask", "By how much doess TideNet loewr the errror?", "--json").json
    assert slips["statements"] == right["statements"]
    assert "does TideNet lower the error" in slips["standalone_question"]
    assert slips["question"] == "By how much doess TideNet loewr the errror?"
