"""merge: one Paper per paper, and nothing is lost."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import permutations

import pytest

from rag.corpus import merge
from rag.corpus.identity import paper_id, text_key
from rag.types import Paper, Source

TEXT = "Bees count to four. We train them on dots and show that they add."


def paper(text: str = TEXT, id: str | None = None, at: int = 1, **fields: object) -> Paper:
    source = Source("list.txt", at, at, "/data/list.txt")
    made = Paper(paper_id(id, None, text), text[:9], text, text, (source,))
    return replace(made, **fields)  # type: ignore[arg-type]


def test_different_papers_stay_apart_in_order() -> None:
    papers = [paper(f"Text number {n}.", at=n) for n in range(5)]
    assert merge(papers) == papers


def test_equal_texts_are_one_paper_with_all_sources() -> None:
    (merged,) = merge([paper(at=1), paper(TEXT.upper(), at=2)])
    assert merged.text == TEXT
    assert [source.ordinal for source in merged.sources] == [1, 2]


def test_an_untitled_abstract_meets_its_titled_record() -> None:
    titled = paper(id="bee1", at=7, title="Bees add", authors=("B. Keeper",), year=2026)
    (merged,) = merge([paper(), titled])
    assert merged.paper_id == "bee1"
    assert (merged.title, merged.authors, merged.year) == ("Bees add", ("B. Keeper",), 2026)
    assert merged.sources[0].ordinal == 1


def test_records_meet_by_any_id_that_they_share() -> None:
    preprint = paper("Bees sum, we find.", at=1, arxiv="2401.01234", url="https://ex.org/1")
    known = paper("Bees add, it seems.", at=2, arxiv="2401.01234", doi="10.1000/bees")
    published = paper("We teach bees to add.", at=3, doi="10.1000/bees")
    (merged,) = merge([preprint, known, published])
    assert (merged.doi, merged.arxiv, merged.url) == ("10.1000/bees", "2401.01234", preprint.url)


def test_the_fullest_record_wins_and_the_others_fill_what_it_lacks() -> None:
    first = paper(id="a", venue="Here", year=2026)
    second = paper(id="b", venue="There", area="insects", title="Bees add")
    (merged,) = merge([first, second])
    assert (merged.paper_id, merged.venue, merged.year) == ("a", "There", 2026)


def test_the_order_of_reading_does_not_count() -> None:
    longer = TEXT + " Wasps do not."
    records = [
        paper(at=1),
        paper(longer, id="b", at=2, url="https://doi.org/10.1000/bees"),
        paper("Glaciers retreat faster than models say.", id="b", at=3, title="Ice"),
        paper(TEXT, at=4, url="https://doi.org/10.1000/BEES", title="Bees add"),
    ]
    merged = merge(records)
    assert len(merged) == 2
    assert all(merge(order) == merged for order in permutations(records))


def test_one_title_is_one_paper_if_the_texts_overlap() -> None:
    title = "Bees that add and subtract"
    revised = paper(TEXT.replace("four", "six"), id="b", at=2, title=title.upper())
    other = paper("Glaciers retreat faster than models say.", id="c", at=3, title=title)
    assert len(merge([paper(id="a", title=title), revised, other])) == 2


def test_a_copy_with_small_changes_meets_its_record() -> None:
    long = " ".join(f"word{n} means thing{n} and never part{n}." for n in range(40))
    titled = paper(long, id="bee1", at=2, title="Words and things")
    changed = paper(long.replace("never part7", "rarely part7"), at=1)
    assert [found.paper_id for found in merge([changed, titled])] == ["bee1"]


def test_papers_that_begin_alike_stay_apart() -> None:
    shared = " ".join(f"word{n} means thing{n}." for n in range(15))
    papers = [
        paper(f"{shared} {' '.join(f'{name}{n} is new.' for n in range(30))}", at=n)
        for n, name in enumerate(("ox", "hen"))
    ]
    assert len(merge(papers)) == 2


def test_versions_with_one_id_are_one_paper_with_the_longer_text() -> None:
    longer = TEXT + " Wasps do not."
    (merged,) = merge([paper(id="a", title="Bees"), paper(longer, id="a", at=2)])
    assert merged.text == merged.raw == longer
    assert merged.handle == longer[:9]
    assert merged.title == "Bees"


def test_one_id_and_equal_titles_are_one_paper() -> None:
    rewritten = paper("Apians sum.", id="a", title="BEES add!")
    assert len(merge([paper(id="a", title="Bees add"), rewritten])) == 1


def test_an_id_used_twice_loses_nothing() -> None:
    other = "Glaciers retreat faster than models say."
    merged = merge([paper(id="1", title="Bees"), paper(other, id="1", title="Ice")])
    assert [found.paper_id for found in merged] == ["1", f"1~{text_key(other)[:8]}"]
    assert [found.text for found in merged] == [TEXT, other]


def test_even_a_clash_of_the_new_ids_loses_nothing() -> None:
    other = "Glaciers retreat faster than models say."
    squatter = paper("Volcanoes sleep long.", id=f"1~{text_key(other)[:8]}")
    merged = merge([paper(id="1"), squatter, paper(other, id="1")])
    assert len({found.paper_id for found in merged}) == 3


def test_a_record_can_join_two_others() -> None:
    longer = TEXT + " Wasps do not."
    merged = merge([paper(at=1), paper(longer, id="a", at=2), paper(id="a", at=3)])
    assert [found.paper_id for found in merged] == ["a"]
    assert sorted(source.ordinal for source in merged[0].sources) == [1, 2, 3]


def test_the_same_place_is_remembered_once() -> None:
    (merged,) = merge([paper(), paper(), paper(at=2)])
    assert len(merged.sources) == 2


def test_equal_paths_in_two_folders_are_two_places() -> None:
    elsewhere = replace(paper(), sources=(Source("list.txt", 1, 1, "/other/list.txt"),))
    assert len(merge([paper(), elsewhere])[0].sources) == 2


def test_merging_again_changes_nothing() -> None:
    other = "Glaciers retreat faster than models say."
    once = merge([paper(id="1"), paper(other, id="1"), paper(at=4), paper(other, id="1", at=5)])
    assert merge(once) == once
    assert merge([*once, paper(other, id="1")]) == once


@pytest.mark.parametrize("kind", ["equal", "one id"])
def test_linear_in_the_number_of_records(kind: str) -> None:
    texts = [TEXT if kind == "equal" else f"w{n} x{n} y{n}" for n in range(20_000)]
    records = [paper(text, id="1", at=n) for n, text in enumerate(texts)]
    start = time.process_time()
    merged = merge(records)
    assert time.process_time() - start < 4.0
    assert len(merged) == (1 if kind == "equal" else 20_000)
