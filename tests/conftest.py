"""What is slow to make and never changed, made once a session."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag.embed.minilm import MiniLM
from rag.retrieve.hybrid import Retriever
from rag.store.snapshot import Snapshot
from tests.corpus import index


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
