"""Papers that give something away: what requests for them say, and what the papers say."""

from __future__ import annotations

import pytest

from rag.engine.listing.released import Release, asked, given

CODE = Release(("code",))


@pytest.mark.parametrize(
    ("question", "release", "rest"),
    [
        ("Which papers release code?", CODE, "Which papers"),
        ("papers with code", CODE, "papers"),
        ("Which papers have publicly available code?", CODE, "Which papers"),
        ("Whose code is available?", CODE, "Whose"),
        ("Whose code is out, or at least promised?", CODE, "Whose"),
        ("Which works on kites share their code?", CODE, "Which works on kites"),
        ("Which papers release code and data?", Release(("code", "data")), "Which papers"),
        ("Which papers open-source their weights?", Release(("models",)), "Which papers"),
        ("Which papers make data available?", Release(("data",)), "Which papers"),
        ("Which papers have a demo?", Release(("demo",)), "Which papers"),
        ("Which papers lack code?", Release(("code",), lacking=True), "Which papers"),
        ("Which papers have no code?", Release(("code",), lacking=True), "Which papers have"),
        ("Which papers don't share data?", Release(("data",), lacking=True), "Which papers"),
        ("works whose code is not public", Release(("code",), lacking=True), "works whose"),
        ("Which give a link to code?", Release(("code",), linked=True), "Which"),
    ],
)
def test_a_wish_for_what_is_given_away_is_told_from_the_rest(
    question: str, release: Release, rest: str
) -> None:
    found = asked(question)
    assert found and (found[0], found[1].strip(" ?")) == (release, rest)


@pytest.mark.parametrize(
    "question",
    [
        "Which papers are about code generation?",
        "Which papers use open-source models?",
        "Which papers write code with language models?",
        "Which papers use public data sets?",
        "Which papers train models on code?",
        "Which papers make models faster?",
    ],
)
def test_other_wishes_have_the_word_only(question: str) -> None:
    assert asked(question) is None


@pytest.mark.parametrize(
    ("thing", "sentence"),
    [
        ("code", "Our code will be released."),
        ("code", "Its code is open source."),
        ("models", "All weights are open sourced."),
        ("code", "Code: https://example.org/kite"),
        ("code", "We release all scripts of the loom."),
        ("data", "Code and data are available at example.org."),
        ("data", "We publicly release KiteSet, a benchmark of 90 flights."),
        ("models", "The trained models are available on request."),
        ("demo", "A demo is at https://example.org/kite."),
    ],
)
def test_a_paper_says_what_it_gives_away(thing: str, sentence: str) -> None:
    sentences = ["We fly kites by a model.", sentence]
    assert given(Release((thing,)), sentences) == 1


@pytest.mark.parametrize(
    ("thing", "sentence"),
    [
        ("code", "Code generation has made programs readily available."),
        ("code", "No code is available for the older kites."),
        ("models", "It beats proprietary and open-source models by far."),
        ("data", "We rely on the available data of 90 flights."),
        ("data", "Public benchmarks hardly have kites."),
    ],
)
def test_other_sentences_have_the_words_only(thing: str, sentence: str) -> None:
    assert given(Release((thing,)), [sentence]) is None


def test_a_link_has_to_be_there_where_one_is_asked_for() -> None:
    linked = Release(("code",), linked=True)
    assert given(linked, ["Our code will be released."]) is None
    assert given(linked, ["Our code is at https://example.org/kite."]) == 0
