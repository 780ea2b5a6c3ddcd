"""Which sentences of one abstract answer, by features with learned weights."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

import numpy as np
import pytest

from rag.engine.evidence import MARGIN, Evidence, evidence, telling
from rag.engine.question import Question, understand
from rag.engine.sentences import Asked, coverage, features, scores, weights
from rag.retrieve.hybrid import Retriever
from rag.retrieve.terms import terms

ABSTRACT = [
    "Gauges of the sea level fail in storms, and existing models ignore the gaps.",
    "We train a graph network on years of records.",
    "The network was trained on 12 years of records from nine harbours.",
    "It halves the error of the water level, because neighbours keep measuring.",
    "Code and records are publicly available.",
]


def asked(question: str, rare: float = 1.0) -> Asked:
    rarity = dict.fromkeys(terms(question), rare)
    return Asked(question, rarity, understand(question, question).wants_number)


def best(texts: Sequence[str], question: str) -> int:
    """Which sentence scores highest where similarity says nothing."""
    return int(scores(texts, np.zeros(len(texts), np.float32), asked(question)).argmax())


def test_rare_words_of_an_abstract_weigh_more() -> None:
    sentences = [{"sea", "gaug"}, {"sea", "error"}, {"sea"}]
    shares = coverage(sentences, ["sea", "error"])
    assert shares[1] == pytest.approx(1.0)
    assert shares[0] < 0.3


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("How many years of records was it trained on?", 2),
        ("Why is the error of the water level lower?", 3),
        ("Is the code publicly available?", 4),
    ],
)
def test_what_a_question_wants_decides(question: str, sentence: int) -> None:
    assert best(ABSTRACT, question) == sentence


def test_a_figure_wins_where_one_is_asked_for() -> None:
    plain, figure = "It was trained on years of records.", "It was trained on 12 years of records."
    texts = [plain, plain, figure, plain, plain, plain]
    assert best(texts, "On how many years of records was it trained?") == 2


def test_a_premise_is_answered_by_what_denies_it() -> None:
    texts = [
        "Rest restores the voice of a singer.",
        "Rest by itself does not restore the voice of a singer.",
        "Rest and warm air restore the voice of a singer.",
    ]
    assert best(texts, "How come rest is enough to restore a singer's voice?") == 1


def test_words_count_by_their_beginnings() -> None:
    texts = ["The two curves stay close.", "The two schedulers stay far."]
    assert best(texts, "What about scheduling?") == 1


def test_where_the_code_is_tells_only_those_who_ask() -> None:
    cosines = np.zeros(len(ABSTRACT), np.float32)
    told = features(ABSTRACT, cosines, asked("Which network fills the gaps?"))
    wanted = features(ABSTRACT, cosines, asked("Where is the code?"))
    assert told["code"].tolist() == [0, 0, 0, 0, 1]
    assert not wanted["code"].any()


def test_a_statement_is_no_question() -> None:
    cosines = np.zeros(len(ABSTRACT), np.float32)
    claim = features(ABSTRACT, cosines, asked("The network halves the error."))
    question = features(ABSTRACT, cosines, asked("Does the network halve the error?"))
    assert claim["statement: place"].tolist() == claim["place"].tolist()
    assert not question["statement: place"].any()


def test_every_feature_has_a_weight_and_no_other() -> None:
    found = features(ABSTRACT, np.zeros(len(ABSTRACT), np.float32), asked("Why?"))
    assert {*found, "bias"} == {*weights()}
    assert len(found) <= 30
    assert all(np.isfinite(weight) for weight in weights().values())


@pytest.mark.parametrize("texts", [["One."], ["…", "—"], ["\ud800 odd", "a " * 5000]])
@pytest.mark.parametrize("question", ["?", "Why?", "ℓ₁ 50%", "the the the"])
def test_odd_texts_get_finite_scores(texts: list[str], question: str) -> None:
    found = scores(texts, np.zeros(len(texts), np.float32), asked(question))
    assert found.shape == (len(texts),)
    assert np.isfinite(found).all()


def test_scoring_is_quick() -> None:
    cosines, question = np.zeros(10, np.float32), asked("How large is the error of the network?")
    texts = ABSTRACT * 2
    scores(texts, cosines, question)
    times = []
    for _ in range(20):
        started = perf_counter()
        scores(texts, cosines, question)
        times.append(perf_counter() - started)
    assert min(times) < 0.002


def picked(kind: str, question: str, *gaps: float) -> int:
    """How many sentences are told that score so far below the first."""
    sentences = [Evidence(0, i, i + 1, "x", 1.7 - gap) for i, gap in enumerate((0, *gaps))]
    number = understand(question, question).wants_number
    return len(telling(Question(question, question, question, kind, number), sentences))


def test_only_near_sentences_join_the_first() -> None:
    assert picked("fact", "What fails in storms?", MARGIN / 2, MARGIN * 2) == 2
    assert picked("definition", "What is TideNet?", MARGIN * 2, MARGIN * 3) == 1


def test_who_wants_more_gets_all() -> None:
    assert picked("definition", "Summarize TideNet", MARGIN * 2, MARGIN * 3) == 3
    assert picked("follow-up", "Why?", MARGIN * 2, MARGIN * 3) == 3
    assert picked("follow-up", "How many?", MARGIN * 2, MARGIN * 3) == 1


def test_sentences_come_with_their_places(retriever: Retriever) -> None:
    text = "By how much is the error of the water level lowered?"
    row = retriever.snapshot.row_of["tide"]
    found = evidence(retriever, retriever.signals(text), understand(text, text), row)
    paper = retriever.snapshot.paper(row)
    assert "9.4 cm" in found[0].text
    assert [s.score for s in found] == sorted((s.score for s in found), reverse=True)
    assert all(paper.text[s.start : s.end] == s.text for s in found)
