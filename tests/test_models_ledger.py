"""What was spent stays written down, however processes end."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from rag.models.ledger import FILE, Entry, Ledger, Row, read, summary
from tests.fakes import started


def ledger(folder: Path, notes: list[str] | None = None) -> Ledger:
    note = notes.append if notes is not None else str
    return Ledger(folder, place="http://here", purpose="ask", note=note)


def test_entries_are_read_as_they_were_added(tmp_path: Path) -> None:
    ledger(tmp_path / "store").add("m", 10, 5, 0.25)
    ledger(tmp_path / "store").add("m", 20, 0, None)
    first, second = read(tmp_path / "store")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", first.date)
    assert first == Entry(first.date, "m", "http://here", "ask", 10, 5, 0.25)
    assert second.cost_usd is None


def test_no_ledger_is_an_empty_one(tmp_path: Path) -> None:
    assert read(tmp_path) == []
    assert summary([]) == []


def test_damaged_lines_are_left_out(tmp_path: Path) -> None:
    ledger(tmp_path).add("m", 10, 5, 0.25)
    good = json.loads((tmp_path / FILE).read_text())
    lines = [
        "{",
        "",
        "[]",
        "{}",
        "\udcff\udcfe",
        json.dumps({**good, "more": 1}),
        json.dumps({**good, "input_tokens": "ten"}),
        json.dumps({**good, "model": None}),
        json.dumps({**good, "date": "yesterday"}),
        json.dumps({**good, "cost_usd": float("nan")}),
        json.dumps({**good, "cost_usd": float("inf")}),
        json.dumps({**good, "cost_usd": 10**400}),
        json.dumps({**good, "cost_usd": -0.1}),
        json.dumps({**good, "cost_usd": "0.1"}),
        json.dumps({**good, "input_tokens": 10**400}),
        json.dumps({**good, "input_tokens": -1}),
        json.dumps({**good, "output_tokens": True}),
        json.dumps({**good, "output_tokens": 1.5}),
        json.dumps({**good, "purpose": ["ask"]}),
        "[" * 9999,
    ]
    with (tmp_path / FILE).open("a", errors="surrogateescape") as file:
        file.write("\n".join(lines))
    ledger(tmp_path).add("n", 1, 1, 0.0)
    assert [entry.model for entry in read(tmp_path)] == ["m", "n"]


def test_a_line_that_a_crash_cut_off_takes_no_other_with_it(tmp_path: Path) -> None:
    ledger(tmp_path).add("m", 10, 5, 0.25)
    text = (tmp_path / FILE).read_text()
    (tmp_path / FILE).write_text(text + text[:30])
    ledger(tmp_path).add("n", 1, 1, 0.0)
    assert [entry.model for entry in read(tmp_path)] == ["m", "n"]


def test_several_processes_add_at_once(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from rag.models.ledger import Ledger\n"
        "ledger = Ledger(Path(sys.argv[1]), place='here', purpose='ask', note=print)\n"
        "for n in range(200): ledger.add('m' * 150, n, 1, 0.5)\n"
    )
    processes = [started(code, tmp_path) for _ in range(3)]
    for process in processes:
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
    assert len(read(tmp_path)) == 600
    assert sum(map(bool, (tmp_path / FILE).read_text().splitlines())) == 600


def test_long_names_are_cut(tmp_path: Path) -> None:
    ledger(tmp_path).add("m" * 10_000, 1, 1, None)
    assert len((tmp_path / FILE).read_bytes()) < 4096


def test_a_folder_that_cannot_be_written_costs_one_note(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    notes: list[str] = []
    blocked = ledger(tmp_path / "file" / "store", notes)
    for _ in range(2):
        blocked.add("m", 1, 1, 0.0)
    assert len(notes) == 1
    assert "not recorded" in notes[0]


def test_a_summary_adds_up_per_model_and_per_day() -> None:
    entries = [
        Entry("2026-05-02T10:00:00+00:00", "b", "x", "ask", 1, 2, 0.5),
        Entry("2026-05-01T10:00:00+00:00", "b", "x", "chat", 10, 20, 0.25),
        Entry("2026-05-01T11:00:00+00:00", "a", "x", "ask", 3, 4, None),
        Entry("2026-05-01T11:00:00+00:00", "b", "y", "ask", 5, 6, 0.0),
    ]
    assert summary(entries) == [
        Row(None, "a", "x", 1, 3, 4, 0.0, unpriced=1),
        Row(None, "b", "x", 2, 11, 22, pytest.approx(0.75), unpriced=0),  # type: ignore[arg-type]
        Row(None, "b", "y", 1, 5, 6, 0.0, unpriced=0),
    ]
    days = [(row.day, row.model, row.requests) for row in summary(entries, by_day=True)]
    assert days == [
        ("2026-05-01", "a", 1),
        ("2026-05-01", "b", 1),
        ("2026-05-01", "b", 1),
        ("2026-05-02", "b", 1),
    ]
