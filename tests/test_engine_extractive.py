"""Which sentences of which papers answer a question that calls no paper by its name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rag.engine.evidence import Evidence
from rag.engine.extractive import CLEAR_LEAD, NEAR, SENTENCES, select
from rag.engine.parts import parts
from rag.engine.question import understand
from rag.retrieve.hybrid import Retriever, Signals

TIDE, GRIP, GRID = "tide", "grip", "grid"


def behind(signals: Signals, papers: dict[int, float]) -> Signals:
    """The signals as if papers, by their rows, were so far behind the first."""
    ranked = replace(signals)
    fused = np.full(len(signals.whole), -9.0, np.float32)
    fused[list(papers)] = [-gap for gap in papers.values()]
    ranked.__dict__["fused"] = fused
    return ranked


def answer(retriever: Retriever, text: str, gaps: dict[str, float]) -> list[Evidence]:
    """The sentences picked where papers stand so far behind the first."""
    snapshot, question = retriever.snapshot, understand(text, text)
    papers = {snapshot.row_of[paper]: gap for paper, gap in gaps.items()}
    signals = behind(retriever.signals(question.text), papers)
    return select(retriever, signals, question, (), [*papers])


def cited(retriever: Retriever, picked: list[Evidence]) -> list[str]:
    return [retriever.snapshot.ids[sentence.row] for sentence in picked]


def test_each_paper_that_may_be_meant_says_what_it_brings(retriever: Retriever) -> None:
    gaps = {TIDE: 0.0, GRIP: CLEAR_LEAD / 2, GRID: NEAR - 0.1}
    picked = answer(retriever, "Is there something for machines that are left alone?", gaps)
    assert cited(retriever, picked) == [TIDE, GRIP, GRID]
    assert "We present TideNet" in picked[0].text


def test_a_paper_far_behind_is_not_among_them(retriever: Retriever) -> None:
    gaps = {TIDE: 0.0, GRIP: CLEAR_LEAD / 2, GRID: NEAR + 0.1}
    picked = answer(retriever, "something for machines that are left alone", gaps)
    assert cited(retriever, picked) == [TIDE, GRIP, TIDE]


def test_a_clear_lead_leaves_the_answer_to_one_paper(retriever: Retriever) -> None:
    gaps = {TIDE: 0.0, GRIP: CLEAR_LEAD + 0.1, GRID: NEAR}
    picked = answer(retriever, "something for harbours when instruments are out of order", gaps)
    assert {*cited(retriever, picked)} == {TIDE}
    assert any("We present TideNet" in sentence.text for sentence in picked)


def test_a_search_for_a_paper_begins_with_what_it_brings(retriever: Retriever) -> None:
    text = "How could one lower the error of the water level from 9.4 cm?"
    assert understand(text, text).kind == "find"
    picked = answer(retriever, text, {TIDE: 0.0})
    assert "We present TideNet" in picked[0].text
    assert "9.4 cm" in picked[1].text


def test_who_asks_for_a_figure_gets_no_introduction(retriever: Retriever) -> None:
    gaps = {TIDE: 0.0, GRIP: CLEAR_LEAD / 2, GRID: NEAR}
    picked = answer(retriever, "How large does the error of the level remain?", gaps)
    assert "9.4 cm" in picked[0].text


def test_each_part_of_a_question_has_a_sentence(retriever: Retriever) -> None:
    text = "How many dances were read by the camera, and with what do the decoded places agree?"
    picked = answer(retriever, text, {"bees": 0.0})
    assert "1,240 dances" in picked[0].text
    assert "pollen" in picked[-1].text
    assert len({sentence.start for sentence in picked}) == len(picked) <= SENTENCES


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("What slips, and why does it slip?", ["What slips", "why does it slip?"]),
        ("Which fruit? By how much?", ["Which fruit", "By how much?"]),
        ("How do robots and people pick fruit?", []),
        ("And how?", []),
        ("", []),
    ],
)
def test_a_question_for_two_things_has_two_parts(
    retriever: Retriever, text: str, asked: list[str]
) -> None:
    signals = retriever.signals(text or "?")
    found = [*parts(understand(text, text), signals)]
    assert [part.asked for part, _ in found] == asked
    assert all(of.repairs.items() <= signals.repairs.items() for _, of in found)
