"""Things of a class that a paper names: who asks for them, and where they stand."""

from __future__ import annotations

import pytest

from rag.engine.inventory import listing, wanted
from rag.engine.question import kind_of

SENTENCES = [
    "Kites are flown by hand on KiteBench.",
    "We propose Gusty, a pilot.",
    "It has three parts, none of them large.",
    "Gusty is evaluated on three tasks: soaring, landing, and looping.",
    "On WindGym and CliffWorld it flies longer than Qwen2-7B does.",
    "It outperforms hand-tuned pilots and older autopilots by a mile.",
    "We release the wind in English and French.",
]


@pytest.mark.parametrize(
    ("question", "things"),
    [
        ("Which benchmarks does Gusty use?", "tests"),
        ("What datasets is Gusty tested on?", "tests"),
        ("On which environments is it evaluated?", "tests"),
        ("What baselines does Gusty beat?", "baselines"),
        ("What methods does Gusty compare with?", "baselines"),
        ("Which language models does Gusty use?", "models"),
        ("What tasks is Gusty tried on?", "tasks"),
        ("Which languages does Gusty cover?", "languages"),
        ("What metrics does Gusty report?", "metrics"),
        ("What are the names of the models tested?", None),
        ("How many benchmarks does Gusty use?", None),
        ("What does Gusty use?", None),
        ("Which of the models is used?", None),
    ],
)
def test_a_question_asks_for_things_of_a_class(question: str, things: str | None) -> None:
    assert wanted(question) == things


@pytest.mark.parametrize(
    ("things", "place"), [("tasks", 3), ("tests", None), ("baselines", 5), ("languages", 6)]
)
def test_the_sentence_that_names_them_is_found(things: str, place: int | None) -> None:
    assert listing(things, "Gusty", SENTENCES) == place


@pytest.mark.parametrize(
    ("things", "sentence", "names"),
    [
        ("tests", "Experiments on WindGym and CliffWorld show that it flies on.", True),
        ("tests", "It achieves 9 points on two benchmarks (WindGym, CliffWorld).", True),
        ("tests", "Experiments on two benchmarks show that LLMs fly on.", False),
        ("tests", "We tested it on hills.", False),
        ("models", "We evaluate models such as Qwen2-7B in the wind.", True),
        ("models", "It surpasses Qwen2-7B in all winds tested.", False),
        ("models", "We evaluate three models in the wind.", False),
        ("metrics", "We report two metrics: lift and drag.", True),
    ],
)
def test_a_sentence_has_to_name_them(things: str, sentence: str, names: bool) -> None:
    assert listing(things, "Gusty", ["Kites fly.", sentence]) == (1 if names else None)


def test_what_a_paper_compares_with_is_no_comparison_of_papers() -> None:
    assert kind_of("What baselines does Gusty compare with?") == "fact"
    assert kind_of("How does Gusty compare with Gale?") == "compare"
