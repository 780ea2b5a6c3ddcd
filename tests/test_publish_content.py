"""The sentences that every format of a digest says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rag.publish.content import coverage_sentence, made_from_rows, quotes, shelves
from rag.types import Coverage, Group
from tests.digests import MADE_FROM, empty, living, machines


@pytest.mark.parametrize(
    ("coverage", "told"),
    [
        (Coverage(3, 3, 38, 0), "3 of 38 papers are on this topic."),
        (Coverage(3, 3, 1_038, 1), "3 of 1,038 papers are on this topic; 1 more comes near."),
        (Coverage(1, 1, 38, 2), "1 of 38 papers is on this topic; 2 more come near."),
        (Coverage(9, 3, 38, 0), "9 of 38 papers are on this topic, and 3 of them listed here."),
        (Coverage(0, 0, 38, 2), "None of 38 papers is on this topic; 2 come near."),
        (Coverage(0, 0, 1, 0), "The one paper searched is not on this topic."),
    ],
)
def test_coverage_is_told_in_a_sentence(coverage: Coverage, told: str) -> None:
    digest = living() if coverage.matched else empty()
    assert coverage_sentence(replace(digest, coverage=coverage)) == told


def test_papers_of_a_field_are_not_said_to_be_on_topic() -> None:
    entries = tuple(replace(entry, relevance=1.0) for entry in living().entries)
    assert coverage_sentence(replace(living(), entries=entries)) == "3 of 8 papers."


def test_terms_that_the_heading_says_are_not_told_again() -> None:
    ids = tuple(entry.paper.paper_id for entry in living().entries)
    group = Group("Graph Networks and others", ids, ("graph network", "others", "graph", "net"))
    (shelf,) = shelves(replace(living(), groups=(group,)))
    assert shelf.terms == ("net",)


def test_settings_are_told_as_people_write_them() -> None:
    settings = {"papers": ("a", "b"), "auto": True, "strict": None, "floor": 0.30000000000000004}
    rows = dict(made_from_rows(replace(MADE_FROM, settings={**settings, "n": 7, "by": "area"})))
    told = {name: rows.get(name) for name in (*settings, "n", "by")}
    assert told == {
        "papers": "a, b",
        "auto": "yes",
        "strict": None,
        "floor": "0.3",
        "n": "7",
        "by": "area",
    }


def test_a_quote_that_is_the_line_is_not_told_again() -> None:
    entry = machines().entries[0]
    (quote,) = quotes(entry)
    assert quotes(replace(entry, line=quote)) == []
