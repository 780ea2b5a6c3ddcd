"""``rag digest`` as a user runs it: what is written where, and what is said of mistakes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from rag.embed.minilm import MiniLM
from rag.topics.membership import FLOOR
from tests.commands import Run, runner
from tests.corpus import PAPERS, index
from tests.servers import Scripted

TRUE = "LemmaLoom repairs a broken proof by weaving in lemmas from a library."


@pytest.fixture
def run(indexed: Run) -> Run:
    return indexed


def test_json_is_the_contract(run: Run) -> None:
    result = run("digest", "honeybees", "--json")
    (digest,) = result.json["digests"]
    assert digest["topic"] == "honeybees"
    (entry,) = digest["entries"]
    assert (entry["paper_id"], entry["supported"]) == ("bees", True)
    assert entry["title"] == "Reading the Dance Floor of a Hive"
    text = run("show", "bees", "--json").json["text"]
    for citation in entry["citations"]:
        assert text[citation["start"] : citation["end"]] == citation["quote"]
    assert digest["coverage"]["matched"] == digest["coverage"]["listed"] == 1
    assert digest["made_from"]["engine"] == "extractive"
    assert result.status == 0


def test_each_topic_has_a_digest_and_an_empty_one_says_so(run: Run) -> None:
    found = run("digest", "honeybees", "medieval monasteries", "honeybees", "--json").json
    assert [digest["topic"] for digest in found["digests"]] == ["honeybees", "medieval monasteries"]
    shown = run("digest", "medieval monasteries")
    assert shown.status == 0
    assert "8 papers" in shown.out


def test_the_same_again_has_the_same_bytes(run: Run) -> None:
    names = ("a.html", "a.md", "a.json", "a.txt", "a.svg")
    contents = []
    for _ in range(2):
        outputs = [x for name in names[:4] for x in ("-o", name)]
        assert run("digest", "--auto", "3", *outputs, "--plot", "a.svg").status == 0
        contents.append([Path(name).read_bytes() for name in names])
    assert contents[0] == contents[1]
    assert all(contents[0])


def test_a_file_that_cannot_be_is_told_before_the_work(run: Run, tmp_path: Path) -> None:
    (tmp_path / "loop.md").symlink_to("loop.md")
    for name in ("loop.md", f"{'a' * 300}.md", "/proc/none.md", "nowhere/a.md"):
        result = run("digest", "bees", "-o", name)
        assert result.status == 1
        assert "cannot be written" in result.err
        assert "Something unforeseen" not in result.err


def test_a_file_keeps_who_may_read_it(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "private.md"
    path.touch(0o600)
    assert run("digest", "bees", "-o", path).status == 0
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_text()


def test_a_name_that_tells_no_format_takes_the_one_given(run: Run) -> None:
    assert run("digest", "bees", "--format", "json", "-o", "bees").out.startswith('{"digests"')
    assert json.loads(Path("bees").read_text())["digests"]


def test_the_help_tells_the_floor(run: Run) -> None:
    assert f"[default: {FLOOR}]" in run("digest", "--help").out
    assert run("digest", "bees", "--json").json["digests"][0]["made_from"]["settings"] == {
        "floor": FLOOR
    }


def test_every_way_to_pick_papers_reaches_all_of_them(run: Run) -> None:
    for how in (["--auto"], ["--auto", "2"], ["--by", "area"], ["--by", "year"]):
        digests = run("digest", *how, "--json").json["digests"]
        ids = [entry["paper_id"] for digest in digests for entry in digest["entries"]]
        assert sorted(ids) == sorted(paper.paper_id for paper in PAPERS), how


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "give topics, --auto or --by"),
        (["bees", "--auto"], "only one"),
        (["--auto", "2", "--by", "area"], "only one"),
        (["bees", "-o", "bees.docx"], ".html"),
        (["bees", "--plot", "bees.pdf"], ".svg or .png"),
        (["--by", "colour"], "'colour'"),
        (["bees", "--floor", "2"], "--floor"),
        (["bees", "--floor", "nan"], "--floor"),
        (["--auto", "--floor", "0.5"], "--floor"),
        (["bees " * 200], "at most 500 characters"),
        (["bees", "--json", "--format", "md"], "--json is not --format md"),
        (["?!"], "no topic: '?!'"),
        ([""], "no topic: ''"),
    ],
)
def test_wrong_usage_is_2_and_says_what_is_right(run: Run, arguments: list[str], said: str) -> None:
    result = run("digest", *arguments)
    assert result.status == 2
    assert said in result.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["bees", "--year", "1850"], "--year can be"),
        (["--by", "status"], "None of the 8 papers"),
        (["bees", "--since", "none.json"], "none.json"),
        (["bees", "-o", "nowhere/bees.md"], "mkdir -p nowhere"),
        (["bees", "--dry-run"], "--engine llm"),
    ],
)
def test_what_cannot_be_done_is_1_with_a_fix(run: Run, arguments: list[str], said: str) -> None:
    result = run("digest", *arguments)
    assert result.status == 1
    assert said in result.err
    assert "fix:" in result.err


def test_an_empty_index_has_empty_digests(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    minilm: MiniLM,
) -> None:
    index(tmp_path / "index_store", minilm, [])
    run = runner(capsys, monkeypatch, tmp_path)
    assert run("digest", "--auto", "--json").json == {"digests": []}
    (digest,) = run("digest", "bees", "--json").json["digests"]
    assert digest["entries"] == []
    assert run("digest", "bees", "-o", "empty.html", "--plot", "empty.svg").status == 0
    assert run("digest", "--auto", "-o", "empty.html", "--plot", "empty.svg").status == 0


def test_since_tells_what_became_of_a_topic(
    run: Run, built: Path, minilm: MiniLM, tmp_path: Path
) -> None:
    assert run("digest", "honeybees", "strawberries", "-o", "old.json").status == 0
    shutil.rmtree(tmp_path / "index_store")
    index(tmp_path / "index_store", minilm, [p for p in PAPERS if p.paper_id != "bees"])
    (digest,) = run("digest", "honeybees", "--since", "old.json", "--json").json["digests"]
    assert [(c["paper_id"], c["kind"]) for c in digest["changes"]] == [("bees", "gone")]
    result = run("digest", "tide gauges", "--since", "old.json")
    assert result.status == 1
    assert "honeybees" in result.err


def test_a_digest_verifies_against_its_store(run: Run) -> None:
    assert run("digest", "--by", "area", "-o", "all.json").status == 0
    assert run("digest", "--auto", "2", "-o", "auto.json").status == 0
    assert run("verify", "all.json", "auto.json").status == 0
    saved = json.loads(Path("all.json").read_text())
    entry = saved["digests"][0]["entries"][0]
    entry["line"] = "The authors prove that 77 % of all bridges sing."
    Path("all.json").write_text(json.dumps(saved))
    assert run("verify", "all.json").status == 3


def test_a_model_is_asked_once_for_what_is_kept(run: Run) -> None:
    with Scripted(TRUE) as server:
        arguments = ["digest", "--by", "area", "--area", "reasoning", "--base-url", server.url]
        first = run(*arguments, "--json")
        asked = len(server.prompted)
        second = run(*arguments, "--json")
        again = len(server.prompted)
    assert asked > 0
    assert again == asked
    assert first.json["digests"][0]["entries"] == second.json["digests"][0]["entries"]
    assert first.json["digests"][0]["made_from"]["model"] == "scripted"


def test_the_cost_is_told_before_it_is_spent(run: Run) -> None:
    with Scripted(TRUE) as server:
        told = run("digest", "--auto", "2", "--base-url", server.url, "--dry-run", "--json").json
        assert server.prompted == []
    assert told["requests"] >= 8
    assert told["input_tokens"] > told["requests"]
