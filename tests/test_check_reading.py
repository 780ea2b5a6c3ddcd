"""One spelling for many, and words with their distances."""

from __future__ import annotations

import pytest

from rag.engine.check.reading import AUTHORS, CLAUSE, SENTENCE, read, same


def test_marks_contractions_and_markup_become_plain() -> None:
    assert read("It can’t, it won't – it isn’t **TideNet’s** 3·5.").text == (
        "It can not, it will not - it is not TideNet 3.5."
    )


def test_words_are_runs_of_letters_or_digits() -> None:
    assert [word.low for word in read("Qwen2.5-7B, 1,000").words] == [
        "qwen",
        "2",
        "5",
        "7",
        "b",
        "1,000",
    ]


@pytest.mark.parametrize("pair", ["optimisation optimization", "colour color", "us authors"])
def test_two_spellings_have_one_stem(pair: str) -> None:
    one, other = pair.split()
    assert same(one) == same(other)


def test_the_authors_are_one() -> None:
    assert {word.stem for word in read("We, our authors").words} == {AUTHORS}


def test_edges_of_clauses_keep_words_apart() -> None:
    clause, sentence, listed = read("a, b"), read("a; b"), read("a (2) b")
    assert clause.words[1].place == 1 + CLAUSE
    assert sentence.words[1].place == 1 + SENTENCE
    assert listed.words[2].place == 2


def test_any_text_can_be_read() -> None:
    for text in ("", "\ud800", "(" * 30_000, "\u202eشبكة", "a" * 100_000):
        assert isinstance(read(text).words, tuple)
