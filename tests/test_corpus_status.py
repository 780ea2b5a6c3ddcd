"""What became of a paper is told in one vocabulary, wherever it is written."""

from __future__ import annotations

import pytest

from rag.corpus.status import parted, status_of, unaccepted


@pytest.mark.parametrize(
    ("written", "status"),
    [
        ("Accept (Oral)", "oral"),
        ("Accept: notable-top-5%", "oral"),
        ("ConditionalOral", "oral"),
        ("notable top 25%", "spotlight"),
        ("Accept: poster", "poster"),
        ("accepted-poster", "poster"),
        ("Poster", "poster"),
        ("Accept", "accepted"),
        ("Poster Workshop", "workshop"),
        ("Reject", "reject"),
        ("Not accepted", "reject"),
        ("Desk Reject", "desk-reject"),
        ("Withdraw", "withdrawn"),
        ("Active", "submitted"),
        ("Submitted to ICLR 2026", "submitted"),
        ("Toy.cc/2031/Conference/Desk_Rejected_Submission", "desk-reject"),
        ("Toy.cc/2031/Conference/Withdrawn_Submission", "withdrawn"),
        ("Toy.cc/2031/Conference/Rejected_Submission", "reject"),
        ("Toy.cc/2031/Conference", None),
        ("Best Demo", "Best Demo"),
        ("Hyperactive", "Hyperactive"),
        ("", None),
        (None, None),
        ("We had to reject this, " * 9, "We had to reject this, " * 9),
    ],
)
def test_a_status_in_its_many_forms(written: str | None, status: str | None) -> None:
    assert status_of(written) == status
    assert status_of(status) == status


@pytest.mark.parametrize(
    ("venue", "parts"),
    [
        ("Toy 2031 Oral", ("Toy 2031", "oral", 2031)),
        ("Toy 2031 Data Track poster", ("Toy 2031 Data Track", "poster", 2031)),
        ("Toy 2031 (Spotlight)", ("Toy 2031", "spotlight", 2031)),
        ("Submitted to Toy 2031", ("Toy 2031", "submitted", 2031)),
        ("Rejected by TOYS", ("TOYS", "reject", None)),
        ("Toy 2031 Conference Withdrawn Submission", ("Toy 2031", "withdrawn", 2031)),
        ("Toy 2031 Conference Desk Rejected Submission", ("Toy 2031", "desk-reject", 2031)),
        ("Toy 2031 Conference Submission", ("Toy 2031", "submitted", 2031)),
        ("Toy Workshop 2031", ("Toy Workshop 2031", None, 2031)),
        ("Journal of Oral Health", ("Journal of Oral Health", None, None)),
        ("Proceedings 2030-2031", ("Proceedings 2030-2031", None, None)),
        (None, (None, None, None)),
    ],
)
def test_a_venue_may_hold_status_and_year(
    venue: str | None, parts: tuple[str | None, str | None, int | None]
) -> None:
    assert parted(venue, None, None) == parts


def test_what_a_record_says_by_itself_counts_before_its_venue() -> None:
    assert parted("Toy 2031 Oral", "Poster", 2030) == ("Toy 2031", "poster", 2030)
    assert parted("Toy 2031 Oral", "Accept", None) == ("Toy 2031", "oral", 2031)


def test_what_has_no_status_counts_as_accepted() -> None:
    assert unaccepted([None, "reject", "oral", "withdrawn", "Best Demo"]) == [1, 3]


def test_where_nothing_was_accepted_nothing_is_left_out() -> None:
    assert unaccepted(["submitted", "withdrawn"]) == unaccepted([]) == []


def test_a_long_venue_takes_no_time() -> None:
    venue = "Toy 2031 - " * 20_000
    assert parted(venue, None, None) == (venue, None, None)
