"""paper_id and text_key depend on the record alone."""

from __future__ import annotations

import pytest

from rag.corpus.identity import arxiv_of, doi_of, paper_id, text_key


@pytest.mark.parametrize(
    ("id", "url", "expected"),
    [
        (" ab_C-1\n", "https://ex.org", "ab_C-1"),
        ("a\x00b\ud800c", None, "abc"),
        (None, "https://openreview.net/forum?id=aB3_-x&noteId=q", "aB3_-x"),
        ("", "http://openreview.net/pdf?id=aB3", "aB3"),
        (None, "https://arxiv.org/abs/2401.01234v3", "arXiv:2401.01234"),
        (None, "https://arxiv.org/pdf/2401.01234.pdf", "arXiv:2401.01234"),
        (None, "https://arxiv.org/abs/hep-th/9901001", "arXiv:hep-th/9901001"),
        (None, "https://doi.org/10.48550/arXiv.2401.01234", "arXiv:2401.01234"),
        (None, "https://doi.org/10.1000/XyZ%28a", "10.1000/xyz(a"),
        (None, "https://ex.org/papers/7/", "ex.org/papers/7"),
        (
            None,
            "https://openreview.net/group?id=Toy.cc/2031",
            "openreview.net/group?id=Toy.cc/2031",
        ),
    ],
)
def test_own_id_then_url(id: str | None, url: str | None, expected: str) -> None:
    assert paper_id(id, url, "some text") == expected


def test_without_id_and_url_the_text_decides() -> None:
    assert paper_id(None, None, "Some text.") == text_key("Some text.")[:12]
    assert paper_id("  ", "", "Some text.") == text_key("Some text.")[:12]


def test_a_text_key_is_the_same_everywhere() -> None:
    assert text_key("One text").startswith("d8307784")
    assert len(text_key("One text")) == 64


@pytest.mark.parametrize("copy", ["ONE  text!", "one-text", " One\nText. ", "one_text"])
def test_spacing_case_and_punctuation_do_not_count(copy: str) -> None:
    assert text_key(copy) == text_key("One text")


@pytest.mark.parametrize("other", ["One texts", "One", "两 text"])
def test_letters_count(other: str) -> None:
    assert text_key(other) != text_key("One text")


def test_texts_without_letters_differ() -> None:
    assert text_key("。。") != text_key("!!")


def test_a_lone_surrogate_is_no_obstacle() -> None:
    assert paper_id(None, None, "a\ud800")


@pytest.mark.parametrize(
    "written",
    [
        "10.1000/BEES.7",
        "doi:10.1000/bees.7",
        "DOI: 10.1000/Bees.7.",
        "https://doi.org/10.1000/bees.7?from=feed",
        "http://dx.doi.org/10.1000%2Fbees.7",
        "S0140-1(31)7 [pii], 10.1000/bees.7 [doi]",
        "10.1000/be\ud800es.7",
    ],
)
def test_a_doi_is_one_however_it_is_written(written: str) -> None:
    assert doi_of(None, "", written) == "10.1000/bees.7"


@pytest.mark.parametrize("other", ["", "n/a", "https://ex.org/10.1000/bees", "version 10.1/2"])
def test_what_is_no_doi(other: str) -> None:
    assert doi_of(other) is None


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("2401.01234v3", "2401.01234"),
        ("arXiv:2401.01234 [cs.LG]", "2401.01234"),
        ("10.48550/arXiv.2401.01234", "2401.01234"),
        ("math.GT/0309136", "math/0309136"),
        ("https://arxiv.org/abs/math/0309136v1", "math/0309136"),
        ("4123.7", None),
        ("2678", None),
        ("reports/0309136", None),
    ],
)
def test_an_arxiv_number_is_one_however_it_is_written(written: str, number: str | None) -> None:
    assert arxiv_of(written) == number


def test_a_record_without_an_id_goes_by_what_it_has_everywhere() -> None:
    url = "https://publisher.example/7"
    assert paper_id(None, url, "t", "10.1000/bees", "2401.01234") == "arXiv:2401.01234"
    assert paper_id(None, url, "t", "10.1000/bees") == "10.1000/bees"
    assert paper_id("own", url, "t", "10.1000/bees") == "own"
