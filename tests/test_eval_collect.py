"""Answers and conversations that become cases: what is kept, what is proposed, what is written."""

from __future__ import annotations

import json
import stat
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from rag.chat import Conversation, log
from rag.chat.feedback import feedback, store_feedback
from rag.engine.answer import Asker
from rag.engine.question import Turn, kind_of
from rag.errors import QuestionError, SourceError
from rag.evaluate.as_json import dumps
from rag.evaluate.cases import load_suites
from rag.evaluate.chats import chat_drafts, complaint
from rag.evaluate.collect import Said, draft_of, last_said, proposed_facts, would_pass
from rag.evaluate.draft import Draft
from rag.evaluate.lint import Index
from rag.evaluate.papers import Names
from rag.evaluate.said import LAST, remember, row_of
from rag.evaluate.suite import Suite, case_row, remarks, written_name
from rag.retrieve.hybrid import Retriever
from rag.store.snapshot import Snapshot
from rag.types import Answer, Citation, Outcome, Statement
from tests.fakes import batch, paper, put


def said(question: str, standalone: str = "", got: Outcome = "answered", **more: object) -> Said:
    fields: dict[str, object] = {
        "history": (),
        "kind": kind_of(question),
        "cited": (),
        "papers": (),
        "quotes": (),
        "answer": "",
    }
    return Said(question, standalone or question, got=got, **{**fields, **more})  # type: ignore[arg-type]


def answer(question: str = "What is it?", text: str = "It closes 38 % of them. [1]") -> Answer:
    source = paper("p", "It closes 38 % of them.", title="On closing")
    statement = Statement(
        "It closes 38 % of them.", (Citation(1, "p", "closes 38 %", 3, 14),), True, 1
    )
    return Answer(
        question, question, "answered", "fact", text, (statement,), (source,), "extractive"
    )


# --- what is kept ------------------------------------------------------------------------------


def test_the_last_answer_comes_back_as_it_was_for_its_reader_alone(tmp_path: Path) -> None:
    turns = [Turn("Before?", "That.", ("p",)), Turn("Else?", "No.", refused=True)]
    remember(tmp_path, row_of(answer(text="half \ud800 a character"), turns))
    last = last_said(tmp_path)
    assert (last.question, last.history, last.cited) == ("What is it?", tuple(turns), ("p",))
    assert last.quotes == ("closes 38 %",)
    assert last.answer == "half ? a character"
    assert stat.S_IMODE((tmp_path / LAST).stat().st_mode) == 0o600
    assert [file.name for file in tmp_path.iterdir()] == [LAST]


def test_an_index_that_cannot_be_written_is_no_error_and_has_no_last_answer(tmp_path: Path) -> None:
    (tmp_path / LAST).mkdir()
    remember(tmp_path, row_of(answer()))
    remember(tmp_path / "nowhere", row_of(answer()))
    assert [file.name for file in tmp_path.iterdir()] == [LAST]
    with pytest.raises(QuestionError, match="Nothing has been asked"):
        last_said(tmp_path / "nowhere")


@pytest.mark.parametrize(
    "text", ["", "[]", '{"question": 1}', "{", "[" * 100_000, '{"question": "q", "history": [1]}']
)
def test_a_damaged_last_answer_is_told_of(tmp_path: Path, text: str) -> None:
    (tmp_path / LAST).write_text(text)
    with pytest.raises(SourceError, match="cannot be read"):
        last_said(tmp_path)


def test_turns_are_logged_with_what_they_were_given_and_only_if_wanted(
    retriever: Retriever, tmp_path: Path
) -> None:
    asker = Asker(retriever)
    silent = Conversation(asker)
    silent.ask("What is TideNet?")
    assert not any(tmp_path.iterdir())

    talk = Conversation(asker, log=tmp_path)
    for question in ("What is LemmaLoom?", "How many goals does it close?"):
        talk.ask(question)
    talk.new()
    talk.ask("What is TideNet?")
    rows = [json.loads(line) for line in (tmp_path / log.FILE).read_text().splitlines()]
    assert [row["standalone"] for row in rows] == [
        "What is LemmaLoom?",
        "How many goals does LemmaLoom close?",
        "What is TideNet?",
    ]
    assert rows[0]["chat"] == rows[1]["chat"] != rows[2]["chat"]
    assert stat.S_IMODE((tmp_path / log.FILE).stat().st_mode) == 0o600
    assert last_said(tmp_path).question == "What is TideNet?"


def test_a_long_log_forgets_its_older_half(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "MOST_BYTES", 1000)
    for turn in range(100):
        log.log_turn(tmp_path, {"chat": "c", "turn": turn})
    rows = [json.loads(line) for line in (tmp_path / log.FILE).read_text().splitlines()]
    assert [row["turn"] for row in rows] == list(range(100 - len(rows), 100))
    assert (tmp_path / log.FILE).stat().st_size <= 1000
    assert [file.name for file in tmp_path.iterdir()] == [log.FILE]


# --- what is proposed of an answer -------------------------------------------------------------


def test_facts_are_figures_and_names_that_the_question_has_not() -> None:
    quote = (
        "LemmaLoom cuts the search of ProverX from 9.4 ms to 1.2 ms and closes up to 38 % of goals."
    )
    full = said("?", quotes=(quote,), answer=quote)
    facts = proposed_facts(full, "How does LemmaLoom compare?")
    assert facts == (("9.4 ms",), ("1.2 ms",), ("38 %", "38%", "38 percent"))
    told = "Does LemmaLoom go from 9.4 ms to 1.2 ms, at 38%?"
    assert proposed_facts(full, told) == (("ProverX",),)
    assert proposed_facts(replace(full, answer="It is quick."), told) == ()


def test_facts_come_of_the_first_sentence_before_the_one_that_is_nearest() -> None:
    first = "OtterEar hears otters from 300 m away. [1]"
    later = "Otters call at 20 Hz. [2] Over the year OtterEar heard 51,000 of their calls. [1]"
    full = said("?", quotes=(first, later), answer=f"{first} {later}")
    assert proposed_facts(full, "How far away is OtterEar of use?") == (("300 m",),)
    bare = replace(full, answer=f"OtterEar hears otters. [1] {later}")
    asked = "How many calls of the year has OtterEar heard?"
    assert proposed_facts(bare, asked) == (("51,000", "51000"),)
    assert proposed_facts(replace(bare, quotes=(first,)), asked) == ()


def test_a_good_answer_is_a_case_that_it_passes_and_that_others_fail() -> None:
    good = said(
        "How much?", cited=("p",), quotes=("It closes 38 %.",), answer="It closes 38 %. [1]"
    )
    case = draft_of(good, good=True)
    assert (case.gold, case.outcome, case.facts[0][0]) == (("p",), "answered", "38 %")
    assert would_pass(case, good)
    assert not would_pass(case, said("How much?", cited=("p",), answer="It closes 83 %. [1]"))
    assert not would_pass(case, said("How much?", cited=("q",), answer="It closes 38 %. [1]"))
    assert not would_pass(case, said("How much?", got="not_in_corpus", answer="38 %?"))


def test_only_a_follow_up_takes_its_history_along() -> None:
    turns = (Turn("What is LemmaLoom?", "A prover."),)
    alone = draft_of(said("What is TideNet?", history=turns), good=True)
    follow_up = draft_of(said("And it?", "And LemmaLoom?", history=turns), good=False)
    assert (alone.history, follow_up.history) == ((), turns)
    assert not follow_up.expects


def test_a_row_calls_papers_by_name_and_passes_lint(retriever: Retriever, tmp_path: Path) -> None:
    names = Names(retriever.snapshot, tmp_path)
    refusal = Turn("What is DRIFT?", "Nothing is about that. Nearest: LemmaLoom.", ("proof",), True)
    turns = (refusal, Turn("What is LemmaLoom?", "A prover.", ("proof",)))
    draft = Draft("How many?", ("proof",), (("38 %", "38%"),), "fact", history=turns)
    row = case_row(draft, "goals", names)
    assert row == {
        "id": "goals",
        "kind": "fact",
        "question": "How many?",
        "history": [
            ["What is DRIFT?", "Nothing is about that.", []],
            ["What is LemmaLoom?", "A prover.", ["LemmaLoom"]],
        ],
        "gold": ["LemmaLoom"],
        "facts": [["38 %", "38%"]],
    }
    index = Index(names)
    assert not remarks(row, index)
    assert [each.level for each in remarks({**row, "facts": ["99 %"]}, index)] == ["error"]
    assert [each.level for each in remarks({**row, "facts": ["/(/"]}, index)] == ["error"]


def test_papers_are_written_by_title_then_handle_then_id(tmp_path: Path) -> None:
    records = [
        paper("cut", "Reeds grow.", handle="On the Growth", title="On the Growth of Reeds"),
        paper("untitled", "Ducks swim.", handle="Duck Pond"),
        *(paper(id, f"Ice {id}.", handle="Thin Ice", title="Thin Ice") for id in ("one", "two")),
        paper("odd", "Odd ones.", handle="Odd Title", title="Odd\tTitle"),
    ]
    put(tmp_path / "s", batch(records))
    names = Names(Snapshot.open(tmp_path / "s"), tmp_path)
    written = [written_name(names, record.paper_id) for record in records]
    assert written == ["On the Growth of Reeds", "Duck Pond", "one", "two", "Odd Title"]
    assert names.rows(written) == [names.snapshot.row_of[one.paper_id] for one in records]
    assert written_name(names, "gone") == "gone"


# --- what is written ---------------------------------------------------------------------------


def row(id: str, question: str, **more: object) -> dict[str, object]:
    return {"id": id, "question": question, "outcome": "answered", **more}


def test_a_suite_grows_by_whole_lines_and_takes_nothing_twice(tmp_path: Path) -> None:
    folder = tmp_path / "evals"
    Suite(folder).add(row("one", "What is it?"))
    folder.joinpath("ask.jsonl").write_bytes(folder.joinpath("ask.jsonl").read_bytes()[:-1])
    folder.joinpath("ask-more.jsonl").write_text(json.dumps(row("two", "And why?")))
    suite = Suite(folder)
    with pytest.raises(QuestionError, match="There is a case 'two' already"):
        suite.add(row("two", "Something else?"))
    with pytest.raises(QuestionError, match="'one' asks just that"):
        suite.add(row("three", "what is  it"))
    suite.add(row("three", "What is it?", history=[["Before?", "That."]]))
    suite.add(row("four", "Line\u2028break, né?"))
    with pytest.raises(QuestionError, match="'four'"):
        suite.add(row("four", "Again?"))
    cases = load_suites(folder, ["ask"])["ask"]
    assert [case.id for case in cases] == ["one", "three", "four", "two"]
    assert len(folder.joinpath("ask.jsonl").read_text().splitlines()) == 3


def test_ids_come_from_the_question_and_are_not_taken(tmp_path: Path) -> None:
    suite = Suite(tmp_path)
    ids = []
    for question in ("Which goals does LemmaLoom close?", "Goals LemmaLoom close?", "¿?", "…"):
        ids.append(suite.id_for(question))
        suite.take(row(ids[-1], question))
    assert ids == ["goals-lemmaloom-close", "goals-lemmaloom-close-2", "case", "case-2"]


def test_a_folder_that_cannot_be_written_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "evals").write_text("a file")
    with pytest.raises(SourceError, match="cannot be written"):
        Suite(tmp_path / "evals").add(row("one", "What is it?"))


def test_a_row_is_one_line_whatever_stands_in_it() -> None:
    line = dumps({"question": "a\nb\u2028c\x85d\u202ee ü"})
    assert line.splitlines() == [line]
    assert "ü" in line
    assert json.loads(line)["question"] == "a\nb\u2028c\x85d\u202ee ü"


# --- dissatisfaction ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "then", "sign"),
    [
        (
            "How many goals does LemmaLoom close?",
            "What number of goals can LemmaLoom close?",
            "reph",
        ),
        ("papers about diffusion", "which papers use diffusion models", "reph"),
        ("safe control of power grids", "Which paper is about controlling the power grid?", "reph"),
        ("What is DRIFT?", "no, I meant FIRE", "corr"),
        ("What is DRIFT?", "Nein, ich meinte FIRE", "corr"),
        ("What is DRIFT?", "That's not what I asked.", "reje"),
        ("What is DRIFT?", "wrong", "reje"),
        ("What is DRIFT?", "Das war falsch!", "reje"),
        ("What is LemmaLoom?", "How many goals does LemmaLoom close?", ""),
        ("What is LemmaLoom?", "What does LemmaLoom repair?", ""),
        ("Which papers use sound?", "How many papers use sound?", ""),
        ("Does it use rubrics of experts?", "Where do its rubrics of experts come from?", ""),
        ("By how much does X cut the error?", "By how much does X cut the memory?", ""),
        ("Which papers are about biology?", "Which papers are about control?", ""),
        ("Is it tested on images?", "it's not trained on text, is it?", ""),
    ],
)
def test_dissatisfaction_is_told_from_a_next_question(first: str, then: str, sign: str) -> None:
    assert complaint(said(first), said(then))[:4] == sign


def logged(store: Path, *turns: Said, chat: str = "c") -> None:
    for turn in turns:
        fields = {name: getattr(turn, name) for name in Said.__dataclass_fields__}
        log.log_turn(store, {**fields, "chat": chat, "history": []})


def drafts_of(store: Path, told: list[str] | None = None) -> Sequence[Draft]:
    return list(chat_drafts(store, (told if told is not None else []).append))


def test_a_rephrased_question_should_have_got_what_its_rephrasing_got(tmp_path: Path) -> None:
    first = said("How many goals does LemmaLoom close?", got="not_in_abstracts")
    quote = "It closes 38 %."
    then = said(
        "What number of goals can LemmaLoom close?", cited=("proof",), quotes=(quote,), answer=quote
    )
    logged(tmp_path, first, then, said("What is TideNet?"))
    [draft] = drafts_of(tmp_path)
    assert draft.question == "How many goals does LemmaLoom close?"
    assert draft.why == "rephrased at once: What number of goals can LemmaLoom close?"
    assert (draft.gold, draft.outcome, draft.facts[0][0]) == (("proof",), "answered", "38 %")


def test_nothing_is_expected_where_the_reader_stayed_dissatisfied(tmp_path: Path) -> None:
    again = said("What number of goals can LemmaLoom close?", cited=("proof",))
    logged(tmp_path, said("How many goals does LemmaLoom close?"), again, said("wrong"))
    assert [(draft.why[:9], draft.expects) for draft in drafts_of(tmp_path)] == [
        ("rephrased", False),
        ("rejected ", False),
    ]


def test_a_follow_up_that_was_corrected_takes_its_history_and_what_was_meant(
    tmp_path: Path,
) -> None:
    logged(
        tmp_path,
        said("What is LemmaLoom?", answer="A prover.", papers=("proof",)),
        said("And how large is the error?", "And how large is the error of LemmaLoom?"),
        said("no, I meant TideNet", "How large is the error of TideNet?", cited=("tide",)),
    )
    logged(tmp_path, said("Unrelated?"), chat="another")
    [draft] = drafts_of(tmp_path)
    assert draft.history == (Turn("What is LemmaLoom?", "A prover.", ("proof",)),)
    assert draft.gold == ("tide",)


def test_of_two_verdicts_the_later_counts_and_a_remark_is_passed_on(tmp_path: Path) -> None:
    good, bad = answer("Is it good?"), answer("Is it bad?")
    for given, verdict, remark in ((good, False, ""), (bad, False, "too\nlong"), (good, True, "")):
        store_feedback(tmp_path, feedback(given, (), verdict, remark))
    logged(tmp_path, said("Is it bad?"), said("wrong"))
    first, second = drafts_of(tmp_path)
    assert (first.question, first.why, first.expects) == (
        "Is it bad?",
        "thumbs down: too long",
        False,
    )
    assert (second.question, second.why, second.gold) == ("Is it good?", "thumbs up", ("p",))


def test_lines_that_are_none_are_passed_over_and_counted(tmp_path: Path) -> None:
    logged(tmp_path, said("What is it?"), said("wrong"))
    with (tmp_path / log.FILE).open("ab") as stream:
        stream.write(b'{"chat": "c"\n[1]\n\xff\n{"question": null}\n' + b"[" * 100_000)
    told: list[str] = []
    assert len(drafts_of(tmp_path, told)) == 1
    assert "5 lines are not what was written there" in told[0]
