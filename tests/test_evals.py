"""Our questions are possible, and the answers to them are as good as we say."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from rag.corpus import read_file
from rag.embed.minilm import MiniLM
from rag.engine.answer import Asker
from rag.errors import SourceError
from rag.evaluate.cases import Case, keys_of, load_cases
from rag.evaluate.metrics import METRICS, Scored
from rag.evaluate.runner import confusion, run, table
from rag.retrieve.hybrid import Retriever
from rag.retrieve.lexical import write_bm25
from rag.store.ingest import Batch, ingest
from rag.store.snapshot import Snapshot
from rag.types import Answer, Citation, Paper, Statement
from tests.fakes import Notes

ROOT = Path(__file__).parent.parent
CASES = load_cases(ROOT / "evals" / "iclr2026.jsonl")
SAMPLE = [ROOT / "rag" / "sample" / "iclr2026_notes.jsonl"]
LISTS = sorted((ROOT.parent / "shared" / "corpus").glob("0*.txt"))
CORPORA = [
    pytest.param(SAMPLE, id="notes"),
    pytest.param(
        LISTS,
        id="lists",
        marks=pytest.mark.skipif(not LISTS, reason="the real lists are not beside this folder"),
    ),
]


def papers_by_key(files: Sequence[Path]) -> dict[str, Paper]:
    papers = [paper for file in files for paper in read_file(str(file)).records]
    keys = keys_of(papers, ROOT / "evals" / "papers.jsonl")
    return {keys[paper.paper_id]: paper for paper in papers}


def test_there_are_enough_questions_of_every_kind() -> None:
    counts = {kind: sum(case.kind == kind for case in CASES) for kind in {c.kind for c in CASES}}
    assert len(CASES) >= 80
    assert len({case.id for case in CASES}) == len(CASES)
    assert set(counts) == {
        "named",
        "number",
        "paraphrase",
        "compare",
        "list",
        "unanswerable-near",
        "unanswerable-far",
        "false-premise",
        "typo",
        "follow-up",
    }
    assert min(counts.values()) >= 10


def test_every_paper_is_asked_about() -> None:
    rows = (ROOT / "evals" / "papers.jsonl").read_text(encoding="utf-8").splitlines()
    assert {key for case in CASES for key in case.gold} == {json.loads(r)["key"] for r in rows}


@pytest.mark.parametrize("files", CORPORA)
def test_expected_facts_stand_in_the_gold_abstracts(files: Sequence[Path]) -> None:
    papers = papers_by_key(files)
    assert len(papers) == 38
    for case in CASES:
        text = " ".join(papers[key].text for key in case.gold)
        assert all(case.found(text)), (case.id, case.facts)


def test_no_fact_is_met_by_an_echo_of_the_question() -> None:
    for case in CASES:
        said = " ".join([case.question, *(text for turn in case.history for text in turn[:2])])
        assert not any(case.found(said)), case.id


def test_only_questions_without_an_answer_lack_facts() -> None:
    for case in CASES:
        assert bool(case.facts) == case.answerable, case.id


def test_a_broken_case_is_told_by_line(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text('{"id": "x"}\n', encoding="utf-8")
    with pytest.raises(SourceError, match="line 1"):
        load_cases(file)


def scored(outcome: str, gold: str, got: str, quote: str, cited: str) -> Scored:
    facts = (("seven",),) if outcome == "answered" else ()
    case = Case("x", "dev", "fact", "?", (), (gold,) if gold else (), facts, outcome)  # type: ignore[arg-type]
    citation = Citation(1, cited, quote, 0, len(quote))
    statements = (Statement(quote, (citation,), True, 1.0),) if got == "answered" else ()
    answer = Answer("?", "?", got, "fact", quote, statements, (), "extractive")  # type: ignore[arg-type]
    return Scored(case, answer, ("a", "b"), (cited,) if statements else ())


def test_metrics_on_cases_counted_by_hand() -> None:
    cases = [
        scored("answered", "a", "answered", "There are seven.", "a"),
        scored("answered", "b", "answered", "There are some.", "a"),
        scored("answered", "b", "not_in_corpus", "", ""),
        scored("not_in_corpus", "", "not_in_corpus", "", ""),
        scored("not_in_abstracts", "a", "answered", "There are ten.", "a"),
    ]
    figures = {name: metric(cases) for name, metric in METRICS.items()}
    assert figures == pytest.approx(
        {
            "recall@gold": 1 / 3,
            "recall@5": 1.0,
            "facts found": 1 / 3,
            "all facts": 1 / 3,
            "refusal precision": 1 / 2,
            "refusal recall": 1 / 2,
            "citation precision": 1 / 2,
            "citation recall": 1 / 3,
        }
    )


def test_a_metric_without_cases_is_no_number() -> None:
    assert {metric([]) for metric in METRICS.values()} == {None}
    assert "—" in table([scored("answered", "a", "answered", "seven", "a")])


@pytest.fixture(scope="session", params=CORPORA)
def outcome_of_run(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, minilm: MiniLM
) -> list[Scored]:
    """All our questions put to one corpus."""
    store = tmp_path_factory.mktemp("evals") / "index"
    readings = [read_file(str(file)) for file in request.param]
    batches = [Batch(r.path, r.file, r.records, whole=not r.rejected) for r in readings]
    ingest(store, batches, minilm, write_bm25, Notes())
    snapshot = Snapshot.open(store)
    keys = keys_of(snapshot.papers(), ROOT / "evals" / "papers.jsonl")
    return run(Asker(Retriever(snapshot, minilm)), CASES, keys)


FLOORS = {
    "recall@gold": 0.82,
    "recall@5": 0.94,
    "facts found": 0.75,
    "refusal precision": 0.82,
    "refusal recall": 0.80,
    "citation precision": 0.85,
    "citation recall": 0.85,
}


@pytest.mark.parametrize("name", FLOORS)
def test_answers_are_as_good_as_before(outcome_of_run: list[Scored], name: str) -> None:
    value = METRICS[name](outcome_of_run)
    assert value is not None
    assert value >= FLOORS[name]


def test_the_confusion_table_counts_every_case(outcome_of_run: list[Scored]) -> None:
    counts = [int(line.split()[-1]) for line in confusion(outcome_of_run).splitlines()]
    assert sum(counts) == len(CASES)
