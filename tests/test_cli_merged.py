"""Papers that come from several files, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import Run
from tests.corpus import PAPERS

TIDE, PRUNE, BEES = PAPERS[:3]
FEWER = f"{TIDE.text} It needs twelve harbours."


def row(id: str, text: str, **fields: object) -> str:
    return json.dumps({"id": id, "abstract": text, **fields})


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """A pasted list, and an export with a version, a copy under another name, and another paper."""
    (tmp_path / "list.txt").write_text(f"{TIDE.text}\n\n{PRUNE.text}\n\n{BEES.text}")
    rows = [
        row("t", FEWER, title=TIDE.title, doi="10.1000/tide", status="Poster"),
        row("p", PRUNE.text, title=PRUNE.title, venue="Toy 2031 Oral"),
        row("g", PAPERS[7].text, title=PAPERS[7].title),
    ]
    (tmp_path / "export.jsonl").write_text("\n".join(rows))
    return "list.txt", "export.jsonl"


def test_two_orders_give_the_same_bytes(run: Run, files: tuple[str, str]) -> None:
    for store, order in (("one", files), ("two", files[::-1])):
        for file in order:
            assert run("ingest", file, "--store", store).status == 0
    for how in (("--json",), ("--merged", "--json"), ("--merged",)):
        assert run("list", *how, "--store", "one").out == run("list", *how, "--store", "two").out


def test_a_paper_that_got_an_id_was_not_removed(run: Run, files: tuple[str, str]) -> None:
    run("ingest", files[0])
    report = run("ingest", files[1], "--json").json
    counts = {name: report[name] for name in ("added", "updated", "unchanged", "removed", "merged")}
    assert counts == {"added": 1, "updated": 2, "unchanged": 1, "removed": 0, "merged": 2}


def test_merged_papers_are_shown_with_their_sources_and_why(
    run: Run, files: tuple[str, str]
) -> None:
    run("ingest", *files)
    found = {row["paper_id"]: row for row in run("list", "--merged", "--json").lines}
    assert {id: row["merged_by"] for id, row in found.items()} == {
        "t": ["almost the same text"],
        "p": ["same text"],
    }
    assert [source["path"] for source in found["p"]["sources"]] == ["export.jsonl", "list.txt"]
    assert (found["p"]["venue"], found["p"]["year"], found["p"]["status"]) == (
        "Toy 2031",
        2031,
        "oral",
    )
    text = run("list", "--merged").out
    assert f"p  {PRUNE.title}: same text\n    export.jsonl, line 2\n    list.txt, line 3\n" in text


def test_of_two_versions_the_longest_counts_or_what_the_user_says(
    run: Run, files: tuple[str, str]
) -> None:
    def shown(*how: str) -> str:
        """The text after the longer version was read, and then the shorter one."""
        store = "-".join(("index", *how)).strip("-")
        run("ingest", files[1], "--store", store)
        run("ingest", files[0], "--store", store, *how)
        run("ingest", files[0], "--store", store)  # which changes nothing
        return str(run("show", "t", "--store", store, "--json").json["text"])

    assert shown() == FEWER
    assert shown("--on-conflict", "keep") == FEWER
    assert shown("--on-conflict", "replace") == TIDE.text
    assert shown("--on-conflict", "both") == FEWER
    assert len(run("list", "--store", "index---on-conflict-both").out.splitlines()) == 5


def test_a_file_whose_abstract_was_revised(run: Run, tmp_path: Path) -> None:
    def texts(*how: str) -> set[str]:
        store = "-".join(("index", *how)).strip("-")
        (tmp_path / "a.jsonl").write_text(row("t", TIDE.text))
        run("ingest", "a.jsonl", "--store", store)
        (tmp_path / "a.jsonl").write_text(row("t", FEWER[20:]))
        for _ in range(2):
            assert run("ingest", "a.jsonl", "--store", store, *how).status == 0
        ids = [paper["paper_id"] for paper in run("list", "--json", "--store", store).lines]
        return {run("show", id, "--json", "--store", store).json["text"] for id in ids}

    assert texts() == texts("--on-conflict", "replace") == {FEWER[20:]}
    assert texts("--on-conflict", "keep") == {TIDE.text}
    assert texts("--on-conflict", "both") == {TIDE.text, FEWER[20:]}


def test_no_paper_is_merged(run: Run, files: tuple[str, str]) -> None:
    run("ingest", files[0])
    result = run("list", "--merged", "--json")
    assert (result.status, result.out) == (0, "")
