"""Words that the question has side by side count for more where a paper has them so."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag.embed.minilm import MiniLM
from rag.retrieve.hybrid import Retriever
from rag.retrieve.proximity import proximity
from rag.store.snapshot import Snapshot
from tests.corpus import index
from tests.fakes import paper

RARITY = {"sea": 2.0, "level": 1.0, "rise": 4.0}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sea level rise", 1 + 1),
        ("level sea", 1),
        ("sea of many a level", 1 / 4),
        ("level x x sea level", 1),
        ("sea rise", 0),
        ("", 0),
    ],
    ids=["as asked", "turned round", "apart", "nearest", "no neighbours", "nothing"],
)
def test_proximity(text: str, expected: float) -> None:
    assert proximity(["sea", "level", "rise"], RARITY, text.split()) == pytest.approx(expected)


def test_one_word_has_no_neighbour() -> None:
    assert proximity(["sea"], RARITY, ["sea", "sea"]) == 0


def test_what_stands_together_comes_first(tmp_path: Path, minilm: MiniLM) -> None:
    """The same words, so that nothing but their order tells the papers apart."""
    papers = [
        paper("apart", "Level roads run by. The sea is calm. Nobody knows the harbour cranes."),
        paper("near", "Sea level roads run by. The cranes are calm. Nobody knows the harbour."),
        *(paper(f"other{i}", f"Gardens number {i} have moss.") for i in range(5)),
    ]
    index(tmp_path / "s", minilm, papers)
    retriever = Retriever(Snapshot.open(tmp_path / "s"), minilm)
    signals = retriever.signals("sea level")
    rows = [retriever.snapshot.row_of[name] for name in ("near", "apart")]
    assert signals.bm25[rows[0]] == pytest.approx(signals.bm25[rows[1]])
    assert signals.near[rows[0]] > signals.near[rows[1]]
    assert retriever.ranked(signals)[0] == rows[0]
