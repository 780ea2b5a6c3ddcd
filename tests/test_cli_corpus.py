"""The corpus as a whole: counted, written out, searched for doubles, made smaller."""

from __future__ import annotations

import csv
import io
import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.commands import Run
from tests.corpus import PAPERS

TEXTS = {
    "a": "AlphaNet sorts shells that a net has brought up. It finds 12 kinds of shells on a beach "
    "within a minute, and tells a person which of them are rare.",
    "b": "BetaNet counts waves by their sound. It needs no camera at all, for a microphone in the "
    "dunes hears each of them break, by day and by night.",
}
REVISED = TEXTS["a"].replace("within a minute", "in half a minute, even at night")


@pytest.fixture
def read(run: Run, built: Path) -> Run:
    """Run a command on the index of the eight papers."""
    return lambda *arguments: run(*arguments, "--store", built)


def write(name: str, *records: dict[str, Any]) -> str:
    Path(name).write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    return name


def known(run: Run, *store: object) -> list[dict[str, Any]]:
    """The papers of an index, wherever they were read and whatever a test calls them."""
    papers = run("list", "--status", "all", "--json", *store).lines
    told = ("source", "sources", "handle")
    return [{name: value for name, value in p.items() if name not in told} for p in papers]


# --- stats ---------------------------------------------------------------------------------------


def test_stats_count_what_is_there(read: Run) -> None:
    found = read("stats", "--json").json
    assert (found["papers"], found["sentences"]) == (8, 24)
    assert found["having"]["title"] == 7
    assert found["fields"]["area"][:2] == [
        {"value": "biology", "papers": 2},
        {"value": "language models", "papers": 2},
    ]
    assert found["fields"]["year"] == [
        {"value": 2031, "papers": 5},
        {"value": 2030, "papers": 2},
        {"value": None, "papers": 1},
    ]
    words = sorted(len(paper.text.split()) for paper in PAPERS)
    lengths = found["lengths"]
    assert (lengths["shortest"], lengths["longest"]) == (words[0], words[-1])
    assert lengths["median"] == (words[3] + words[4]) / 2
    assert sum(bar["papers"] for bar in lengths["histogram"]) == 8
    assert found["sources"] == [{"value": "a.jsonl", "papers": 8}]
    assert read("stats", "--json").json == found


def test_stats_keywords_are_the_authors_or_else_of_the_abstracts(read: Run, run: Run) -> None:
    assert read("stats", "--json").json["keywords_from"] == "abstracts"
    records = [
        {"id": "a", "abstract": TEXTS["a"], "keywords": ["Neural Networks", "shells"]},
        {"id": "b", "abstract": TEXTS["b"], "keywords": ["neural network", "neural networks"]},
    ]
    run("ingest", write("k.jsonl", *records), "--store", "k")
    found = run("stats", "--json", "--store", "k").json
    assert found["keywords_from"] == "keywords"
    assert found["keywords"][0] == {"value": "neural networks", "papers": 2}


def test_stats_draw_a_histogram_without_colour(read: Run) -> None:
    shown = read("stats", "--year", 2030).out
    assert "2 papers, 6 sentences" in shown
    assert "█" in shown
    assert "\x1b" not in shown


def test_stats_and_export_name_whom_they_count(run: Run) -> None:
    statuses = ("Accept (oral)", "Reject")
    records = [
        {"id": id, "abstract": TEXTS[id], "status": status}
        for id, status in zip("ab", statuses, strict=True)
    ]
    run("ingest", write("s.jsonl", *records))
    assert {row["value"] for row in run("stats", "--json").json["fields"]["status"]} == {
        "oral",
        "reject",
    }
    accepted = run("export")
    assert [row["paper_id"] for row in accepted.lines] == ["a"]
    assert "--status all" in accepted.err
    assert len(run("export", "--status", "all").lines) == 2


# --- export --------------------------------------------------------------------------------------


def test_what_is_exported_makes_the_same_index(indexed: Run) -> None:
    for suffix in ("bib", "ris"):
        assert indexed("export", "-o", f"all.{suffix}").status == 0
        assert indexed("ingest", f"all.{suffix}", "--store", suffix).status == 0
        assert known(indexed, "--store", suffix) == known(indexed)
        shown = [indexed("show", "tide", "--json", *at).json for at in ((), ("--store", suffix))]
        assert shown[0]["text"] == shown[1]["text"]


def test_export_takes_names_filters_and_terms(read: Run) -> None:
    rows = list(
        csv.DictReader(read("export", "LemmaLoom", "tide", "--format", "csv").out.split("\n"))
    )
    assert [row["paper_id"] for row in rows] == ["proof", "tide"]
    assert rows[1]["abstract"].startswith("Coastal gauges")
    assert [row["id"] for row in read("export", "--area", "biology", "--format", "csl").json] == [
        "bees",
        "cells",
    ]
    assert [row["paper_id"] for row in read("export", "--match", "test set", "--json").lines] == [
        "leak"
    ]


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (("-o", "papers.doc"), 2, "--format"),
        (("--json", "--format", "ris"), 2, "--json is not"),
        (("tide", "--year", "2031"), 2, "not both"),
        (("nobody",), 1, "No paper goes by"),
        (("-o", "no/folder/a.bib"), 1, "no folder"),
    ],
)
def test_export_says_what_is_wrong(
    read: Run, arguments: tuple[str, ...], status: int, told: str
) -> None:
    result = read("export", *arguments)
    assert result.status == status
    assert told in result.err


# --- similar, dupes ------------------------------------------------------------------------------


def test_similar_ranks_the_other_papers(read: Run) -> None:
    found = read("similar", "prune", "--json").lines
    assert len(found) == 7
    assert "prune" not in {hit["paper_id"] for hit in found}
    assert [hit["rank"] for hit in found] == list(range(1, 8))
    assert found[0]["area"] in ("language models", "reasoning")
    texts = {paper.paper_id: paper.text for paper in PAPERS}
    for passage in found[0]["passages"]:
        quoted = texts[found[0]["paper_id"]][passage["start"] : passage["end"]]
        assert passage["text"] == quoted
    biology = read("similar", "prune", "--area", "biology", "-k", 1, "--json").lines
    assert [hit["area"] for hit in biology] == ["biology"]


def test_dupes_are_shown_with_the_command_that_settles_it(run: Run) -> None:
    records = [
        {"id": "a", "abstract": TEXTS["a"], "title": "AlphaNet: Sorting of Shells", "year": 2030},
        {"id": "z", "abstract": REVISED, "title": "A Machine That Knows Its Beach"},
        {"id": "b", "abstract": TEXTS["b"], "title": "Counting Waves by Ear"},
    ]
    run("ingest", write("d.jsonl", *records), "--store", "d e")
    [pair] = run("dupes", "--json", "--store", "d e").lines
    assert [paper["paper_id"] for paper in pair["papers"]] == ["a", "z"]
    assert 0.15 <= pair["likeness"] < 1
    assert "of the text in common" in pair["reason"]
    assert pair["fix"] in run("dupes", "--store", "d e").out
    program, *settling = shlex.split(pair["fix"])
    assert program == "rag"
    assert run(*settling, "--yes").status == 0
    assert run("dupes", "--json", "--store", "d e").lines == []


# --- remove --------------------------------------------------------------------------------------


@pytest.fixture
def two(run: Run) -> Run:
    """Commands in a folder with an index of the papers a and b of one file."""
    run("ingest", write("two.jsonl", *({"id": id, "abstract": text} for id, text in TEXTS.items())))
    return run


def ids(run: Run) -> list[str]:
    return [paper["paper_id"] for paper in known(run)]


def test_nothing_goes_unasked(two: Run) -> None:
    unasked = two("remove", "a")
    assert (unasked.status, ids(two)) == (2, ["a", "b"])
    assert "--yes" in unasked.err
    shown = two("remove", "a", "--dry-run", "--json").json
    assert (shown["paper_ids"], shown["removed"], shown["papers"]) == (["a"], False, 1)
    assert ids(two) == ["a", "b"]


class Person(io.StringIO):
    """Somebody at a terminal who types this."""

    def isatty(self) -> bool:
        return True


def test_a_person_is_asked(two: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", Person("n\n"))
    asked = two("remove", "a")
    assert (asked.status, ids(two)) == (0, ["a", "b"])
    assert "AlphaNet" in asked.err
    assert "remove 1 paper?" in asked.err
    monkeypatch.setattr("sys.stdin", Person("y\n"))
    assert two("remove", "a").status == 0
    assert ids(two) == ["b"]


@pytest.mark.parametrize("arguments", [(), ("a", "--year", "2030"), ("a", "--source", "two.jsonl")])
def test_which_papers_go_is_said_in_one_way(two: Run, arguments: tuple[str, ...]) -> None:
    assert two("remove", "--yes", *arguments).status == 2
    assert ids(two) == ["a", "b"]


def test_a_removed_paper_is_gone_until_its_file_is_read_again(two: Run) -> None:
    gone = two("remove", "a", "--yes")
    assert (gone.status, ids(two)) == (0, ["b"])
    assert "two.jsonl" in gone.err
    assert two("doctor").status == 0
    assert two("ingest", "two.jsonl", "--json").json["added"] == 1
    assert ids(two) == ["a", "b"]


def test_a_file_leaves_what_others_have_too(two: Run) -> None:
    more = [
        {"id": "a", "abstract": TEXTS["a"], "title": "AlphaNet Sorts Shells"},
        {"id": "c", "abstract": "GammaNet weighs sand. It does so grain by grain."},
    ]
    two("ingest", write("more.jsonl", *more))
    assert two("show", "a", "--json").json["title"] == "AlphaNet Sorts Shells"
    gone = two("remove", "--source", "more.jsonl", "--yes", "--json").json
    assert (gone["paper_ids"], gone["papers"]) == (["c"], 2)
    assert two("show", "a", "--json").json["title"] is None
    assert "No paper came from" in two("remove", "--source", "more.jsonl", "--yes").err


def test_an_index_may_become_empty(two: Run) -> None:
    assert two("remove", "a", "b", "--yes").status == 0
    assert ids(two) == []
    assert two("stats", "--json").json["papers"] == 0
    assert two("dupes", "--json").lines == []
    assert two("export", "--format", "csl").json == []
    assert two("doctor").status == 0
