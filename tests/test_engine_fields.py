"""Fields of papers that a question names in words."""

from __future__ import annotations

import pytest

from rag.engine.fields import Values, remark, worded
from rag.engine.understanding import OF_PAPERS
from rag.retrieve.filters import Filters
from tests.fakes import paper

PAPERS = [
    paper("a", "Text.", area="kites, gliders and balloons", venue="WIND 2031 Oral", year=2031),
    paper(
        "b",
        "Text.",
        area="robotics",
        venue="WIND 2031 Poster",
        year=2031,
        authors=("Jane Kim", "Léa de Mol"),
    ),
    paper("c", "Text.", area="robotics", venue="WIND 2030 Poster", year=2030, status="Withdrawn"),
]
VALUES = Values(PAPERS)

NAMED = [
    ("papers in the area of robotics", "Which papers are there?", Filters(area="robotics")),
    ("papers in robotics area on fruit", "papers on fruit", Filters(area="robotics")),
    (
        "Which papers of the track kites, gliders and balloons use silk?",
        "Which papers use silk?",
        Filters(area="kites, gliders and balloons"),
    ),
    ("orals about silk", "papers about silk", Filters(venue="oral")),
    ("Which posters use silk?", "Which papers use silk?", Filters(venue="poster")),
    ("oral papers on silk", "papers on silk", Filters(venue="oral")),
    ("papers on silk accepted as posters", "papers on silk", Filters(venue="poster")),
    ("How many papers are withdrawn?", "How many papers are there?", Filters(status="withdrawn")),
    ("which of them are orals?", "which of them are papers?", Filters(venue="oral")),
    ("papers from 2030 on silk", "papers on silk", Filters(year=2030)),
    ("papers on silk from 2031", "papers on silk", Filters(year=2031)),
    ("2031 papers on silk", "papers on silk", Filters(year=2031)),
    ("papers since 2031 on silk", "papers on silk", Filters(year="2031-")),
    ("papers on silk before 2031", "papers on silk", Filters(year="-2030")),
    ("papers on silk published after 2029", "papers on silk", Filters(year="2030-")),
    ("papers on silk between 2030 and 2031", "papers on silk", Filters(year="2030-2031")),
    ("How many papers from 2030 to 2031?", "How many papers are there?", Filters(year="2030-2031")),
    ("papers by Jane Kim on silk", "papers on silk", Filters(author="Jane Kim")),
    ("papers on silk by J. Kim", "papers on silk", Filters(author="J. Kim")),
    (
        "Which papers did Kim write about silk?",
        "Which papers are about silk?",
        Filters(author="Kim"),
    ),
    (
        "What did Lea de Mol et al. publish in 2031?",
        "Which papers are there?",
        Filters(author="Lea de Mol", year=2031),
    ),
    ("Has Kim written anything on silk?", "Is there anything on silk?", Filters(author="Kim")),
    ("papers at WIND 2030 on silk", "papers on silk", Filters(venue="WIND 2030")),
    (
        "orals in the area of kites from 2031",
        "Which papers are there?",
        Filters(area="kites", venue="oral", year=2031),
    ),
]
PLAIN = [
    "Which papers learn from 2 examples?",
    "Which papers forecast the storms of 2031?",
    "Which papers use data from 2031?",
    "Which papers generate posters?",
    "papers on oral cancer",
    "papers in the area of pottery",
    "Which papers are about robotics?",
    "In which area is robotics strong?",
    "Does the kite fly from 2031?",
    "Which papers are inspired by Newton?",
    "Which papers use records from 2030 to 2031?",
    "Which papers write poems?",
]


@pytest.mark.parametrize(("question", "rest", "filters"), NAMED)
def test_a_field_named_plainly_is_a_filter(question: str, rest: str, filters: Filters) -> None:
    assert any(part in question.lower() for part in OF_PAPERS), "is not even looked at"
    assert worded(question, lambda: VALUES) == (rest, filters, [])


@pytest.mark.parametrize("question", PLAIN)
def test_other_words_stay_words(question: str) -> None:
    assert worded(question, lambda: VALUES) == (question, Filters(), [])


@pytest.mark.parametrize(
    ("question", "rest", "told"),
    [
        ("spotlights on silk", "papers on silk", "status “spotlight”"),
        ("papers by Newton on silk", "papers on silk", "author “Newton”"),
        (
            "Which papers from 1999 are about robots?",
            "Which papers are about robots?",
            "year “1999”",
        ),
    ],
)
def test_a_value_that_no_paper_has_is_told_and_left_out(
    question: str, rest: str, told: str
) -> None:
    (bare, filters, (lacking,)) = worded(question, lambda: VALUES)
    assert (bare, filters) == (rest, Filters()) and told in lacking


def test_the_fields_are_not_read_for_other_questions() -> None:
    def unread() -> Values:
        raise AssertionError("read")

    assert worded("How good is TideNet?", unread) == ("How good is TideNet?", Filters(), [])


def test_it_is_counted_and_told_how_many_pass() -> None:
    assert VALUES.passing(Filters(area="robotics", year=2031)) == 1
    assert VALUES.passing(Filters(area="robotics", papers=("a", "c"))) == 1
    said = "Read as filters: area “robotics” and year “2031”, which 1 of 3 papers have."
    assert remark(Filters(area="robotics", year=2031), 1, 3) == said
    assert Values([]).passing(Filters()) == 0
