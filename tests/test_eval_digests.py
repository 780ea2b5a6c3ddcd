"""Papers and topics → Samples; and cases of all sorts from several threads."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from rag.digest.editor import Editor
from rag.digest.select import on_topic
from rag.embed.minilm import MiniLM
from rag.engine.answer import Asker
from rag.engine.check import Checker
from rag.evaluate.asking import Asking
from rag.evaluate.digesting import Digesting
from rag.evaluate.papers import Names
from rag.evaluate.summarizing import Summarizing
from rag.evaluate.types import Case, Sample
from rag.retrieve.hybrid import Retriever
from rag.store.snapshot import Snapshot
from rag.summarize.extractive import Extractive
from rag.topics import membership
from rag.types import Citation, Digest, Paper, Statement, Summary, Usage
from tests.corpus import QUESTIONS


@pytest.fixture(scope="module")
def names(retriever: Retriever, tmp_path_factory: pytest.TempPathFactory) -> Names:
    return Names(retriever.snapshot, tmp_path_factory.mktemp("cases"))


@pytest.fixture(scope="module")
def checker(minilm: MiniLM) -> Checker:
    return Checker(minilm)


class Lines:
    """A Summarizer that says what it was given, and quotes the first sentence of ``paper``."""

    identity = "lines-1"

    def __init__(self, text: str, paper: Paper | None = None) -> None:
        self._text, self._paper = text, paper

    def summarize(self, paper: Paper, spans: Sequence[tuple[int, int]]) -> Summary:
        end = spans[0][1]
        quoted = self._paper or paper
        citation = Citation(1, quoted.paper_id, quoted.text[:end], 0, end)
        return Summary(paper, self._text, (citation,), True, 1.0, usage=Usage(10, 5, 0.5))


def test_a_line_is_scored_against_its_paper(
    retriever: Retriever, names: Names, checker: Checker
) -> None:
    case = Case(
        id="s",
        suite="summarize",
        subject="TideNet: filling the gaps of storm-struck sea level gauges",
        facts=(("TideNet",), ("moon",)),
        reference="TideNet fills gaps of gauges from neighbouring harbours.",
    )
    sample = Summarizing(Extractive(checker), retriever.snapshot, names, checker).sample(case)
    assert sample.scores["facts"] == 0.5
    assert sample.faults == ("lacks the fact moon",)
    assert sample.scores["ROUGE-1"] > sample.scores["ROUGE-2"] > 0.1
    for name in ("length", "quote integrity", "support", "completed"):
        assert sample.scores[name] == 1
    assert {quote.paper for quote in sample.quotes} == set(sample.papers)


def test_a_line_may_be_too_long_or_rest_on_another_paper(
    retriever: Retriever, names: Names
) -> None:
    case = Case(id="s", suite="summarize", subject="tide")
    long = Summarizing(Lines("word " * 26), retriever.snapshot, names).sample(case)
    assert long.scores["length"] == 0
    assert "has 26 words" in long.faults
    other = retriever.snapshot.paper(retriever.snapshot.row_of["bees"])
    strange = Summarizing(Lines("A line.", other), retriever.snapshot, names).sample(case)
    assert strange.scores["quote integrity"] == 0


TOPIC = Case(id="d", suite="digest", subject="language models", gold=("prune", "lemmaloom"))


@dataclass(frozen=True)
class Made(Editor):
    """Has one digest, whatever is asked for."""

    summarizer: Any = None
    checker: Any = None
    digest: Any = None

    def digests(self, *asked: Any, **how: Any) -> list[Digest]:
        return [self.digest]


@pytest.fixture(scope="module")
def editor(retriever: Retriever, checker: Checker) -> Editor:
    return Editor(retriever.snapshot, Extractive(checker), checker)


def test_a_digest_is_scored_by_what_it_lists(
    retriever: Retriever,
    editor: Editor,
    names: Names,
    checker: Checker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    digesting = Digesting(editor, retriever, names, checker=checker)
    sample = digesting.sample(TOPIC)
    assert (sample.expected, sample.outcome, sample.error) == ("listed", "listed", "")
    assert (sample.scores["recall"], sample.scores["off-topic"]) == (1, 0)
    for name in ("coverage", "quote integrity", "marker integrity", "support"):
        assert sample.scores[name] == 1
    assert len(sample.text.splitlines()) == len(sample.papers) == 2
    narrow = digesting.sample(replace(TOPIC, gold=("prune", "bees"), facts=(("proof",), ("xyz",))))
    assert (narrow.scores["recall"], narrow.scores["off-topic"]) == (0.5, 0.5)
    assert narrow.scores["facts"] == 0.5
    assert narrow.faults == (
        f"misses {names.name_of('bees')}",
        "lists LemmaLoom, off topic",
        "lacks the fact xyz",
    )
    monkeypatch.setattr(membership, "FLOOR", 1.0)
    surer = digesting.sample(TOPIC)
    assert (surer.scores["recall"], surer.outcome) == (0, "empty")
    assert "off-topic" not in surer.scores


def test_a_topic_without_papers_has_to_come_out_empty(
    retriever: Retriever, editor: Editor, names: Names
) -> None:
    digesting = Digesting(editor, retriever, names)
    empty = digesting.sample(Case(id="d", suite="digest", subject="medieval sourdough recipes"))
    assert (empty.expected, empty.outcome) == ("empty", "empty")
    assert empty.scores == {"completed": 1, "empty": 1}
    listed = digesting.sample(replace(TOPIC, gold=()))
    assert listed.scores["empty"] == 0
    assert "recall" not in listed.scores
    harmless = digesting.sample(replace(TOPIC, gold=(), maybe=listed.papers))
    assert (harmless.scores["empty"], harmless.expected) == (1, "")


def test_a_digest_costs_what_its_lines_cost(
    retriever: Retriever, editor: Editor, names: Names
) -> None:
    writing = replace(editor, summarizer=Lines("A line of two papers."))
    sample = Digesting(writing, retriever, names).sample(TOPIC)
    assert sample.usage == Usage(20, 10, 1.0)


def test_numbers_of_a_digest_have_to_be_those_of_its_entries(
    retriever: Retriever, editor: Editor, names: Names
) -> None:
    [digest] = editor.digests([on_topic(retriever, TOPIC.subject, None, None)], {})
    first, second = digest.entries
    cited = tuple(replace(citation, number=2) for citation in first.citations)
    for changed in (
        replace(digest, entries=(replace(first, citations=cited), second)),
        replace(digest, entries=(second, first)),
        replace(digest, overview=(Statement(first.line, cited, True, 1.0),)),
    ):
        sample = Digesting(Made(retriever.snapshot, digest=changed), retriever, names).sample(TOPIC)
        assert sample.scores["marker integrity"] < 1
        assert any("numbers that point elsewhere" in fault for fault in sample.faults)


def test_cases_may_be_put_from_several_threads(built: Path, tmp_path: Path) -> None:
    """Nothing is loaded yet when four threads begin at once."""

    def opened() -> tuple[Asking, Digesting]:
        minilm = MiniLM()
        retriever, checker = Retriever(Snapshot.open(built), minilm), Checker(minilm)
        names = Names(retriever.snapshot, tmp_path)
        editor = Editor(retriever.snapshot, Extractive(checker), checker)
        asking = Asking(Asker(retriever), names, checker=Checker(minilm))
        return asking, Digesting(editor, retriever, names)

    asked = [
        Case(id=f"{suite} {question}", suite=suite, subject=question, gold=("tide",))  # type: ignore[arg-type]
        for question in QUESTIONS
        for suite in ("ask", "retrieval")
    ]
    topics = [replace(TOPIC, id=t, subject=t) for t in ("language models", "biology", "robots")]

    def put(opened: tuple[Asking, Digesting], case: Case) -> Sample:
        asking, digesting = opened
        return replace((digesting if case.suite == "digest" else asking).sample(case), ms=0)

    serial, parallel = opened(), opened()
    one_by_one = [put(serial, case) for case in asked + topics]
    with ThreadPoolExecutor(4) as pool:
        at_once = list(pool.map(lambda case: put(parallel, case), asked + topics))
    assert at_once == one_by_one
    assert not any(sample.error for sample in at_once)
