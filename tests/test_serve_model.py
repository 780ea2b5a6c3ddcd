"""The server with a model behind it: it streams, it fails aloud, and it holds up nobody else."""

from __future__ import annotations

import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from rag.engine.answer import Asker
from rag.serve import desk
from tests.servers import Scripted, eventually, slowly, stalls
from tests.serving import client, serving

QUESTION = "By how much does TideNet lower the error of the water level?"
TRUE = "TideNet lowers the error of the water level from 9.4 cm to 6.1 cm [1.3]."


@pytest.fixture
def store(built: Path, tmp_path: Path) -> Iterator[Path]:
    yield Path(shutil.copytree(built, tmp_path / "index"))


def test_what_a_model_writes_is_streamed_and_checked(store: Path) -> None:
    with (
        Scripted(TRUE) as model,
        serving(store, base_url=model.url, model="scripted") as address,
        client(address) as api,
    ):
        response = api.post("/api/ask/stream", json={"question": QUESTION})
        blocks = [block.split("\n") for block in response.text.split("\n\n") if block]
        events = [(name[7:], json.loads(data[6:])) for name, data in blocks]
        answer = events[-1][1]
        assert events[-1][0] == "answer" and answer["engine"] == "llm"
        assert answer["statements"][0]["supported"] and "6.1 cm" in answer["text"]
        told = "".join(data["text"] for name, data in events if name == "text")
        assert told.strip() == answer["text"].strip()


def test_a_model_that_hangs_holds_up_no_search(store: Path) -> None:
    with (
        Scripted(TRUE, faults=[stalls(60)] * 4) as model,
        serving(store, base_url=model.url, model="scripted", timeout=60) as address,
        client(address) as api,
        ThreadPoolExecutor(4) as pool,
    ):
        asked = [{"question": f"{QUESTION} {n}"} for n in range(4)]
        asking = [pool.submit(api.post, "/api/ask", json=each) for each in asked]
        while not model.asked:
            time.sleep(0.02)
        started = time.perf_counter()
        assert api.get("/api/search", params={"q": "bees"}).status_code == 200
        assert time.perf_counter() - started < 3
        model.faults.clear()
        model.ended.set()  # lets go of those that wait
        assert {each.result().status_code for each in asking} == {200}


def test_a_dead_endpoint_is_told(store: Path) -> None:
    dead = "http://127.0.0.1:9/v1"
    with serving(store, base_url=dead, model="m", timeout=2) as address, client(address) as api:
        response = api.post("/api/ask", json={"question": QUESTION})
        assert response.status_code == 502
        assert response.json()["error"]["type"] == "EndpointUnreachable"
        assert api.get("/api/search", params={"q": "bees"}).status_code == 200


def test_who_finds_the_line_full_is_told_when_to_come_again(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk, "WORKING", (1, 1, 1.5))
    with (
        Scripted(TRUE, faults=[stalls(60)] * 9) as model,
        serving(store, base_url=model.url, model="scripted", timeout=60) as address,
        client(address) as api,
        ThreadPoolExecutor(3) as pool,
    ):
        asking = [pool.submit(api.post, "/api/ask", json={"question": QUESTION}) for _ in range(3)]
        told = [each.result() for each in asking]
        model.ended.set()
    assert sorted(response.status_code for response in told) == [429, 504, 504]
    (full,) = [response for response in told if response.status_code == 429]
    assert int(full.headers["retry-after"]) >= 1 and full.json()["error"]["type"] == "Busy"


@pytest.mark.parametrize("path", ["/api/ask", "/api/ask/stream", "/v1/chat/completions"])
def test_a_mistake_of_ours_is_told_in_short_and_logged_once(
    store: Path, path: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    key, token = "a key of no form", "sk-abcdefghijklmnop"

    def fails(self: object, *given: object) -> None:
        raise ZeroDivisionError(f"not with {key} or {token}")

    monkeypatch.setattr(Asker, "ask", fails)
    sent = {"question": QUESTION, "messages": [{"role": "user", "content": QUESTION}]}
    del sent["question" if "v1" in path else "messages"]
    with serving(store, token=key) as address, client(address) as api:
        response = api.post(path, json=sent, headers={"authorization": f"Bearer {key}"})
    assert response.status_code == (200 if "stream" in path else 500)
    assert "Something went wrong" in response.text and len(response.text) < 300
    (line,) = [each for each in caplog.records if each.levelno >= logging.ERROR]
    text = line.getMessage()
    assert "ZeroDivisionError" in text and path in text and key not in text and token not in text


def test_told_to_stop_it_finishes_the_answer_under_way(store: Path) -> None:
    with Scripted(TRUE, faults=[slowly(0.1)]) as model:
        named = ["--base-url", model.url, "--model", "scripted", "--port", "0"]
        process = subprocess.Popen(
            [sys.executable, "-m", "rag", "serve", "--store", store, *named],
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        )
        assert process.stderr
        address = process.stderr.readline().split(" at ")[1].partition(";")[0]
        with client(address) as api, ThreadPoolExecutor(1) as pool:
            asking = pool.submit(api.post, "/api/ask/stream", json={"question": QUESTION})
            assert eventually(lambda: bool(model.bodies))
            process.send_signal(signal.SIGTERM)
            time.sleep(0.5)
            with pytest.raises(httpx.ConnectError), client(address) as late:
                late.get("/api/health")
            events = asking.result().text
        assert process.wait(10) in (0, -signal.SIGTERM)
    assert "event: answer" in events and "6.1 cm" in events.split("event: answer")[1]
    assert "Traceback" not in process.stderr.read()
