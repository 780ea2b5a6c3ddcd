"""``rag verify``: the gate over what was saved."""

from __future__ import annotations

import io
import json
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.commands import Run

QUESTION = "Which work estimates the sea level when tide gauges are broken?"


@pytest.fixture
def run(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, built: Path) -> Run:
    """Commands in a folder that holds answer.json, the answer to QUESTION as it was saved."""
    monkeypatch.setenv("RAG_STORE", str(built))
    (tmp_path / "answer.json").write_text(run("ask", QUESTION, "--json").out)
    return run


@pytest.fixture
def answer(run: Run, tmp_path: Path) -> dict[str, Any]:
    return dict(json.loads((tmp_path / "answer.json").read_text()))


def tampered(folder: Path, answer: dict[str, Any]) -> str:
    """The answer with a number that its quote does not have, wherever a reader sees it."""
    said = answer["statements"][0]
    changed = said["text"].rstrip(".") + " in 77 % of all storms."
    answer["text"] = answer["text"].replace(said["text"], changed)
    said["text"] = changed
    path = folder / "tampered.json"
    path.write_text(json.dumps(answer))
    return str(path)


def test_what_was_just_saved_stands(run: Run) -> None:
    done = run("verify", "answer.json")
    assert (done.status, done.err) == (0, "")
    (line,) = done.out.splitlines()
    assert line.startswith("answer.json: ")
    assert line.endswith(" ok, 0 moved, 0 gone, 0 unsupported")

    report = run("verify", "answer.json", "--json").json
    assert report["ok"] is True
    assert report["counts"] == {"ok": report["checked"], "moved": 0, "gone": 0, "unsupported": 0}
    first = report["citations"][0]
    assert (first["status"], first["where"], first["paper_id"]) == ("ok", "statement 1", "tide")


def test_a_finding_fails_the_gate_and_says_what_to_do(
    run: Run, tmp_path: Path, answer: dict[str, Any]
) -> None:
    path = tampered(tmp_path, answer)
    done = run("verify", path)
    assert done.status == 3
    assert "UNSUPPORTED statement 1, paper tide" in done.out
    assert "fix: do not repeat it" in done.out

    done = run("verify", "answer.json", path, "--json")
    assert done.status == 3
    assert done.json["ok"] is False
    assert [each["ok"] for each in done.json["files"]] == [True, False]
    assert done.json["files"][1]["counts"]["unsupported"] == 1


def test_nothing_to_verify_is_said_aloud(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty.json").write_text('{"digests": []}')
    done = run("verify", "empty.json", "--json")
    assert done.status == 0
    assert done.json["checked"] == 0
    assert "empty.json: nothing to verify" in done.err


def test_a_file_of_another_index_is_known_by_it(
    run: Run, tmp_path: Path, answer: dict[str, Any]
) -> None:
    for statement in answer["statements"]:
        for citation in statement["citations"]:
            citation["paper_id"] = "elsewhere"
    (tmp_path / "foreign.json").write_text(json.dumps(answer))
    done = run("verify", "foreign.json")
    assert done.status == 3
    assert "--store names another index" in done.err


def test_what_is_not_held_to_its_quotes_is_told(
    run: Run, tmp_path: Path, answer: dict[str, Any]
) -> None:
    answer["statements"][0]["supported"] = False
    rows = [answer, {"id": "2", "error": {"type": "QuestionError"}}]
    (tmp_path / "batch.jsonl").write_text("\n".join(map(json.dumps, rows)))
    done = run("verify", "batch.jsonl")
    assert done.status == 0
    assert "marked as unsupported in it: 1" in done.err
    assert "hold an error, left out: 1" in done.err


def test_a_file_from_stdin(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = io.BytesIO((tmp_path / "answer.json").read_bytes())
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=data))
    assert run("verify", "-").status == 0


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("missing.json",), 1, "missing.json cannot be read"),
        (("answer.json", "."), 1, "cannot be read"),
        (("answer.json", "--store", "elsewhere"), 1, "elsewhere"),
        ((), 2, "Missing argument"),
    ],
)
def test_what_cannot_be_verified_is_an_error(
    run: Run, arguments: tuple[str, ...], status: int, message: str
) -> None:
    done = run("verify", *arguments, "--json")
    assert done.status == status
    assert message in done.json["error"]["message"]
    assert "Traceback" not in done.err


def test_what_a_file_holds_cannot_steer_the_terminal(
    run: Run, tmp_path: Path, answer: dict[str, Any]
) -> None:
    answer["statements"][0]["citations"][0]["paper_id"] = "\x1b[2J\ud800"
    (tmp_path / "hostile.json").write_text(json.dumps(answer))
    for more in ((), ("--json",)):
        done = run("verify", "hostile.json", *more)
        assert done.status == 3
        assert "\x1b" not in done.out + done.err


def test_summaries_and_batches_are_verified_too(run: Run, tmp_path: Path, built: Path) -> None:
    """All that is made from the eight papers stands in them."""
    store = shutil.copytree(built, tmp_path / "store")  # lines are kept in it
    lines = run("summarize", "--all", "--json", "--store", store)
    (tmp_path / "lines.jsonl").write_text(lines.out)
    rows = [{"id": "1", "question": QUESTION}, {"id": "2", "question": "Who won the cup?"}]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "batch.jsonl").write_text(run("ask", "--batch", "questions.jsonl").out)
    topics = run("digest", "learning", "cells", "--floor", 0, "--json", "--store", store)
    (tmp_path / "digests.json").write_text(topics.out)
    done = run("verify", "lines.jsonl", "batch.jsonl", "digests.json", "--json")
    assert done.status == 0
    summaries, answers, digests = done.json["files"]
    assert summaries["checked"] >= 8
    assert answers["checked"] >= 1
    assert digests["checked"] >= 8


def test_one_changed_word_of_a_line_that_was_quoted_fails_the_gate(
    run: Run, tmp_path: Path, built: Path
) -> None:
    line = json.loads(run("summarize", "tide", "--format", "jsonl").out)
    line["summary"] = line["summary"].replace("fills", "digs")
    (tmp_path / "line.json").write_text(json.dumps(line))
    done = run("verify", "line.json")
    assert done.status == 3
    assert "the word “digs” is not in the quotes" in done.out


def test_the_help_says_what_the_json_is(run: Run) -> None:
    told = " ".join(run("verify", "--help").out.split())
    assert 'several give {"files": [a report each], "ok"}' in told
