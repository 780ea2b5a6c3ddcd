"""Who beats whom is not turned round."""

from __future__ import annotations

import pytest

from rag.engine.check.contests import reversed_contest
from rag.engine.check.reading import read

QUOTE = "On all tasks, TideNet consistently outperforms ordinary interpolation."


@pytest.mark.parametrize(
    ("statement", "turned"),
    [
        ("TideNet beats ordinary interpolation.", False),
        ("Ordinary interpolation is outperformed by TideNet.", False),
        ("Ordinary interpolation beats TideNet.", True),
        ("TideNet is consistently outperformed by ordinary interpolation.", True),
        ("Interpolation is better than TideNet.", True),
        ("TideNet interpolates water levels.", False),
        ("Others beat interpolation, and TideNet fills gaps.", False),
    ],
)
def test_a_system_stays_on_its_side(statement: str, turned: bool) -> None:
    assert reversed_contest(read(statement), [(read(QUOTE), "TideNet")]) is turned


def test_authors_stand_for_their_system() -> None:
    quote = read("Our method surpasses all baselines.")
    assert reversed_contest(read("The baselines surpass TideNet."), [(quote, "TideNet")])
    assert not reversed_contest(read("TideNet surpasses baselines."), [(quote, "TideNet")])


def test_of_several_papers_each_keeps_its_side() -> None:
    quotes = [(read("We beat all baselines."), "TideNet"), (read("We beat search."), "LemmaLoom")]
    said = read("TideNet beats all baselines while LemmaLoom beats search.")
    assert not reversed_contest(said, quotes)
