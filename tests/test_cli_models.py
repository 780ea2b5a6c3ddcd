"""``rag ask`` with a model: a server on localhost that says what the test wants it to say."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rag.prompts import shipped
from tests.commands import Run
from tests.servers import Llama, Scripted, eventually, stalls, too_many

KEY = "sk-sentinel-5f1c0a7d9e"
QUESTION = "By how much does TideNet lower the error of the water level?"
TRUE = "TideNet lowers the error of the water level from 9.4 cm to 6.1 cm."
WRONG = "TideNet lowers the error of the water level from 9.4 cm to 3.1 cm."


@pytest.fixture
def run(indexed: Run) -> Run:
    return indexed


def test_a_url_alone_makes_the_model_answer(run: Run) -> None:
    with Scripted(TRUE) as server:
        answer = run("ask", QUESTION, "--base-url", server.url, "--json").json
    assert (answer["engine"], answer["model"]) == ("llm", "scripted")
    assert answer["statements"][0]["supported"]
    assert answer["text"] == f"{TRUE} [1]"
    assert answer["usage"] == {"input_tokens": 7, "output_tokens": 3, "cost_usd": 0.0}
    assert answer["prompt"].startswith("answer@")
    (body,) = server.prompted
    assert body["temperature"] == 0
    assert not body.get("stream")


def test_the_extractive_engine_asks_no_model(run: Run) -> None:
    with Scripted(TRUE) as server:
        answer = run("ask", QUESTION, "--base-url", server.url, "--engine", "extractive", "--json")
    assert answer.json["engine"] == "extractive"
    assert server.bodies == []


def test_streamed_and_whole_show_the_same(run: Run) -> None:
    with Scripted(f"{TRUE} {WRONG}", WRONG) as server:
        streamed = run("ask", QUESTION, "--base-url", server.url)
    assert server.prompted[0]["stream"]
    with Scripted(f"{TRUE} {WRONG}", WRONG) as server:
        whole = run("ask", QUESTION, "--base-url", server.url, "--no-stream", "--no-cache")
    assert not server.prompted[0].get("stream")
    assert streamed.out == whole.out
    assert "(not supported)" in whole.out.replace("\n", " ")
    assert "tokens read" in streamed.err


def test_strict_drops_what_is_not_supported_and_says_so(run: Run) -> None:
    with Scripted(f"{TRUE} {WRONG}", WRONG) as server:
        shown = run("ask", QUESTION, "--base-url", server.url, "--strict")
    assert "3.1 cm" not in shown.out
    assert "1 sentence was left out" in shown.err


def test_a_question_asked_again_is_free(run: Run) -> None:
    with Scripted(TRUE) as server:
        first = run("ask", QUESTION, "--base-url", server.url, "--json").json
        second = run("ask", QUESTION, "--base-url", server.url, "--json").json
        assert len(server.prompted) == 1
        run("ask", QUESTION, "--base-url", server.url, "--no-cache")
        assert len(server.prompted) == 2
    assert second["statements"] == first["statements"]
    assert second["usage"] == {"input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0}


def test_other_prompts_ask_anew_under_another_hash(run: Run, tmp_path: Path) -> None:
    prompts = Path(shutil.copytree(shipped(), tmp_path / "prompts"))
    with Scripted(TRUE) as server:
        first = run("ask", QUESTION, "--base-url", server.url, "--json").json
        system = prompts / "answer" / "system.md"
        system.write_text(f"{system.read_text()}\nWrite like a pirate.\n")
        arguments = ("ask", QUESTION, "--base-url", server.url, "--prompts", prompts, "--json")
        second = run(*arguments).json
        assert "pirate" in server.prompted[1]["messages"][0]["content"]
        (prompts / "answer" / "question.md").write_text("{{question}}")
        broken = run(*arguments)
        assert len(server.prompted) == 2
    assert first["prompt"] != second["prompt"]
    assert broken.status == 1
    assert "question.md" in broken.json["error"]["message"]


def test_a_dry_run_says_what_it_would_cost_and_asks_nothing(run: Run, tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('"other" = { input = 1.0, output = 2.0 }\n')
    with Scripted(TRUE) as server:
        arguments = ("ask", QUESTION, "--base-url", server.url, "--dry-run")
        estimate = run(*arguments, "--json").json
        shown = run(*arguments)
    assert server.prompted == []
    assert estimate["model"] == "scripted"
    assert estimate["requests"] == 1
    assert 200 < estimate["input_tokens"] < 2000
    assert estimate["cost_usd"] == 0
    assert "for nothing" in shown.out


def test_a_dry_run_without_a_model_says_so(run: Run) -> None:
    assert run("ask", QUESTION, "--dry-run").status == 1


@pytest.mark.parametrize("arguments", [(), ("--json",), ("--no-stream",)])
def test_what_was_spent_is_listed(run: Run, arguments: tuple[str, ...]) -> None:
    with Scripted(TRUE) as server:
        run("ask", QUESTION, "--base-url", server.url, *arguments)
        place = server.url.removesuffix("/v1")
    (row,) = run("usage", "--json").json["usage"]
    assert (row["model"], row["place"], row["requests"]) == ("scripted", place, 1)
    assert (row["input_tokens"], row["output_tokens"]) == (7, 3)


def test_a_batch_goes_on_after_a_row_that_failed(run: Run, tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"id": 1, "question": "What does TideNet do?"}\n{"id": 2, "question": "?"}\n')
    with Scripted(TRUE) as server:
        found = run("ask", "--batch", rows, "--base-url", server.url).lines
    assert [row["id"] for row in found] == [1, 2]
    assert found[0]["engine"] == "llm"
    assert found[1]["error"]["type"] == "QuestionError"


def test_a_server_that_is_busy_twice_is_asked_again(run: Run) -> None:
    with Scripted(TRUE) as server:
        server.faults = [too_many("0"), too_many("0")]
        shown = run("ask", QUESTION, "--base-url", server.url, "--json")
        assert len(server.prompted) == 3
    assert shown.json["statements"][0]["supported"]


def test_a_slow_server_is_given_up_with_what_to_do(run: Run, monkeypatch: Any) -> None:
    monkeypatch.setenv("RAG_TIMEOUT", "0.2")
    with Scripted(TRUE, faults=[stalls(5)] * 9) as server:
        shown = run("ask", QUESTION, "--base-url", server.url, "--json")
    assert shown.status == 1
    assert shown.json["error"]["type"] == "EndpointUnreachable"
    assert "RAG_TIMEOUT" in shown.json["error"]["fix"]
    assert "error:" in shown.err


def test_no_file_and_no_output_has_the_key(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    outputs = []
    with Scripted(TRUE) as server:
        outputs.append(run("ask", QUESTION, "--base-url", server.url))
        outputs.append(run("ask", QUESTION, "--base-url", server.url, "--json"))
    outputs.append(run("ask", QUESTION, "--base-url", "http://127.0.0.1:9/v1", "--json"))
    outputs.append(run("config", "--json"))
    outputs.append(run("usage"))
    assert any(request.headers["authorization"] == f"Bearer {KEY}" for request in server.asked)
    assert not any(KEY in shown.out + shown.err for shown in outputs)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(KEY.encode() in path.read_bytes() for path in files)


def test_ctrl_c_stops_an_answer_at_once(tmp_path: Path, built: Path) -> None:
    store = Path(shutil.copytree(built, tmp_path / "store"))
    with Scripted(TRUE, faults=[stalls(60)]) as server:
        command = [sys.executable, "-m", "rag", "--store", str(store), "ask", QUESTION]
        process = subprocess.Popen(
            [*command, "--base-url", server.url],
            cwd=Path(__file__).parent.parent,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert eventually(lambda: bool(server.prompted), 60)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "Traceback" not in out + err


def test_the_real_model_answers_and_streams_the_same(run: Run, smollm: Llama) -> None:
    arguments = ("ask", QUESTION, "--base-url", smollm.url)
    streamed = run(*arguments)
    whole = run(*arguments, "--no-stream", "--no-cache")
    assert streamed.status == whole.status == 0
    assert streamed.out == whole.out
    (row,) = run("usage", "--json").json["usage"]
    assert row["requests"] >= 2
    assert row["output_tokens"] > 0
