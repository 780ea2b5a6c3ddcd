"""Questions in other languages: a name finds its paper, and else somebody is told."""

from __future__ import annotations

import pytest

from rag.retrieve.foreign import foreign, is_foreign, latin
from rag.retrieve.hybrid import Retriever
from tests.commands import Run

NAMED = [
    ("TideNet的主要贡献是什么？", "tide"),
    ("TideNetは何をしますか", "tide"),
    ("Каков главный вклад LemmaLoom?", "proof"),
    ("Was macht TideNet mit dem Meeresspiegel?", "tide"),
]


@pytest.mark.parametrize(("question", "paper_id"), NAMED)
def test_a_name_finds_its_paper(retriever: Retriever, question: str, paper_id: str) -> None:
    assert retriever.search(question)[0].paper.paper_id == paper_id
    assert foreign(question, retriever.lexical) is None


@pytest.mark.parametrize(
    "question",
    [
        "哪些论文使用强化学习？",
        "どの論文が強化学習を使いますか",
        "В каких статьях используется обучение?",
        "Welche Arbeit befasst sich mit der Ernte von Beeren?",
        "Quelle est la méthode pour les abeilles?",
        "¿Qué artículos hablan de las mareas?",
    ],
)
def test_what_no_word_finds_says_what_to_configure(retriever: Retriever, question: str) -> None:
    note = foreign(question, retriever.lexical)
    assert note and "RAG_EMBED_MODEL" in note and "rag rebuild" in note


@pytest.mark.parametrize(
    "question",
    [
        "What does TideNet do?",
        "chocolate cake recipe",
        "Which papers are about naïve Bayes à la carte?",
        "De novo design of the die",
        "la la land",
        "α-divergence",
        "Was TideNet tested in harbours?",
        "Was is the point of it?",
        "co to expert routing",
    ],
)
def test_english_is_not_foreign(question: str) -> None:
    assert not is_foreign(question)


@pytest.mark.parametrize(
    "question",
    [
        "Was ist TideNet?",
        "Was macht TideNet besser als andere?",
        "Wie funktioniert TideNet?",
        "Qu'est-ce que TideNet ?",
        "C’est quoi TideNet",
        "¿Qué es TideNet?",
        "Cos'è TideNet?",
        "O que é TideNet?",
        "Wat is TideNet?",
        "Vad är TideNet?",
        "Co to jest TideNet?",
    ],
)
def test_the_shortest_questions_are_told_by_how_they_begin(question: str) -> None:
    assert is_foreign(question)


def test_names_are_what_is_in_latin_letters() -> None:
    assert latin("DRIFT和GPT-4o的区别") == "DRIFT GPT-4o"


def test_a_search_says_on_stderr_what_to_configure(indexed: Run) -> None:
    done = indexed("search", "哪些论文使用强化学习？")
    assert done.status == 0
    assert "RAG_EMBED_MODEL" in done.err
    assert "RAG_EMBED_MODEL" not in indexed("search", "TideNet的主要贡献").err


def test_an_answer_in_any_language_is_a_refusal_that_helps(indexed: Run) -> None:
    done = indexed("ask", "哪些论文使用强化学习？")
    assert done.status == 0
    assert done.out.startswith("No word of the question finds a paper")
    assert "rag rebuild" in done.err


@pytest.mark.parametrize(
    "question",
    [
        "Welche Arbeiten behandeln gerichtete Graphen?",
        "Wie viele Arbeiten nutzen Kameras?",
        "¿Cuántos artículos usan cámaras?",
        "Quels articles parlent de graphes ?",
        "Quanti articoli usano telecamere?",
    ],
)
def test_a_question_word_alone_tells_the_language(question: str) -> None:
    assert is_foreign(question)


@pytest.mark.parametrize(
    "question",
    [
        "Quant models for time series",
        "Wie loss against the others",
        "Which papers use die casting?",
    ],
)
def test_a_word_that_looks_like_one_does_not(question: str) -> None:
    assert not is_foreign(question)
