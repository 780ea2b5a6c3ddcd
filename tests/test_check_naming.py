"""What is a name, and which names quotes know."""

from __future__ import annotations

import pytest

from rag.engine.check.naming import Known, leading, names
from rag.engine.check.reading import read

QUOTE = (
    "We compare Multi-Head RoPE (MHRoPE) with GPT-4o-mini, Qwen2.5-7B and CIFAR10 models, using "
    "large language models and a mixture of experts for DPO training with transformers on "
    "WildFeedback."
)


def shown(text: str) -> list[str]:
    return [name.shown for name in names(read(text))]


def unknown(statement: str, *quotes: str) -> list[str]:
    said, known = read(statement), Known([read(quote) for quote in quotes or (QUOTE,)])
    found = [*leading(said), *names(said)]
    return [name.shown for name in found if not known.holds(said, name)]


def test_names_are_known_by_their_writing() -> None:
    text = "Using MHRoPE, GPT-4o, U-Net, o1, Adam and the BERT-based C++ tool beats sleep2vec."
    assert shown(text) == [
        "MHRoPE",
        "GPT-4o",
        "U-Net",
        "o1",
        "Adam",
        "BERT-based",
        "C",
        "sleep2vec",
    ]


def test_sentences_begin_without_a_name() -> None:
    assert shown("Training helps. Models improve: They learn; (ii) Data helps.") == []
    assert shown("7B models are 3x faster, 10ms each, the 2nd in 2024.") == []


@pytest.mark.parametrize(
    "statement",
    [
        "MHRoPE beats GPT-4o-mini.",
        "Multi-Head RoPEs are MHRoPE's idea.",
        "GPT4o mini and Qwen2.5 (7B) and CIFAR-10 are used.",
        "Many LLMs use a Mixture of Experts (MoE).",
        "It trains Transformers by Direct Preference Optimization.",
        "It is trained on Wild Feedback, Qwen-based and DPO-trained.",
        "Large Language Models learn.",
    ],
)
def test_spellings_and_letters_for_words_are_known(statement: str) -> None:
    assert unknown(statement) == []


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("MHRoPF is best.", "MHRoPF"),
        ("It beats GPT-5o-mini.", "GPT-5o-mini"),
        ("It uses Qwen2.5-72B.", "Qwen2.5-72B"),
        ("It is trained on UltraFeedback.", "UltraFeedback"),
        ("It runs on CIFAR-100.", "CIFAR-100"),
        ("It uses RLHF.", "RLHF"),
        ("The system Phantora is fast.", "Phantora"),
        ("Phantora outperforms it.", "Phantora"),
        ("It trains; Phantora, a simulator, helps.", "Phantora"),
        ("Veltrix-2 helps.", "Veltrix-2"),
    ],
)
def test_other_names_are_not(statement: str, name: str) -> None:
    assert unknown(statement) == [name]


def test_an_ordinary_first_word_is_no_name() -> None:
    for statement in (
        "Accuracy improves.",
        "Noisy labels hurt.",
        "Extensive experiments show it.",
        "Code is released.",
        "Researchers propose it.",
        "Surprisingly, it is fast.",
    ):
        assert unknown(statement) == []


def test_a_long_acronym_may_be_made_of_the_quotes_words() -> None:
    assert unknown("DRTP is used.", "A deep recurrent temporal predictor is used.") == []
    assert unknown("DRP is used.", "A deep recurrent predictor is used.") == ["DRP"]
