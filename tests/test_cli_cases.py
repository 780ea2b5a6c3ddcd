"""``rag eval add``, ``draft``, ``lint`` and ``schema`` as scripts and people meet them."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rag.cli import drafts as cli_drafts
from rag.cli import expecting
from tests.commands import Result, Run

ASK = Path("evals/ask.jsonl")
Typed = Callable[..., Result]


def rows(path: Path = ASK) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines() if line[0] == "{"]


@pytest.fixture
def typed(indexed: Run, monkeypatch: pytest.MonkeyPatch) -> Typed:
    """Run a command as at a terminal, where lines are typed; stdin ends after them."""
    for module in (expecting, cli_drafts):
        monkeypatch.setattr(module, "at_terminal", lambda: True)
    monkeypatch.setattr("rag.cli.cases.at_terminal", lambda: True)

    def run(*arguments: object, lines: str) -> Result:
        monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
        return indexed(*arguments)

    return run


# --- add -----------------------------------------------------------------------------------------


def test_the_last_answer_becomes_a_case_that_can_fail(indexed: Run) -> None:
    assert "Nothing has been asked" in indexed("eval", "add").err
    indexed("ask", "How many goals does LemmaLoom close?")
    tried = indexed("eval", "add", "--dry-run")
    assert (tried.status, ASK.exists()) == (0, False)
    done = indexed("eval", "add", "--tag", "mine", "--id", "goals")
    assert done.status == 0
    assert "goals added to evals/ask.jsonl" in done.err
    assert "facts guessed: 38 %; a tenth; edit them, or give --fact" in done.err
    [row] = rows()
    assert row == json.loads(done.out)
    assert row == {
        "id": "goals",
        "kind": "fact",
        "question": "How many goals does LemmaLoom close?",
        "gold": ["LemmaLoom"],
        "facts": [["38 %", "38%", "38 percent"], "a tenth"],
        "outcome": "answered",
        "tags": ["mine"],
    }
    assert indexed("eval", "lint").out == "1 case, nothing wrong\n"
    again = indexed("eval", "add")
    assert (again.status, len(rows())) == (1, 1)
    assert "'goals' asks just that already" in again.err


def test_a_chat_turn_takes_its_history_along_and_a_batch_is_not_remembered(
    indexed: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = "What is LemmaLoom?\nHow many goals does it close?\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
    indexed("chat", "-q")
    Path("b.jsonl").write_text('{"id": 1, "question": "What is TideNet?"}')
    indexed("ask", "--batch", "b.jsonl")
    assert indexed("eval", "add", "-q").status == 0
    [row] = rows()
    assert row["question"] == "How many goals does it close?"
    [turn] = row["history"]  # type: ignore[misc]
    assert (turn[0], turn[2]) == ("What is LemmaLoom?", ["LemmaLoom"])


def test_nothing_is_kept_of_a_chat_without_a_log(
    indexed: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sorted(Path("index_store").iterdir())
    monkeypatch.setattr(sys, "stdin", io.StringIO("What is LemmaLoom?\n"))
    assert indexed("chat", "--no-log").status == 0
    assert sorted(Path("index_store").iterdir()) == before


def test_it_is_said_where_no_fact_could_be_guessed(indexed: Run) -> None:
    indexed("ask", "What picks strawberries without bruising them?")
    assert "no fact could be guessed; give --fact TEXT" in indexed("eval", "add", "--dry-run").err
    given = indexed("eval", "add", "--fact", "sound")
    assert "guessed" not in given.err
    assert rows()[0]["gold"] == ["Listening Fingers for Soft Fruit"]
    assert indexed("eval", "lint").out == "1 case, nothing wrong\n"


def test_a_case_of_some_papers_only_is_told_to_be_put_to_all(indexed: Run) -> None:
    indexed("ask", "What is TideNet?", "--year", "2031")
    assert "asked of some papers only" in indexed("eval", "add").err


def test_of_a_bad_answer_somebody_has_to_say_what_is_right(indexed: Run) -> None:
    indexed("ask", "How many goals does LemmaLoom close?")
    bare = indexed("eval", "add", "--bad")
    assert bare.status == 2
    assert "say what would have been right with --gold" in bare.err
    wrong = indexed("eval", "add", "--bad", "--gold", "LemmaLoom", "--fact", "99 %")
    assert (wrong.status, ASK.exists()) == (1, False)
    assert "no gold paper says 99 %" in wrong.err
    assert indexed("eval", "add", "--bad", "--gold", "LemaLoom").status == 1
    done = indexed("eval", "add", "--bad", "--gold", "proof", "--fact", "38 %")
    assert done.status == 0
    assert "has all that this case expects" in done.err
    assert rows()[0]["facts"] == ["38 %"]
    assert "outcome" not in rows()[0]


def test_at_a_terminal_it_is_asked_for_until_it_can_be(typed: Typed) -> None:
    typed("ask", "Which work estimates the sea level when gauges break?", lines="")
    lines = "answered\nNobodyNet\nTideNet; grip\n99 cm\n6.1 cm\n\n"
    done = typed("eval", "add", "--bad", lines=lines)
    assert done.status == 0
    assert "No paper goes by 'NobodyNet'" in done.err
    assert "no gold paper says 99 cm" in done.err
    assert rows()[0]["facts"] == ["6.1 cm"]
    assert len(rows()[0]["gold"]) == 2  # type: ignore[arg-type]
    typed("ask", "Who won the world cup?", lines="")
    typed("eval", "add", "--bad", lines="not_in_abstracts\n")
    assert rows()[1]["outcome"] == "not_in_abstracts"
    typed("ask", "What is TideNet?", lines="")
    assert typed("eval", "add", "--bad", lines="answered\n").status == 130
    assert len(rows()) == 2


# --- draft ---------------------------------------------------------------------------------------


def test_proposals_go_to_stdout_or_a_new_file_or_nowhere(indexed: Run) -> None:
    nowhere = indexed("eval", "draft")
    assert nowhere.status == 2
    assert "-o FILE" in nowhere.err
    assert "--json" in nowhere.err
    shown = indexed("eval", "draft", "--json")
    assert shown.out == indexed("eval", "draft", "--json").out
    assert all(line["quote"] and line["case"]["tags"] == ["drafted"] for line in shown.lines)
    assert "3 abstracts gave no sure question; write those by hand" in shown.err
    Path("evals").mkdir()
    done = indexed("eval", "draft", "-n", "2", "-o", "evals/ask-new.jsonl")
    assert done.err == "2 proposals in evals/ask-new.jsonl\n"
    found = rows(Path("evals/ask-new.jsonl"))
    assert found == [line["case"] for line in shown.lines[:2]]
    assert indexed("eval", "lint").out == "2 cases, nothing wrong\n"
    again = indexed("eval", "draft", "-n", "1", "--json")
    assert [line["case"]["question"] for line in again.lines] == [
        shown.lines[2]["case"]["question"]
    ]
    assert indexed("eval", "draft", "-o", "evals/ask-new.jsonl").status == 2
    assert "evals/ask-*.jsonl" in indexed("eval", "draft", "-o", "new.jsonl").err


def test_proposals_can_be_of_one_paper(indexed: Run) -> None:
    lines = indexed("eval", "draft", "--json", "--paper", "TideNet").lines
    title = "TideNet: Filling the Gaps of Storm-Struck Sea Level Gauges"
    assert {tuple(line["case"]["gold"]) for line in lines} == {(title,)}
    assert indexed("eval", "draft", "--json", "--paper", "NobodyNet").status == 1


def test_each_is_accepted_edited_or_skipped_by_a_person(typed: Typed) -> None:
    questions = [
        line["case"]["question"] for line in typed("eval", "draft", "--json", lines="").lines
    ]
    done = typed("eval", "draft", lines="a\ns\nx\ne\nIs it new?\na\nq\n")
    assert done.status == 0
    assert f"1. {questions[0]}" in " ".join(done.err.split())
    assert "2 accepted into evals/ask.jsonl, 1 skipped" in done.err
    assert [row["question"] for row in rows()] == [questions[0], "Is it new?"]
    left = [line["case"]["question"] for line in typed("eval", "draft", "--json", lines="").lines]
    assert left == questions[3:]


def test_what_was_accepted_stays_if_somebody_leaves_without_a_word(typed: Typed) -> None:
    assert typed("eval", "draft", lines="a\n").status == 130
    assert len(rows()) == 1


def test_a_question_that_gives_its_answer_away_is_not_accepted(typed: Typed) -> None:
    lines = "e\nIs TideNet a graph network, at 6.1 cm and 9.4 cm?\na\ns\nq\n"
    done = typed("eval", "draft", "--paper", "TideNet", lines=lines)
    assert "This is no case: " in done.err
    assert not ASK.exists()


def test_dissatisfied_readers_become_cases(typed: Typed) -> None:
    typed("chat", lines="How many goals does it close?\nwrong\nWhat is TideNet?\n/good\n")
    done = typed("eval", "draft", "--from", "chats", lines="a\na\nanswered\nproof\n38 %\n\nq\n")
    assert "thumbs up" in done.err
    assert "rejected at once: wrong" in done.err
    first, second = rows()
    assert (first["question"], first["tags"]) == ("What is TideNet?", ["chat"])
    assert (second["gold"], second["facts"]) == (["LemmaLoom"], ["38 %"])
    assert typed("eval", "draft", "--from", "chats", "--json", lines="").out == ""


def test_candidates_without_expectations_are_notes_in_a_file(typed: Typed) -> None:
    typed("chat", lines="How many goals does it close?\nwrong\n")
    typed("eval", "draft", "--from", "chats", "-o", "ask-chats.jsonl", lines="")
    note, row = Path("ask-chats.jsonl").read_text().splitlines()
    assert note.startswith("// rejected at once: wrong — ")
    assert json.loads(row.removeprefix("// "))["question"] == "How many goals does it close?"


# --- lint and schema -----------------------------------------------------------------------------


def test_lint_names_file_line_and_what_to_do(indexed: Run) -> None:
    Path("evals").mkdir()
    good = {"id": "a", "question": "What is TideNet?", "gold": ["TideNet"]}
    bad = {"id": "b", "question": "What is TideNet?", "gold": ["NobodyNet"], "tag": []}
    ASK.write_text("".join(f"{json.dumps(row)}\n" for row in (good, bad)))
    done = indexed("eval", "lint")
    assert done.status == 3
    assert "evals/ask.jsonl:2: error: b: " in done.out
    assert "\n  fix: " in done.out
    told = indexed("eval", "lint", "--json")
    assert told.status == 3
    assert {(each["line"], each["level"]) for each in told.json["problems"]} == {(2, "error")}
    assert indexed("eval", "lint", "nothing.jsonl").status == 1
    assert indexed("eval", "lint", "aks").status == 1


def test_without_an_index_lint_says_what_it_did_not_look_at(run: Run) -> None:
    Path("evals").mkdir()
    ASK.write_text('{"id": "a", "question": "What is it?", "gold": ["NobodyNet"]}')
    done = run("eval", "lint")
    assert (done.status, done.out) == (0, "1 case, nothing wrong\n")
    assert "Without an index" in done.err
    assert run("eval", "lint", "--cases", "nowhere").status == 1


def test_a_schema_knows_the_fields_of_its_suite(run: Run) -> None:
    assert "facts" in run("eval", "schema", "ask").json["properties"]
    assert len(run("eval", "schema").json["anyOf"]) == 4
    assert run("eval", "schema", "--json", "digest").out.count("\n") == 1
    assert run("eval", "schema", "nothing").status == 2
