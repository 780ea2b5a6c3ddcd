"""merge: one Paper per paper, and nothing is lost."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import chain, permutations
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.corpus import merge, read_file
from rag.corpus.alike import reasons
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


def prose(seed: str, words: int = 60) -> str:
    """A text of invented words that no other seed shares."""
    return " ".join(f"{seed}{n}" for n in range(words))


def revised(text: str, *, every: int) -> str:
    """A text in which one word of so many is another."""
    return " ".join(w if n % every else f"{w}x" for n, w in enumerate(text.split(), start=1))


LONG = prose("bee")
NAME = "Bees that add and subtract"


@pytest.mark.parametrize(
    "other",
    [
        f"Correction to: {NAME}",
        f"{NAME}: Erratum",
        f'Reply to "{NAME}"',
        f"{NAME}, Part II",
        f"{NAME} 2",
        "Bees that add and subtract in 2031",
    ],
)
def test_one_abstract_for_two_papers_that_their_titles_tell_apart(other: str) -> None:
    first = "Bees that add and subtract in 2030" if "2031" in other else NAME
    assert len(merge([paper(LONG, id="a", title=first), paper(LONG, id="b", title=other)])) == 2


def test_parts_of_a_series_with_nearly_one_abstract_stay_apart() -> None:
    one, two = (f"Bees that add, Part {part}: Dots and lines" for part in ("I", "II"))
    texts = LONG, revised(LONG, every=40)
    assert len(merge([paper(t, title=n) for t, n in zip(texts, (one, two), strict=True)])) == 2


def test_many_papers_are_called_introduction() -> None:
    records = [
        paper(prose(s), id=s, title="Introduction", at=n) for n, s in enumerate("abcdefghijklm")
    ]
    assert len(merge(records)) == len(records)


def test_what_stands_in_place_of_an_abstract_makes_no_paper() -> None:
    records = [
        paper("No abstract available.", id=f"10.1000/{n}", title=f"On {name}", at=n)
        for n, name in enumerate(("bees", "wasps", "ants"))
    ]
    assert len(merge(records)) == 3
    unnamed = [replace(record, title="Editorial") for record in records]
    assert len(merge(unnamed)) == 3


def test_a_publishers_text_for_all_its_papers_makes_no_paper() -> None:
    names = ("Honey and its makers", "On wasps", "Antlers of ants")
    records = [
        paper(LONG, id=f"p{n}", title=name, doi=f"10.1000/{n}", at=n)
        for n, name in enumerate(names)
    ]
    assert len(merge(records)) == 3


def test_a_books_doi_makes_no_paper_of_its_chapters() -> None:
    chapters = [
        paper(prose(s), id=s, title=f"{s} on its own", doi="10.1000/book", at=n)
        for n, s in enumerate(("honey", "wax", "sting"))
    ]
    again = replace(chapters[2], paper_id="c", sources=(Source("more.txt", 1, 1, "/more.txt"),))
    assert [len(found.sources) for found in merge([*chapters, again])] == [1, 1, 2]


def test_a_preprint_meets_its_published_version() -> None:
    preprint = paper(LONG, id="arXiv:3001.00001", title=NAME, doi="10.48550/arxiv.3001.00001")
    bio = paper(LONG, id="10.1101/1", title=NAME, doi="10.1101/1")
    published = paper(
        revised(LONG, every=5), id="10.1000/b", at=2, title=NAME.upper(), doi="10.1000/b"
    )
    for early in (preprint, bio):
        (merged,) = merge([early, published])
        assert len(merged.sources) == 2
    assert merge([preprint, published])[0].doi == "10.1000/b"


def test_the_page_of_a_conference_is_no_id_of_its_papers() -> None:
    shared = LONG.split()[:30]  # the words of the field
    names = ("Honey and its makers", "On wasps", "Antlers of ants")
    papers = [
        paper(" ".join([*shared, *prose(name[0], 25).split()]), "toys.example/2031", n, title=name)
        for n, name in enumerate(names)
    ]
    assert len(merge(papers)) == 3
    revision = paper(
        revised(papers[1].text, every=30), "toys.example/2031", 4, title="On all wasps"
    )
    assert len(merge([*papers, revision])) == 3


def test_one_title_in_two_journals_needs_more_than_words_of_a_field() -> None:
    other = " ".join([*LONG.split()[:25], *prose("wasp", 35).split()])
    records = [
        paper(LONG, id="10.1000/a", title=NAME),
        paper(other, id="10.1000/b", at=2, title=NAME),
    ]
    assert len(merge(records)) == 2


def test_versions_of_one_arxiv_number_are_one_paper_whatever_they_say() -> None:
    first = paper(LONG, id="x", title=NAME, arxiv="3001.00001")
    second = paper(prose("hive"), id="y", at=2, title="Hives that count", arxiv="3001.00001")
    assert len(merge([first, second])) == 1


def test_a_chain_does_not_swallow_another_paper() -> None:
    """The second has the first's title, and the third is a copy of the second with another."""
    first = paper(LONG, id="a", title=NAME)
    second = paper(revised(LONG, every=2), id="b", at=2, title=NAME)
    third = paper(revised(second.text, every=59), id="c", at=3, title="Wasps subtract, but no bees")
    found = merge([first, second, third])
    assert [len(each.sources) for each in found] == [2, 1]
    assert all(merge(order) == found for order in permutations([first, second, third]))


def test_an_untitled_copy_of_a_revision_joins_its_paper() -> None:
    first = paper(LONG, id="a", title=NAME)
    second = paper(revised(LONG, every=3), id="b", at=2, title=NAME)
    third = paper(revised(second.text, every=50), at=3)
    (merged,) = merge([first, second, third])
    assert len(merged.sources) == 3


def test_a_paper_whose_title_changed_is_one_if_the_abstract_did_not() -> None:
    other = paper(revised(LONG, every=50), id="b", at=2, title="How insects do sums")
    assert len(merge([paper(LONG, id="a", title=NAME), other])) == 1


def test_many_versions_of_one_paper_are_one() -> None:
    texts = [LONG.replace(f"bee{n} ", f"wasp{n} ") for n in range(40)]
    (merged,) = merge([paper(text, at=n) for n, text in enumerate(texts)])
    assert len(merged.sources) == 40


def test_what_one_venue_accepted_counts_before_what_another_rejected() -> None:
    rejected = paper(id="a", status="reject", venue="Toy 2030", year=2030, title=NAME, url="u")
    oral = paper(id="b", at=2, status="oral", venue="Toy 2031", title=NAME)
    journal = replace(oral, status=None, venue="Journal of Bees")
    (merged,) = merge([rejected, oral])
    assert (merged.status, merged.venue, merged.url) == ("oral", "Toy 2031", "u")
    assert [(p.status, p.venue) for p in merge([rejected, journal])] == [(None, journal.venue)]
    assert merge([rejected, paper(at=3)])[0].status == "reject"


def test_the_heaviest_version_counts_before_the_longest() -> None:
    def weighing(text: str, weight: int) -> Paper:
        made = paper(text, id="a", at=len(text))
        return replace(made, sources=(replace(made.sources[0], weight=weight),))

    longer = TEXT + " Wasps do not."
    assert merge([weighing(longer, 0), weighing(TEXT, 1)])[0].text == TEXT
    assert merge([weighing(longer, -1), weighing(TEXT, 0)])[0].text == TEXT


def test_a_version_that_is_to_stand_apart_is_a_paper_of_its_own() -> None:
    longer = paper(TEXT + " Wasps do not.", id="a", at=2)
    apart = replace(longer, sources=(replace(longer.sources[0], apart=True),))
    found = merge([paper(id="a"), apart])
    assert [each.paper_id for each in found] == ["a", f"a~{text_key(longer.text)[:8]}"]
    assert len(merge([*found, paper(longer.text, at=3)])) == 2


fields = st.fixed_dictionaries(
    {
        "text": st.sampled_from(
            [LONG, *(revised(LONG, every=n) for n in (2, 5, 40)), prose("hive"), TEXT]
        ),
        "id": st.sampled_from([None, "a", "1"]),
        "title": st.sampled_from([None, NAME, f"Reply to {NAME}", "Introduction"]),
        "doi": st.sampled_from([None, "10.1000/a", "10.1000/b"]),
        "arxiv": st.sampled_from([None, "3001.00001"]),
        "status": st.sampled_from([None, "oral", "reject"]),
    }
)


@settings(max_examples=150, deadline=None)
@given(st.lists(fields, max_size=7), st.randoms())
def test_whatever_is_merged_nothing_is_lost_in_any_order(
    rows: list[dict[str, object]], chance: Random
) -> None:
    records = [paper(at=at, **row) for at, row in enumerate(rows)]  # type: ignore[arg-type]
    merged = merge(records)
    places = [source.ordinal for each in merged for source in each.sources]
    assert sorted(places) == list(range(len(records)))
    assert len({each.paper_id for each in merged}) == len(merged)
    assert {each.text for each in merged} <= {record.text for record in records}
    chance.shuffle(records)
    assert merge(records) == merged


def test_reasons_name_what_is_shared() -> None:
    one = paper(LONG, id="a", title=NAME, doi="10.1000/b", arxiv="3001.00001")
    two = paper(revised(LONG, every=40), id="b", title=NAME.lower(), doi="10.1000/b")
    assert reasons([one, two]) == ["same DOI", "same title", "almost the same text"]
    assert reasons([one, paper(LONG, id="c", arxiv="3001.00001")]) == [
        "same arXiv number",
        "same text",
    ]
    assert reasons([paper(id="a"), paper(prose("x"), id="a")]) == ["same id"]


def test_varied_copies_take_time_in_proportion() -> None:
    originals = [prose(f"w{n}x", 120) for n in range(400)]
    copies = [
        paper(text.replace(f"x{at} ", f"y{at} "), at=8 * n + at)
        for n, text in enumerate(originals)
        for at in range(8)
    ]
    start = time.process_time()
    assert len(merge(copies)) == 400
    assert time.process_time() - start < 6.0


SHARED = Path(__file__).parents[2] / "shared"


def test_the_real_lists_and_the_conference_in_two_orders() -> None:
    lists = sorted((SHARED / "corpus").glob("*.txt"))
    titled = SHARED / "data/iclr2026/iclr2026_accepted_12areas.jsonl"
    if not (lists and titled.exists()):
        pytest.skip(f"needs the data in {SHARED}")
    readings = [read_file(str(path)).records for path in (*lists, titled)]
    found = merge(chain.from_iterable(readings))
    assert len(found) == 4_309
    assert len({paper.paper_id for paper in found}) == 4_309
    assert sum(len(paper.sources) > 1 for paper in found) == 31
    assert merge(chain.from_iterable(reversed(readings))) == found


@pytest.mark.parametrize("kind", ["equal", "one id"])
def test_linear_in_the_number_of_records(kind: str) -> None:
    texts = [TEXT if kind == "equal" else f"w{n} x{n} y{n}" for n in range(20_000)]
    records = [paper(text, id="one", at=n) for n, text in enumerate(texts)]
    start = time.process_time()
    merged = merge(records)
    assert time.process_time() - start < 4.0
    assert len(merged) == (1 if kind == "equal" else 20_000)
