"""A question that finds nothing in its own words is searched for in a model's as well."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rag.embed.minilm import MiniLM
from rag.engine.answer import Asker
from rag.engine.check import Checker
from rag.engine.question import Turn
from rag.engine.rewording import QUERIES
from rag.engine.writer import Writer
from rag.prompts import load_task
from rag.retrieve.hybrid import Retriever
from tests.commands import Run
from tests.fakes import Replies
from tests.servers import Scripted, says

PLAIN = "How could one tell whether a chatbot has cheated?"
SEARCHES = (
    "- detecting benchmark contamination\n- whether language models were trained on the test set"
)
RIGHT = "Nine of fourteen public models betray that they were trained on the test set."

Make = Callable[..., tuple[Asker, Replies]]


@pytest.fixture
def make(retriever: Retriever, minilm: MiniLM) -> Make:
    def asker(*replies: str, window: int = 8192) -> tuple[Asker, Replies]:
        model = Replies(*replies, window=window)
        tasks = {"follow_ups": load_task("follow_up"), "searches": load_task("search")}
        return Asker(retriever, Writer(model, load_task("answer"), Checker(minilm), **tasks)), model

    return asker


def test_the_words_of_the_field_find_the_paper_and_are_told(make: Make) -> None:
    asker, model = make(SEARCHES, RIGHT)
    plain = asker.retriever.search(PLAIN)
    answer = asker.ask(PLAIN)
    assert plain[0].paper.paper_id != "leak"
    assert [paper.paper_id for paper in answer.sources] == ["leak"]
    assert answer.statements[0].supported and answer.question == PLAIN
    (note,) = answer.notes
    assert "detecting benchmark contamination; whether language models were trained" in note
    first, second = model.asked
    assert first[-1].text == f"Question: {PLAIN}"
    shown = second[-1].text
    assert shown.index("Marked Questions") < shown.index("Listening Fingers")
    words = sum(len(message.text.split()) for asked in model.asked for message in asked)
    assert answer.usage.input_tokens == words


@pytest.mark.parametrize(
    "question",
    [
        "By how much does TideNet lower the error of the water level?",  # the first paper leads
        "What do TideNet and LemmaLoom have in common?",  # they are named
        "Which papers are about robots or bees?",  # all are looked through
        "How many GPUs did the winners of the world cup of 1954 own?",  # hopeless
    ],
)
def test_a_search_that_needs_no_other_words_asks_for_none(make: Make, question: str) -> None:
    asker, model = make("NOT IN THE ABSTRACTS")
    answer = asker.ask(question)
    answering = load_task("answer")["system"].text
    assert all(asked[0].text == answering for asked in model.asked)
    assert not any("searched for" in note for note in answer.notes)


def test_a_follow_up_on_a_paper_is_left_alone(make: Make) -> None:
    history = (Turn("What is TideNet?", "A graph network.", ("tide",)),)
    asker, model = make("Why does TideNet do it?", "NOT IN THE ABSTRACTS")
    asker.ask("And why does it do that?", history)
    assert len(model.asked) == 2


@pytest.mark.parametrize(
    "reply",
    [
        "",
        PLAIN,
        "word " * 60,
        "<think>hm</think>",
        "{",
        "\ud800 ∑ 蜂",
        "I'm sorry, I cannot.",
    ],
)
def test_a_reply_that_is_no_search_changes_nothing(make: Make, reply: str) -> None:
    asker, model = make(reply, "NOT IN THE ABSTRACTS")
    answer = asker.ask(PLAIN)
    assert answer.notes == () and answer.usage.output_tokens >= 4
    assert len(model.asked) == 2


def test_of_many_searches_the_first_few_are_taken(make: Make) -> None:
    lines = [f"- how to tell whether chatbot {n} cheated" for n in range(9)]
    asker, _ = make("\n".join(lines), "NOT IN THE ABSTRACTS")
    (note,) = asker.ask(PLAIN).notes
    assert note.count(";") == QUERIES - 1


def test_a_question_in_another_language_is_searched_for_in_english(make: Make) -> None:
    question = "Woran erkennt man, ob ein Modell die Antworten der Prüfung kannte?"
    asker, _ = make(SEARCHES, RIGHT)
    answer = asker.ask(question)
    assert [paper.paper_id for paper in answer.sources] == ["leak"]
    odd, _ = make("- \ud800 蜂 \x00\n- " + "x" * 9_000, "NOT IN THE ABSTRACTS")
    assert "Also searched for" in odd.ask(question).notes[0]


def test_what_is_searched_for_is_explained(make: Make) -> None:
    asker, _ = make(SEARCHES, RIGHT)
    heard: list[object] = []
    answer = asker.ask(PLAIN, on_considered=heard.append)
    found = asker.explain(heard[0], answer)  # type: ignore[arg-type]
    assert found.understood.also[0] == "detecting benchmark contamination"


def test_at_a_server_it_is_asked_first_shown_counted_and_can_be_left_out(indexed: Run) -> None:
    with Scripted(SEARCHES, RIGHT) as server:
        done = indexed("ask", PLAIN, "--base-url", server.url)
        assert len(server.prompted) == 2
        assert "Also searched for: detecting benchmark contamination" in done.err
        assert "Nine of fourteen" in done.out
        (row,) = indexed("usage", "--json").json["usage"]
        assert row["requests"] == 2
        left = indexed("ask", PLAIN, "--base-url", server.url, "--no-reword", "--json").json
        assert not any("searched for" in note for note in left["notes"])
        assert len(server.prompted) == 3


def test_a_request_that_fails_leaves_the_plain_search(indexed: Run) -> None:
    with Scripted(RIGHT, faults=[says(400, "not today")]) as server:
        done = indexed("ask", PLAIN, "--base-url", server.url, "--json")
    assert done.status == 0
    assert any("Not searched for in other words" in note for note in done.json["notes"])
    assert "not today" in done.err
