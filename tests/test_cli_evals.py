"""`rag eval` as a user meets it: a first run, a baseline, a gate that opens and shuts."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.commands import Run
from tests.servers import Scripted

CASES = (
    {
        "id": "goals",
        "question": "What share of the open goals does LemmaLoom close?",
        "gold": ["LemmaLoom"],
        "facts": ["38 %"],
        "kind": "number",
    },
    {
        "id": "tides",
        "question": "What does TideNet do?",
        "gold": ["TideNet"],
        "tags": ["short"],
        "reference": "TideNet forecasts tides.",
    },
    {"id": "bread", "question": "How do I bake rye bread?", "outcome": "not_in_corpus"},
)


def suite(folder: Path, name: str, *rows: Any) -> Path:
    folder.mkdir(exist_ok=True)
    file = folder / f"{name}.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return file


@pytest.fixture
def cases(tmp_path: Path, indexed: Run) -> Path:
    """Three questions over the index, and a search."""
    folder = tmp_path / "evals"
    suite(folder, "ask", *CASES)
    suite(folder, "retrieval", {"id": "tides", "question": "tides", "gold": ["TideNet"]})
    return folder


def test_a_run_says_how_good_the_answers_are_and_is_kept(indexed: Run, cases: Path) -> None:
    done = indexed("eval")
    assert done.status == 0
    assert "ask: 3 cases" in done.out and "facts" in done.out and "1.000" in done.out
    assert "there is no baseline" in done.out
    assert len([*cases.glob("runs/*.json")]) == 1
    assert (cases / "runs" / ".gitignore").read_text() == "*\n"


def test_json_has_figures_gate_and_samples(indexed: Run, cases: Path) -> None:
    found = indexed("eval", "ask", "--json").json
    assert found["suites"]["ask"]["metrics"]["facts"]["value"] == 1.0
    assert found["gate"] == {"passed": True, "failures": []}
    assert [sample["case"] for sample in found["samples"]] == ["goals", "tides", "bread"]
    assert "retrieval" not in found["suites"]


def test_two_runs_differ_in_nothing_but_their_times(indexed: Run, cases: Path) -> None:
    def samples(*options: str) -> list[dict[str, Any]]:
        return [{**s, "ms": 0} for s in indexed("eval", "--json", *options).json["samples"]]

    assert samples() == samples() == samples("--jobs", "3")


def test_gate_is_shut_without_a_baseline_and_open_with_one(indexed: Run, cases: Path) -> None:
    shut = indexed("eval", "--check")
    assert shut.status == 3 and "no baseline" in shut.out
    made = indexed("eval", "--update-baseline")
    assert made.status == 0 and (cases / "baseline.json").exists()
    opened = indexed("eval", "--check")
    assert opened.status == 0 and "No difference" in opened.out
    assert indexed("eval", "ask", "--check").status == 0


def test_gate_is_shut_by_a_loss_and_says_where(
    indexed: Run, cases: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexed("eval", "--update-baseline")
    monkeypatch.setattr("rag.engine.outcome.doubt", lambda found: 1.0)
    worse = indexed("eval", "--check")
    assert worse.status == 3
    assert "facts fell from 1.000 to 0.000" in worse.out and "goals" in worse.out
    before = (cases / "baseline.json").read_bytes()
    renewed = indexed("eval", "--update-baseline")
    assert "facts fell" in renewed.out  # what is replaced is shown first
    assert (cases / "baseline.json").read_bytes() != before
    assert indexed("eval", "--check").status == 0


def test_bounds_are_held_whatever_was_before(indexed: Run, cases: Path) -> None:
    bounds = cases / "thresholds.toml"
    indexed("eval", "--update-baseline")
    bounds.write_text('[ask."latency p95"]\nmax = 0.001\n')
    slow = indexed("eval", "--check")
    assert slow.status == 3 and "latency p95" in slow.out
    bounds.write_text("[ask.fact]\nmin = 1\n")
    wrong = indexed("eval", "--check")
    assert wrong.status == 1 and "facts" in wrong.err


@pytest.mark.parametrize("rows", [(), ({"id": "a", "question": "?", "facts": []},)])
def test_nothing_to_run_does_not_pass(indexed: Run, tmp_path: Path, rows: Any) -> None:
    suite(tmp_path / "evals", "ask", *rows)
    assert indexed("eval", "--check").status == (1 if rows else 3)
    assert indexed("eval").status == 1


def test_a_filter_that_leaves_nothing_shuts_the_gate(indexed: Run, cases: Path) -> None:
    indexed("eval", "--update-baseline")
    assert indexed("eval", "--filter", "tag=short", "--check").status == 0
    none = indexed("eval", "--filter", "tag=long", "--check", "--json")
    assert none.status == 3 and none.json["error"]["type"] == "NoCases"
    assert "short" in none.json["error"]["fix"]
    assert indexed("eval", "--filter", "tag=long").status == 1


def test_a_case_that_vanished_shuts_the_gate(indexed: Run, cases: Path) -> None:
    indexed("eval", "--update-baseline")
    suite(cases, "ask", *CASES[:2])
    gone = indexed("eval", "--check")
    assert gone.status == 3 and "bread" in gone.out


def test_a_file_of_a_suite_is_compared_over_its_own_cases(indexed: Run, cases: Path) -> None:
    more = suite(cases, "ask-more", {**CASES[1], "id": "tides-2", "question": "What is TideNet?"})
    indexed("eval", "--update-baseline")
    done = indexed("eval", more, "--check", "--json")
    assert done.status == 0
    assert [sample["case"] for sample in done.json["samples"]] == ["tides-2"]


def test_reports_are_written_in_every_shape(indexed: Run, cases: Path, tmp_path: Path) -> None:
    indexed("eval", "--update-baseline")
    files = [tmp_path / f"report{ending}" for ending in (".html", ".md", ".xml", ".json", ".txt")]
    outputs = [part for file in files for part in ("-o", file)]
    assert indexed("eval", *outputs).status == 0
    texts = [file.read_text(encoding="utf-8") for file in files]
    assert texts[0].startswith("<!DOCTYPE html>") and "<testsuite" in texts[2]
    assert json.loads(texts[3])["baseline"] and all("facts" in text for text in texts)
    wrong = indexed("eval", "-o", "report.pdf")
    assert wrong.status == 2 and ".html" in wrong.err


def test_two_runs_are_compared_by_name(indexed: Run, cases: Path) -> None:
    assert indexed("eval", "compare").status == 1
    indexed("eval"), indexed("eval")
    done = indexed("eval", "compare")
    assert done.status == 0 and "No difference" in done.out
    assert indexed("eval", "compare", "last", "last-1", "--check").status == 0
    assert indexed("eval", "compare", "last").status == 2


def test_a_baseline_is_of_all_cases(indexed: Run, cases: Path) -> None:
    assert indexed("eval", "ask", "--update-baseline").status == 2
    assert indexed("eval", "--limit", "1", "--update-baseline").status == 2
    assert not (cases / "baseline.json").exists()


def test_a_baseline_without_words_has_none(indexed: Run, cases: Path) -> None:
    indexed("eval", "--update-baseline", "--no-words")
    assert "LemmaLoom closes" not in (cases / "baseline.json").read_text(encoding="utf-8")
    assert indexed("eval", "--check").status == 0


def test_papers_that_were_added_are_told(indexed: Run, cases: Path, tmp_path: Path) -> None:
    indexed("eval", "--update-baseline")
    (tmp_path / "more.jsonl").write_text(
        json.dumps({"title": "Rye", "abstract": "RyeNet bakes rye bread with a neural oven."})
    )
    indexed("ingest", "more.jsonl")
    done = indexed("eval", "--check")
    assert "8 → 9 papers" in done.out
    assert "worse" not in {
        metric.get("verdict")
        for suite in indexed("eval", "--json").json["suites"].values()
        for metric in suite["metrics"].values()
    }


def test_a_command_comes_first(indexed: Run, cases: Path) -> None:
    wrong = indexed("eval", "--store", "index_store", "lint")
    assert wrong.status == 2 and "rag eval lint" in wrong.err


def test_help_has_the_options_of_a_run_and_the_other_commands(indexed: Run) -> None:
    shown = indexed("eval", "--help").out
    assert "--update-baseline" in shown and "draft" in shown


def test_a_model_is_judged_by_another_and_its_rubbish_is_unscored(
    indexed: Run, cases: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Scripted("LemmaLoom closes 38 % of the goals [1.1].") as writer, Scripted("eh") as judge:
        monkeypatch.setenv("RAG_JUDGE_BASE_URL", judge.url)
        done = indexed(
            *("eval", "ask", "--judge", "all", "--repeat", "2", "--base-url", writer.url, "--json")
        )
    assert done.status == 0
    totals = done.json["suites"]["ask"]["totals"]
    assert totals["judges"]["correctness"]["scored"] == 0
    assert totals["judges"]["correctness"]["unscored"] == 2
    assert totals["judges"]["correctness"]["score"] is None
    assert totals["tokens"] > 0
    assert done.json["suites"]["ask"]["metrics"]["facts"]["spread"] == 0.0
    assert done.json["gate"]["passed"]


def test_no_judge_without_a_model(indexed: Run, cases: Path) -> None:
    wrong = indexed("eval", "--judge", "all")
    assert wrong.status == 1 and "RAG_JUDGE_MODEL" in wrong.err


def test_a_renamed_index_changes_nothing(indexed: Run, cases: Path, tmp_path: Path) -> None:
    indexed("eval", "--update-baseline")
    shutil.move(tmp_path / "index_store", tmp_path / "elsewhere")
    done = indexed("eval", "--check", "--store", "elsewhere", "--json")
    assert done.status == 0 and done.json["changed"] == []


def test_a_run_with_errors_is_no_baseline(indexed: Run, cases: Path) -> None:
    suite(cases, "ask", *CASES, {"id": "gone", "question": "What is Gone?", "gold": ["Gone"]})
    refused = indexed("eval", "--update-baseline")
    assert refused.status == 1 and "gone" in refused.err
    assert not (cases / "baseline.json").exists()


def test_papers_that_are_gone_are_told_by_what_to_do(
    indexed: Run, cases: Path, tmp_path: Path
) -> None:
    indexed("eval", "--update-baseline")
    renamed = (cases / "ask.jsonl").read_text().replace('["TideNet"]', '["TideNot"]')
    (cases / "ask.jsonl").write_text(renamed)
    shut = indexed("eval", "ask", "--check")
    assert shut.status == 3 and "Ingest these papers again" in shut.out


def test_prompts_that_nobody_reads_are_told(indexed: Run, cases: Path) -> None:
    assert indexed("eval", "--prompts", "nowhere").status == 1


def test_what_cannot_be_meant_is_refused_before_anything_runs(indexed: Run, cases: Path) -> None:
    assert indexed("eval", "--thresholds", "typo.toml").status == 1
    assert indexed("eval", "--check", "--update-baseline").status == 2


def test_judges_that_are_not_there_stop_nothing(
    indexed: Run, cases: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAG_JUDGE_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("RAG_JUDGE_MODEL", "m")
    done = indexed("eval", "ask", "--judge", "all", "--json")
    assert done.status == 0 and "judges are not asked any more" in done.err
    told = done.json["suites"]["ask"]["totals"]["judges"]
    assert told["groundedness"]["scored"] == 0 and told["groundedness"]["unscored"] == 2
