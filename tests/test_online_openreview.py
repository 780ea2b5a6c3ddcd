"""``openreview:``: the library itself against a server that replays both versions of the API."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rag.corpus.online import openreview, read_reference
from rag.errors import OnlineError
from tests.online import OpenReview, access, note_v1, note_v2
from tests.servers import sends

pytest.importorskip("openreview", reason="pip install 'rag[openreview]'")

NEW, OLD = "TOY.cc/2031/Conference", "TOY.cc/2019/Conference"
META_REVIEW = {
    "invitation": f"{OLD}/-/Paper2/Meta_Review",
    "content": {"recommendation": "Reject"},
}
"""The decision of venues that had no form of its own for it."""
GROUPS = [
    {
        "id": NEW,
        "domain": NEW,
        "content": {"submission_id": {"value": f"{NEW}/-/Submission"}},
        "members": [],
    },
    {"id": OLD, "domain": None, "members": []},
    {"id": "TOY.cc/2031", "domain": "TOY.cc/2031", "members": []},
    {"id": "venues", "members": [OLD, NEW, "TOY.cc/2031/Workshop/Play", "OTHER.org/2031"]},
]
SUBMISSIONS = [
    note_v2(1, NEW, "TOY 2031 Oral", NEW),
    note_v2(2, NEW, "TOY 2031 Poster", NEW),
    note_v2(3, f"{NEW}/Rejected_Submission", "Submitted to TOY 2031", NEW),
    note_v2(4, f"{NEW}/Withdrawn_Submission", "TOY 2031 Conference Withdrawn Submission", NEW),
    note_v2(5, f"{NEW}/Desk_Rejected_Submission", "TOY 2031 Desk Rejected Submission", NEW),
    note_v2(6, f"{NEW}/Submission", "TOY 2031 Conference Submission", NEW, abstract=None),
]
OLD_SUBMISSIONS = [
    note_v1(1, f"{OLD}/-/Blind_Submission", "Accept (Poster)"),
    note_v1(2, f"{OLD}/-/Blind_Submission", replies=[META_REVIEW]),
    note_v1(3, f"{OLD}/-/Blind_Submission", venue="TOY 2019 Oral", venueid=OLD),
    note_v1(4, f"{OLD}/-/Withdrawn_Submission"),
    note_v1(5, f"{OLD}/-/Desk_Rejected_Submission"),
]


@pytest.fixture(autouse=True)
def guest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENREVIEW_USERNAME", raising=False)
    monkeypatch.delenv("OPENREVIEW_PASSWORD", raising=False)


def serving(**how: object) -> OpenReview:
    given = {"v2": SUBMISSIONS, "v1": OLD_SUBMISSIONS, "groups": GROUPS, **how}
    return OpenReview(**given)  # type: ignore[arg-type]


def test_a_venue_of_version_2_is_read_with_what_became_of_each(tmp_path: Path) -> None:
    with serving() as server:
        reading = read_reference(f"openreview:{NEW}", access(tmp_path, server))
    first = reading.records[0]
    assert first.paper_id == "forum00001"
    assert first.url == "https://openreview.net/forum?id=forum00001"
    assert (first.title, first.authors) == ("Paper number 1", ("Ada Test", "Bo Trial"))
    assert (first.area, first.keywords, first.year) == ("optimization", ("things",), 2031)
    assert {paper.venue for paper in reading.records} == {"TOY 2031"}
    found = [paper.status for paper in reading.records]
    assert found == ["oral", "poster", "reject", "withdrawn", "desk-reject"]
    assert [each.reason for each in reading.rejected] == [
        "no abstract: forum00006 (Paper number 6)"
    ]


def test_the_address_of_a_venue_names_it(tmp_path: Path) -> None:
    page = "https://openreview.net/group?id=TOY.cc%2F2031/Conference&referrer=x#tab-accept-oral"
    with serving() as server:
        reading = read_reference(page, access(tmp_path, server))
    assert (reading.path, len(reading.records)) == (f"openreview:{NEW}", 5)


def test_a_venue_of_version_1_has_its_decisions_from_the_replies(tmp_path: Path) -> None:
    with serving() as server:
        reading = read_reference(f"openreview:{OLD}", access(tmp_path, server))
    found = [(paper.paper_id, paper.status, paper.venue) for paper in reading.records]
    assert found == [
        ("old00001", "poster", "TOY 2019"),
        ("old00002", "reject", "TOY 2019"),
        ("old00003", "oral", "TOY 2019"),
        ("old00004", "withdrawn", "TOY 2019"),
        ("old00005", "desk-reject", "TOY 2019"),
    ]


def test_all_pages_are_read_and_a_limit_ends_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openreview, "PAGE", 2)
    notes: list[str] = []
    with serving() as server:
        whole = read_reference(f"openreview:{NEW}", access(tmp_path / "a", server))
        pages = len(server.asked)
        how = access(tmp_path / "b", server, limit=3, note=notes.append)
        part = read_reference(f"openreview:{NEW}", how)
    assert len(whole.records) + len(whole.rejected) == 6
    assert pages == 5  # the group, three full pages, and one to see that there is no more
    assert len(part.records) == 3
    assert notes == [f"{NEW} has 6 submissions; 3 are read: --limit"]


def test_a_limit_holds_for_all_lists_of_a_venue(tmp_path: Path) -> None:
    with serving() as server:
        reading = read_reference(f"openreview:{OLD}", access(tmp_path, server, limit=3))
    assert len(reading.records) == 3


def test_papers_are_found_in_either_version(tmp_path: Path) -> None:
    with serving() as server:
        how = access(tmp_path, server)
        reading = read_reference("openreview:forum00002,old00001,nowhere99", how)
    assert [paper.paper_id for paper in reading.records] == ["forum00002", "old00001"]
    assert [paper.status for paper in reading.records] == ["poster", "poster"]
    assert [each.reason for each in reading.rejected] == ["OpenReview has no such paper: nowhere99"]


@pytest.mark.parametrize("name", ["TOY.cc/2031", "toy.cc/2031/conference", "TOY 2031"])
def test_what_is_no_venue_is_told_with_the_nearest(tmp_path: Path, name: str) -> None:
    with serving() as server, pytest.raises(OnlineError) as told:
        read_reference(f"openreview:{name}", access(tmp_path, server))
    assert told.value.fix.startswith(f"did you mean openreview:{NEW}")


@pytest.mark.parametrize("name", ["NONE.cc/2031", "会议", "...", "{}"])
def test_a_stranger_is_told_to_copy_the_id(tmp_path: Path, name: str) -> None:
    with serving() as server, pytest.raises(OnlineError) as told:
        read_reference(f"openreview:{name}", access(tmp_path, server))
    assert "copy the id" in told.value.fix


def test_a_refusal_names_the_variables_to_sign_in_with(tmp_path: Path) -> None:
    refusal = sends({"name": "ForbiddenError", "message": "Challenge required"}, 403)
    with serving(faults=[refusal]) as server, pytest.raises(OnlineError) as told:
        read_reference(f"openreview:{NEW}", access(tmp_path, server))
    assert "Challenge required" in told.value.message
    assert "OPENREVIEW_USERNAME and OPENREVIEW_PASSWORD" in told.value.fix


def test_who_signs_in_is_neither_stored_nor_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENREVIEW_USERNAME", "ada@example.org")
    monkeypatch.setenv("OPENREVIEW_PASSWORD", "xyzzy-plugh")
    notes: list[str] = []
    with serving() as server:
        reading = read_reference(f"openreview:{NEW}", access(tmp_path, server, note=notes.append))
        assert server.asked[0].body["password"] == "xyzzy-plugh"
        assert server.asked[-1].headers["authorization"] == "Bearer a-token"
        old = read_reference("openreview:old00001", access(tmp_path, server))
        assert [request.path for request in server.asked if request.body] == ["/v2/login"] * 2
        assert server.asked[-1].path.startswith("/v1/notes")
        assert server.asked[-1].headers["authorization"] == "Bearer a-token"
    assert (len(reading.records), len(old.records)) == (5, 1)
    said = capsys.readouterr()
    files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    everything = f"{said} {notes} {reading} {files}"
    assert not [word for word in ("xyzzy", "ada@", "a-token") if word in everything]


def test_a_password_is_not_sent_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENREVIEW_USERNAME", "ada@example.org")
    monkeypatch.setenv("OPENREVIEW_PASSWORD", "xyzzy-plugh")
    with serving() as other, serving() as server:
        server.faults = [lambda exchange: exchange.send(307, "", Location=f"{other.base}/v2/login")]
        with pytest.raises(OnlineError, match="sends the request to"):
            read_reference(f"openreview:{NEW}", access(tmp_path, server))
        assert not other.asked


def test_a_password_goes_to_openreview_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENREVIEW_PASSWORD", "xyzzy-plugh")
    how = access(tmp_path, urls={"openreview": "https://openreview.net.example.org"})
    with pytest.raises(OnlineError, match="is not OpenReview, and would be sent"):
        read_reference(f"openreview:{NEW}", how)


@pytest.mark.parametrize("status", [400, 401, 403])
def test_a_wrong_password_is_told_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    monkeypatch.setenv("OPENREVIEW_USERNAME", "ada@example.org")
    monkeypatch.setenv("OPENREVIEW_PASSWORD", "xyzzy-plugh")
    refusal = sends({"name": "Error", "message": "wrong: xyzzy-plugh"}, status)
    with serving(faults=[refusal]) as server, pytest.raises(OnlineError) as told:
        read_reference(f"openreview:{NEW}", access(tmp_path, server))
    assert "OPENREVIEW_USERNAME" in told.value.fix
    assert "xyzzy" not in json.dumps(told.value.to_json())


def test_a_note_that_nobody_can_read_costs_only_itself(tmp_path: Path) -> None:
    good, *others = (note_v2(number, NEW, "TOY 2031 Oral", NEW) for number in range(1, 10))
    twists: list[dict[str, object]] = [
        {"content": None},
        {"content": [3]},
        {"content": {"abstract": {"value": ["We", 3]}}},
        {"content": {"abstract": 7, "title": {"value": {}}}},
        {"invitations": 3},
        {"cdate": "soon"},
        {"content": {"abstract": "We do things.", "authors": [{"fullname": 3}], "venueid": []}},
        {"forum": None, "details": [1]},
    ]
    notes = [good, *({**note, **twist} for note, twist in zip(others, twists, strict=True))]
    with serving(v2=notes) as server:
        reading = read_reference(f"openreview:{NEW}", access(tmp_path, server))
    assert len(reading.records) + len(reading.rejected) == 9
    assert reading.records[0].paper_id == "forum00001"


@pytest.mark.parametrize(
    "answer", [{}, {"groups": 3}, {"groups": [3]}, {"groups": [{"id": NEW, "domain": 7}]}]
)
def test_what_is_no_answer_is_told(tmp_path: Path, answer: object) -> None:
    with serving(faults=[sends(answer)], v2=[{}]) as server, pytest.raises(OnlineError):
        read_reference(f"openreview:{NEW}", access(tmp_path, server))


@pytest.mark.parametrize(
    ("venueid", "shown", "decision", "venue", "status"),
    [
        (NEW, "TOY 2031 Submitted", "Reject", "TOY 2031", "reject"),
        (NEW, "TOY 2031 notable top 5%", "", "TOY 2031", "oral"),
        (NEW, "TOY 2031 Workshop Track", "", "TOY 2031 Workshop Track", "accepted"),
        (f"{NEW}/Under_Review", "Under review for TOY 2031", "", "TOY 2031", "submitted"),
        ("", "", "Accept: notable-top-25%", "TOY 2031", "spotlight"),
        ("", "", "", "TOY 2031", None),
        (f"{NEW}/Withdrawn", "TOY 2031 Oral", "Accept (Oral)", "TOY 2031", "withdrawn"),
        ("OTHER.org/2030", "OTHER 2031", "", "OTHER 2031", None),
    ],
)
def test_what_became_of_a_submission(
    tmp_path: Path, venueid: str, shown: str, decision: str, venue: str, status: str | None
) -> None:
    invitation = f"{NEW}/-/Blind_Submission"
    note = note_v1(9, invitation, decision, venueid=venueid, venue=shown)
    with serving(v1=[note]) as server:
        paper = read_reference("openreview:old00009", access(tmp_path, server)).records[0]
    assert (paper.venue, paper.status, paper.year) == (venue, status, 2031)
