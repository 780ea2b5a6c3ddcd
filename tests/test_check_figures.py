"""Which numbers have to be in the quotes, and which a reader can count."""

from __future__ import annotations

import pytest

from rag.engine.check.figures import missing_numbers
from rag.engine.check.reading import read

QUOTE = (
    "We test TideNet on three gauges and on the datasets Alpha, Beta, Gamma, and Delta: the "
    "error falls from 9.4 cm to 6.1 cm, by 35%, with Llama-3 and a 7B model."
)


def missing(statement: str, *quotes: str, title: str = "") -> list[str]:
    readings = [read(quote) for quote in quotes or (QUOTE,)]
    return [*missing_numbers(read(statement), readings, [read(title)])]


@pytest.mark.parametrize(
    "statement",
    [
        "The error falls to 6.1 cm on 3 gauges.",
        "A 35 percent lower error, with Llama 3 and 7 billion parameters.",
        "It is tested on four datasets.",
        "One can test it on a single gauge.",
        "(1) TideNet is tested and (2) the error falls.",
        "The two values, 9.4 and 6.1, are errors.",
    ],
)
def test_numbers_that_the_quotes_hold_or_show_are_not_missed(statement: str) -> None:
    assert missing(statement) == []


@pytest.mark.parametrize(
    ("statement", "number"),
    [
        ("The error falls to 6.2 cm.", "6.2 cm"),
        ("It is tested on two gauges.", "two"),
        ("It is tested on one of the gauges, one gauge.", "one"),
        ("It is tested on five datasets.", "five"),
        ("The error falls by 3%.", "3%"),
        ("TideNet has an error of 7 cm.", "7 cm"),
        ("(3) The error falls.", "3"),
        ("The error falls from 6.1 cm to 6.1 cm.", "6.1 cm"),
    ],
)
def test_others_are(statement: str, number: str) -> None:
    assert number in missing(statement)


def test_a_number_in_the_title_may_be_cited_with_it_only() -> None:
    title = "Half of the Heads Can Go"
    assert (
        missing("In Half of the Heads Can Go heads are removed.", "We remove.", title=title) == []
    )
    assert missing("They remove half of the heads.", "We remove.", title=title) == ["half"]


def test_what_the_quotes_count_is_not_counted_anew() -> None:
    assert missing("It names two limits.", "It has three limits: cost, noise, and size.") == ["two"]
