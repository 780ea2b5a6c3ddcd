"""What abstracts leave open, and what they do not."""

from __future__ import annotations

import time

import pytest

from rag.corpus.sentences import sentence_spans
from rag.digest.open_ends import open_ends
from rag.types import Entry, OpenEnd
from tests.fakes import paper

BARE = (
    "Kites fall when the wind turns. We present a kite with two tails. Extensive experiments show "
    "that it consistently outperforms existing methods."
)


def left_open(*texts: str) -> tuple[OpenEnd, ...]:
    papers = [paper(f"p{n}", text, handle="KiteNet") for n, text in enumerate(texts)]
    entries = [Entry(n, known, "", (), True, 1.0) for n, known in enumerate(papers, start=1)]
    return open_ends(entries, {known.paper_id: sentence_spans(known.text) for known in papers})


def kinds(text: str) -> set[str]:
    return {end.text for end in left_open(text)}


GAIN, RIVAL, DATA, CODE = (
    "A gain is claimed, but its size is not stated",
    "A gain over others is claimed, but over which is not stated",
    "Experiments are reported, but on which data is not stated",
    "Whether code, data or models are released is not stated",
)


def test_an_abstract_that_says_little_leaves_all_of_it_open() -> None:
    assert kinds(BARE) == {GAIN, RIVAL, DATA, CODE}


@pytest.mark.parametrize(
    ("addition", "stated"),
    [
        ("The lift doubles.", {GAIN}),
        ("It gains 12% of lift.", {GAIN}),
        ("The rivals are WingBeat and GustBench.", {RIVAL, DATA}),
        ("We ran the experiments on hills, lakes and roofs, including ours.", {DATA}),
        ("It serves open-source models on public roads, and they share a code.", set()),
        ("Our code is public.", {CODE}),
        ("See https://example.org/kite for more.", {CODE}),
    ],
)
def test_what_is_stated_is_not_listed(addition: str, stated: set[str]) -> None:
    assert kinds(f"{BARE} {addition}") == {GAIN, RIVAL, DATA, CODE} - stated


def test_nothing_is_missed_where_nothing_is_claimed() -> None:
    theory = "We prove that every kite falls in the end. The proof is short."
    assert kinds(theory) == {CODE}
    assert left_open("Kites are old.", "", "word") == ()


def test_it_does_not_matter_in_which_person_authors_speak() -> None:
    they = BARE.replace("We present", "The authors present")
    assert kinds(they) == kinds(BARE)


def test_the_papers_concerned_are_named_once_in_their_order() -> None:
    open_code = f"{BARE} Code is released."
    ends = {end.text: end.paper_ids for end in left_open(BARE, open_code, BARE)}
    assert ends[CODE] == ("p0", "p2")
    assert ends[GAIN] == ("p0", "p1", "p2")
    known = paper("p0", BARE)
    twice = [Entry(n, known, "", (), True, 1.0) for n in (1, 2)]
    found = open_ends(twice, {"p0": sentence_spans(BARE)})
    assert {end.paper_ids for end in found} == {("p0",)}


def test_texts_of_any_kind_and_length_are_read_in_linear_time() -> None:
    odd = ["We improve it. " * 8_000, "A" * 100_000, "we " * 40_000, "1," * 50_000, "\x00 <b>"]
    begun = time.perf_counter()
    assert len(left_open(*odd)) <= 5
    assert time.perf_counter() - begun < 10
