"""The command line as scripts meet it: output, errors, exit status."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rag.embed.minilm import MiniLM
from tests.commands import Run
from tests.corpus import PAPERS, index
from tests.servers import Scripted


@pytest.fixture
def read(run: Run, built: Path) -> Run:
    """Run a command on the index of the eight papers."""
    return lambda *arguments: run(*arguments, "--store", built)


def write(path: Path, *records: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    return path


RECORDS = (
    {"id": "a", "abstract": "AlphaNet sorts shells. It finds 12 kinds of shells."},
    {"id": "b", "abstract": "BetaNet counts waves. It needs no camera at all."},
)


def test_ask_prints_quote_source_and_place(read: Run) -> None:
    result = read("ask", "How many dances did the tracker read?")
    assert result.status == 0
    assert "1,240 dances" in result.out
    assert "[1] Reading the Dance Floor of a Hive" in result.out
    assert "line" in result.out


def test_ask_takes_unquoted_words(read: Run) -> None:
    assert "TideNet" in read("ask", "What", "is", "TideNet?").out


def test_ask_json_is_one_document(read: Run) -> None:
    answer = read("ask", "What does TideNet do?", "--json").json
    assert answer["outcome"] == "answered"
    assert answer["sources"][0]["paper_id"] == "tide"


def test_a_refusal_is_a_success(read: Run) -> None:
    result = read("ask", "Who won the football cup in 2022?", "--json")
    assert result.status == 0
    assert result.json["outcome"] == "not_in_corpus"


def test_search_is_json_lines_in_rank_order(read: Run) -> None:
    rows = read("search", "strawberry robot", "-k", "3", "--json").lines
    assert [row["rank"] for row in rows] == [1, 2, 3]
    assert rows[0]["paper_id"] == "grip"
    assert set(rows[0]["passages"][0]) == {"text", "start", "end", "score"}


def test_list_is_json_lines_of_papers(read: Run) -> None:
    rows = read("list", "--json").lines
    assert len(rows) == 8
    fields = (
        "paper_id title handle url doi arxiv authors venue year status area keywords source sources"
    )
    assert set(rows[0]) == set(fields.split())


def test_list_matches_words_in_any_case_and_hyphenation(read: Run) -> None:
    assert [row["paper_id"] for row in read("list", "--match", "STORM struck", "--json").lines] == [
        "tide"
    ]


def test_list_filters(read: Run) -> None:
    rows = read("list", "--area", "biology", "--year", "2030", "--json").lines
    assert [row["paper_id"] for row in rows] == ["bees"]


def test_show_gives_text_and_raw(read: Run) -> None:
    paper = read("show", "proof", "--json").json
    assert paper["text"].startswith("Proof assistants")
    assert paper["raw"]


def test_show_takes_a_handle(read: Run) -> None:
    assert read("show", "LemmaLoom", "--json").json["paper_id"] == "proof"


def test_a_match_of_nothing_says_so(read: Run) -> None:
    result = read("list", "--match", "zebra")
    assert (result.status, result.out) == (0, "")
    assert "0 of 8 papers" in result.err


def test_no_command_shows_the_help(run: Run) -> None:
    result = run()
    assert result.status == 2
    assert result.err.startswith("Usage: rag")


def test_own_papers_beside_the_sample_are_remarked(run: Run, tmp_path: Path) -> None:
    run("demo")
    result = run("ingest", write(tmp_path / "list.jsonl", *RECORDS))
    assert "also holds the sample" in result.err


def test_show_of_an_unknown_paper_names_near_ones(read: Run) -> None:
    result = read("show", "tides", "--json")
    assert result.status == 1
    assert result.json["error"]["type"] == "PaperNotFound"
    assert "tide" in result.json["error"]["fix"]


@pytest.mark.parametrize(
    "name", ["tide", "TideNet", "tidenet", "TIDE", "half of the heads can go", "LemmaLoom"]
)
def test_a_paper_is_found_by_what_the_list_shows_in_any_case(read: Run, name: str) -> None:
    assert read("show", name, "--json").json["paper_id"] in ("tide", "prune", "proof")


def test_a_name_of_several_papers_is_told_with_their_ids(
    run: Run, minilm: MiniLM, tmp_path: Path
) -> None:
    twins = [replace(known, handle="Twin") for known in PAPERS[:2]]
    index(tmp_path / "index_store", minilm, twins)
    found = run("show", "twin", "--json")
    assert found.status == 1
    assert found.json["error"]["message"] == "2 papers go by 'twin'."
    assert found.json["error"]["fix"] == "give an id: tide, prune"


def test_common_options_may_stand_before_the_command(run: Run, built: Path) -> None:
    assert len(run("--json", "--store", built, "list").lines) == 8


def test_batch_answers_in_order_and_a_bad_row_costs_only_itself(read: Run, tmp_path: Path) -> None:
    batch = tmp_path / "questions.jsonl"
    rows = [
        json.dumps({"id": "1", "question": "What is TideNet?"}),
        "not json",
        json.dumps({"id": "3", "history": "x", "question": "What is it?"}),
        json.dumps({"id": "4"}),
        json.dumps(
            {
                "id": "5",
                "question": "How many goals does it close?",
                "history": [["What is LemmaLoom?", "A repair tool."]],
            }
        ),
    ]
    batch.write_text("\n".join(rows), encoding="utf-8")
    result = read("ask", "--batch", batch)
    assert result.status == 0
    assert [row["id"] for row in result.lines] == ["1", None, "3", "4", "5"]
    assert ["error" in row for row in result.lines] == [False, True, True, True, False]
    assert "line 2" in result.lines[1]["error"]["message"]
    assert result.lines[4]["statements"][0]["citations"][0]["paper_id"] == "proof"


def test_search_batch(read: Run, tmp_path: Path) -> None:
    batch = write(tmp_path / "q.jsonl", {"id": 7, "question": "wind and sun"})
    (row,) = read("search", "--batch", batch, "-k", "2").lines
    assert row["id"] == 7
    assert [hit["rank"] for hit in row["results"]] == [1, 2]
    assert row["results"][0]["paper_id"] == "grid"


@pytest.mark.parametrize(
    "arguments",
    [
        ("ask",),
        ("ask", "x", "--batch", "f"),
        ("nonsense",),
        ("ask", "--nonsense", "x"),
        ("search", "-k", "0", "x"),
        ("ingest",),
    ],
)
def test_wrong_usage_is_status_2(run: Run, arguments: tuple[str, ...]) -> None:
    result = run(*arguments, "--json")
    assert result.status == 2
    assert result.json["error"]["type"] == "UsageError"


def test_no_index_says_how_to_make_one(run: Run) -> None:
    result = run("ask", "What is TideNet?", "--json")
    assert result.status == 1
    assert result.json["error"]["type"] == "StoreMissing"
    assert "rag ingest" in result.json["error"]["fix"]
    assert "fix:" in result.err


def test_ingest_counts_and_repeats_without_change(run: Run, tmp_path: Path) -> None:
    file = write(tmp_path / "list.jsonl", *RECORDS)
    first = run("ingest", file, "--json").json
    second = run("ingest", file, "--json").json
    assert (first["added"], first["papers"], first["chunks"]) == (2, 2, 6)
    assert (second["added"], second["unchanged"], second["embedded"]) == (0, 2, 0)
    assert set(first) >= {"updated", "removed", "merged", "rejected", "seconds"}


def test_ingest_follows_its_file(run: Run, tmp_path: Path) -> None:
    file = write(tmp_path / "list.jsonl", *RECORDS)
    run("ingest", file)
    write(file, {**RECORDS[0], "abstract": "AlphaNet sorts stones now."})
    report = run("ingest", file, "--json").json
    assert (report["updated"], report["removed"], report["papers"]) == (1, 1, 1)
    assert "stones" in run("show", "a").out


def test_ingest_keeps_what_is_gone_if_asked(run: Run, tmp_path: Path) -> None:
    file = write(tmp_path / "list.jsonl", *RECORDS)
    run("ingest", file)
    write(file, RECORDS[0])
    assert run("ingest", "--keep", file, "--json").json["papers"] == 2


def test_what_was_kept_goes_once_it_is_no_longer_asked_for(run: Run, tmp_path: Path) -> None:
    file = write(tmp_path / "list.jsonl", *RECORDS)
    run("ingest", file)
    write(file, RECORDS[0])
    run("ingest", "--keep", file)
    assert run("ingest", file, "--json").json["removed"] == 1


def test_a_file_as_it_was_is_not_read_again(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(tmp_path / "list.jsonl", *RECORDS)
    run("ingest", file)

    def unexpected(*_: object) -> None:
        raise AssertionError("it was read again")

    monkeypatch.setattr("rag.corpus.files.read", unexpected)
    assert run("ingest", file, "--json").json["unchanged"] == 2


def test_broken_lines_are_told_at_every_ingest(run: Run, tmp_path: Path) -> None:
    file = write(tmp_path / "list.jsonl", *RECORDS)
    file.write_text(file.read_text() + "broken\n")
    first, second = (run("ingest", file, "--json").json for _ in range(2))
    assert first["rejected"] == second["rejected"]
    assert second["rejected"][0]["line"] == 3


def test_a_bad_file_costs_only_itself(run: Run, tmp_path: Path) -> None:
    good = write(tmp_path / "good.jsonl", *RECORDS)
    result = run("ingest", good, "missing.jsonl", "--json")
    assert result.status == 1
    assert result.json["papers"] == 2
    assert result.json["rejected"][0]["path"] == "missing.jsonl"
    assert result.json["error"]["type"] == "SourceError"
    assert "missing.jsonl" in result.err


def test_broken_lines_are_told_and_the_rest_is_kept(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "list.jsonl"
    rows = [json.dumps(RECORDS[0]), '{"abstract": "cut', "[]", json.dumps(RECORDS[1])]
    file.write_text("\n".join(rows), encoding="utf-8")
    result = run("ingest", file, "--json")
    assert result.status == 0
    assert result.json["papers"] == 2
    assert [row["line"] for row in result.json["rejected"]] == [2, 3]
    assert "line 2" in result.err


def test_a_store_path_that_is_a_file(run: Run, tmp_path: Path) -> None:
    file = write(tmp_path / "list.jsonl", *RECORDS)
    result = run("ingest", file, "--store", file, "--json")
    assert result.status == 1
    assert result.json["error"]["type"] == "StoreUnwritable"


def test_quiet_silences_notes(run: Run, tmp_path: Path) -> None:
    file = write(tmp_path / "list.jsonl", *RECORDS)
    assert run("ingest", "-q", file).err == ""


def test_doctor_is_content_with_a_whole_index(read: Run) -> None:
    result = read("doctor", "--json")
    assert [check for check in result.json["checks"] if not check["ok"]] == []
    assert result.status == 0
    assert set(result.json["checks"][0]) == {"name", "ok", "detail", "fix"}


def test_doctor_finds_damage_and_rebuild_mends_it(run: Run, tmp_path: Path) -> None:
    run("ingest", write(tmp_path / "list.jsonl", *RECORDS))
    (vectors,) = (tmp_path / "index_store" / "generations").glob("*/vectors.npy")
    vectors.write_bytes(b"")
    asked = run("ask", "What is AlphaNet?", "--json")
    assert asked.json["error"]["type"] == "StoreDamaged"
    assert run("doctor").status == 3
    rebuilt = run("rebuild", "--json")
    assert rebuilt.status == 0
    assert all(check["ok"] for check in rebuilt.json["checks"])
    assert run("doctor").status == 0
    assert "AlphaNet" in run("ask", "What does AlphaNet sort?").out


def replace_array(path: Path, change: Callable[[Any], Any]) -> None:
    np.save(path, change(np.load(path)))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("sentences", lambda rows: rows[::-1]),
        ("sentences", lambda rows: rows.astype(float)),
        ("sentences", lambda rows: rows * 0),
        ("bm25/params.index", "{}"),
        ("bm25/params.index", "[]"),
        ("bm25/vocab.index", "[]"),
        ("bm25/indptr.csc.index", ""),
    ],
)
def test_any_damage_is_told_with_the_fix(run: Run, tmp_path: Path, name: str, change: Any) -> None:
    run("ingest", write(tmp_path / "list.jsonl", *RECORDS))
    (folder,) = (tmp_path / "index_store" / "generations").glob("[0-9]*")
    if callable(change):
        replace_array(folder / f"{name}.npy", change)
    else:
        (path,) = folder.glob(f"{name}.*")
        path.write_text(change)
    result = run("ask", "What is AlphaNet?", "--json")
    assert result.status == 1
    assert result.json["error"]["type"] == "StoreDamaged"
    assert "rag rebuild" in result.json["error"]["fix"]


def test_an_index_without_its_records_says_what_is_left_to_do(run: Run, tmp_path: Path) -> None:
    run("ingest", write(tmp_path / "list.jsonl", *RECORDS))
    shutil.rmtree(tmp_path / "index_store" / "generations")
    assert "rag rebuild" in run("ask", "What?", "--json").json["error"]["fix"]
    assert "original files" in run("rebuild", "--json").json["error"]["fix"]


def test_doctor_mends_what_it_can(indexed: Run, tmp_path: Path) -> None:
    store = tmp_path / "index_store"
    shutil.rmtree(store / "chroma")
    for folder in (store / "generations").glob("*/bm25"):
        shutil.rmtree(folder)
    done = indexed("doctor", "--fix", "--json")
    assert (done.status, all(check["ok"] for check in done.json["checks"])) == (0, True)
    assert [what.split()[0] for what in done.json["fixed"]] == ["put", "indexed"]
    assert indexed("doctor", "--fix", "--json").json["fixed"] == []


def test_doctor_asks_the_servers_of_the_settings(
    indexed: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAG_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("RAG_API_KEY", "sk-not-to-be-shown-anywhere")
    done = indexed("doctor")
    assert (done.status, "BAD  server: http://127.0.0.1:9 cannot be reached" in done.out) == (
        3,
        True,
    )
    assert "shown" not in done.out + done.err
    with Scripted() as server:
        monkeypatch.setenv("RAG_BASE_URL", server.url)
        done = indexed("doctor")
    assert (done.status, "ok   server: http://127.0.0.1:" in done.out) == (0, True)
    assert " answers in " in done.out


def test_index_is_packed_and_unpacked(indexed: Run) -> None:
    packed = indexed("store", "pack", "index.pack", "--json")
    assert (packed.status, packed.json["papers"]) == (0, 8)
    asked = ("ask", "What is TideNet?", "--json")
    assert indexed("store", "unpack", "index.pack", "--store", "copy").status == 0
    before, after = (indexed(*asked, *more).json for more in ((), ("--store", "copy")))
    assert before["statements"] == after["statements"] != []
    assert indexed("doctor", "--store", "copy").status == 0
    refused = indexed("store", "unpack", "index.pack", "--json")
    assert (refused.status, "--force" in refused.json["error"]["fix"]) == (1, True)
    assert indexed("store", "unpack", "rag.toml").status == 1


def test_rebuild_replaces_whatever_stands_for_chroma(run: Run, tmp_path: Path) -> None:
    run("ingest", write(tmp_path / "list.jsonl", *RECORDS))
    shutil.rmtree(tmp_path / "index_store" / "chroma")
    (tmp_path / "index_store" / "chroma").write_text("not a folder")
    assert run("rebuild").status == 0


def test_the_unforeseen_is_no_traceback(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def surprise(store: Path) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr("rag.store.snapshot.Snapshot.open", surprise)
    result = run("list", "--json")
    assert result.status == 1
    assert result.json["error"]["type"] == "InternalError"
    assert "Traceback" not in result.err


def test_demo_answers_one_question_and_refuses_the_other(run: Run) -> None:
    result = run("demo", "--json")
    answered, refused = result.lines
    assert result.status == 0
    assert (answered["outcome"], refused["outcome"]) == ("answered", "not_in_abstracts")


def test_demo_writes_a_page_and_says_where(run: Run, tmp_path: Path) -> None:
    page = str(Path("index_store") / "digest.html")
    assert page in run("demo").out
    first = (tmp_path / page).read_text()
    assert first.startswith("<!DOCTYPE html>")
    assert run("demo").status == 0
    assert (tmp_path / page).read_text() == first


def test_demo_does_not_mix_into_another_index(run: Run, tmp_path: Path) -> None:
    run("ingest", write(tmp_path / "list.jsonl", *RECORDS))
    result = run("demo", "--json")
    assert result.status == 1
    assert "--store" in result.json["error"]["fix"]


def test_settings_come_from_file_environment_and_flags(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rag.toml").write_text('store = "from_file"\n')
    assert "from_file" in run("list").err
    (tmp_path / ".env").write_text("RAG_STORE=from_dotenv\n")
    assert "from_dotenv" in run("list").err
    monkeypatch.setenv("RAG_STORE", "from_environment")
    assert "from_environment" in run("list").err
    assert "from_flag" in run("list", "--store", "from_flag").err


def test_an_unknown_setting_is_an_error_with_the_nearest_name(run: Run, tmp_path: Path) -> None:
    (tmp_path / "rag.toml").write_text('stoer = "x"\n')
    result = run("list", "--json")
    assert result.status == 1
    assert "did you mean store" in result.json["error"]["fix"]


def test_an_unknown_engine_is_an_error(read: Run) -> None:
    assert read("ask", "x", "--engine", "crystal-ball", "--json").json["error"]["type"] == (
        "ConfigError"
    )


def test_nothing_odd_breaks_the_json(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "list.jsonl"
    file.write_text('{"\\ud800": 1}\n' + json.dumps(RECORDS[0]) + "\n", encoding="utf-8")
    assert run("ingest", file, "--json").json["papers"] == 1
    batch = tmp_path / "q.jsonl"
    odd = ['{"id": "\\ud800", "question": "What is AlphaNet?"}', '{"id": NaN, "question": "x"}']
    batch.write_text("\n".join([*odd, '{"id": "3", "question": "a\u2028b"}']), encoding="utf-8")
    rows = run("ask", "--batch", batch).lines
    assert [row["id"] for row in rows] == ["\ud800", None, "3"]


def test_control_characters_do_not_reach_stderr(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "list.jsonl"
    key = json.dumps({"\x1b]0;owned\x07": 1})
    file.write_text(f"{key}\n{json.dumps(RECORDS[0])}\n", encoding="utf-8")
    result = run("ingest", file)
    assert "owned" in result.err
    assert "\x1b" not in result.err


@pytest.mark.parametrize(
    ("field", "value"), [("title", "t" * 3_000), ("id", "i" * 600), ("abstract", "a" * 60_000)]
)
def test_fields_without_end_are_rejected_by_line(
    run: Run, tmp_path: Path, field: str, value: str
) -> None:
    file = write(tmp_path / "list.jsonl", RECORDS[0], {**RECORDS[1], field: value})
    result = run("ingest", file, "--json").json
    assert (result["papers"], result["rejected"][0]["line"]) == (1, 2)


@pytest.mark.parametrize(
    ("name", "value"), [("RAG_TOP_K", "²"), ("RAG_TOP_K", "9" * 5_000), ("RAG_STORE", "a\x07b")]
)
def test_impossible_settings_are_errors(
    run: Run, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    assert run("list", "--json").json["error"]["type"] == "ConfigError"


@pytest.mark.parametrize("redirect", [">&-", "2>&-", "<&-", "| true", "> /dev/full"])
def test_closed_streams_are_no_traceback(built: Path, redirect: str) -> None:
    command = f"{sys.executable} -m rag list --json --store {built} {redirect}"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr


def test_control_characters_do_not_reach_the_terminal(run: Run, tmp_path: Path) -> None:
    evil = {"id": "e", "title": "Evil\x1b[2J", "abstract": "Evil \x1b]0;title\x07 text is shown."}
    run("ingest", write(tmp_path / "list.jsonl", evil))
    assert "\x1b" not in run("show", "e").out + run("list").out + run("ask", "What is shown?").out


def test_output_that_nobody_reads_is_no_error(built: Path) -> None:
    command = f"{sys.executable} -m rag list -q --store {built} | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert done.stderr == ""
