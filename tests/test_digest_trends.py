"""Terms that come and go."""

from __future__ import annotations

import time

from rag.digest.phrases import key, phrases
from rag.digest.trends import SHOWN, trends
from rag.types import Paper
from tests.fakes import paper


def year(value: int, count: int, text: str) -> list[Paper]:
    return [paper(f"{value}-{n}", text, year=value) for n in range(count)]


OLD = "We tune hand-made features for the retrieval of recipes. The recipes are about soup."
NEW = "We adapt large language models for the retrieval of recipes. LLMs like soup."


def test_what_rises_and_what_falls_is_found_and_what_stays_is_not() -> None:
    by, found = trends([*year(2030, 20, OLD), *year(2031, 30, NEW)])
    terms = {trend.term: trend.counts for trend in found}
    assert by == "year"
    assert terms["large language models"] == (("2030", 0, 20), ("2031", 30, 30))
    assert not any("recipes" in term or "soup" in term for term in terms)
    assert len(terms) == len({key(term) for term in terms}) <= SHOWN


def test_venues_are_compared_where_all_are_of_one_year() -> None:
    oral = [paper(f"o{n}", OLD, year=2031, venue="Toy Oral") for n in range(20)]
    poster = [paper(f"p{n}", NEW, year=2031, venue="Toy Poster") for n in range(20)]
    by, found = trends(poster + oral)
    assert by == "venue"
    assert [value for value, _, _ in found[0].counts] == ["Toy Oral", "Toy Poster"]


def test_too_few_papers_or_a_small_difference_are_no_trend() -> None:
    assert trends([]) == ("venue", ())
    assert trends(year(2030, 3, OLD) + year(2031, 3, NEW)) == ("venue", ())
    mixed = year(2030, 11, NEW)[:10] + year(2030, 21, OLD)[10:]
    assert trends([*mixed, *year(2031, 9, NEW), *year(2031, 20, OLD)[9:]]) == ("year", ())


def test_a_paper_counts_once_however_often_it_stands_in_the_list() -> None:
    papers = [*year(2030, 20, OLD), *year(2031, 20, NEW)]
    assert trends(papers * 3) == trends(papers)


def test_texts_of_any_kind_and_length_are_read_in_linear_time() -> None:
    odd = ["", "word", "\x00 <b> | ²½", "1," * 80_000, "and or " * 30_000, "word-" * 30_000]
    papers = [paper(f"{n}-{i}", t, year=n, handle="") for n in (1, 2) for i, t in enumerate(odd)]
    begun = time.perf_counter()
    assert trends(papers)[0] == "year"
    assert time.perf_counter() - begun < 5


def test_phrases_have_one_key_in_every_spelling_and_hold_no_idle_words() -> None:
    assert key("Large Language Model") == key("LLMs") == key("large-language models")
    found = {surface for _, surface in phrases("We propose novel diffusion policies, and show it.")}
    assert found == {"diffusion", "diffusion policies"}
