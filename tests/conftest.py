"""What is slow to make and never changed, made once a session."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from rag.embed.minilm import MiniLM
from rag.retrieve.hybrid import Retriever
from rag.store.snapshot import Snapshot
from tests.browser import browser  # noqa: F401
from tests.commands import Run, runner
from tests.corpus import index
from tests.fakes import batch, papers, put
from tests.servers import only_localhost, smollm  # noqa: F401


@pytest.fixture(scope="session")
def minilm() -> MiniLM:
    """The real embedder; it loads on first use."""
    return MiniLM()


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory, minilm: MiniLM) -> Path:
    """An index of the eight papers, for reading only."""
    folder = tmp_path_factory.mktemp("corpus") / "index"
    index(folder, minilm)
    return folder


@pytest.fixture(scope="session")
def retriever(built: Path, minilm: MiniLM) -> Retriever:
    """Search over the eight papers."""
    return Retriever(Snapshot.open(built), minilm)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Commands in an empty folder."""
    return runner(capsys, monkeypatch, tmp_path)


@pytest.fixture
def indexed(run: Run, tmp_path: Path, built: Path) -> Run:
    """Commands in a folder with an index of the eight papers, to be written to."""
    asked = shutil.ignore_patterns("last.json")  # by a test that only asks
    shutil.copytree(built, tmp_path / "index_store", ignore=asked)
    return run


@pytest.fixture(scope="session")
def five(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("five") / "store"
    put(store, batch(papers(5)))
    return store


@pytest.fixture
def store(five: Path, tmp_path: Path) -> Path:
    """A store with the papers p0 … p4 of a.jsonl."""
    return Path(shutil.copytree(five, tmp_path / "store"))
