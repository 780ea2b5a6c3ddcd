"""``arxiv:``: queries and ids against a server that replays arXiv's Atom."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from rag.corpus.online import arxiv, read_reference
from rag.errors import OnlineError
from tests.online import ArXiv, access, atom, atom_error, half
from tests.servers import sends, too_many

pytest.importorskip("arxiv", reason="pip install 'rag[arxiv]'")

IDS = [f"2401.{number:05d}" for number in range(1, 8)]


def test_papers_by_id_are_read_as_from_a_file(tmp_path: Path) -> None:
    with ArXiv(*IDS) as server:
        reading = read_reference(
            "arXiv:2401.00002, 2401.00003v1,2401.99999", access(tmp_path, server)
        )
    paper, other = reading.records
    assert (paper.paper_id, other.paper_id) == ("arXiv:2401.00002", "arXiv:2401.00003")
    assert paper.title == "On thing 2401.00002"
    assert paper.text == "We look at thing 2401.00002 with α < 2, and it holds."
    assert paper.url == "https://arxiv.org/abs/2401.00002v1"
    assert (paper.authors, paper.year, paper.area) == (("Ada Test", "Bo Trial"), 2024, "cs.LG")
    assert paper.sources[0].path == "arxiv:2401.00002, 2401.00003v1,2401.99999"
    assert [each.reason for each in reading.rejected] == ["arXiv has no such paper: 2401.99999"]


def test_an_old_id_is_the_same_paper_however_it_is_written(tmp_path: Path) -> None:
    with ArXiv("math/0309136", faults=[sends(atom(["math/0309136"], 1))]) as server:
        reading = read_reference("arxiv:math.GT/0309136v1", access(tmp_path, server))
    assert [paper.paper_id for paper in reading.records] == ["arXiv:math/0309136"]
    assert not reading.rejected


@pytest.mark.parametrize("page", ["abs/2401.00002", "pdf/2401.00002v1.pdf", "html/2401.00002#S1"])
def test_the_address_of_a_paper_names_it(tmp_path: Path, page: str) -> None:
    with ArXiv(*IDS) as server:
        reading = read_reference(f"https://arxiv.org/{page}", access(tmp_path, server))
    assert [paper.paper_id for paper in reading.records] == ["arXiv:2401.00002"]
    assert reading.path.startswith("arxiv:2401.00002")


def test_a_query_is_read_page_by_page_as_it_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arxiv, "PAGE", 3)
    seen: list[tuple[int, int]] = []
    with ArXiv(*IDS) as server:
        how = access(tmp_path, server, progress=lambda *counts: seen.append(counts))
        reading = read_reference('arxiv:cat:cs.LG+AND+all:"deep%20plasticity"', how)
        asked = [parse_qs(urlsplit(path).query) for path in server.paths]
    assert [paper.url[-12:-2] for paper in reading.records if paper.url] == IDS
    assert [each["start"] for each in asked] == [["0"], ["3"], ["6"]]
    assert asked[0]["search_query"] == ['cat:cs.LG AND all:"deep plasticity"']
    assert seen == [(3, 7), (6, 7), (7, 7)]


def test_a_limit_says_how_many_there_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arxiv, "LIMIT", 2)
    notes: list[str] = []
    with ArXiv(*IDS) as server:
        by_default = read_reference("arxiv:cat:cs.LG", access(tmp_path, server, note=notes.append))
        chosen = read_reference("arxiv:cat:cs.LG", access(tmp_path, server, limit=5))
    assert (len(by_default.records), len(chosen.records)) == (2, 5)
    assert notes == ["arXiv has 7 papers for this; the newest 2 are read: --limit"]


def test_a_page_that_comes_without_its_papers_is_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arxiv, "PAGE", 4)
    faults = [
        sends(atom(IDS[:4], 7)),
        sends(atom([], 7, 4)),
        half(atom(IDS[4:], 7, 4)),
        sends("busy", 503),
        too_many("1"),
    ]
    with ArXiv(*IDS, faults=faults) as server:
        reading = read_reference("arxiv:cat:cs.LG", access(tmp_path, server))
        assert len(server.asked) == 6
    assert len(reading.records) == 7


def test_an_entry_that_cannot_be_read_is_missed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    notes: list[str] = []
    page = atom(IDS[:2], 2).replace("<published>2024-01-02T00:00:00Z</published>", "", 1)
    with ArXiv(*IDS, faults=[sends(page)]) as server:
        how = access(tmp_path, server, note=notes.append)
        reading = read_reference("arxiv:2401.00001,2401.00002", how)
    assert [each.reason for each in reading.rejected] == ["arXiv has no such paper: 2401.00001"]
    assert not capsys.readouterr().err


def test_an_abstract_that_names_the_errors_is_none(tmp_path: Path) -> None:
    page = atom(IDS[:1], 1).replace("We look at", "We read http://arxiv.org/api/errors for")
    with ArXiv(faults=[sends(page)]) as server:
        assert len(read_reference("arxiv:all:x", access(tmp_path, server)).records) == 1


@pytest.mark.parametrize("status", [200, 400])
def test_an_error_in_the_feed_is_told_in_its_words(tmp_path: Path, status: int) -> None:
    error = sends(atom_error("incorrect id & format"), status)
    words = "does not take the request: incorrect id & format"
    with ArXiv(faults=[error]) as server, pytest.raises(OnlineError, match=words):
        read_reference("arxiv:cat:cs.LG", access(tmp_path, server))


def test_a_query_that_finds_nothing_says_so(tmp_path: Path) -> None:
    with ArXiv() as server:
        reading = read_reference("arxiv:cat:cs.XX", access(tmp_path, server))
    assert reading.problem and reading.problem.message == "arxiv:cat:cs.XX finds no papers"
