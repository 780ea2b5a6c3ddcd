"""Digests put together: what is listed, in which order, and what a model may add to them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock
from time import sleep

import pytest

from rag.digest import select
from rag.digest.build import INSTEAD, UNSUPPORTED, fingerprint
from rag.digest.editor import Editor, Writing
from rag.embed.minilm import MiniLM
from rag.engine.check import Checker
from rag.engine.writer import Writer
from rag.errors import BudgetError, QuestionError
from rag.prompts import load_task
from rag.retrieve.filters import Filters
from rag.retrieve.hybrid import Retriever
from rag.store.snapshot import Snapshot
from rag.summarize.extractive import Extractive
from rag.summarize.many import side_by_side
from rag.types import Digest, Paper, Summary
from tests.corpus import PAPERS, index
from tests.fakes import Replies

ML = "language models"
SHARED = "LemmaLoom repairs proofs, and heads of a 7B model can go."
MADE_UP = "Every one of these papers was trained on 900 GPUs of Zeta Corporation."


@pytest.fixture(scope="session")
def checker(minilm: MiniLM) -> Checker:
    return Checker(minilm)


@pytest.fixture
def editor(built: Path, checker: Checker) -> Editor:
    return Editor(Snapshot.open(built), Extractive(checker), checker)


@pytest.fixture
def with_model(editor: Editor, checker: Checker) -> Callable[..., Editor]:
    def make(*replies: str) -> Editor:
        writer = Writer(Replies(*replies), load_task("digest"), checker)
        return replace(editor, writing=Writing(writer, load_task("topic")))

    return make


def everything(editor: Editor) -> select.Selection:
    """All eight papers as one topic."""
    rows = range(len(editor.snapshot))
    return select.Selection("toys", tuple(select.Pick(row, 1.0) for row in rows), len(rows))


def pair(editor: Editor) -> select.Selection:
    """Two papers on language models."""
    rows = [editor.snapshot.row_of[paper_id] for paper_id in ("prune", "proof")]
    return select.Selection(ML, tuple(select.Pick(row, 0.9) for row in rows), 8)


def only(digests: Sequence[Digest]) -> Digest:
    (digest,) = digests
    return digest


def test_every_quote_is_exact_and_numbered_as_its_entry(editor: Editor) -> None:
    digest = only(editor.digests([everything(editor)], {}))
    texts = {paper.paper_id: paper.text for paper in PAPERS}
    number_of = {entry.paper.paper_id: entry.number for entry in digest.entries}
    assert sorted(number_of.values()) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert all(entry.citations and entry.supported for entry in digest.entries)
    citations = [c for entry in digest.entries for c in entry.citations]
    citations += [c for statement in digest.overview for c in statement.citations]
    citations += [finding.citation for finding in digest.findings]
    for citation in citations:
        assert texts[citation.paper_id][citation.start : citation.end] == citation.quote
        assert citation.number == number_of[citation.paper_id]
    assert all(len(entry.line.split()) <= 25 for entry in digest.entries)


def test_groups_hold_each_paper_once_in_the_order_of_the_entries(editor: Editor) -> None:
    digest = only(editor.digests([everything(editor)], {}))
    listed = [paper_id for group in digest.groups for paper_id in group.paper_ids]
    assert listed in ([], [entry.paper.paper_id for entry in digest.entries])


def test_figures_are_characters_of_their_quotes(editor: Editor) -> None:
    digest = only(editor.digests([everything(editor)], {}))
    assert {"tide", "proof"} <= {finding.paper_id for finding in digest.findings}
    for finding in digest.findings:
        assert finding.figure in finding.citation.quote


def test_the_same_papers_give_the_same_bytes(
    editor: Editor, minilm: MiniLM, tmp_path: Path
) -> None:
    index(tmp_path / "again", minilm)
    again = replace(editor, snapshot=Snapshot.open(tmp_path / "again"))
    first, second = (
        json.dumps([d.to_json() for d in e.digests([everything(e), pair(e)], {"floor": 0.5})])
        for e in (editor, again)
    )
    assert first == second


def test_a_topic_that_nothing_is_about_is_empty(retriever: Retriever, editor: Editor) -> None:
    selection = select.on_topic(retriever, "medieval monasteries", None, None)
    digest = only(editor.digests([selection], {}))
    assert (digest.entries, digest.overview, digest.groups) == ((), (), ())
    assert (digest.coverage.matched, digest.coverage.population) == (0, 8)


def test_a_topic_lists_what_is_about_it_and_says_what_is_not(retriever: Retriever) -> None:
    selection = select.on_topic(retriever, "honeybees", None, None)
    found = [retriever.snapshot.ids[row] for row in selection.rows]
    assert found == ["bees"]
    assert all(omission.reason for omission in selection.omitted)


def test_filters_narrow_the_population(retriever: Retriever) -> None:
    selection = select.on_topic(retriever, "honeybees", Filters(year=2031), None)
    assert selection.picks == ()
    assert selection.population == 5


def test_by_field_makes_one_for_each_value_and_one_of_the_rest(editor: Editor) -> None:
    found = select.by_field(editor.snapshot, "venue", None)
    assert [(s.topic, len(s.picks)) for s in found] == [
        ("Toy Conference 2031", 4),
        ("Toy Workshop 2030", 2),
        ("no venue", 2),
    ]


def test_years_come_in_their_order(editor: Editor) -> None:
    found = select.by_field(editor.snapshot, "year", None)
    assert [s.topic for s in found] == ["2030", "2031", "no year"]


def test_by_a_field_that_no_paper_has_is_an_error_with_a_way_out(editor: Editor) -> None:
    with pytest.raises(QuestionError, match="None of the 8 papers has a value for status") as error:
        select.by_field(editor.snapshot, "status", None)
    assert "--auto" in error.value.fix


def test_clusters_take_every_paper_once(editor: Editor) -> None:
    found = select.by_cluster(editor.snapshot, 3, None)
    assert sorted(row for s in found for row in s.rows) == list(range(8))
    assert len({s.topic for s in found}) == len(found)


class Unsure:
    """Sums up one paper in words that are not its own."""

    identity = "unsure"

    def __init__(self, checker: Checker, doubtful: str) -> None:
        self._sure = Extractive(checker)
        self._doubtful = doubtful

    def summarize(self, paper: Paper, spans: Sequence[tuple[int, int]]) -> Summary:
        summary = self._sure.summarize(paper, spans)
        return replace(summary, supported=paper.paper_id != self._doubtful)


@pytest.mark.parametrize("strict", [True, False])
def test_a_line_without_support_is_marked_or_left_out(
    editor: Editor, checker: Checker, strict: bool
) -> None:
    editor = replace(editor, summarizer=Unsure(checker, "proof"), strict=strict)
    digest = only(editor.digests([pair(editor)], {}))
    marks = {entry.paper.paper_id: entry.supported for entry in digest.entries}
    assert marks == ({"prune": True} if strict else {"prune": True, "proof": False})
    assert digest.coverage.matched == 2
    assert digest.coverage.listed == len(marks)
    left = [(omission.paper_id, omission.reason) for omission in digest.omitted]
    assert left == ([("proof", UNSUPPORTED)] if strict else [])


def test_a_model_writes_the_overview_on_quotes_of_the_entries(
    with_model: Callable[..., Editor],
) -> None:
    editor = with_model("LemmaLoom repairs a broken proof by weaving in lemmas from a library.")
    digest = only(editor.digests([pair(editor)], {}))
    (statement,) = digest.overview
    assert statement.supported
    (citation,) = statement.citations
    proof = next(entry for entry in digest.entries if entry.paper.paper_id == "proof")
    assert citation.number == proof.number
    assert proof.paper.text[citation.start : citation.end] == citation.quote
    assert (digest.made_from.engine, digest.made_from.model) == ("llm", "fed-1")
    assert load_task("digest").identity in digest.made_from.prompts
    assert digest.usage.input_tokens > 0


def test_what_a_model_makes_up_gives_way_to_quotes(with_model: Callable[..., Editor]) -> None:
    editor = with_model(MADE_UP, MADE_UP)
    digest = only(editor.digests([pair(editor)], {}))
    assert all("GPU" not in statement.text for statement in digest.overview)
    assert INSTEAD in digest.notes


@pytest.mark.parametrize(
    ("reply", "named"),
    [
        ("proofs and language models.", "Proofs and language models"),
        ("Quantum cryptography", ML),
        ("language models with 7 heads", ML),
        ("a name of far too many words for a language model", ML),
        ("", ML),
    ],
)
def test_a_model_names_topics_in_words_of_their_papers(
    with_model: Callable[..., Editor], reply: str, named: str
) -> None:
    editor = with_model(reply, "LemmaLoom repairs a broken proof.")
    digest = only(editor.digests([pair(editor)], {}, rename=True))
    assert digest.topic == named


def test_lines_that_stand_in_for_a_models_are_told(editor: Editor, checker: Checker) -> None:
    class StandIn(Unsure):
        def summarize(self, paper: Paper, spans: Sequence[tuple[int, int]]) -> Summary:
            return replace(super().summarize(paper, spans), model="fed-1")

    editor = replace(editor, summarizer=StandIn(checker, ""))
    digest = only(editor.digests([pair(editor)], {}))
    assert digest.notes == ("2 of 2 lines are quoted: the model's could not stand.",)


def test_two_topics_never_get_the_same_name() -> None:
    before = [select.Selection(name, (), 0) for name in ("a", "b", "c")]
    assert [s.topic for s in select.renamed(before, ["x", "X", "a"])] == ["x", "b", "c"]


def test_before_a_model_is_asked_it_can_be_seen_what_would_be(
    with_model: Callable[..., Editor],
) -> None:
    editor = with_model()
    requests = list(editor.requests([pair(editor), everything(editor)], rename=True))
    assert len(requests) == 4
    assert all(messages and limit > 0 for messages, limit in requests)


def test_what_does_not_fit_into_one_request_is_told(editor: Editor, checker: Checker) -> None:
    model = Replies("LemmaLoom repairs a broken proof.", window=900)
    writer = Writer(model, load_task("digest"), checker)
    editor = replace(editor, writing=Writing(writer, load_task("topic")))
    digest = only(editor.digests([everything(editor)], {}))
    shown = model.asked[0][-1].text.count("## Paper")
    if shown < 8:
        assert any(f"from {shown} of 8 papers" in note for note in digest.notes)
    assert shown


def test_the_fingerprint_is_of_the_papers_not_of_their_place(
    built: Path, minilm: MiniLM, tmp_path: Path
) -> None:
    moved = Path(shutil.copytree(built, tmp_path / "moved"))
    index(tmp_path / "reversed", minilm, PAPERS[::-1])
    index(tmp_path / "other", minilm, [replace(PAPERS[0], status="withdrawn"), *PAPERS[1:]])
    prints = [
        fingerprint(Snapshot.open(store))
        for store in (built, moved, tmp_path / "reversed", tmp_path / "other")
    ]
    assert prints[0] == prints[1] == prints[2]
    assert prints[3] != prints[0]


def test_side_by_side_keeps_the_order_and_stops_at_an_error() -> None:
    begun: list[int] = []
    lock = Lock()

    def make(n: int) -> int:
        with lock:
            begun.append(n)
        sleep(0.002)
        if n == 3:
            raise BudgetError("no more", "earn some")
        return n * n

    made: list[int] = []
    with pytest.raises(BudgetError):
        for each in side_by_side(make, range(1000), jobs=2):
            made.append(each)
    assert made == [0, 1, 4]
    assert len(begun) < 1000
