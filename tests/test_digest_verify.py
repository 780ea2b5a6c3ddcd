"""``rag.digest.verify`` and ``rag.digest.saved``: does what was saved still stand?"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rag.digest.saved import read_saved
from rag.digest.verify import Recheck, verify
from rag.embed.minilm import MiniLM
from rag.engine.check import Checker
from rag.errors import SourceError
from rag.store.snapshot import Snapshot
from rag.types import Paper
from tests.corpus import PAPERS, index

TEXTS = {paper.paper_id: paper.text for paper in PAPERS}


def cite(paper_id: str, quote: str) -> dict[str, Any]:
    start = TEXTS[paper_id].index(quote)
    end = start + len(quote)
    return {"number": 1, "paper_id": paper_id, "quote": quote, "start": start, "end": end}


TIDE = cite(
    "tide",
    "On twelve years of records it lowers the error of the water level from 9.4 cm to 6.1 cm.",
)
BEES = cite(
    "bees",
    "A camera above the comb and a small tracker read 1,240 dances without touching a single bee.",
)
GRIP = cite("grip", "A policy trained on sound alone picks strawberries without bruising them.")
TIDE_LINE = "TideNet lowers the error of the water level from 9.4 cm to 6.1 cm."
BEES_LINE = "A camera and a small tracker read 1,240 dances without touching a bee."

DIGEST: dict[str, Any] = {
    "topic": "sensing",
    "overview": [
        {"text": GRIP["quote"], "citations": [GRIP], "supported": True, "support": 1.0},
    ],
    "entries": [
        {"paper_id": "tide", "line": TIDE_LINE, "citations": [TIDE], "supported": True},
        {"paper_id": "bees", "line": BEES_LINE, "citations": [BEES], "supported": True},
        {"paper_id": "leak", "line": "All models cheat.", "citations": [], "supported": False},
    ],
    "groups": [{"name": "water", "paper_ids": ["tide"]}],
    "findings": [
        {
            "paper_id": "tide",
            "claim": "lowers the error of the water level from 9.4 cm to 6.1 cm",
            "figure": "from 9.4 cm to 6.1 cm",
            "citation": TIDE,
        }
    ],
    "omitted": [{"paper_id": "cells", "reason": "only in passing"}],
    "made_from": {"corpus": "c", "engine": "extractive", "settings": {"floor": 0.5}},
}
ANSWER: dict[str, Any] = {
    "question": "How do they sense?",
    "text": f"{TIDE_LINE} [1]",
    "statements": [{"text": TIDE_LINE, "citations": [TIDE], "supported": True}],
}
SUMMARY = {"paper_id": "bees", "summary": BEES_LINE, "citations": [BEES], "supported": True}

Look = Callable[..., list[Recheck]]


@pytest.fixture(scope="module")
def checker(minilm: MiniLM) -> Checker:
    return Checker(minilm)


@pytest.fixture
def look(built: Path, tmp_path: Path, checker: Checker) -> Look:
    """Saves a document and verifies it against the eight papers, or another index of some."""

    def look(document: Any, store: Path = built) -> list[Recheck]:
        return list(verify(read_saved(write(tmp_path, document)), Snapshot.open(store), checker))

    return look


def write(folder: Path, *rows: Any) -> str:
    path = folder / "saved.json"
    texts = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(texts), encoding="utf-8")
    return str(path)


def changed(document: dict[str, Any], place: Sequence[Any], value: Any) -> dict[str, Any]:
    """A copy of a document with another value at a place."""
    document = json.loads(json.dumps(document))  # in which nothing stands at two places
    part: Any = document
    for step in place[:-1]:
        part = part[step]
    part[place[-1]] = value
    return document


def statuses(found: Sequence[Recheck]) -> list[str]:
    return [each.status for each in found]


def test_what_still_stands_is_ok(look: Look) -> None:
    found = look({"digests": [DIGEST, DIGEST]})
    assert statuses(found) == ["ok"] * 8
    assert [each.where for each in found][3:5] == ["digest 1, finding 1", "digest 2, overview 1"]
    assert [each.where for each in look(ANSWER)] == ["statement 1"]
    assert statuses(look(SUMMARY)) == ["ok"]


def test_lines_of_a_batch_are_told_by_their_number(tmp_path: Path) -> None:
    saved = read_saved(write(tmp_path, ANSWER, "", {"id": 7, "error": {}}, SUMMARY))
    assert [claim.where for claim in saved.claims] == ["line 1, statement 1", "line 4"]
    assert saved.failed == 1


ENTRY = ("entries", 0)
CALLED = {"entries": "entry", "findings": "finding", "overview": "overview"}


@pytest.mark.parametrize(
    ("place", "value", "status", "detail"),
    [
        ((*ENTRY, "line"), TIDE_LINE.replace("6.1", "4.1"), "unsupported", "4.1"),
        ((*ENTRY, "line"), TIDE_LINE.replace("lowers", "does not lower"), "unsupported", ""),
        ((*ENTRY, "line"), TIDE_LINE.replace("TideNet", "WaveNet"), "unsupported", "WaveNet"),
        ((*ENTRY, "line"), GRIP["quote"], "unsupported", ""),
        ((*ENTRY, "line"), "", "unsupported", "no words"),
        ((*ENTRY, "line"), "\ud800 \x00", "unsupported", "no words"),
        ((*ENTRY, "paper_id"), "bees", "unsupported", "it is about bees"),
        ((*ENTRY, "citations"), [BEES], "unsupported", "it is about tide"),
        ((*ENTRY, "citations"), [], "unsupported", "no quotes"),
        ((*ENTRY, "citations", 0, "start"), 3, "moved", "it stands at"),
        ((*ENTRY, "citations", 0, "end"), 2**31 - 1, "moved", "it stands at"),
        ((*ENTRY, "citations", 0, "quote"), " ", "gone", "empty"),
        ((*ENTRY, "citations", 0, "quote"), "\ud800", "gone", "no longer says"),
        (
            (*ENTRY, "citations", 0, "quote"),
            TIDE["quote"].replace("9.4", "9.9"),
            "gone",
            f"it says “{TIDE['quote']}”",
        ),
        (
            (*ENTRY, "citations", 0, "quote"),
            TIDE["quote"].replace(" ", "  "),
            "gone",
            "spaced otherwise",
        ),
        ((*ENTRY, "citations", 0, "paper_id"), "wave", "gone", "the words stand in tide"),
        ((*ENTRY, "citations", 0, "quote"), "x" * 5_000, "gone", "no longer says"),
        (("findings", 0, "figure"), "4.1 cm", "unsupported", "4.1 cm is not"),
        (("findings", 0, "figure"), ".4 cm", "unsupported", ".4 cm is not"),
        (("findings", 0, "figure"), "", "unsupported", "no figure"),
        (
            ("findings", 0, "claim"),
            "lowers the time from 9.4 cm to 6.1 cm",
            "unsupported",
            "other words",
        ),
        (
            ("findings", 0, "claim"),
            "lowers the error of the water level by 75 %",
            "unsupported",
            "the quote has the figure from 9.4 cm to 6.1 cm, and the claim does not",
        ),
        (("overview", 0, "text"), "A policy picks 12 berries.", "unsupported", "12"),
        (
            ("overview", 0, "text"),
            GRIP["quote"].replace("strawberries", "tomatoes"),
            "unsupported",
            "the word “tomatoes” is not in the quotes",
        ),
        (
            (*ENTRY, "line"),
            TIDE_LINE.replace("error", "price"),
            "unsupported",
            "the word “price” is not in the quotes",
        ),
        (
            (*ENTRY, "line"),
            "TideNet lowers the level of the water error from 9.4 cm to 6.1 cm.",
            "unsupported",
            "“level” and “of” stand in another order",
        ),
    ],
)
def test_what_was_tampered_with_is_found(
    look: Look, place: Sequence[Any], value: Any, status: str, detail: str
) -> None:
    found = look({"digests": [changed(DIGEST, place, value)]})
    (bad,) = [each for each in found if each.status != "ok"]
    assert bad.status == status
    assert detail in bad.detail
    assert bad.where == f"digest 1, {CALLED[place[0]]} 1"


def test_only_what_was_made_of_quotes_is_held_to_their_words(look: Look) -> None:
    """A model may have other words, and an older file does not say who wrote it."""
    line = TIDE_LINE.replace("lowers the error", "cuts the error")
    reworded = changed(DIGEST, [*ENTRY, "line"], line)
    assert statuses(look({"digests": [reworded]})).count("unsupported") == 1
    assert "unsupported" not in statuses(look(changed(reworded, ["made_from", "engine"], "llm")))
    summary = changed(SUMMARY, ["summary"], BEES_LINE.replace("read 1,240", "watched 1,240"))
    assert statuses(look(summary)) == ["ok"]
    assert statuses(look({**summary, "engine": "extractive"})) == ["unsupported"]
    assert statuses(look({**SUMMARY, "engine": "extractive"})) == ["ok"]
    answer = changed(ANSWER, ["statements", 0, "text"], line)
    del answer["text"]
    assert statuses(look({**answer, "engine": "llm"})) == ["ok"]
    assert statuses(look({**answer, "engine": "extractive"})) == ["unsupported"]


@pytest.mark.parametrize(
    ("quote", "now"),
    [
        (
            "On ten years of records it lowers the error of the water level from 9.4 cm to 6.",
            TIDE["quote"],
        ),
        (
            "that fills gaps from neighbouring harbours. On",
            "fills the gaps from neighbouring harbours.",
        ),
        (
            "We present WaveNet, a graph network that fills the gaps from harbours. On twelve",
            "We present TideNet, a graph network that fills the gaps from neighbouring harbours.",
        ),
    ],
)
def test_what_a_text_says_now_is_shown_in_whole_words_and_sentences(
    look: Look, quote: str, now: str
) -> None:
    (gone,) = look(changed(SUMMARY, ["citations", 0], {**TIDE, "quote": quote}))
    assert gone.status == "gone"
    assert f"it says “{now}”" in gone.detail or gone.detail.endswith(f" {now}”")


def test_an_answer_says_what_its_statements_say(look: Look) -> None:
    (bad,) = look(changed(ANSWER, ["text"], f"{TIDE_LINE.replace('9.4', '8.4')} [1]"))
    assert (bad.status, bad.detail) == ("unsupported", "the text of the answer does not say it")


def test_a_marked_sentence_is_held_to_its_quotes_only(look: Look) -> None:
    marked = changed(SUMMARY, ["supported"], False)
    assert statuses(look({**marked, "summary": "It reads 9 dances."})) == ["ok"]
    assert statuses(look(changed(marked, ["citations", 0, "quote"], "no such words"))) == ["gone"]


def test_a_sentence_is_carried_by_the_quotes_that_still_stand(look: Look) -> None:
    statement = {"text": BEES_LINE, "citations": [BEES, {**TIDE, "paper_id": "wave"}]}
    assert statuses(look({"statements": [statement]})) == ["ok", "gone"]
    both = {**statement, "text": f"{BEES_LINE} {TIDE_LINE}"}
    first, second = look({"statements": [both]})
    assert (first.status, second.status) == ("unsupported", "gone")
    assert first.detail.startswith("without the quotes that are gone, ")


@pytest.fixture(scope="module")
def later(tmp_path_factory: pytest.TempPathFactory, minilm: MiniLM) -> Path:
    """An index in which an abstract has a new beginning, one other words, one another id, and
    one is missing."""
    store = tmp_path_factory.mktemp("later") / "index"
    index(store, minilm, [*papers_later()])
    return store


def papers_later() -> Iterator[Paper]:
    for paper in PAPERS:
        if paper.paper_id == "tide":
            yield replace(paper, text=f"The sea rises. {paper.text}")
        elif paper.paper_id == "bees":
            yield replace(paper, text=paper.text.replace("1,240", "1,310"))
        elif paper.paper_id == "grip":
            yield replace(paper, paper_id="fingers")
        elif paper.paper_id != "leak":
            yield paper


def test_an_index_that_was_built_anew(look: Look, later: Path) -> None:
    grip, tide, bees, finding = look({"digests": [DIGEST]}, later)
    assert (tide.status, finding.status) == ("moved", "moved")
    assert tide.now == (TIDE["start"] + 15, TIDE["end"] + 15)
    assert (bees.status, grip.status) == ("gone", "gone")
    assert "1,310 dances" in bees.detail
    assert "the words stand in fingers" in grip.detail


def test_the_nearest_place_of_a_quote_that_moved(look: Look) -> None:
    quote = "the"
    text = TEXTS["tide"]
    for start in (0, len(text) // 2, len(text), 10**9):
        citation = {"paper_id": "tide", "quote": quote, "start": start, "end": start}
        (found,) = look({"paper_id": "tide", "summary": "", "citations": [citation]})
        assert found.status == "unsupported"  # a sentence without words
        marked = {"paper_id": "tide", "summary": "", "citations": [citation], "supported": False}
        (found,) = look(marked)
        places = [i for i in range(len(text)) if text.startswith(quote, i)]
        assert found.now is not None
        assert abs(found.now[0] - start) == min(abs(place - start) for place in places)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where all the values of a document stand."""
    if path:
        yield path
    steps: Any = value.items() if isinstance(value, dict) else []
    for step, inner in enumerate(value) if isinstance(value, list) else steps:
        yield from places(inner, (*path, step))


FREE = {"question", "support", "corpus", "engine", "floor"}
"""What is not read, or compared without being understood."""
OPTIONAL = {"overview", "entries", "groups", "findings", "omitted", "citations", "paper_ids"}


@pytest.mark.parametrize("document", [DIGEST, ANSWER, SUMMARY], ids=["digest", "answer", "summary"])
def test_a_wrong_type_anywhere_is_an_error_that_says_where(
    tmp_path: Path, document: dict[str, Any]
) -> None:
    for place in places(document):
        if place[-1] in FREE:
            continue
        for wrong in (17.5, {"a": [1]}, [[]], "\ud800" if place[-1] in OPTIONAL else ["x"]):
            if isinstance(wrong, dict) and place[-1] in ("made_from", "settings"):
                continue
            tampered = changed(document, place, wrong)
            with pytest.raises(SourceError) as error:
                read_saved(write(tmp_path, tampered))
            assert "saved.json" in error.value.message
            assert error.value.fix


@pytest.mark.parametrize("field", ["start", "end"])
@pytest.mark.parametrize("offset", [-1, 2**31, 10**400, True, 1.0, "3", None])
def test_what_is_no_offset(tmp_path: Path, field: str, offset: Any) -> None:
    tampered = changed(SUMMARY, ["citations", 0, field], offset)
    with pytest.raises(SourceError, match=f'citation 1: "{field}" is not a whole number'):
        read_saved(write(tmp_path, tampered))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf \n", "is empty"),
        (b"\xff\xfe{}", "not UTF-8"),
        (b"null", "not an object"),
        (b"[]", "not an object"),
        (b"{", "not JSON"),
        (b'{"statements": [],}', "not JSON"),
        (b"[" * 100_000, "too deeply nested"),
        (b'{"a":' * 100_000, "too deeply nested"),
        (b'{"statements": NaN}', "NaN is no number"),
        (b'{"statements": [{"text": "x", "support": -Infinity}]}', "Infinity is no number"),
        (b'{"n": ' + b"9" * 5_000 + b"}", "not JSON"),
        (b'{"statements": []}\n{"title": "a paper"}', "line 2: this is no answer"),
        (b'{"statements": []}\n\n{"statements": ', "line 3: not JSON"),
        (b'{"error": {"type": "StoreMissing"}}', "holds an error"),
        (b'{"title": "a paper", "paper_id": "p"}', "this is no answer, summary or digest"),
    ],
)
def test_what_is_no_saved_file(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "saved.json"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=reason):
        read_saved(str(path))


def test_what_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in (str(tmp_path), str(tmp_path / "missing.json"), "a\0b"):
        with pytest.raises(SourceError, match="cannot be read"):
            read_saved(path)
    monkeypatch.setattr("rag.digest.parts.MAX_BYTES", 10)
    with pytest.raises(SourceError, match="more than"):
        read_saved(write(tmp_path, ANSWER))


def test_settings_nested_too_deeply_are_an_error_or_left_alone(tmp_path: Path) -> None:
    for depth in (5, 900, 1_500):
        nested = "[" * depth + "]" * depth
        text = json.dumps(DIGEST).replace('{"floor": 0.5}', f'{{"floor": {nested}}}')
        path = write(tmp_path, text)
        try:
            assert read_saved(path).digests[0].made_from["floor"] == nested
        except SourceError as error:
            assert "nested" in error.message


def test_an_older_file_lacks_what_came_later(look: Look) -> None:
    older = {"topic": "sensing", "entries": [{**DIGEST["entries"][0]}]}
    del older["entries"][0]["supported"]
    del older["entries"][0]["citations"][0]["number"]
    assert statuses(look({"digests": [older]})) == ["ok"]
