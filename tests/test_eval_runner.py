"""Cases are put once each, in their order, and nothing that was sampled is lost."""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from rag.digest.editor import unwatched
from rag.errors import BudgetError, NoCases, QuestionError
from rag.evaluate.partial import key, resuming
from rag.evaluate.runner import run as put_cases
from rag.evaluate.runner import select
from rag.evaluate.types import Case, Provenance, Sample
from tests.fakes import started

MADE_FROM = Provenance("c0", 3, "hash-16", "extractive", None, None, (), {}, {"rag": "1"}, None)
CASES = [
    *(
        Case(f"ask-{n}", "ask", f"What of {n}?", kind="fact", tags=("odd",) * (n % 2))
        for n in range(7)
    ),
    *(Case(f"sum-{n}", "summarize", f"paper {n}") for n in range(3)),
]


def sample(case: Case, repeat: int) -> Sample:
    """Scores that only case and repeat decide, with more decimals than a file has."""
    score = (len(case.subject) + repeat) / 37
    return Sample(case.id, case.suite, case.subject, case.kind, case.tags, repeat, {"facts": score})


class Stopping:
    """A sampler that remembers what it was asked and raises at the n-th call."""

    def __init__(self, at: int, error: BaseException) -> None:
        self.asked: list[tuple[str, int]] = []
        self._at, self._error, self._lock = at, error, threading.Lock()

    def __call__(self, case: Case, repeat: int) -> Sample:
        with self._lock:
            self.asked.append((case.id, repeat))
            stop = len(self.asked) == self._at
        if stop:
            raise self._error
        return sample(case, repeat)


@pytest.mark.parametrize("jobs", [1, 4])
def test_samples_come_in_the_order_of_the_cases(jobs: int) -> None:
    def slow_first(case: Case, repeat: int) -> Sample:
        time.sleep(0.02 if case.id == "ask-0" else 0)
        return sample(case, repeat)

    made = put_cases(CASES, slow_first, repeat=2, jobs=jobs)
    assert [(s.case, s.repeat) for s in made] == [(c.id, n) for c in CASES for n in (0, 1)]
    assert made == put_cases(CASES, sample, repeat=2)


def test_no_more_are_under_way_than_jobs() -> None:
    under_way, most, lock = 0, 0, threading.Lock()

    def counting(case: Case, repeat: int) -> Sample:
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        time.sleep(0.01)
        with lock:
            under_way -= 1
        return sample(case, repeat)

    put_cases(CASES, counting, jobs=3)
    assert 1 < most <= 3


SPENT = BudgetError("spent", "more")


@pytest.mark.parametrize(("jobs", "error"), [(1, SPENT), (4, SPENT), (1, KeyboardInterrupt())])
@pytest.mark.parametrize("at", [1, 4, 7, 10, 13, 16, 19])
def test_a_run_that_was_stopped_goes_on_and_ends_the_same(
    tmp_path: Path, jobs: int, error: BaseException, at: int
) -> None:
    first, second = Stopping(at, error), Stopping(0, error)
    with pytest.raises(type(error)), resuming(tmp_path, "k") as partial:
        put_cases(CASES, first, repeat=2, jobs=jobs, done=partial.done, keep=partial.keep)
    with resuming(tmp_path, "k") as partial:
        kept = {(case, repeat) for _, case, repeat in partial.done}
        made = put_cases(CASES, second, repeat=2, jobs=jobs, done=partial.done, keep=partial.keep)
    assert made == put_cases(CASES, sample, repeat=2)
    assert kept == set(first.asked) - {first.asked[at - 1]}
    assert not kept & set(second.asked)
    assert [path.name for path in tmp_path.iterdir()] == [".gitignore"]


def test_an_impatient_stop_loses_no_more_than_what_is_under_way(tmp_path: Path) -> None:
    first, second = Stopping(7, KeyboardInterrupt()), Stopping(0, SPENT)
    with pytest.raises(KeyboardInterrupt), resuming(tmp_path, "k") as partial:
        put_cases(CASES, first, jobs=4, done=partial.done, keep=partial.keep)
    with resuming(tmp_path, "k") as partial:
        kept = {(case, repeat) for _, case, repeat in partial.done}
        made = put_cases(CASES, second, jobs=4, done=partial.done, keep=partial.keep)
    assert len(kept) >= 3
    assert not kept & set(second.asked)
    assert made == put_cases(CASES, sample)


def test_progress_counts_what_is_left_to_do() -> None:
    seen: list[object] = []

    def watch(what: str, total: int) -> Callable[[], None]:
        seen.append(total)
        return lambda: seen.append("moved")

    made = put_cases(CASES, sample)
    done = {(s.suite, s.case, s.repeat): s for s in made[:8]}
    assert put_cases(CASES, sample, done=done, watch=watch) == made
    assert seen == [2, "moved", "moved"]


KILLED = """
import os, signal, sys
from pathlib import Path
from tests.test_eval_runner import CASES, put_cases, resuming, sample

def killed(case, repeat):
    if case.id == "ask-5":
        os.kill(os.getpid(), signal.SIGKILL)
    return sample(case, repeat)

with resuming(Path(sys.argv[1]), "k") as partial:
    put_cases(CASES, killed, done=partial.done, keep=partial.keep)
"""


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    process = started(KILLED, tmp_path)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    rest, notes = Stopping(0, SPENT), list[str]()
    with resuming(tmp_path, "k", notes.append) as partial:
        made = put_cases(CASES, rest, done=partial.done, keep=partial.keep)
    assert made == put_cases(CASES, sample)
    assert rest.asked == [(case.id, 0) for case in CASES[5:]]
    assert notes == ["5 samples are there from a run that was stopped"]


HOLDING = """
import sys
from pathlib import Path
from tests.test_eval_runner import CASES, resuming, sample

with resuming(Path(sys.argv[1]), "k") as partial:
    partial.keep(sample(CASES[0], 0))
    print("holding", flush=True)
    sys.stdin.readline()
"""


def test_two_processes_do_not_share_what_they_go_on_from(tmp_path: Path) -> None:
    other = started(HOLDING, tmp_path)
    assert other.stdout
    assert other.stdout.readline() == "holding\n"
    notes: list[str] = []
    with resuming(tmp_path, "k", notes.append) as partial:
        assert not partial.done
        partial.keep(sample(CASES[1], 0))
    assert "another process" in notes[0]
    file = tmp_path / ".partial-k.jsonl"
    assert [json.loads(line)["case"] for line in file.read_text().splitlines() if line] == ["ask-0"]
    other.communicate("\n", timeout=60)
    assert not file.exists()


def left(folder: Path, *samples: Sample) -> Path:
    """The file of a run that was stopped after some samples."""
    with pytest.raises(BudgetError), resuming(folder, "k") as partial:
        for each in samples:
            partial.keep(each)
        raise SPENT
    return folder / ".partial-k.jsonl"


def test_damaged_lines_are_made_again(tmp_path: Path) -> None:
    file = left(tmp_path, *(sample(case, 0) for case in CASES[:3]))
    whole = file.read_bytes().strip().split(b"\n\n")
    junk = [b"\xff\xfe", b"[]", b"7", b"{" * 3, b"[" * 100_000, b'{"case": "\\ud800"}']
    nan = whole[0].replace(b"ask-0", b"ask-9").replace(b'"facts": ', b'"facts": NaN, "x": ')
    file.write_bytes(b"\n".join([whole[0], *junk, nan, whole[2][:-9], b"", whole[1][:40]]))
    with resuming(tmp_path, "k") as partial:
        assert {case for _, case, _ in partial.done} == {"ask-0"}
        partial.keep(sample(CASES[5], 0))
        lines = file.read_bytes().split(b"\n")
        assert json.loads(lines[-2])["case"] == "ask-5"


def test_what_failed_is_tried_again(tmp_path: Path) -> None:
    failed = Sample("ask-1", "ask", "?", "", (), 0, {"completed": 0.0}, error="KeyError: 'x'")
    left(tmp_path, sample(CASES[0], 0), failed)
    with resuming(tmp_path, "k") as partial:
        assert list(partial.done) == [("ask", "ask-0", 0)]


def test_a_folder_that_cannot_be_written_stops_nobody(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file")
    notes: list[str] = []
    with resuming(tmp_path / "runs", "k", notes.append) as partial:
        made = put_cases(CASES, sample, done=partial.done, keep=partial.keep)
    assert made == put_cases(CASES, sample)
    assert len(notes) == 1


def test_stopped_runs_do_not_pile_up(tmp_path: Path) -> None:
    for n in range(15):
        with pytest.raises(BudgetError), resuming(tmp_path, f"{n:02d}") as partial:
            partial.keep(sample(CASES[0], 0))
            raise SPENT
    assert len(list(tmp_path.glob(".partial-*"))) == 11  # ten that stay, and the last one's


def test_a_key_stands_for_all_that_samples_depend_on() -> None:
    committed = replace(MADE_FROM, commit="0123abc")
    assert key(MADE_FROM, CASES, {"repeat": 1}) == key(committed, list(CASES), {"repeat": 1})
    keys = [
        key(MADE_FROM, CASES, {"repeat": 1}),
        key(replace(MADE_FROM, corpus="c1"), CASES, {"repeat": 1}),
        key(MADE_FROM, CASES[1:], {"repeat": 1}),
        key(MADE_FROM, CASES, {"repeat": 2}),
        key(MADE_FROM, CASES, {"repeat": 1}, also="papers.jsonl"),
    ]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize(
    ("filters", "limit", "ids"),
    [
        (["id=ask-[01],sum-2"], None, ["ask-0", "ask-1", "sum-2"]),
        (["tag=odd"], None, ["ask-1", "ask-3", "ask-5"]),
        (["suite=ask", "tag=o*", "id=*-1, *-5"], None, ["ask-1", "ask-5"]),
        (["kind="], None, ["sum-0", "sum-1", "sum-2"]),
        ([], 2, ["ask-0", "ask-1", "sum-0", "sum-1"]),
        (["tag=odd"], 1, ["ask-1"]),
    ],
)
def test_filters_are_all_required(
    filters: Sequence[str], limit: int | None, ids: list[str]
) -> None:
    assert [case.id for case in select(CASES, filters, limit)] == ids


@pytest.mark.parametrize(
    ("filters", "message", "fix"),
    [
        (["tag=even"], "No case has tag=even", "there is odd"),
        (["outcome=answered"], "No case has outcome=answered", "leave it out"),
        (["suite=summarize", "tag=odd"], "that passes the filters before it has tag=odd", "leave"),
        (["id=x"], "No case has id=x", "there are ask-0, ask-1"),
    ],
)
def test_a_filter_that_leaves_nothing_says_what_would(
    filters: Sequence[str], message: str, fix: str
) -> None:
    with pytest.raises(NoCases) as raised:
        select(CASES, filters)
    assert message in raised.value.message
    assert fix in raised.value.fix


@pytest.mark.parametrize("text", ["dev", "tags=dev", "", "=", "tag", "id!=x"])
def test_what_is_no_filter_is_told(text: str) -> None:
    with pytest.raises(QuestionError, match="is no filter") as raised:
        select(CASES, ["tag=odd", text])
    assert "tag=…" in raised.value.fix


def test_no_cases_are_for_the_gate_to_refuse() -> None:
    assert select([], ["tag=dev"]) == []
    assert put_cases([], sample, jobs=4, watch=unwatched) == ()
