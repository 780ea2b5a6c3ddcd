"""``rag summarize``: which papers, as what, where to, and what becomes of it when it is stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.commands import Run
from tests.corpus import PAPERS
from tests.fakes import batch, put
from tests.servers import Exchange, Scripted, eventually, says, stalls

LINE = "TideNet is a graph network that fills the gaps from neighbouring harbours [1.2]."
WRONG = "TideNet fills 77 gaps from neighbouring harbours [1.2]."


@pytest.fixture
def run(indexed: Run) -> Run:
    return indexed


class Quoting(Scripted):
    """Sums a paper up in its own first sentence."""

    def answer(self, exchange: Exchange) -> None:
        if "messages" in exchange.request.body:
            shown = exchange.request.body["messages"][-1]["content"]
            first = shown.split("[1.1] ")[1].split("\n")[0]
            self.replies = [f"{first} [1.1]"]
        super().answer(exchange)


def kept(store: Path) -> list[str]:
    files = (store / "summaries").glob("*.jsonl")
    return [line for file in files for line in file.read_text().split("\n") if line]


def test_all_papers_as_json_lines(run: Run) -> None:
    found = run("summarize", "--all", "--json")
    assert (found.status, found.err) == (0, "")
    texts = {paper.paper_id: paper.text for paper in PAPERS}
    assert [row["paper_id"] for row in found.lines] == list(texts)
    for row in found.lines:
        assert row["words"] == len(row["summary"].split()) <= 25
        assert row["supported"] is True
        assert row["source"]["path"] == "a.jsonl"
        for quote in row["citations"]:
            assert texts[row["paper_id"]][quote["start"] : quote["end"]] == quote["quote"]
    assert run("summarize", "--all", "--json").out == found.out


def test_papers_by_id_or_handle_each_once(run: Run) -> None:
    found = run("summarize", "bees", "LemmaLoom", "proof", "bees", "--json").lines
    assert [row["paper_id"] for row in found] == ["bees", "proof"]


def test_text_has_the_quotes_of_named_papers_and_a_line_of_all(run: Run) -> None:
    named = run("summarize", "tide").out
    assert "TideNet: Filling the Gaps" in named
    assert "a.jsonl, line 1 · https://example.org/tide" in named
    assert "    “" in named
    everything = run("summarize", "--all").out.splitlines()
    assert len(everything) == len(PAPERS)
    assert everything[3].startswith("LemmaLoom: ")


def test_filters_narrow_down_all(run: Run) -> None:
    found = run("summarize", "--all", "--area", "biology", "--year", 2031, "--json").lines
    assert [row["paper_id"] for row in found] == ["cells"]
    missed = run("summarize", "--all", "--area", "botany", "--json")
    assert missed.status == 1
    assert "biology" in missed.json["error"]["fix"]


def test_an_unknown_paper_is_an_error_that_names_near_ones(run: Run) -> None:
    found = run("summarize", "tide", "tidy", "--json")
    assert found.status == 1
    assert found.json["error"]["type"] == "PaperNotFound"
    assert "tide" in found.json["error"]["fix"]


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--area", "biology"),
        ("tide", "--all"),
        ("tide", "--year", "2031"),
        ("tide", "--json", "--format", "md"),
        ("--all", "--format", "docx"),
        ("--all", "--jobs", "0"),
    ],
)
def test_wrong_usage(run: Run, arguments: tuple[str, ...]) -> None:
    found = run("summarize", *arguments)
    assert (found.status, found.out) in [(2, ""), (2, found.out)]
    assert "--help" in found.err


def test_all_of_no_papers_is_nothing(run: Run, tmp_path: Path) -> None:
    put(tmp_path / "empty", batch([]))
    found = run("summarize", "--all", "--store", "empty", "--json")
    assert (found.status, found.out) == (0, "")
    assert "no papers" in found.err
    assert run("summarize", "--all", "--store", "nowhere").status == 1


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("lines.md", "# Papers in a line each\n\n- **TideNet"),
        ("lines.csv", "paper_id,name,"),
        ("lines.jsonl", '{"paper_id": "tide"'),
        ("lines.bib", "@inproceedings{2031tidenet,"),
        ("lines.txt", "TideNet: Filling"),
        ("lines", "TideNet: Filling"),
    ],
)
def test_a_file_is_in_the_format_of_its_name(
    run: Run, tmp_path: Path, name: str, begins: str
) -> None:
    (tmp_path / name).write_text("what was there before")
    found = run("summarize", "--all", "--output", name)
    assert (found.status, found.out) == (0, "")
    assert f"8 lines in {name}" in found.err
    text = (tmp_path / name).read_text()
    assert text.startswith(begins)
    shape = {"": "text", ".txt": "text"}.get(Path(name).suffix, Path(name).suffix[1:])
    assert run("summarize", "--all", "--format", shape).out == text
    assert run("summarize", "--all", "-q", "-o", "-.x", "--format", shape).err == ""
    assert (tmp_path / "-.x").read_text() == text


def test_a_file_that_cannot_be_written_is_an_error_with_a_fix(run: Run, tmp_path: Path) -> None:
    for name in ("no/folder/lines.md", "index_store"):
        found = run("summarize", "tide", "--output", name, "--json")
        assert found.status == 1
        assert name in found.json["error"]["message"]
        assert found.json["error"]["fix"]
    assert not list(tmp_path.glob("**/*.tmp"))


def test_an_ingest_leaves_the_lines_and_doctor_has_nothing_to_say(run: Run, tmp_path: Path) -> None:
    run("summarize", "--all")
    store = tmp_path / "index_store"
    before = kept(store)
    assert len(before) == len(PAPERS)
    assert run("rebuild").status == 0
    assert run("doctor").status == 0
    run("summarize", "--all")
    assert kept(store) == before


def test_a_model_writes_and_what_it_wrote_is_kept(run: Run) -> None:
    with Quoting("") as server:
        arguments = ("summarize", "--all", "--json", "--base-url", server.url)
        first = run(*arguments)
        assert len(server.prompted) == len(PAPERS)
        second = run(*arguments)
        assert len(server.prompted) == len(PAPERS)
        anew = run(*arguments, "--no-cache", "--jobs", 1)
        assert len(server.prompted) == 2 * len(PAPERS)
    assert [row["engine"] for row in first.lines] == ["llm"] * len(PAPERS)
    assert [row["paper_id"] for row in first.lines] == [paper.paper_id for paper in PAPERS]
    assert first.out == second.out == anew.out
    assert "56 tokens read, 24 written" in first.err
    assert "tokens" not in second.err
    (row,) = run("usage", "--json").json["usage"]
    assert row["requests"] == 2 * len(PAPERS)


def test_a_line_that_does_not_hold_is_quoted_and_that_is_told(run: Run) -> None:
    with Scripted(WRONG) as server:
        few = run("summarize", "tide", "--base-url", server.url, "--json")
        assert len(server.prompted) == 2
        many = run("summarize", "--all", "--base-url", server.url)
    (row,) = few.lines
    assert (row["engine"], row["supported"]) == ("extractive", True)
    assert "77" not in many.out
    assert "TideNet: Filling the Gaps" in few.err
    assert "77" in few.err
    assert "so this one is quoted: 8 papers" in many.err


def test_a_dry_run_counts_what_is_not_kept(run: Run, tmp_path: Path) -> None:
    (tmp_path / "prices.toml").write_text('"scripted" = { input = 1.0, output = 2.0 }\n')
    (tmp_path / "rag.toml").write_text('prices = "prices.toml"\n')
    with Scripted(LINE) as server:
        run("summarize", "tide", "--base-url", server.url)
        spent = len(server.prompted)
        arguments = ("summarize", "--all", "--base-url", server.url, "--dry-run")
        report = run(*arguments, "--json").json
        shown = run(*arguments).out
        assert len(server.prompted) == spent
    assert (report["papers"], report["requests"]) == (8, 7)
    cost = (report["input_tokens"] + 2 * report["output_tokens"]) / 1e6
    assert report["cost_usd"] == pytest.approx(cost)
    assert shown.startswith("7 requests to scripted: ")
    assert run("summarize", "--all", "--dry-run").status == 1


def test_a_server_that_fails_stops_it_and_the_next_run_goes_on(run: Run) -> None:
    refusal = says(401, "no such key")
    with Quoting("") as server:
        arguments = ("summarize", "--all", "--json", "--base-url", server.url, "--jobs", 1)
        server.faults = [server.answer] * 3 + [refusal]
        failed = run(*arguments, "-o", "lines.jsonl")
        assert failed.status == 1
        assert failed.json["error"]["type"] == "KeyRefused"
        assert "3 of 8 lines are made and kept" in failed.err
        assert not Path("lines.jsonl").exists()
        assert len(server.prompted) == 4
        whole = run(*arguments)
        assert len(server.prompted) == 4 + 5
    assert [row["engine"] for row in whole.lines] == ["llm"] * 8


def test_a_budget_stops_it(run: Run, tmp_path: Path) -> None:
    (tmp_path / "prices.toml").write_text('"scripted" = { input = 1.0, output = 1.0 }\n')
    (tmp_path / "rag.toml").write_text('prices = "prices.toml"\n')
    with Quoting("") as server:
        arguments = ("summarize", "--all", "--base-url", server.url, "--budget", 0.0007)
        found = run(*arguments, "--json")
    assert found.status == 1
    assert json.loads(found.out.splitlines()[-1])["error"]["type"] == "BudgetError"


def test_a_file_whose_name_tells_no_format_is_wrong_usage(run: Run, tmp_path: Path) -> None:
    found = run("summarize", "--all", "-o", "lines.json")
    assert found.status == 2
    assert ".jsonl" in found.err
    assert not (tmp_path / "lines.json").exists()


def test_strict_leaves_out_what_is_not_supported(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from rag.summarize.extractive import Extractive

    whole = Extractive.summarize

    def doubtful(self: Extractive, paper: Any, spans: Any) -> Any:
        from dataclasses import replace

        return replace(whole(self, paper, spans), supported=paper.paper_id != "tide")

    monkeypatch.setattr(Extractive, "summarize", doubtful)
    found = run("summarize", "--all", "--strict", "--json")
    assert len(found.lines) == 7
    assert "1 paper is left out" in found.err
    assert "(not supported)" in run("summarize", "tide").out.replace("\n", " ")


def command(store: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "rag", "--store", str(store), "summarize", *arguments],
        cwd=Path(__file__).parent.parent,
        env={name: value for name, value in os.environ.items() if not name.startswith("RAG_")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGKILL])
def test_what_was_stopped_goes_on_where_it_was(run: Run, tmp_path: Path, stop: int) -> None:
    store = tmp_path / "index_store"
    with Quoting("") as server:
        server.faults = [server.answer] * 3 + [stalls(60)] * 9
        arguments = ("--all", "--json", "--base-url", server.url, "--jobs", "3")
        process = command(store, *arguments)
        assert eventually(lambda: len(server.prompted) == 6 and len(kept(store)) == 3, 60)
        process.send_signal(stop)
        _, errors = process.communicate(timeout=20)
        assert process.returncode == {signal.SIGINT: 130, signal.SIGKILL: -9}[stop]
        assert "Traceback" not in errors
        server.faults = []
        before = len(server.prompted)
        whole = run("summarize", *arguments)
        assert len(server.prompted) - before == len(PAPERS) - 3
    assert [row["paper_id"] for row in whole.lines] == [paper.paper_id for paper in PAPERS]
    assert {row["engine"] for row in whole.lines} == {"llm"}


def test_summing_up_by_quotes_loads_nothing_that_only_others_need(built: Path) -> None:
    script = (
        "import sys\n"
        "from rag.cli import main\n"
        f"try:\n    main(['summarize', 'tide', '--store', {str(built)!r}])\n"
        "except SystemExit as stop:\n    assert not stop.code\n"
        "heavy = {'chromadb', 'llama_index', 'openai', 'httpx', 'tiktoken', 'sklearn'}\n"
        "print('loaded:', sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert "loaded: []" in done.stdout
