"""The API is what its document says, and the document can be read."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from bench.fuzz import fuzzing
from rag.serve import guard
from tests.serving import client, serving


@pytest.fixture
def store(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "index"))


def test_requests_of_every_shape_are_answered_as_documented(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "AT_ONCE", 1e6)
    with serving(store) as address:
        command = fuzzing(address, seconds=8, seed=1)
        if not Path(command[0]).exists():
            pytest.skip("schemathesis is not installed; make test installs it")
        alone = {**os.environ, "NO_PROXY": "*"}
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=alone)
    assert done.returncode == 0, done.stdout[-5_000:]


def test_the_document_is_a_page_that_needs_nothing_else(store: Path) -> None:
    with serving(store) as address, client(address) as api:
        document, page = api.get("/openapi.json").json(), api.get("/docs").text
    for path, methods in document["paths"].items():
        assert all(f"{method.upper()} {path}<" in page for method in methods)
        assert all({"422", "429", "500"} <= set(each["responses"]) for each in methods.values())
    links = set(re.findall(r'(?:href|src)="([^"]*)"', page))
    anchors = {f"#{name}" for name in re.findall(r'id="([^"]*)"', page)}
    assert {link for link in links if link.startswith("#")} <= anchors
    assert all(link.startswith(("/", "#")) for link in links) and "<script>" not in page


@pytest.mark.parametrize(
    ("method", "path", "sent", "told"),
    [
        ("GET", "/api/search?q=bees&limit=3", None, "no parameter 'limit', only q, k, area"),
        ("GET", "/api/health?x=", None, "no parameter 'x', only none"),
        ("GET", "/v1/models?x=1", None, "no parameter 'x'"),
        ("POST", "/api/ask", {"question": "Bees?", "engine": "llm"}, "'engine', only question, hi"),
        ("POST", "/api/ask", {"question": "Bees?", "filters": {"aera": "x"}}, "'aera', only area"),
        ("POST", "/api/ask", {"question": "Bees?", "filters": {"year": False}}, "valid integer"),
    ],
)
def test_what_is_misspelt_is_refused_and_what_is_known_is_named(
    store: Path, method: str, path: str, sent: object, told: str
) -> None:
    with serving(store) as address, client(address) as api:
        response = api.request(method, path, json=sent)
    assert response.status_code == 422 and told in response.json()["error"]["message"]
