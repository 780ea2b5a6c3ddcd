"""``rag ingest`` of references, against servers on this machine."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import Run
from tests.online import ArXiv, Crossref, OpenReview, Replay, note_v2, work
from tests.servers import eventually, sends, stalls

IDS = [f"2401.{number:05d}" for number in range(1, 5)]
VENUE = "TOY.cc/2031/Conference"
GROUP = {
    "id": VENUE,
    "domain": VENUE,
    "members": [],
    "content": {"submission_id": {"value": f"{VENUE}/-/Submission"}},
}


@pytest.fixture(autouse=True)
def guest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENREVIEW_USERNAME", raising=False)
    monkeypatch.delenv("OPENREVIEW_PASSWORD", raising=False)


def at(server: Replay, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the command ask this server."""
    for name, path in (("CROSSREF", ""), ("ARXIV", ""), ("OPENREVIEW", "/v2")):
        monkeypatch.setenv(f"RAG_{name}_URL", f"{server.base}{path}")


def test_papers_online_come_into_the_index(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    reference = "doi:10.1234/a,10.1234/b"
    with Crossref(work("10.1234/a"), work("10.1234/b", abstract=None)) as server:
        at(server, monkeypatch)
        first = run("ingest", reference, "--json")
        again = run("ingest", reference, "--json")
        assert len(server.asked) == 2
    assert (first.status, first.json["added"], first.json["papers"]) == (0, 1, 1)
    assert first.json["rejected"] == [
        {
            "path": reference,
            "line": 2,
            "reason": "no abstract at Crossref: 10.1234/b (A study of things)",
        }
    ]
    assert (again.json["unchanged"], again.json["added"]) == (1, 0)
    assert run("show", "10.1234/a", "--json").json["source"]["path"] == reference


def test_a_venue_is_read_and_what_was_not_accepted_left_out_of_searches(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("openreview", reason="pip install 'rag[openreview]'")
    notes = [
        note_v2(1, VENUE, "TOY 2031 Oral", VENUE),
        note_v2(2, f"{VENUE}/Rejected_Submission", "Submitted to TOY 2031", VENUE),
    ]
    with OpenReview(v2=notes, groups=[GROUP]) as server:
        at(server, monkeypatch)
        assert run("ingest", f"openreview:{VENUE}").status == 0
    papers = run("list", "--status", "all", "--json").lines
    assert [paper["status"] for paper in papers] == ["oral", "reject"]
    assert [paper["paper_id"] for paper in run("list", "--json").lines] == ["forum00001"]


def test_a_limit_and_a_dry_run(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("arxiv", reason="pip install 'rag[arxiv]'")
    with ArXiv(*IDS) as server:
        at(server, monkeypatch)
        dry = run("ingest", "arxiv:cat:cs.LG", "--limit", 2, "--dry-run", "--json")
    assert dry.json["files"][0]["records"] == 2
    assert dry.json["files"][0]["format"] == "arxiv"
    assert "arXiv has 4 papers for this; the newest 2 are read" in dry.err
    assert not (tmp_path / "index_store" / "manifest.json").exists()


def test_a_smaller_limit_removes_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    reference = "doi:10.1234/a,10.1234/b"
    with Crossref(work("10.1234/a"), work("10.1234/b")) as server:
        at(server, monkeypatch)
        assert run("ingest", reference, "--json").json["papers"] == 2
        assert run("ingest", reference, "--limit", 1, "--json").json["papers"] == 2


def test_a_reference_that_fails_costs_only_itself(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "list.txt").write_text("We weigh apples and find that they are heavy.\n")
    with Crossref(faults=[sends({}, 403)]) as server:
        at(server, monkeypatch)
        result = run("ingest", "list.txt", "doi:10.1234/a", "--json")
    assert (result.status, result.json["papers"]) == (1, 1)
    assert result.json["error"]["type"] == "OnlineError"
    assert "Traceback" not in result.err


def test_a_file_with_such_a_name_is_a_file(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "doi:10.1234").write_text("We weigh apples and find that they are heavy.\n")
    with Crossref() as server:
        at(server, monkeypatch)
        assert run("ingest", "doi:10.1234").status == 0
        assert not server.asked


def test_without_a_network_nothing_but_an_error_comes(run: Run) -> None:
    result = run("ingest", "doi:10.1234/a", "--json")
    assert result.status == 1
    assert result.json["error"]["message"].startswith("There is no connection to Crossref")


def test_an_interrupt_leaves_what_was_answered_and_no_half(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    works = [work(f"10.1234/{letter}") for letter in "abc"]
    with Crossref(*works) as server:
        at(server, monkeypatch)
        server.faults = [server.serve_next, stalls(60)]
        command = [sys.executable, "-m", "rag", "ingest", "doi:10.1234/a,10.1234/b,10.1234/c"]
        paths = {"PYTHONPATH": str(Path(__file__).parent.parent), "PATH": ""}
        environment = {**paths, "RAG_CROSSREF_URL": server.base}
        process = subprocess.Popen(command, cwd=tmp_path, env=environment)
        assert eventually(lambda: len(server.asked) == 2, seconds=30)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        kept = list((tmp_path / "index_store" / "online").iterdir())
        assert [path.suffix for path in kept] == [".answer"]
        result = run("ingest", "doi:10.1234/a,10.1234/b,10.1234/c", "--json")
        assert (result.json["papers"], len(server.asked)) == (3, 4)
