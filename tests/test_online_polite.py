"""How servers are asked: in their time, again after a fault, and never twice for the same."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rag.corpus.online import answers, doi, is_reference, polite, read_reference
from rag.errors import OnlineError
from tests.online import Crossref, access, cut_body, cut_chunks, redirects, trickles, work
from tests.servers import drops, sends, stalls, too_many

WORKS = [work(f"10.1234/{letter}") for letter in "abc"]
ALL = "doi:10.1234/a,10.1234/b,10.1234/c"


@pytest.mark.parametrize(
    "fault", [drops, cut_body, cut_chunks, too_many("1"), sends("oh", 502), sends("<p>")]
)
def test_what_may_pass_is_asked_for_again(tmp_path: Path, fault: object) -> None:
    notes: list[str] = []
    with Crossref(*WORKS, faults=[fault, fault]) as server:  # type: ignore[list-item]
        reading = read_reference(ALL, access(tmp_path, server, note=notes.append))
        assert len(server.asked) == 5
    assert len(reading.records) == 3
    assert len(notes) == 2 and all("again in" in note for note in notes)


def test_a_wait_is_as_long_as_the_server_asks(tmp_path: Path) -> None:
    with Crossref(*WORKS, faults=[too_many("2")]) as server:
        started = time.monotonic()
        read_reference("doi:10.1234/a", access(tmp_path, server, pace=0.1))
    assert time.monotonic() - started > 0.2


def test_requests_keep_their_distance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doi, "INTERVAL", 0.15)
    with Crossref(*WORKS) as server:
        started = time.monotonic()
        read_reference(ALL, access(tmp_path, server, pace=1.0))
    assert time.monotonic() - started > 0.3


@pytest.mark.parametrize(
    ("fault", "message", "fix"),
    [
        (too_many("120"), "takes no more requests now", "wait 120 seconds"),
        (sends({}, 403), "does not let this be read", "RAG_MAILTO"),
        (redirects("https://elsewhere.example.org/x"), "elsewhere.example.org", "sign-in page"),
        (stalls(30), "does not answer within 0.5 seconds", "RAG_TIMEOUT"),
        (trickles, "does not answer within 0.5 seconds", "RAG_TIMEOUT"),
    ],
)
def test_what_does_not_pass_is_told_at_once(
    tmp_path: Path, fault: object, message: str, fix: str
) -> None:
    with Crossref(*WORKS, faults=[fault] * 9) as server:  # type: ignore[list-item]
        with pytest.raises(OnlineError) as told:
            read_reference(ALL, access(tmp_path, server, timeout=0.5))
        assert len(server.asked) == 1
    assert message in told.value.message
    assert fix in told.value.fix


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (sends("oh", 503), "failed with status 503"),
        (drops, "lost"),
        (sends("<p>"), "is no JSON, or breaks off"),
    ],
)
def test_what_never_passes_is_given_up(tmp_path: Path, fault: object, message: str) -> None:
    with Crossref(faults=[fault] * 99) as server:  # type: ignore[list-item]
        with pytest.raises(OnlineError, match=message):
            read_reference(ALL, access(tmp_path, server))
        assert len(server.asked) == polite.ATTEMPTS


def test_a_redirect_on_the_same_server_is_followed(tmp_path: Path) -> None:
    with Crossref(*WORKS, faults=[redirects("/works/10.1234%2Fb")]) as server:
        reading = read_reference("doi:10.1234/a", access(tmp_path, server))
    assert len(reading.records) == 1


def test_without_a_network_the_way_by_a_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(OnlineError) as told:
        read_reference(ALL, access(tmp_path))
    assert told.value.message == "There is no connection to Crossref (127.0.0.1:9)."
    assert told.value.fix.startswith("check the network")
    assert "export the paper" in told.value.fix


def test_a_name_that_is_not_known_is_no_connection(tmp_path: Path) -> None:
    with pytest.raises(OnlineError, match="no connection to Crossref .api.crossref.org"):
        read_reference(ALL, access(tmp_path, urls={}))


def test_an_endless_answer_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polite, "MAX_BYTES", 1 << 20)
    endless = sends("x" * (2 << 20))
    with Crossref(faults=[endless]) as server, pytest.raises(OnlineError, match="than 1 MB"):
        read_reference(ALL, access(tmp_path, server))


def test_what_was_answered_is_not_asked_for_again_for_a_day(tmp_path: Path) -> None:
    notes: list[str] = []
    with Crossref(*WORKS, faults=[]) as server:
        first = read_reference(ALL, access(tmp_path, server))
        again = read_reference(ALL, access(tmp_path, server, note=notes.append))
        assert len(server.asked) == 3
        assert len(notes) == 1 and "--refresh" in notes[0]
        read_reference(ALL, access(tmp_path, server, refresh=True))
        assert len(server.asked) == 6
        for path in tmp_path.iterdir():
            os.utime(path, (0, time.time() - answers.KEPT - 60))
        read_reference(ALL, access(tmp_path, server))
        assert len(server.asked) == 9
    assert first == again


def test_a_broken_off_run_goes_on_where_it_was(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from rag.corpus.online import read_reference\n"
        "from rag.corpus.online.access import Access\n"
        "how = Access(Path(sys.argv[1]), urls={'doi': sys.argv[2]}, pace=0.001)\n"
        f"read_reference({ALL!r}, how)\n"
    )
    with Crossref(*WORKS) as server:
        server.faults = [server.serve_next, server.serve_next, stalls(60)]
        process = subprocess.Popen([sys.executable, "-c", script, str(tmp_path), server.base])
        end = time.monotonic() + 20
        while len(server.asked) < 3 and time.monotonic() < end:
            time.sleep(0.02)
        process.kill()
        process.wait()
        reading = read_reference(ALL, access(tmp_path, server))
        assert len(server.asked) == 4
    assert len(reading.records) == 3


def test_a_damaged_answer_in_the_folder_is_asked_for_again(tmp_path: Path) -> None:
    with Crossref(*WORKS) as server:
        read_reference(ALL, access(tmp_path, server))
        for path in tmp_path.iterdir():
            path.write_bytes(path.read_bytes()[:30])
        assert len(read_reference(ALL, access(tmp_path, server)).records) == 3
        assert len(server.asked) == 6


def test_a_folder_that_cannot_be_written_only_costs_a_note(tmp_path: Path) -> None:
    notes: list[str] = []
    file = tmp_path / "file"
    file.touch()
    with Crossref(*WORKS) as server:
        reading = read_reference(ALL, access(file / "cache", server, note=notes.append))
    assert len(reading.records) == 3
    assert any("cannot be kept" in note for note in notes)


@pytest.mark.parametrize(
    "path",
    [
        "doi:10.1/x",
        "arXiv:2401.00001",
        "openreview:A.cc/2031",
        "https://arxiv.org/abs/2401.00001v2",
        "https://openreview.net/group?id=TOY.cc/2031/Conference#tab-accept-oral",
        "https://openreview.net/forum?noteId=x&id=abc_-9",
        "https://doi.org/10.1234/x",
    ],
)
def test_references_are_told_from_files(path: str) -> None:
    assert is_reference(path)


@pytest.mark.parametrize(
    "path",
    ["doi", "https://arxiv.org/list/cs.LG", "papers.txt", "C:\\papers.txt", "./doi:10.1", "", ":"],
)
def test_files_are_told_from_references(path: str) -> None:
    assert not is_reference(path)


@pytest.mark.parametrize("scheme", ["openreview", "arxiv"])
def test_a_missing_library_is_told_with_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(OnlineError) as told:
        read_reference(f"{scheme}:2401.00001", access(tmp_path))
    assert told.value.fix == f"pip install 'rag[{scheme}]'"
