"""What a question means after some turns: by the rules, and as a model puts it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import pytest

from rag.endpoint import Endpoint
from rag.engine.follow_up import resolve
from rag.engine.follow_up.rewriting import rewrite
from rag.engine.names import Names
from rag.engine.question import FollowUp, Turn
from rag.errors import BudgetError
from rag.models.openai import connect
from rag.prompts import load_task
from rag.types import Usage
from tests.fakes import Replies, paper
from tests.servers import Llama

TIDE, LOOM, GRIP, HEADS, HIVE = range(5)
PAPERS = [
    paper("tide", "Text.", handle="TideNet", title="TideNet: Filling the Gaps of Gauges"),
    paper("loom", "Text.", handle="LemmaLoom"),
    paper("grip", "Text.", handle="SoftGrip"),
    paper("heads", "Text.", handle="Attention Heads Waste", title="Half of the Heads Can Go Now"),
    paper("hive", "Text.", handle="HiveCam"),
]
ROWS = {p.paper_id: row for row, p in enumerate(PAPERS)}
HEADS_NAME = "Half of the Heads Can Go Now"

ONE = [Turn("How does TideNet measure the error?", "In cm [1].", ("tide", "grip"))]
LIST = [
    Turn("What does HiveCam read?", "Dances [1].", ("hive",)),
    Turn("Which papers use sound?", "These [1] [2] [3].", ("grip", "heads", "loom")),
]
TWO = [Turn("Compare TideNet and LemmaLoom", "One [1], the other [2].", ("tide", "loom"))]
TEXT = [Turn("What is LemmaLoom?", "A tool that mends proofs.")]


def follow_up(question: str, history: Sequence[Turn]) -> FollowUp:
    names = Names([p.handle for p in PAPERS])
    found = resolve(question, history, names, PAPERS.__getitem__, ROWS.get, lambda text: HIVE)
    return replace(found, request="")


def request(question: str, history: Sequence[Turn]) -> str:
    names = Names([p.handle for p in PAPERS])
    found = resolve(question, history, names, PAPERS.__getitem__, ROWS.get, lambda text: HIVE)
    return " ".join(found.request.split())


Expected = tuple[str, str, list[int]]

PRONOUNS: list[Expected] = [
    ("How good is it?", "How good is TideNet?", [TIDE]),
    ("And how good is it?", "How good is TideNet?", [TIDE]),
    ("What are its limits?", "What are TideNet's limits?", [TIDE]),
    ("What is their main result?", "What is TideNet's main result?", [TIDE]),
    ("Is that paper reviewed?", "Is TideNet reviewed?", [TIDE]),
    ("Do they release code?", "TideNet: Do they release code?", [TIDE]),
    ("What did the authors find?", "TideNet: What did the authors find?", [TIDE]),
    ("How large is the model?", "TideNet: How large is the model?", [TIDE]),
    ("Does that hold in rivers?", "TideNet: Does that hold in rivers?", [TIDE]),
    ("Tell me more", "TideNet: Tell me more", [TIDE]),
    ("Is it better than LemmaLoom?", "Is TideNet better than LemmaLoom?", [TIDE, LOOM]),
    ("How does LemmaLoom compare to it?", "How does LemmaLoom compare to TideNet?", [TIDE, LOOM]),
    ("Which other papers use it?", "Which other papers use TideNet?", []),
]
ELLIPSES: list[Expected] = [
    ("Why?", "How does TideNet measure the error, and why?", [TIDE]),
    ("And on rivers?", "How does TideNet measure the error on rivers?", [TIDE]),
    ("On rivers?", "How does TideNet measure the error on rivers?", [TIDE]),
    ("And LemmaLoom?", "How does LemmaLoom measure the error?", [LOOM]),
    ("What about LemmaLoom?", "How does LemmaLoom measure the error?", [LOOM]),
    ("And for LemmaLoom?", "How does LemmaLoom measure the error?", [LOOM]),
    ("The same for LemmaLoom?", "How does LemmaLoom measure the error?", [LOOM]),
    ("And the second one?", "How does SoftGrip measure the error?", [GRIP]),
    ("What about rivers?", "TideNet: What about rivers?", [TIDE]),
    ("And its speed?", "And TideNet's speed?", [TIDE]),
    ("Is code available?", "TideNet: Is code available?", [TIDE]),
    ("Any limitations?", "TideNet: Any limitations?", [TIDE]),
]
CORRECTIONS: list[Expected] = [
    ("no, I meant LemmaLoom", "How does LemmaLoom measure the error?", [LOOM]),
    ("No, LemmaLoom.", "How does LemmaLoom measure the error?", [LOOM]),
    ("I meant LemmaLoom, not TideNet", "How does LemmaLoom measure the error?", [LOOM]),
    ("not TideNet, LemmaLoom", "How does LemmaLoom measure the error?", [LOOM]),
    ("sorry, I meant the second one", "How does SoftGrip measure the error?", [GRIP]),
    ("Sorry, what is a gauge?", "what is a gauge?", []),
]
ORDINALS: list[Expected] = [
    ("What does the first one do?", "What does SoftGrip do?", [GRIP]),
    ("Tell me about the third", "Tell me about LemmaLoom", [LOOM]),
    ("the last one?", "What is LemmaLoom about?", [LOOM]),
    ("number 3 please", "What is LemmaLoom about?", [LOOM]),
    ("#3", "What is LemmaLoom about?", [LOOM]),
    ("What is [3] about?", "What is LemmaLoom about?", [LOOM]),
    ("What is paper 2 about?", f"{HEADS_NAME}: What is it about?", [HEADS]),
    ("the other one?", f"What is {HEADS_NAME} about?", [HEADS]),
    ("the former?", "What is SoftGrip about?", [GRIP]),
    ("Compare [1] and [3]", "Compare SoftGrip and LemmaLoom", [GRIP, LOOM]),
    ("Is [1] faster than the last one?", "Is SoftGrip faster than LemmaLoom?", [GRIP, LOOM]),
    ("How does it work?", "How does SoftGrip work?", [GRIP]),
    ("And robots?", "Which papers use robots?", []),
    ("And for robots?", "Which papers use sound for robots?", []),
    ("What about TideNet?", "What is TideNet about?", [TIDE]),
]
ALL = f"SoftGrip; {HEADS_NAME}; LemmaLoom"
GROUPS: list[Expected] = [
    ("Which of them use robots?", f"{ALL}: Which of them use robots?", [GRIP, HEADS, LOOM]),
    ("What are these papers about?", f"{ALL}: What are these papers about?", [GRIP, HEADS, LOOM]),
    ("Do they use robots?", f"{ALL}: Do they use robots?", [GRIP, HEADS, LOOM]),
    ("Which of these do not use it?", f"{ALL}: Which of these do not use it?", [GRIP, HEADS, LOOM]),
    ("Which of those don't sing?", f"{ALL}: Which of those don't sing?", [GRIP, HEADS, LOOM]),
    ("How do they differ?", f"{ALL}: How do they differ?", [GRIP, HEADS, LOOM]),
    ("Which is better?", f"{ALL}: Which is better?", [GRIP, HEADS, LOOM]),
    ("Summarize all three", f"{ALL}: Summarize all three", [GRIP, HEADS, LOOM]),
]
PAIRS: list[Expected] = [
    ("Do they both use sound?", "Do TideNet and LemmaLoom both use sound?", [TIDE, LOOM]),
    ("Do both use sound?", "Do TideNet and LemmaLoom use sound?", [TIDE, LOOM]),
    ("Which one is faster?", "TideNet; LemmaLoom: Which one is faster?", [TIDE, LOOM]),
    ("And SoftGrip?", "Compare TideNet and SoftGrip", [TIDE, GRIP]),
    ("What about the latter?", "What is LemmaLoom about?", [LOOM]),
]


@pytest.mark.parametrize(
    ("history", "question", "standalone", "rows"),
    [
        (history, *case)
        for history, cases in (
            (ONE, PRONOUNS + ELLIPSES + CORRECTIONS),
            (LIST, ORDINALS + GROUPS),
            (TWO, PAIRS),
            (
                TEXT,
                [("How many proofs does it mend?", "How many proofs does LemmaLoom mend?", [LOOM])],
            ),
        )
        for case in cases
    ],
)
def test_a_follow_up_is_made_to_stand_alone(
    history: list[Turn], question: str, standalone: str, rows: list[int]
) -> None:
    assert follow_up(question, history) == FollowUp(standalone, tuple(rows))


@pytest.mark.parametrize("history", [ONE, LIST, TWO, TEXT])
@pytest.mark.parametrize(
    "question",
    [
        "What does HiveCam read?",
        "And what error does HiveCam reach with it?",
        "Which papers use robots?",
        "What weather is it?",
        "Is it true that larger models hallucinate more?",
        "How long does it take to train a diffusion model?",
        "What is the second most common failure?",
        "What is the first paper to use sound?",
        "Which models work on both images and text?",
        "Which of the papers mention robots?",
    ],
)
def test_a_new_topic_stands_alone(question: str, history: list[Turn]) -> None:
    assert follow_up(question, history) == FollowUp(question)


@pytest.mark.parametrize("question", ["the ninth one?", "[9]?", "And the fourth?", "What is #4?"])
def test_beyond_the_last_paper_nothing_is_meant_and_it_is_told(question: str) -> None:
    note = "Only 3 papers were shown before."
    assert follow_up(question, LIST) == FollowUp(question, note=note)
    assert follow_up("And the third?", ONE).note == "Only 2 papers were shown before."
    assert follow_up("And the second?", TEXT).note == "Only 1 paper was shown before."


def test_what_was_refused_is_no_topic_but_has_its_numbers() -> None:
    refused = Turn("Which papers use quanta?", "None. Nearest: …", ("grip", "hive"), refused=True)
    assert follow_up("hi", [refused]) == FollowUp("hi")
    assert follow_up("Why is it so?", [refused]) == FollowUp("Why is it so?")
    assert follow_up("And the second one?", [refused]).rows == (HIVE,)
    assert follow_up("What do they find?", [*TWO, refused]).rows == (TIDE,)
    assert follow_up("What are its limits?", [*ONE, refused, refused]).rows == (TIDE,)
    named = Turn("How many GPUs has TideNet?", "They do not say.", ("tide",), refused=True)
    assert follow_up("And its error?", [named]).rows == (TIDE,)


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Which of them use robots?", "Which of use robots?"),
        ("which of those also sing?", "which of also sing?"),
        ("only the ones about water", "only about water"),
        ("Which ones are about water?", "Which are about water?"),
        ("narrow it down to water", "narrow down to water"),
    ],
)
def test_what_is_asked_of_papers_is_told_from_what_points_at_them(
    question: str, asked: str
) -> None:
    assert request(question, LIST) == asked
    assert follow_up(question, LIST).rows == (GRIP, HEADS, LOOM)


def test_a_refusal_in_between_leaves_the_list_before_it() -> None:
    refused = Turn("Which of them use quanta?", "0 of these 3.", ("grip", "heads"), refused=True)
    assert follow_up("Which of them sing?", [*LIST, refused]).rows == (GRIP, HEADS, LOOM)


@pytest.mark.parametrize("question", ["How do they differ?", "What do they have in common?"])
def test_the_papers_of_two_turns_are_held_against_each_other(question: str) -> None:
    one = Turn("What is TideNet?", "A network [1].", ("tide",))
    two = Turn("What is LemmaLoom?", "A tool [1].", ("loom", "tide"))
    assert follow_up(question, [one, two]).rows == (TIDE, LOOM)
    assert follow_up(question, [one, two, two]).rows == (TIDE, LOOM)


def test_the_papers_of_one_turn_are_held_against_each_other_again() -> None:
    history = [*TWO, Turn("which one is faster?", "One [1], the other [2].", ("tide", "loom"))]
    assert follow_up("How do they differ?", history).rows == (TIDE, LOOM)


def test_another_data_set_takes_the_place_of_the_one_before() -> None:
    history = [Turn("What is the ImageNet gain of TideNet?", "5 % [1].", ("tide",))]
    found = follow_up("and on HumanoidBench?", history)
    assert found == FollowUp("What is the HumanoidBench gain of TideNet?", (TIDE,))


def test_without_history_nothing_is_resolved() -> None:
    assert follow_up("Why is it so?", []) == FollowUp("Why is it so?")


def test_ellipses_chain_through_texts_alone() -> None:
    history = [
        Turn("What is TideNet?", "A network."),
        Turn("How does it measure the error?", "In cm."),
        Turn("And LemmaLoom?", "In goals."),
    ]
    found = follow_up("And SoftGrip?", history)
    assert found == FollowUp("How does SoftGrip measure the error?", (GRIP,))


def test_an_ordinal_means_the_latest_list_that_is_long_enough() -> None:
    history = [*LIST, Turn("What does SoftGrip do?", "It grips [1].", ("grip",))]
    assert follow_up("And the third one?", history).rows == (LOOM,)
    assert follow_up("And its speed?", history).rows == (GRIP,)


def test_a_long_title_goes_before_the_question_and_is_known_again() -> None:
    history = [Turn("Which paper is on heads?", "This [1].", ("heads",))]
    first = follow_up("How many does it remove?", history)
    assert first == FollowUp(f"{HEADS_NAME}: How many does it remove?", (HEADS,))
    history.append(Turn(first.standalone, "Half [1]. TideNet [2].", ("tide", "heads")))
    assert follow_up("Is it fast?", history).rows == (HEADS,)


def test_where_no_paper_was_shown_or_named_the_nearest_is_meant() -> None:
    assert follow_up("Why?", [Turn("What is the weather?", "Fine.")]).rows == (HIVE,)


def test_papers_that_have_gone_are_passed_over() -> None:
    history = [Turn("Which papers use sound?", "These.", ("gone", "loom"))]
    assert follow_up("And the first one?", history).rows == (LOOM,)


@pytest.mark.parametrize(
    "question",
    ["and " * 200, "it " * 300, "[1]" * 300, "no, " * 200, "not " * 200, "what about " * 80]
    + ["the first " * 90, "i mean " * 100, "?!", "[0]", "#99", "and ?", "no, ?!", "x" * 900],
)
def test_odd_questions_are_quick_and_never_fail(question: str) -> None:
    history = [Turn("word " * 4_000, "TideNet and LemmaLoom " * 2_000, ("tide",) * 50)] * 200
    started = time.perf_counter()
    assert follow_up(question, history).standalone
    assert time.perf_counter() - started < 1.0


# --- by a model --------------------------------------------------------------------------------

TASK = load_task("follow_up")
TURN = [Turn("How does TideNet measure the error?", "In cm, on 12 gauges [1].", ("tide",))]


def rewritten(reply: str, question: str = "And how fast is it?", window: int = 8192) -> str | None:
    model = Replies(reply, window=window)
    text, usage = rewrite(model, TASK, question, TURN, lambda key: PAPERS[ROWS[key]].name)
    assert usage.output_tokens == len(reply.split())
    return text


@pytest.mark.parametrize(
    "reply",
    [
        "How fast is TideNet?",
        "<think>It is TideNet. Is it?</think>\n\nHow fast is TideNet?",
        '"How fast is TideNet?"',
        "Rewritten question: How fast is TideNet?",
        "Sure! Here is the question:\n\nHow fast is TideNet?",
        "How fast is TideNet? It is very fast.",
        "**How fast is TideNet?**",
    ],
)
def test_the_question_is_taken_out_of_a_reply(reply: str) -> None:
    assert rewritten(reply) == "How fast is TideNet?"


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "TideNet is fast.",
        "And how fast is it?",
        "How does TideNet measure the error?",
        "How fast is LemmaLoom?",
        "How fast is TideNet on 40 gauges?",
        "How fast is TideNet? How fast is the sea?",
        "What is the error of TideNet?",
        f"How fast is TideNet {'and how fast ' * 40}?",
        "<think>How fast is TideNet?",
    ],
)
def test_what_is_no_such_question_is_not_taken(reply: str) -> None:
    assert rewritten(reply) is None


def test_the_model_sees_the_last_turns_with_the_papers_by_number() -> None:
    model = Replies("How fast is TideNet?")
    turns = [*TURN, Turn("Which\n\npapers\x1b[2J use sound?", "These.", ("grip", "gone", "loom"))]
    called = {"grip": "SoftGrip", "loom": "LemmaLoom", "tide": "TideNet"}
    rewrite(model, TASK, "And how fast is it?", turns, called.get)
    shown = model.asked[0][-1].text
    assert "Question: Which papers [2J use sound?\n" in shown
    assert "Papers: [1] SoftGrip; [3] LemmaLoom" in shown
    assert shown.index("gauges") < shown.index("sound") < shown.index("And how fast is it?")
    assert "\x1b" not in shown


@pytest.mark.parametrize("window", [600, 2_000, 100_000])
def test_the_history_is_cut_to_the_window(window: int) -> None:
    model = Replies("How fast is TideNet?", window=window)
    turns = [Turn("word " * 500, "word " * 5_000, ("tide",))] * 200
    rewrite(model, TASK, "And how fast is it?", turns, lambda key: "TideNet")
    assert sum(model.count(message.text) for message in model.asked[0]) < min(window, 2_500)


def test_a_window_without_room_costs_no_request() -> None:
    model = Replies(window=100)
    assert rewrite(model, TASK, "Why?", TURN, lambda key: None) == (None, Usage())
    assert model.asked == []


def test_a_passed_budget_is_told() -> None:
    class Poor(Replies):
        def reply(self, *_: object, **__: object):  # type: ignore[no-untyped-def]
            raise BudgetError("No money.", "earn some")

    with pytest.raises(BudgetError):
        rewrite(Poor(), TASK, "Why?", TURN, lambda key: None)


def test_a_weak_model_gives_a_question_or_none(smollm: Llama) -> None:
    model = connect(Endpoint("smollm2", smollm.url))
    text, usage = rewrite(model, TASK, "What is its error?", TURN, lambda key: "TideNet")
    assert text is None or text.endswith("?")
    assert usage.input_tokens > 100
