"""Search of a large corpus, which reads few of its vectors, finds what reading them all does."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from rag.embed.minilm import MiniLM
from rag.errors import StoreDamaged
from rag.retrieve import nearness
from rag.retrieve.filters import Filters
from rag.retrieve.hybrid import Retriever
from rag.store.snapshot import Snapshot
from tests.corpus import PAPERS, QUESTIONS


@pytest.fixture
def sparing(built: Path, minilm: MiniLM, monkeypatch: pytest.MonkeyPatch) -> Retriever:
    """Search that reads the sentences of three papers, and a sample of four."""
    monkeypatch.setattr(nearness, "FEW", 0)
    monkeypatch.setattr(nearness, "LIKELY", 3)
    monkeypatch.setattr(nearness, "SAMPLED", 4)
    return Retriever(Snapshot.open(built), minilm)


def test_papers_that_are_read_score_as_if_all_were(
    sparing: Retriever, retriever: Retriever, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nearness, "LIKELY", len(PAPERS))
    for question in QUESTIONS:
        assert sparing.search(question) == retriever.search(question)


def test_the_first_is_found_among_the_few_that_are_read(
    sparing: Retriever, retriever: Retriever
) -> None:
    for question, paper_id in QUESTIONS.items():
        [first], [expected] = sparing.search(question, 1), retriever.search(question, 1)
        assert first.paper.paper_id == paper_id
        assert first.passages == expected.passages


@pytest.mark.parametrize("paper_id", [paper.paper_id for paper in PAPERS[:4]])
def test_of_papers_that_pass_the_filters_the_best_are_read(
    sparing: Retriever, retriever: Retriever, paper_id: str
) -> None:
    row = sparing.snapshot.row_of[paper_id]
    signals = sparing.signals("sea level", Filters(papers=(paper_id,)))
    assert signals.best[row] == pytest.approx(retriever.signals("sea level").best[row], abs=1e-6)


def test_lists_read_all(sparing: Retriever, retriever: Retriever) -> None:
    texts = list(QUESTIONS)
    for found, expected in zip(sparing.nearness(texts), retriever.nearness(texts), strict=True):
        assert np.allclose(found, expected, atol=1e-6)


@pytest.mark.parametrize("at_once", [True, False])
def test_vectors_are_read_as_they_are_mapped_even_of_a_generation_that_has_gone(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: bool
) -> None:
    if not at_once:
        monkeypatch.delattr(os, "preadv")
    shutil.copytree(built, tmp_path / "index")
    snapshot = Snapshot.open(tmp_path / "index")
    shutil.rmtree(tmp_path / "index")
    found = snapshot.read_vectors([slice(9, 12), slice(0, 2)])
    assert np.array_equal(found, snapshot.vectors[[9, 10, 11, 0, 1]])
    assert snapshot.paper(3).paper_id == snapshot.ids[3]


def test_a_file_that_was_cut_off_is_said_to_be_damaged(built: Path, tmp_path: Path) -> None:
    shutil.copytree(built, tmp_path / "index")
    snapshot = Snapshot.open(tmp_path / "index")
    os.truncate(snapshot.folder / "vectors.npy", 1_000)
    with pytest.raises(StoreDamaged, match="shorter"):
        snapshot.read_vectors([slice(9, 12)])
