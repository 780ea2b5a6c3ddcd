"""What lint finds wrong with suites, and that it finds nothing wrong with right ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rag.errors import SourceError
from rag.evaluate.lint import lint
from rag.evaluate.papers import Names
from rag.evaluate.rows import Problem
from rag.evaluate.types import SuiteName
from rag.store.snapshot import Snapshot
from tests.fakes import batch, paper, put

ASK = {"id": "1", "question": "By how much?", "gold": ["LemmaLoom"], "facts": ["38 %"]}
LINE = {"id": "1", "paper": "tide", "facts": ["harbours"]}
TOPIC = {"id": "1", "topic": "language models", "gold": ["prune", "leak"], "maybe": ["proof"]}
FIND = {"id": "1", "question": "Who fills gaps?", "gold": ["tide"]}
RIGHT: list[tuple[SuiteName, dict[str, Any]]] = [
    ("ask", ASK),
    ("ask", {**ASK, "gold": ["prune", "proof"], "reference": "It was 38%.", "forbidden": ["9"]}),
    ("ask", {"id": "1", "question": "Why?", "outcome": "not_in_abstracts", "gold": ["prune"]}),
    ("summarize", LINE),
    ("summarize", {"id": "1", "paper": "tide"}),
    ("digest", TOPIC),
    ("digest", {"id": "1", "topic": "cheese", "gold": [], "outcome": "not_in_corpus"}),
    ("retrieval", FIND),
]


@pytest.fixture
def found(tmp_path: Path, built: Path) -> Any:
    """Rows of a suite → what is wrong with them, given the eight papers or, if told, none."""

    def _found(suite: str, *rows: object, papers: bool = True) -> list[Problem]:
        lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
        (tmp_path / f"{suite}.jsonl").write_text("\n".join(lines), encoding="utf-8")
        names = Names(Snapshot.open(built), tmp_path) if papers else None
        return lint(tmp_path, [suite.split("-")[0]], names)

    return _found


@pytest.mark.parametrize(("suite", "row"), RIGHT)
def test_nothing_is_wrong_with_a_right_case(suite: str, row: object, found: Any) -> None:
    assert found(suite, row) == []


HISTORY = [["What?", "It closes 38 % of them.", ["proof"]]]
WRONG: dict[str, tuple[SuiteName, dict[str, Any], str]] = {
    "facts of a refusal": ("ask", {**ASK, "outcome": "not_in_abstracts"}, "facts all the same"),
    "papers of no paper": (
        "ask",
        {**ASK, "facts": [], "outcome": "not_in_corpus"},
        "gold all the same",
    ),
    "a list of nothing": (
        "digest",
        {**TOPIC, "gold": [], "outcome": "answered"},
        "no paper is gold",
    ),
    "forbidden and expected": ("ask", {**ASK, "forbidden": ["38"]}, "38 % is expected, and forb"),
    "a paper twice": ("ask", {**ASK, "gold": ["proof", "Proof"]}, "proof stands twice"),
    "gold and maybe": ("digest", {**TOPIC, "maybe": ["leak"]}, "leak stands twice"),
    "two names of a paper": (
        "ask",
        {**ASK, "gold": ["proof", "LemmaLoom"]},
        "proof and LemmaLoom are the same paper",
    ),
    "an echo": ("ask", {**ASK, "question": "Is it 38%?"}, "who repeats the question passes"),
    "an echo of an answer": ("ask", {**ASK, "history": HISTORY}, "who repeats the question passes"),
    "a pattern of nothing": ("ask", {**ASK, "facts": ["38 %", "/x?/"]}, "found in an empty text"),
    "an unknown paper": ("ask", {**ASK, "gold": ["pruned"]}, "No paper goes by 'pruned'"),
    "an unknown paper to summarize": ("summarize", {**LINE, "paper": "tides"}, "goes by 'tides'"),
    "an unknown paper shown": (
        "ask",
        {**ASK, "history": [["Q", "A", ["prof"]]]},
        "goes by 'prof'",
    ),
    "a fact of another paper": ("ask", {**ASK, "facts": ["39 %"]}, "no gold paper says 39 %"),
    "a fact that is not said": ("summarize", {**LINE, "facts": ["sharks"]}, "does not say sharks"),
    "a forbidden reference": (
        "ask",
        {**ASK, "reference": "38 %, not 39.", "forbidden": ["39"]},
        "says 39, which is forbidden",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_no_answer_or_any_answer_meets_is_an_error(name: str, found: Any) -> None:
    suite, row, text = WRONG[name]
    [problem] = [each for each in found(suite, "// by hand", row) if each.level == "error"]
    assert text in problem.text
    assert (problem.line, problem.id) == (2, "1")
    assert problem.fix


DOUBTFUL: dict[str, tuple[SuiteName, list[dict[str, Any]], str]] = {
    "half an echo": (
        "ask",
        [{**ASK, "question": "How many goals?", "facts": ["38 %", "goals"]}],
        "the question itself holds goals",
    ),
    "a reference without a fact": (
        "ask",
        [{**ASK, "reference": "A third."}],
        "the reference does not say 38 %",
    ),
    "the same question": (
        "ask",
        [ASK, {**ASK, "id": "2", "question": "by how  MUCH?"}],
        "it asks the same as 1",
    ),
}


@pytest.mark.parametrize("name", DOUBTFUL)
def test_what_may_be_meant_so_is_a_warning(name: str, found: Any) -> None:
    suite, rows, text = DOUBTFUL[name]
    [problem] = found(suite, *rows)
    assert text in problem.text
    assert problem.level == "warning" and problem.fix


def test_a_fact_that_most_abstracts_hold_is_a_warning(tmp_path: Path) -> None:
    texts = [f"Wind number {i} turns {'mills' if i % 2 else 'sails'} in May." for i in range(12)]
    put(tmp_path / "s", batch([paper(f"p{i}", text, ordinal=i) for i, text in enumerate(texts)]))
    row = {**ASK, "gold": ["p1"], "facts": ["number 1", "/mill|sail/"]}
    (tmp_path / "ask.jsonl").write_text(json.dumps(row))
    [problem] = lint(tmp_path, [], Names(Snapshot.open(tmp_path / "s"), tmp_path))
    assert "/mill|sail/ is found in 12 of 12 abstracts" in problem.text


def test_all_problems_are_told_in_the_order_of_the_lines(found: Any, tmp_path: Path) -> None:
    (tmp_path / "papers.jsonl").write_text("{}")
    (tmp_path / "asks.jsonl").write_text("")
    echo = {**ASK, "id": "2", "question": "38 %?"}
    problems = found("ask", echo, "{", {"id": "3", "fact": []}, {**ASK, "id": "2"}, papers=False)
    places = [(Path(problem.path).name, problem.line, problem.id) for problem in problems]
    assert places == [
        ("ask.jsonl", 1, "2"),
        ("ask.jsonl", 2, ""),
        *[("ask.jsonl", 3, "3")] * 2,
        ("ask.jsonl", 4, "2"),
        ("papers.jsonl", 1, ""),
        ("asks.jsonl", 0, ""),
    ]
    assert str(problems[0]).endswith("ask.jsonl, line 1: 2: " + problems[0].text)
    assert [problem.level for problem in problems] == ["error"] * 6 + ["warning"]


def test_an_id_belongs_to_one_case_of_all_files_of_a_suite(found: Any) -> None:
    found("ask", ASK)
    [problem] = found("ask-more", {**ASK, "question": "How many goals?"})
    assert "the id stands in" in problem.text and "ask.jsonl, line 1" in problem.text


def test_a_suite_without_a_case_is_an_error(found: Any, tmp_path: Path) -> None:
    [problem] = found("digest", "# none yet")
    assert problem.level == "error" and '"topic"' in problem.fix
    with pytest.raises(SourceError, match=r"no ask\.jsonl"):
        lint(tmp_path, ["ask"])


def test_a_pattern_without_its_slashes_is_recognised(found: Any) -> None:
    for pattern in (r"\d+ %", "38.*goals", "(?:38)", "a third|38"):
        [problem] = found("ask", {**ASK, "facts": [pattern]})
        assert problem.fix == "put a regular expression between slashes"
        assert found("ask", {**ASK, "facts": [f"/{pattern}/"]}) == []


def test_papers_are_not_looked_for_without_an_index(found: Any) -> None:
    assert found("ask", {**ASK, "gold": ["nowhere"]}, papers=False) == []
