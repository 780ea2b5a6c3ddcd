"""Lines on disk: made once, whoever stops when and whatever becomes of the file."""

from __future__ import annotations

import json
import signal
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from rag.corpus.sentences import sentence_spans
from rag.summarize.kept import Kept
from rag.types import Citation, Paper, Summary, Usage
from tests.corpus import PAPERS
from tests.fakes import started

TIDE, PRUNE = PAPERS[:2]


class Counting:
    """A Summarizer that quotes the first sentence, at a price, and counts how often."""

    def __init__(self, identity: str = "counting") -> None:
        self.identity = identity
        self.made = 0

    def summarize(self, paper: Paper, spans: Sequence[tuple[int, int]]) -> Summary:
        self.made += 1
        start, end = spans[0]
        quote = Citation(1, paper.paper_id, paper.text[start:end], start, end)
        notes = ("A note.",)
        return Summary(
            paper, quote.quote, (quote,), True, 0.75, "llm", "m", "p@1", Usage(9, 3, 0.5), notes
        )


def summed_up(kept: Kept, paper: Paper) -> Summary:
    return kept.summarize(paper, sentence_spans(paper.text))


def test_a_paper_is_summed_up_once(tmp_path: Path) -> None:
    first = Counting()
    made = summed_up(Kept(first, tmp_path / "kept"), TIDE)
    second = Counting()
    again = summed_up(Kept(second, tmp_path / "kept"), TIDE)
    assert (first.made, second.made) == (1, 0)
    assert again == replace(made, usage=Usage())


@pytest.mark.parametrize(
    "change", [{"title": "Another"}, {"handle": "Other"}, {"text": "It is. A new text."}]
)
def test_another_text_or_name_is_another_paper(tmp_path: Path, change: dict[str, str]) -> None:
    summarizer = Counting()
    kept = Kept(summarizer, tmp_path)
    summed_up(kept, TIDE)
    summed_up(Kept(summarizer, tmp_path), replace(TIDE, **change))
    assert summarizer.made == 2


def test_the_same_text_under_another_id_is_quoted_as_that(tmp_path: Path) -> None:
    summarizer = Counting()
    summed_up(Kept(summarizer, tmp_path), TIDE)
    moved = replace(TIDE, paper_id="elsewhere", year=2032)
    found = Kept(summarizer, tmp_path).find(moved)
    assert found is not None
    assert found.paper is moved
    assert found.citations[0].paper_id == "elsewhere"


def test_another_way_of_summing_up_keeps_its_own(tmp_path: Path) -> None:
    summed_up(Kept(Counting("one"), tmp_path), TIDE)
    other = Counting("http://two/../..")
    summed_up(Kept(other, tmp_path), TIDE)
    assert other.made == 1
    assert len(list(tmp_path.glob("*.jsonl"))) == 2


def test_fresh_makes_anew_and_goes_before_what_was_there(tmp_path: Path) -> None:
    summed_up(Kept(Counting(), tmp_path), TIDE)
    summarizer = Counting()
    anew = Kept(summarizer, tmp_path, fresh=True)
    assert anew.find(TIDE) is None
    summed_up(anew, TIDE)
    assert summarizer.made == 1
    assert len(rows(tmp_path)[1]) == 2


def rows(folder: Path) -> tuple[Path, list[str]]:
    (path,) = folder.iterdir()
    return path, list(filter(None, path.read_text().split("\n")))


def damaged(row: dict[str, object], **values: object) -> str:
    return json.dumps({**row, **values})


def test_a_line_that_does_not_hold_is_made_anew(tmp_path: Path) -> None:
    summed_up(Kept(Counting(), tmp_path), TIDE)
    path, (line,) = rows(tmp_path)
    row = json.loads(line)
    for broken in (
        line[: len(line) // 2],
        damaged(row, quotes=[[0, 6, "Coasts"]]),
        damaged(row, quotes=[[-9, 99, TIDE.text[-9:]]]),
        damaged(row, quotes=None),
        damaged(row, quotes=[["a", "b", "c"]]),
        damaged(row, text=""),
        damaged(row, support="high"),
        damaged(row, key=7),
        damaged(row, text="We prove that everything is true."),
        damaged(row, quotes=[]),
        damaged(row, quotes=[[float("inf"), 5, "Coast"]]),
        damaged(row, support=float("nan")),
        json.dumps([row]),
        "[" * 100_000,
        "\x00\xff",
    ):
        path.write_text(broken)
        summarizer = Counting()
        summed_up(Kept(summarizer, tmp_path), TIDE)
        assert summarizer.made == 1, broken[:200]
        last = Counting()
        summed_up(Kept(last, tmp_path), TIDE)
        assert last.made == 0, broken[:200]


def test_a_torn_line_costs_only_itself(tmp_path: Path) -> None:
    kept = Kept(Counting(), tmp_path)
    summed_up(kept, TIDE)
    path, (line,) = rows(tmp_path)
    path.write_text(f"{line}\n{line[:40]}")  # the second was being written when the power went
    summed_up(Kept(Counting(), tmp_path), PRUNE)
    whole = Kept(Counting(), tmp_path)
    assert whole.find(TIDE)
    assert whole.find(PRUNE)


def test_a_folder_that_cannot_be_written_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    notes: list[str] = []
    kept = Kept(Counting(), tmp_path / "file" / "kept", notes.append)
    assert summed_up(kept, TIDE).text
    assert summed_up(kept, PRUNE).text
    (note,) = notes
    assert "not kept" in note


WRITER = """
import sys
from dataclasses import replace
from pathlib import Path
from rag.summarize.kept import Kept
from tests.corpus import PAPERS
from tests.test_summarize_kept import Counting
kept = Kept(Counting(), Path(sys.argv[1]))
for n in range(int(sys.argv[2])):
    paper = replace(PAPERS[0], title=f"{sys.argv[3]} {n} " + "long " * 2000)
    kept.summarize(paper, [(0, len(paper.text))])
    print(n, flush=True)
"""


def named(name: str, n: int) -> Paper:
    return replace(TIDE, title=f"{name} {n} " + "long " * 2000)


def test_two_processes_add_at_once(tmp_path: Path) -> None:
    writers = [started(WRITER, tmp_path, 150, name) for name in "ab"]
    for writer in writers:
        _, errors = writer.communicate(timeout=60)
        assert writer.returncode == 0, errors
    kept = Kept(Counting(), tmp_path)
    assert all(kept.find(named(name, n)) for name in "ab" for n in range(150))


def test_what_a_killed_process_made_is_kept(tmp_path: Path) -> None:
    writer = started(WRITER, tmp_path, 1_000_000, "a")
    assert writer.stdout
    made = [int(writer.stdout.readline()) for _ in range(20)][-1]
    writer.send_signal(signal.SIGKILL)
    writer.communicate()
    summarizer = Counting()
    kept = Kept(summarizer, tmp_path)
    for n in range(made + 1):
        summed_up(kept, named("a", n))
    assert summarizer.made == 0
