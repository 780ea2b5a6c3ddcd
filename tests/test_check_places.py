"""What stands in the place of something else."""

from __future__ import annotations

from rag.engine.check.opposites import opposites
from rag.engine.check.places import Mention, displaced
from rag.engine.check.reading import read


def digits(text: str) -> list[Mention]:
    reading = read(text)
    return [
        Mention(word.low, "number", reading, i, i + 1)
        for i, word in enumerate(reading.words)
        if word.low.isdigit()
    ]


def swapped(statement: str, quote: str) -> list[tuple[str, str]]:
    found = displaced(digits(statement), digits(quote), 0.4)
    return [(one.shown, other.shown) for one, other in found]


QUOTE = (
    "TideNet cuts the error from 50 to 45 mm in storms, and its cost to 12 euros in calm weather."
)


def test_numbers_in_their_places_are_left_alone() -> None:
    assert swapped(QUOTE, QUOTE) == []
    assert (
        swapped("In calm weather it costs 12 euros, and errors in storms are 45 mm.", QUOTE) == []
    )


def test_numbers_that_changed_places_are_found() -> None:
    statement = QUOTE.replace("50", "x").replace("45", "50").replace("x", "45")
    assert swapped(statement, QUOTE) == [("45", "50"), ("50", "45")]


def test_a_number_in_the_place_of_another_is_found() -> None:
    assert swapped(QUOTE.replace("12", "45"), QUOTE) == [("45", "12")]


def test_a_number_that_the_quotes_lack_is_not_our_business() -> None:
    assert swapped(QUOTE.replace("12", "13"), QUOTE) == []


def reversed_(statement: str, quote: str) -> list[tuple[str, str]]:
    found = displaced([*opposites(read(statement))], [*opposites(read(quote))], 0.45)
    return [(one.shown, other.shown) for one, other in found]


def test_opposites_in_the_same_place_are_found() -> None:
    quote = "The method improves accuracy and is stable under heavy noise."
    assert reversed_("The method degrades accuracy.", quote) == [("degrades", "improves")]
    assert reversed_("It is unstable under heavy noise.", quote) == [("unstable", "stable")]


def test_opposites_elsewhere_are_not() -> None:
    quote = "The method improves accuracy and lowers the error."
    assert reversed_("It has higher accuracy at lower cost.", quote) == []
    assert reversed_("It is not practical.", "It is impractical.") == []
    assert reversed_("It costs too much to be practical.", "It is impractical.") == []
    assert reversed_("Short and long chains help.", "Long and short chains help.") == []
