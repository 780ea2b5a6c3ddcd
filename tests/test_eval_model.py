"""`rag eval` with a model: a real one, and ones that vary, fail, cost money or take their time."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, NoReturn

import pytest

from rag.engine import writer
from rag.evaluate import judges
from rag.evaluate.types import SUITES
from rag.summarize import written
from tests.commands import Run
from tests.servers import Exchange, Llama, Scripted, eventually, no_quota, says

GOALS = {
    "id": "goals",
    "question": "What share of the open goals does LemmaLoom close?",
    "gold": ["LemmaLoom"],
    "facts": ["38 %"],
    "reference": "LemmaLoom closes 38 % of the open goals.",
    "rubric": "Names a share.",
}
LEVEL = {
    "id": "level",
    "question": "By how much does TideNet lower the error of the water level?",
    "gold": ["TideNet"],
    "facts": ["6.1 cm"],
}
MORE = [
    {"id": "bees", "question": "How many dances of honeybees were read?", "facts": ["1,240"]},
    {"id": "grip", "question": "How do robots pick strawberries?", "facts": ["sound"]},
]
LINE = {"id": "line", "paper": "TideNet", "facts": ["gap"]}
NOWHERE = {"id": "gone", "paper": "Nowhere"}
RIGHT = "LemmaLoom closes 38 % of the goals that were left open."
BESIDE = "LemmaLoom repairs a broken proof by weaving in lemmas from a library."
DOUBTFUL = "LemmaLoom closes 83 % of the goals that were left open."
LOWER = "TideNet lowers the error of the water level from 9.4 cm to 6.1 cm."


def suite(name: str, *rows: Any) -> None:
    """Write cases into the folder that commands run in."""
    Path("evals").mkdir(exist_ok=True)
    text = "".join(f"{json.dumps(row)}\n" for row in rows)
    Path("evals", f"{name}.jsonl").write_text(text, encoding="utf-8")


def kept_runs() -> list[Path]:
    return sorted(Path("evals/runs").glob("*.json"))


@pytest.fixture
def dear(indexed: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A scripted model costs a dollar for 1,000 tokens that it writes: 0.003 for each reply."""
    Path("prices.toml").write_text('"scripted" = { input = 0.0, output = 1000.0 }\n')
    monkeypatch.setenv("RAG_PRICES", "prices.toml")
    return indexed


def test_a_real_model_and_a_judge_that_rambles(
    indexed: Run, smollm: Llama, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, tokens in ((writer, 24), (written, 24), (judges, 16)):  # which take their time
        monkeypatch.setattr(module, "REPLY_TOKENS", tokens)
    monkeypatch.setenv("RAG_WINDOW", "600")
    monkeypatch.setenv("RAG_TIMEOUT", "300")  # where other tests are at work, too
    monkeypatch.setenv("RAG_JUDGE_BASE_URL", smollm.url)
    called, connect = set(), socket.socket.connect

    def noted(self: socket.socket, address: Any) -> None:
        called.add(address)
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", noted)
    suite("ask", GOALS, *MORE)
    suite("summarize", LINE)
    few = ("--limit", "1", "--repeat", "3", "--judge", "all", "--base-url", smollm.url)
    done = indexed("eval", "ask", "summarize", *few, "-o", "report.json")
    assert done.status == 0
    report = json.loads(Path("report.json").read_text(), parse_constant=refused)

    unscored = 0
    for name, found in report["suites"].items():
        for verdicts in found["totals"]["judges"].values():
            assert verdicts["scored"] + verdicts["unscored"] == 3
            assert (verdicts["score"] is None) == (not verdicts["scored"])
            unscored += verdicts["unscored"]
        assert found["totals"]["tokens"] > 0 and found["totals"]["p95"] > 0, name
        assert found["metrics"]["completed"]["spread"] == 0.0
    assert set(report["suites"]["ask"]["totals"]["judges"]) == {*judges.SCALES}
    assert unscored and "unscored (" in " ".join(done.out.split())
    for sample in report["samples"]:
        assert sample["usage"]["input_tokens"] > 0 and sample["ms"] > 0
        for verdict in sample["judged"].values():
            assert verdict["score"] is not None or verdict["reason"]

    assert "ask: 1 case, 3 times each" in done.out
    assert done.out.count("Spread: completed ±0.000") == 2
    assert "nan" not in done.out.lower().split()
    lines = Path("index_store/usage.jsonl").read_text().splitlines()
    entries = [json.loads(line) for line in lines]
    assert {entry["purpose"] for entry in entries} == {"eval", "summarize", "judge"}
    assert {entry["place"] for entry in entries} == {smollm.url.removesuffix("/v1")}
    assert indexed("usage", "--json").json["usage"][0]["requests"] == len(entries)
    assert {host for host, _ in called} == {"127.0.0.1"}


def refused(constant: str) -> NoReturn:
    raise AssertionError(f"{constant} is no JSON")


def test_lines_and_digests_of_a_model_are_counted_and_one_that_fails_stops_no_other(
    indexed: Run,
) -> None:
    suite("summarize", LINE, {**LINE, "id": "loom", "paper": "LemmaLoom"})
    suite("digest", {"id": "tides", "topic": "sea level gauges", "gold": ["TideNet"]})
    failing = says(400, "not today")
    with Scripted(BESIDE, faults=[failing]) as server:
        done = indexed("eval", "--base-url", server.url, "--json", "--no-cache")
        asked = len(server.prompted) - 1
    assert done.status == 0
    samples = {sample["case"]: sample for sample in done.json["samples"]}
    assert "not today" in samples["line"]["error"]
    assert samples["line"]["scores"] == {"completed": 0.0}
    assert samples["loom"]["scores"]["written"] == 1.0
    assert samples["tides"]["outcome"] == "listed" and "error" not in samples["tides"]
    took = {name: found["totals"]["tokens"] for name, found in done.json["suites"].items()}
    assert took["summarize"] == 10 and took["digest"] >= 20
    assert sum(took.values()) == 10 * asked
    assert done.json["suites"]["summarize"]["totals"]["errors"] == 1
    (row,) = indexed("usage", "--json").json["usage"]
    assert row["input_tokens"] + row["output_tokens"] == 10 * asked


def test_a_model_that_varies_has_a_spread_and_is_compared_by_its_means(indexed: Run) -> None:
    suite("ask", GOALS, LEVEL)
    varying = ("eval", "ask", "--repeat", "3", "--json", "--base-url")
    with Scripted(RIGHT, BESIDE, RIGHT, LOWER) as server:
        first = indexed(*varying, server.url).json
        server.replies = [BESIDE, BESIDE, RIGHT, LOWER]
        second = indexed(*varying, server.url).json
        assert len(server.prompted) == 12
        compared = indexed("eval", "compare", "--json").json
        text = indexed("eval", "compare").out

    goals = [s["scores"]["facts"] for s in first["samples"] if s["case"] == "goals"]
    assert goals == [1.0, 0.0, 1.0]
    facts = first["suites"]["ask"]["metrics"]["facts"]
    assert facts["value"] == pytest.approx(fmean([fmean(goals), 1.0]), abs=1e-6)
    assert facts["spread"] == pytest.approx(stdev([1.0, 0.5, 1.0]), abs=1e-6)
    assert second["suites"]["ask"]["metrics"]["facts"]["value"] == pytest.approx(2 / 3, abs=1e-6)
    moved = compared["suites"]["ask"]["metrics"]["facts"]
    assert moved["change"] == pytest.approx(-1 / 6, abs=1e-6)
    assert (moved["paired"], moved["differing"]) == (2, 1)
    assert moved["change_low"] == pytest.approx(-1 / 3, abs=1e-6) and moved["change_high"] == 0
    assert moved["verdict"] == "too few cases to tell"
    assert compared["changed"] == [
        {"suite": "ask", "case": "goals", "better": [], "worse": ["facts", *QUOTED]}
    ]
    assert compared["causes"] == []
    assert "2 cases, 3 times each" in text and "facts ±0.289" in text


QUOTED = ["all facts", "quote precision", "quote recall"]
"""The metrics that go with the facts of an answer."""


def test_repeats_are_compared_with_a_baseline_of_one_each(indexed: Run) -> None:
    suite("ask", GOALS, LEVEL)
    with Scripted(RIGHT, LOWER) as server:
        made = indexed("eval", "--update-baseline", "--base-url", server.url)
        server.replies = [RIGHT, BESIDE, RIGHT, LOWER]
        arguments = ("eval", "--repeat", "3", "--base-url", server.url, "-o", "report.json")
        done = indexed(*arguments)
    assert made.status == done.status == 0
    report = json.loads(Path("report.json").read_text())
    facts = report["suites"]["ask"]["metrics"]["facts"]
    assert (facts["before"], facts["paired"], facts["differing"]) == (1.0, 2, 1)
    assert facts["change"] == pytest.approx(-1 / 6, abs=1e-6) and facts["spread"] > 0
    assert report["run"]["selection"] == {"repeat": 3}
    assert "each 3 times, compared with" in done.out and "repeats of a case: 1 → 3" in done.out


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_budget_stops_a_run_and_a_larger_one_goes_on(dear: Run, jobs: int) -> None:
    suite("ask", GOALS, LEVEL, *MORE)
    with Scripted(RIGHT) as server:
        arguments = ("eval", "--base-url", server.url, "--repeat", "2", "--jobs", jobs)
        estimate = dear(*arguments, "--dry-run", "--json").json
        assert (estimate["requests"], estimate["cases"]) == (8, 4) and not server.prompted
        one = estimate["cost_usd"] / 8
        server.replies = [LOWER]
        stopped = dear(*arguments, "--check", "--json", "--budget", one + 0.007)
        done = len(server.prompted)
        assert stopped.status == 1
        assert stopped.json["error"]["type"] == "BudgetError"
        assert "--budget" in stopped.json["error"]["fix"]
        assert f"{done} of 8 samples are made and kept; run it again to go on" in stopped.err
        assert 0 < done < 8 and not kept_runs()
        assert dear("eval", "compare", "last", "last").status == 1

        whole = dear(*arguments, "--json", "--budget", "100")
        assert whole.status == 0 and len(server.prompted) == 8
        assert f"{done} samples are there from a run that was stopped" in whole.err
    assert len(whole.json["samples"]) == 8 and len(kept_runs()) == 1
    assert whole.json["suites"]["ask"]["totals"]["cost_usd"] == pytest.approx(8 * 0.003)
    assert not [*Path("evals/runs").glob(".partial-*")]


@pytest.mark.parametrize("jobs", [1, 3])
def test_ctrl_c_says_what_is_kept_and_the_next_run_goes_on(indexed: Run, jobs: int) -> None:
    suite("ask", GOALS, LEVEL, *MORE)
    with Scripted(LOWER, faults=[answers, answers, *[dawdles] * 3]) as server:
        arguments = ["eval", "--base-url", server.url, "--jobs", str(jobs), "--no-cache"]
        process = subprocess.Popen(
            [sys.executable, "-m", "rag", *arguments],
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        partial = Path("evals/runs")
        assert eventually(lambda: len(server.prompted) > 2 and samples_in(partial) == 2, 60)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
        assert process.returncode == 130
        assert "2 of 4 samples are made and kept; run it again to go on" in err
        assert out == "" and "Traceback" not in err
        server.faults.clear()
        before = len(server.prompted)
        done = indexed(*arguments, "--json")
        assert done.status == 0 and len(server.prompted) == before + 2
    assert [sample["case"] for sample in done.json["samples"]] == ["goals", "level", "bees", "grip"]


def samples_in(folder: Path) -> int:
    """How many a run that is under way has kept."""
    files = folder.glob(".partial-*.jsonl")
    return sum(bool(line) for file in files for line in file.read_text().splitlines())


def answers(exchange: Exchange) -> None:
    exchange.server.answer(exchange)


def dawdles(exchange: Exchange) -> None:
    """Says nothing for as long as the server runs."""
    exchange.server.ended.wait(60)


def test_what_ends_a_run_is_no_poor_answer(indexed: Run) -> None:
    """A writer that may not have a sentence rewritten does without, and says so in a note that no
    sample has: its answer would be kept, and be taken for what the model can do."""
    suite("ask", GOALS, LEVEL)
    with Scripted(DOUBTFUL, RIGHT, LOWER, faults=[answers, no_quota()]) as server:
        arguments = ("eval", "--base-url", server.url, "--json", "--no-cache")
        stopped = indexed(*arguments)
        assert stopped.status == 1 and stopped.json["error"]["type"] == "QuotaExhausted"
        server.replies = [RIGHT, LOWER]
        done = indexed(*arguments)
    assert done.status == 0
    assert done.json["suites"]["ask"]["metrics"]["written"]["value"] == 1.0


def test_a_dry_run_asks_nothing_and_tells_what_each_suite_asks_first(indexed: Run) -> None:
    history = [["What is LemmaLoom?", RIGHT, ["LemmaLoom"]]]
    follow_up = {"id": "more", "question": "What does it repair?", "history": history}
    suite("retrieval", {"id": "tides", "question": "tides", "gold": ["TideNet"]})
    suite("ask", GOALS, {**follow_up, "facts": ["proof"]})
    suite("summarize", LINE, {**LINE, "id": "loom", "paper": "LemmaLoom"}, {**LINE, **NOWHERE})
    suite("digest", {"id": "models", "topic": "language models", "gold": ["LemmaLoom"]})

    def dry(*arguments: str) -> Any:
        return indexed("eval", *arguments, "--dry-run", "--base-url", server.url, "--json").json

    with Scripted(BESIDE) as server:
        parts = {name: dry(name)["requests"] for name in SUITES}
        whole, thrice = dry(), dry("--repeat", "3")
        told = indexed("eval", "--dry-run", "--base-url", server.url).out
        assert not server.prompted and not kept_runs()
    assert parts == {"retrieval": 0, "ask": 2, "summarize": 2, "digest": 3}
    assert whole["requests"] == 6  # a line that two cases want is made once and kept
    assert thrice["requests"] == 3 * 7  # of which nothing is kept
    assert whole["cases"] == 7 and whole["cost_usd"] == 0
    assert told.startswith("6 requests to scripted") and "judges" in told


def test_a_dry_run_needs_a_model_and_is_no_check(indexed: Run) -> None:
    suite("ask", GOALS)
    none = indexed("eval", "--dry-run")
    assert none.status == 1 and "--engine llm" in none.err
    for option in ("--check", "--update-baseline"):
        wrong = indexed("eval", "--dry-run", option, "--model", "m", "--base-url", "http://x/v1")
        assert wrong.status == 2 and "dry run" in wrong.err
