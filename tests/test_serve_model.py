"""The server with a model behind it: it streams, it fails aloud, and it holds up nobody else."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.servers import Scripted, stalls
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
