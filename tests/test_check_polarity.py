"""Denials that the quotes do not make, and those that they do."""

from __future__ import annotations

import pytest

from rag.engine.check.polarity import contradictions
from rag.engine.check.reading import read


def contradicts(statement: str, quote: str) -> bool:
    return any(contradictions(read(statement), [read(quote)]))


@pytest.mark.parametrize(
    ("statement", "quote"),
    [
        ("The model does not improve accuracy.", "The model improves accuracy."),
        ("TideNet cannot fill gaps.", "TideNet fills gaps."),
        ("It is not robust to noise.", "It is fast and robust to noise."),
        ("The authors do not introduce a network.", "We introduce a network."),
        ("It learns without a teacher.", "It learns with a teacher."),
        ("Scaling it is not hard.", "Scaling it is hard."),
        ("It fails to capture tides.", "It is built to capture tides."),
        ("No benchmark covers tides.", "A new benchmark covers tides."),
    ],
)
def test_a_denial_of_what_is_affirmed_is_found(statement: str, quote: str) -> None:
    assert contradicts(statement, quote)
    assert contradicts(quote, statement)


@pytest.mark.parametrize(
    ("statement", "quote"),
    [
        ("It does not improve accuracy.", "It does not improve accuracy."),
        ("The encoder is not robust to noise.", "The encoder lacks robustness to noise."),
        ("Labels are not needed.", "It needs no labels."),
        ("The layout is without ambiguity.", "The layout is unambiguous."),
        ("It cannot tell gaps from waves.", "It fails to tell gaps from waves."),
        ("This is not well understood.", "This remains poorly understood."),
        ("The data do not suffice.", "The data are insufficient."),
        ("It lowers cost without giving up accuracy.", "It lowers cost and keeps accuracy."),
        ("It is not only fast but accurate.", "It is fast and accurate."),
        ("Tides cannot do without gauges.", "Gauges are essential for tides."),
        ("It works without labels.", "It sidesteps labels."),
        ("It fills gaps.", "It fills gaps but does not forecast waves."),
        ("Estimates are not biased.", "Estimates are debiased."),
    ],
)
def test_the_same_in_other_words_is_no_contradiction(statement: str, quote: str) -> None:
    assert not contradicts(statement, quote)


def test_a_fault_shows_the_words() -> None:
    said, quote = read("It does not improve accuracy."), read("It does improve accuracy.")
    assert [*contradictions(said, [quote])] == ['the quotes do not say "not improve"']
    assert [*contradictions(quote, [said])] == ['the quotes say "not improve"']
