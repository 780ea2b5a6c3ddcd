"""Papers that were not accepted are left out, and said to be, until they are asked for."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from rag.embed.minilm import MiniLM
from rag.retrieve.hybrid import Retriever
from rag.store.snapshot import Snapshot
from tests.commands import Run
from tests.corpus import PAPERS, index

STATUS = {"bees": "reject", "leak": "withdrawn", "tide": "oral", "prune": "poster"}
NAMED = {"bees": "BeeDancer"}
LEFT_OUT = {"bees", "leak"}
BEES = "How many dances did the camera above the comb read?"


@pytest.fixture(scope="module")
def decided(tmp_path_factory: pytest.TempPathFactory, minilm: MiniLM) -> Path:
    """The eight papers, two of them not accepted and four without a status."""
    store = tmp_path_factory.mktemp("decided") / "index"
    papers = [
        replace(p, status=STATUS.get(p.paper_id), handle=NAMED.get(p.paper_id, p.handle))
        for p in PAPERS
    ]
    index(store, minilm, papers)
    return store


@pytest.fixture
def ask(run: Run, decided: Path, tmp_path: Path) -> Run:
    shutil.copytree(decided, tmp_path / "index_store")
    return run


def ids(run: Run, *arguments: object) -> set[str]:
    return {row["paper_id"] for row in run(*arguments, "--json").lines}


def test_list_counts_the_accepted_and_says_so(ask: Run) -> None:
    result = ask("list", "--json")
    found = {row["paper_id"] for row in result.lines}
    assert len(found) == 6
    assert not found & LEFT_OUT
    assert "6 of 6 accepted papers; 2 others are left out: --status all" in result.err


@pytest.mark.parametrize(
    ("status", "found"),
    [
        ("all", {paper.paper_id for paper in PAPERS}),
        ("reject", {"bees"}),
        ("Rejected", {"bees"}),
        ("withdrawn", {"leak"}),
        ("Oral", {"tide"}),
        ("accepted", {paper.paper_id for paper in PAPERS} - LEFT_OUT),
    ],
)
def test_a_status_picks(ask: Run, status: str, found: set[str]) -> None:
    assert ids(ask, "list", "--status", status) == found
    assert "left out" not in ask("list", "--status", status).err


def test_search_finds_the_rejected_only_on_request(ask: Run) -> None:
    assert "bees" not in ids(ask, "search", BEES, "-k", 8)
    assert ask("search", BEES, "--status", "all", "--json").lines[0]["paper_id"] == "bees"
    assert ids(ask, "search", BEES, "--paper", "bees") == {"bees"}


def test_an_answer_names_its_population(ask: Run) -> None:
    hidden = ask("ask", BEES, "--json").json
    assert "bees" not in {paper["paper_id"] for paper in hidden["sources"]}
    assert hidden["notes"] == ["Of 6 accepted papers; 2 others are left out: --status all"]
    open_ = ask("ask", BEES, "--status", "all", "--json").json
    assert open_["sources"][0]["paper_id"] == "bees"
    assert open_["notes"] == []


def test_who_asks_about_a_rejected_paper_is_told_so(ask: Run) -> None:
    (note,) = ask("ask", "What does BeeDancer do?", "--json").json["notes"]
    assert note.endswith("--status all. Asked about and left out: BeeDancer (reject)")


def test_a_count_is_of_the_accepted(ask: Run) -> None:
    question = "How many papers are about language models?"
    assert " of 6 accepted papers" in ask("ask", question).out
    assert " of 8 papers" in ask("ask", question, "--status", "all").out


def test_show_finds_any_paper(ask: Run) -> None:
    assert ask("show", "bees", "--json").json["status"] == "reject"


def test_summaries_are_of_the_accepted(ask: Run) -> None:
    assert not ids(ask, "summarize", "--all") & LEFT_OUT
    assert ids(ask, "summarize", "bees") == {"bees"}


def test_a_digest_names_its_population(ask: Run) -> None:
    (found,) = ask("digest", "language models", "--json").json["digests"]
    assert found["coverage"]["left_out"] == 2
    assert not {entry["paper_id"] for entry in found["entries"]} & LEFT_OUT
    text = ask("digest", "language models").out
    assert " of 6 accepted papers" in text
    assert "2 not accepted are left out (--status all)" in " ".join(text.split())


def test_fields_and_groups_are_of_the_accepted(ask: Run) -> None:
    for how in (("--by", "area"), ("--auto", 2)):
        found = ask("digest", *how, "--json").json["digests"]
        listed = {entry["paper_id"] for each in found for entry in each["entries"]}
        assert len(listed) == 6
        assert not listed & LEFT_OUT


def test_filters_that_only_the_rejected_pass_say_so(ask: Run) -> None:
    error = ask("list", "--year", 2030, "--json").json["error"]
    assert error["message"] == "No accepted paper passes the filters; 2 papers do, which were not."
    assert error["fix"] == "--status all"


def test_where_all_were_accepted_nothing_is_looked_up(built: Path, minilm: MiniLM) -> None:
    snapshot = Snapshot.open(built)
    assert not (snapshot.folder / "unaccepted.json").exists()
    retriever = Retriever(snapshot, minilm)
    assert len(retriever.ranked(retriever.signals("bees"))) == len(PAPERS)
