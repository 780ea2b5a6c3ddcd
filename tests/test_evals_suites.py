"""Our suites are large, possible with either corpus, and in our own words."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from rag.corpus import read_file
from rag.embed.minilm import MiniLM
from rag.evaluate.cases import load_suites
from rag.evaluate.lint import lint
from rag.evaluate.papers import Names
from rag.evaluate.types import SUITES, Case
from rag.store.snapshot import Snapshot
from rag.types import Paper
from tests.corpus import index

ROOT = Path(__file__).parent.parent
EVALS = ROOT / "evals"
CASES = load_suites(EVALS)
TAGS = {"dev", "hard", "test", "more", "lists-dev", "lists-test", "later", "held"}
"""Who has seen a case: each has one of these."""
KEYS = [json.loads(row)["key"] for row in (EVALS / "papers.jsonl").read_text().splitlines()]
NOTES = [ROOT / "rag" / "sample" / "iclr2026_notes.jsonl"]
LISTS = sorted((ROOT.parent / "shared" / "corpus").glob("0*.txt"))
needs_lists = pytest.mark.skipif(not LISTS, reason="the real lists are not beside this folder")
CORPORA = [
    pytest.param(NOTES, id="notes"),
    pytest.param(LISTS, id="lists", marks=needs_lists),
]
RUN = 9
"""So many words in a row are copied, not written."""


def papers(files: Sequence[Path]) -> list[Paper]:
    return [paper for file in files for paper in read_file(str(file)).records]


def test_there_are_enough_cases() -> None:
    least = {"retrieval": 40, "ask": 220, "summarize": 38, "digest": 16}
    assert tuple(CASES) == SUITES
    for suite, cases in CASES.items():
        assert len(cases) >= least[suite], suite


def test_there_are_enough_questions_of_every_kind() -> None:
    counts = Counter(case.kind for case in CASES["ask"])
    assert set(counts) == {
        "named",
        "number",
        "paraphrase",
        "compare",
        "list",
        "count",
        "open",
        "unanswerable-near",
        "unanswerable-far",
        "false-premise",
        "typo",
        "follow-up",
        "find",
        "similar",
    }
    assert min(counts.values()) >= 3


def test_many_cases_say_more_than_a_few_facts() -> None:
    asked = CASES["ask"]
    assert sum(bool(case.forbidden) for case in asked) >= 25
    assert sum(bool(case.reference) for case in asked) >= 15
    assert sum(bool(case.rubric) for case in asked) >= 8
    assert all(case.rubric and case.reference for case in asked if case.kind == "open")


@pytest.mark.parametrize("suite", ["retrieval", "ask"])
def test_every_paper_is_asked_about(suite: str) -> None:
    assert {key for case in CASES[suite] for key in case.gold} == set(KEYS)  # type: ignore[index]


def test_every_paper_is_summarized_against_a_line_of_ours() -> None:
    assert sorted(case.subject for case in CASES["summarize"]) == sorted(KEYS)
    for case in CASES["summarize"]:
        assert 1 <= len(case.reference.split()) <= 25, case.id
        assert 1 <= len(case.facts) <= 3, case.id


def test_some_topics_are_not_in_the_corpus() -> None:
    empty = [case for case in CASES["digest"] if not case.gold]
    assert len(empty) >= 3
    assert {case.outcome for case in empty} == {"not_in_corpus"}


def test_a_tag_says_what_a_case_was_used_for() -> None:
    for case in every_case():
        assert len(TAGS & {*case.tags}) == 1, case.id


def test_facts_are_expected_of_answers_only() -> None:
    for case in CASES["ask"]:
        assert bool(case.facts) == (case.outcome in ("answered", "partial")), case.id


def test_references_hold_the_facts_and_nothing_forbidden() -> None:
    said = [problem for problem in lint(EVALS) if "reference" in problem.text]
    assert [str(problem) for problem in said] == []


@pytest.mark.parametrize("files", CORPORA)
def test_every_case_is_possible(
    files: Sequence[Path], tmp_path_factory: pytest.TempPathFactory, minilm: MiniLM
) -> None:
    store = tmp_path_factory.mktemp("suites") / "index"
    index(store, minilm, papers(files))
    problems = lint(EVALS, names=Names(Snapshot.open(store), EVALS))
    assert [str(problem) for problem in problems] == []


@needs_lists
def test_nothing_is_copied_from_the_abstracts() -> None:
    known = {run for paper in papers(LISTS) for run in runs(paper.text)}
    copied = [case.id for case in every_case() if known & {*runs(words_of(case))}]
    assert copied == []


def every_case() -> Iterator[Case]:
    for cases in CASES.values():
        yield from cases


def words_of(case: Case) -> str:
    """All sentences of a case, set apart so that no run goes over from one to the next."""
    turns = [text for turn in case.history for text in turn[:2]]
    return " | ".join([case.subject, *turns, case.reference, case.rubric])


def runs(text: str) -> Iterator[tuple[str, ...]]:
    words = re.findall(r"\w+|\|", text.casefold())
    for start in range(len(words) - RUN + 1):
        yield tuple(words[start : start + RUN])
