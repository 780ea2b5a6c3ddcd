"""``doi:``: works against a server that replays Crossref's."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag.corpus.online import read_reference
from rag.errors import OnlineError
from tests.online import Crossref, access, work
from tests.servers import sends


def test_a_work_is_read_as_from_a_file(tmp_path: Path) -> None:
    with Crossref(work("10.1234/abc(1),2")) as server:
        how = access(tmp_path, server, mailto="ada@example.org")
        reading = read_reference("doi:https://doi.org/10.1234/abc(1),2", how)
        agent = server.asked[0].headers["user-agent"]
    paper = reading.records[0]
    assert paper.text.removesuffix("</jats:p>").endswith("O and find that it is wet.")
    assert (paper.title, paper.authors) == ("A study of things", ("Ada Test",))
    assert (paper.venue, paper.year) == ("Journal of Things", 2021)
    assert paper.url == "https://doi.org/10.1234/abc(1),2"
    assert agent.startswith("rag/") and agent.endswith("(mailto:ada@example.org)")


def test_what_has_no_abstract_costs_only_itself(tmp_path: Path) -> None:
    works = [work("10.1234/a"), work("10.1234/b", abstract=None)]
    with Crossref(*works) as server:
        how = access(tmp_path, server)
        reference = "doi:10.1234/a,10.1234/b, doi:10.1234/c,10.48550/arXiv.2401.00001"
        reading = read_reference(reference, how)
    assert [paper.paper_id for paper in reading.records] == ["10.1234/a"]
    assert [each.reason for each in reading.rejected] == [
        "no abstract at Crossref: 10.1234/b (A study of things)",
        "not registered with Crossref: 10.1234/c",
        "not registered with Crossref: 10.48550/arXiv.2401.00001; it is arXiv's: arxiv:2401.00001",
    ]


def test_nothing_with_an_abstract_is_told_with_the_reason(tmp_path: Path) -> None:
    with Crossref(work("10.1234/b", abstract=None)) as server:
        reading = read_reference("doi:10.1234/b", access(tmp_path, server))
    assert reading.problem and len(reading.rejected) == 1
    assert "no abstract: 1 paper: no abstract at Crossref: 10.1234/b" in reading.problem.message


@pytest.mark.parametrize(
    "query", ["hello", "10.12/x", "10.1234/", "hello,10.1234/a", "\x00", "", "/,"]
)
def test_what_is_no_doi_asks_nobody(tmp_path: Path, query: str) -> None:
    with Crossref() as server:
        with pytest.raises(OnlineError):
            read_reference(f"doi:{query}", access(tmp_path, server))
        assert not server.asked


@pytest.mark.parametrize("answer", [{"message": 3}, {"message": {"abstract": {"a": 1}}}, {}])
def test_what_is_no_work_is_told(tmp_path: Path, answer: object) -> None:
    with Crossref(faults=[sends(answer)]) as server:
        reading = read_reference("doi:10.1234/a", access(tmp_path, server))
    assert reading.problem and len(reading.rejected) == 1


def test_a_refused_request_is_told_in_crossrefs_words(tmp_path: Path) -> None:
    refusal = sends({"status": "failed", "message": [{"message": "No such thing"}]}, 400)
    words = "does not take the request: No such thing"
    with Crossref(faults=[refusal]) as server, pytest.raises(OnlineError, match=words):
        read_reference("doi:10.1234/a", access(tmp_path, server))
