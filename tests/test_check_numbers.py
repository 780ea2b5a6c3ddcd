"""Numbers in every spelling that papers use."""

from __future__ import annotations

from decimal import Decimal

import pytest

from rag.engine.check.numbers import Number, numbers
from rag.engine.check.reading import read


def only(text: str) -> Number:
    (number,) = numbers(read(text))
    return number


@pytest.mark.parametrize(
    "spellings",
    [
        ("1,000 users", "1000 users", "1k users", "a thousand users", "one thousand users"),
        ("45%", "45 percent", "45 per cent", "45 \\%"),
        ("3x", "3×", "threefold", "three times", "3-fold", "3 times", "thrice"),
        ("twice", "double", "doubles", "a factor of two", "2x"),
        ("half of", "50%", "one half of"),
        (".5", "0.5", "0.50"),
        ("7B", "7 billion", "7-billion-parameter", "7,000,000,000"),
        ("twenty-five", "25"),
        ("4th", "fourth", "four"),
        ("two thirds", "two-thirds"),
        ("1e-3", "0.001"),
        ("10ms", "10 milliseconds"),
        ("$12$ gauges", "12 gauges", "twelve gauges"),
    ],
)
def test_spellings_of_one_number_are_equal(spellings: tuple[str, ...]) -> None:
    found = [only(text) for text in spellings]
    assert all(found[0].equals(other) and other.equals(found[0]) for other in found)


@pytest.mark.parametrize(
    "pair",
    [
        ("45", "54"),
        ("45%", "45x"),
        ("7B", "7M"),
        ("7B", "7"),
        ("5 ms", "5 hours"),
        ("+2.5", "-2.5"),
        ("0.45", "0.454"),
        ("50% of models", "50 models"),
        ("a third of", "half of"),
        ("hundreds of", "thousands of"),
    ],
)
def test_different_numbers_are_not(pair: tuple[str, str]) -> None:
    one, other = map(only, pair)
    assert not one.equals(other)
    assert not other.equals(one)


def test_a_sign_or_unit_that_is_missing_may_be_any() -> None:
    assert only("−2.5 points").equals(only("2.5"))
    assert only("45%").equals(only("accuracy of 45"))


def test_the_unit_at_the_end_of_a_range_is_that_of_all() -> None:
    for text in ("3–5%", "3 to 5 percent", "3, 4 and 5%"):
        assert {number.unit for number in numbers(read(text))} == {"percent"}


def test_digits_that_hang_on_letters_belong_to_a_name() -> None:
    found = numbers(read("GPT-4 and ResNet50 and 3D and Llama 3 and top-5 and Qwen-7B"))
    assert [(number.shown, number.name) for number in found] == [
        ("4", "GPT"),
        ("50", "ResNet"),
        ("3", "D"),
        ("3", ""),
        ("5", ""),
        ("7B", ""),
    ]


def test_marks_of_lists_are_told_from_numbers() -> None:
    found = numbers(read("(i) one thing, (2) other things, 3) the last of 4 (7B)"))
    assert [(number.value, number.item) for number in found][:1] == [(Decimal(1), True)]
    assert {number.shown for number in found if number.item} == {"i", "2", "3"}


def test_what_is_counted_is_known() -> None:
    assert only("three diverse benchmarks").noun == "divers"
    assert only("45 of the models").noun == ""
