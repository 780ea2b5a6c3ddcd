"""Rows by hand → cases: what is read, what is refused, how it is told, which papers are meant."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.engine.question import Turn
from rag.errors import PaperNotFound, QuestionError, SourceError
from rag.evaluate.cases import FIRST_ROWS, load_suites, read_case
from rag.evaluate.matching import compiled, found, missing, present
from rag.evaluate.papers import Names, keys_of
from rag.evaluate.schema import FIELDS, schema
from rag.evaluate.types import SUBJECTS, SUITES, Case, SuiteName
from rag.store.snapshot import Snapshot
from tests.corpus import PAPERS
from tests.fakes import batch, paper, put

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Rows → the file in ``evals/``: an object is a row, a text a line as it is."""

    def _write(name: str, *rows: object) -> Path:
        file = tmp_path / "evals" / name
        file.parent.mkdir(exist_ok=True)
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return file

    return _write


def refused(folder: Path, *wanted: str) -> SourceError:
    with pytest.raises(SourceError) as error:
        load_suites(folder, wanted)
    return error.value


def test_a_row_becomes_a_case(write: Write) -> None:
    row = {
        "id": "a1",
        "question": "By how much?",
        "history": [["What is LemmaLoom?", "A tool.", ["LemmaLoom"]], ["And?", "So."]],
        "gold": ["LemmaLoom"],
        "facts": ["38 %", ["goals", "/lemmas?/"]],
        "forbidden": ["tides"],
        "kind": "number",
        "tags": ["dev"],
    }
    file = write("ask.jsonl", "\ufeff// by hand", "", row, "  # no more")
    assert load_suites(file.parent) == {
        "ask": [
            Case(
                id="a1",
                suite="ask",
                subject="By how much?",
                history=(
                    Turn("What is LemmaLoom?", "A tool.", ("LemmaLoom",)),
                    Turn("And?", "So."),
                ),
                gold=("LemmaLoom",),
                facts=(("38 %",), ("goals", "/lemmas?/")),
                forbidden=("tides",),
                outcome="answered",
                kind="number",
                tags=("dev",),
            )
        ]
    }


def test_an_answer_is_expected_where_something_is_expected_of_it() -> None:
    def outcome(**fields: object) -> str | None:
        case, wrong = read_case("ask", {"id": "1", "question": "?", **fields})
        assert case, wrong
        return case.outcome

    assert outcome(gold=["a"]) == outcome(facts=["b"]) == "answered"
    assert outcome(gold=["a"], outcome="not_in_abstracts") == "not_in_abstracts"
    assert outcome(forbidden=["c"]) is outcome(rubric="Is it kind?") is None


def test_suites_are_their_files_in_the_order_of_their_names(write: Write) -> None:
    for name in ("ask-b", "ask", "ask-a", "asking", "digest"):
        suite: SuiteName = "digest" if name == "digest" else "ask"
        row = {"id": name, SUBJECTS[suite]: name, "gold": ["x"]}
        folder = write(f"{name}.jsonl", row).parent
    asked = [case.id for case in load_suites(folder, ["ask"])["ask"]]
    assert asked == ["ask", "ask-a", "ask-b"]
    assert list(load_suites(folder)) == ["ask", "digest"]
    one = load_suites(Path("nowhere"), [str(folder / "ask-b.jsonl")])
    assert [case.id for case in one["ask"]] == ["ask-b"]


def test_who_has_no_cases_is_shown_a_first_one(write: Write, tmp_path: Path) -> None:
    assert FIRST_ROWS["ask"] in refused(tmp_path / "nowhere").fix
    file = write("ask.jsonl", "# none yet")
    assert FIRST_ROWS["digest"] in refused(file.parent, "digest").fix
    assert "no cases" in refused(file.parent).message
    assert FIRST_ROWS["ask"] in refused(file.parent).fix
    assert "do you mean ask?" in refused(file.parent, "aks").fix
    assert "ask-mine.jsonl" in refused(file.parent, "mine.jsonl").fix
    assert "No such file" in refused(file.parent, "ask-gone.jsonl").message
    for suite, row in FIRST_ROWS.items():
        assert read_case(suite, json.loads(row))[1] == []


A = {"id": "1", "question": "?", "gold": ["x"]}
WRONG: dict[str, tuple[SuiteName, Any, str, str]] = {
    "a misspelt field": ("ask", {**A, "fact": ["y"]}, '"fact"', 'write "facts"'),
    "a strange field": ("ask", {**A, "zzz": 1}, '"zzz"', "there are id, question, history"),
    "a field of another suite": ("ask", {**A, "topic": "t"}, '"topic"', "leave it out"),
    "no id": ("ask", {"question": "?", "gold": ["x"]}, '"id"', FIRST_ROWS["ask"]),
    "no subject": ("digest", {"id": "1", "gold": []}, '"topic"', FIRST_ROWS["digest"]),
    "a number for text": ("ask", {**A, "id": 7}, "7", "quotes"),
    "an empty text": ("ask", {**A, "question": " "}, '" "', "quotes"),
    "blanks around a name": ("ask", {**A, "gold": ["x "]}, '"x "', "one line"),
    "text for a list": ("ask", {**A, "gold": "x"}, '"gold"', 'write "gold": ['),
    "an empty fact": ("ask", {**A, "facts": [[]]}, "empty list", "leave it out"),
    "a fact of nothing": ("ask", {**A, "facts": ["\u200b"]}, "nothing", "slashes"),
    "a broken pattern": ("ask", {**A, "facts": ["/(/"]}, '"/(/"', "plain text"),
    "a pattern for ever": ("ask", {**A, "facts": ["/(a+)+b/"]}, "for ever", "plain text"),
    "a strange outcome": ("ask", {**A, "outcome": "anwered"}, '"anwered"', '"answered"'),
    "a turn of one": ("ask", {**A, "history": [["q"]]}, "turn", '["question", "answer"]'),
    "nothing expected": ("ask", {"id": "1", "question": "?"}, "expects nothing", "gold, facts"),
    "nothing to find": ("retrieval", {**A, "gold": []}, '"gold" is empty', "name the papers"),
    "an array": ("ask", "[1]", "not an object", "in that line"),
    "half an object": ("ask", "{", "not JSON", "in that line"),
    "a lone backslash": ("ask", r'{"id": "\d"}', "not JSON", "every backslash twice"),
    "no number": ("ask", '{"id": NaN}', "NaN", "in that line"),
    "a huge number": ("ask", '{"id": ' + "9" * 5000 + "}", "not JSON", "in that line"),
    "half a character": ("ask", r'{"id": "\ud800"}', "half of a character", "the character"),
    "a deep nest": ("ask", "[" * 100_000, "not JSON", "in that line"),
    "a field twice": ("ask", '{"id": "1", "id": "2"}', '"id" stands twice', "keep one"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_case_is_told_by_line_with_the_fix(name: str, write: Write) -> None:
    suite, row, message, fix = WRONG[name]
    file = write(f"{suite}.jsonl", "", row)
    error = refused(file.parent)
    assert error.message.startswith(f"{file}, line 2: ")
    assert message in error.message
    assert fix in error.fix


def test_the_first_mistake_is_told_and_how_many_follow(write: Write) -> None:
    file = write("ask.jsonl", {**A, "fact": [], "tag": []}, {**A, "id": "2"}, {**A, "id": "2"})
    error = refused(file.parent)
    assert '"fact"' in error.message and "And 2 more: see rag eval lint" in error.message
    file = write("ask.jsonl", A, A)
    assert f"the id stands in {file}, line 1, too" in refused(file.parent).message


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"\x80\x81"])
def test_a_file_that_is_no_text_is_told(write: Write, content: bytes) -> None:
    file = write("ask.jsonl")
    file.write_bytes(content)
    assert refused(file.parent).fix == "save the file as UTF-8"
    file.unlink()
    file.mkdir()
    assert "cannot be read" in refused(file.parent).message


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.just("k"), inner),
    max_leaves=4,
)


@given(st.dictionaries(st.sampled_from([field.name for field in FIELDS]), JSON))
@settings(max_examples=80, deadline=None)
def test_any_row_is_a_case_or_told_what_is_wrong(row: dict[str, Any]) -> None:
    for suite in SUITES:
        case, wrong = read_case(suite, row)
        assert bool(case) != bool(wrong)


@given(st.text(max_size=20) | st.text("/()[]{}*+?|\\-,0aé⁵–", max_size=20).map("/{}/".format))
@settings(max_examples=300, deadline=None)
def test_any_text_can_be_looked_for_or_told_why_not(alternative: str) -> None:
    try:
        compiled(alternative)
    except ValueError as error:
        assert str(error)
    else:
        assert found(alternative, "a0 aé–") in (True, False)
        if "/" not in alternative:
            assert found(alternative, f"({alternative})")


GOOD: list[tuple[SuiteName, dict[str, Any]]] = [
    ("retrieval", A),
    ("retrieval", {**A, "history": [["q", ""]], "kind": "k", "tags": []}),
    ("ask", {**A, "maybe": ["y"], "facts": [["a", "b"], "c"], "forbidden": [], "reference": "r"}),
    ("ask", {"id": "é 1", "question": "two\nlines", "outcome": "partial"}),
    ("ask", {"id": "1", "question": "?", "rubric": "r", "gold": []}),
    ("summarize", {"id": "1", "paper": "a.txt#3"}),
    ("digest", {"id": "1", "topic": "t", "gold": []}),
    ("digest", {"id": "1", "topic": "t", "gold": ["x"], "facts": ["y"]}),
]
VALUES = (
    None,
    True,
    3,
    "",
    " x",
    "x",
    "x\ty",
    [],
    {},
    ["x"],
    [" "],
    [3],
    [["x"]],
    [[]],
    [["", ""]],
)
VALUES += ([["x", "y", ["z"]]], [["x", "y", [3]]], [["x", "y", "z"]], "answered", ["/x/", ["y"]])


def test_the_schema_and_the_parser_agree() -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema checks the schema")
    rows = [*GOOD, *((suite, row) for suite, row, *_ in WRONG.values() if isinstance(row, dict))]
    names = [*(field.name for field in FIELDS), "zzz"]
    changed = [(s, {**row, name: each}) for s, row in GOOD for name in names for each in VALUES]
    lacking = [(s, {k: v for k, v in row.items() if k != name}) for s, row in GOOD for name in row]
    checkers = {suite: jsonschema.Draft202012Validator(schema(suite)) for suite in SUITES}
    for checker in checkers.values():
        checker.check_schema(checker.schema)
    verdicts = set()
    for suite, row in [*rows, *changed, *lacking]:
        _, wrong = read_case(suite, row)
        if any("/(" in each.message or "nothing of it" in each.message for each in wrong):
            continue  # whether a pattern compiles is more than a schema can say
        assert checkers[suite].is_valid(row) == (not wrong), (suite, row, wrong)
        verdicts.add((suite, not wrong))
    assert len(verdicts) == 8
    anything = jsonschema.Draft202012Validator(schema())
    assert all(anything.is_valid(row) for _, row in GOOD)
    assert not anything.is_valid({"id": "1"})


def test_every_field_has_a_suite_and_tells_an_editor_what_it_is() -> None:
    for suite in SUITES:
        properties = schema(suite)["properties"]
        assert SUBJECTS[suite] in properties
        assert all(each["description"].endswith(".") for each in properties.values())


@pytest.mark.parametrize(
    ("alternative", "text"),
    [
        ("38 %", "It closes 38% of them."),
        ("38%", "It closes 38 % of them."),
        ("two words", "TWO\n  Words"),
        ("3", "There are 3."),
        ("self-attention", "Self‑Attention"),
        ("-3", "fell by −3 points"),
        ("model's", "the model’s"),
        ("fine", "it is ﬁne"),
        ("10^5", "10⁵ tokens"),
        ("H2O", "H₂O"),
        ("GPT-4", "GPT–4-like"),
        ("/38 ?%/", "38\u00a0%"),
        ("/LEMMAS?/", "lemma"),
        ("/a–b/", "a-b"),
        ("/[x–z]/", "y-"),
        (r"/10⁵/", "10⁵"),
        ("C++", "written in C++."),
    ],
)
def test_what_is_read_alike_is_found(alternative: str, text: str) -> None:
    assert found(alternative, text)


@pytest.mark.parametrize(
    ("alternative", "text"),
    [
        ("3", "38"),
        ("3", "3.5"),
        ("5", "3.5"),
        ("240", "1,240"),
        ("7B", "17B"),
        ("art", "artful"),
        ("lemma", "lemmas"),
        ("two words", "twowords"),
        ("105", "10⁵"),
        ("/[x–z]/", "y"),
        ("a.c", "abc"),
        ("late", "x" * 20_000 + " late"),
    ],
)
def test_what_only_looks_alike_is_not_found(alternative: str, text: str) -> None:
    assert not found(alternative, text)


def test_of_a_fact_one_alternative_is_enough() -> None:
    facts = (("38 %", "more than a third"), ("lemmas",))
    assert missing(facts, "It closes more than a third.") == [("lemmas",)]
    assert present(["third", "half"], "It closes more than a third.") == ["third"]
    with pytest.raises(ValueError, match="longer than"):
        compiled("x" * 1001)


def test_papers_are_named_by_id_handle_title_and_place(store: Path, tmp_path: Path) -> None:
    snapshot = Snapshot.open(store)
    names = Names(snapshot, tmp_path)
    assert names.rows(["p3", snapshot.handles[1], "on STUDY 2", "a.jsonl#5", "P0"]) == [
        3,
        1,
        2,
        4,
        0,
    ]
    assert names.name_of("elsewhere") == "elsewhere"
    for name, fix in {"p33": "near ones are p3", "a.jsonl#9": "#1 to #5", "b#1": "a.jsonl"}.items():
        with pytest.raises(PaperNotFound) as error:
            names.rows(["p0", name])
        assert name in error.value.message and fix in error.value.fix


def test_a_key_is_what_a_paper_is_called(store: Path, write: Write) -> None:
    keys = [{"key": "third", "list": "a.jsonl", "ordinal": 3}]
    keys += [{"key": "p4", "list": "notes.jsonl", "ordinal": 9}]
    file = write("papers.jsonl", *keys, {"key": "lost", "list": "b.txt", "ordinal": 1})
    snapshot = Snapshot.open(store)
    names = Names(snapshot, file.parent)
    assert names.rows(["third", "p4", "p2"]) == [2, 4, 2]
    assert [names.name(2), names.name_of("p4")] == ["third", "p4"]
    assert keys_of(snapshot.papers(), file) == {"p2": "third", "p4": "p4"}
    with pytest.raises(PaperNotFound, match=r"b\.txt#1 in papers.jsonl"):
        names.rows(["lost"])
    with pytest.raises(PaperNotFound) as error:
        names.rows(["thrid"])
    assert error.value.fix == "near ones are third"


@pytest.mark.parametrize("row", [{"key": "k"}, {"key": 1, "list": "a", "ordinal": 1}, "[]"])
def test_a_wrong_key_is_told_by_line(store: Path, write: Write, row: object) -> None:
    file = write("papers.jsonl", {"key": "k", "list": "a", "ordinal": 1}, row)
    with pytest.raises(SourceError, match="line 2"):
        Names(Snapshot.open(store), file.parent)


def test_every_paper_has_a_name_of_its_own(tmp_path: Path, write: Write) -> None:
    text = "Sifting sorts the grains of sand number {} by their size and their colour."
    papers = [
        paper(id, text.format(i), handle=handle, ordinal=i)
        for i, (id, handle) in enumerate([("a", "Sieve"), ("b", "Sieve"), ("c", "a"), ("d", "k")])
    ]
    put(tmp_path / "store", batch(papers))
    file = write("papers.jsonl", {"key": "k", "list": "a.jsonl", "ordinal": 1})
    names = Names(Snapshot.open(tmp_path / "store"), file.parent)
    assert [names.name(row) for row in range(4)] == ["a", "k", "c", "d"]
    with pytest.raises(PaperNotFound, match="2 papers go by 'Sieve'") as error:
        names.rows(["Sieve"])
    assert "a, b" in error.value.fix


def test_only_titles_and_places_take_reading_papers(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot = Snapshot.open(built)
    monkeypatch.setattr(Snapshot, "paper", lambda *_: pytest.fail("a paper was read"))
    names = Names(snapshot, tmp_path)
    handles = [names.name(row) for row in range(len(PAPERS))]
    assert names.rows(handles) == names.rows(snapshot.ids) == list(range(len(PAPERS)))


def test_pattern_that_never_ends_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag.evaluate.matching.SECONDS", 0.05)
    with pytest.raises(QuestionError, match="takes too long"):
        found("/(a|aa)+$/", "a" * 5_000 + "b")
