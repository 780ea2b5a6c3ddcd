"""However a word is written, it finds the papers that write it in another way."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

import numpy as np
import pytest

from rag.embed.minilm import MiniLM
from rag.retrieve.hybrid import plain
from rag.retrieve.lexical import Lexical, write_bm25
from rag.retrieve.spelling import forms, parted, slips, spellings
from rag.retrieve.terms import stem, terms
from tests.fakes import paper

TEXTS = {
    "greek": "Gliders weigh α-divergence against hail.",
    "named": "Beta decay lights the cellar.",
    "british": "The behaviour of starlings is modelled by factorised colours.",
    "american": "Labels are normalized in the center of the harbor.",
    "apart": "Fine-tuning the kettle at test time saves tea.",
    "again": "Kettles at test time whistle.",
    "third": "Whistles fail the test of time.",
    "joined": "We finetune spoons.",
    "plural": "Matrices of jam are spread.",
}


@pytest.fixture(scope="module")
def lexical(tmp_path_factory: pytest.TempPathFactory) -> Lexical:
    folder = tmp_path_factory.mktemp("bm25")
    write_bm25(folder, [paper(name, text) for name, text in TEXTS.items()])
    return Lexical(folder)


def found(lexical: Lexical, question: str) -> set[str]:
    """Names of the papers that have any word of the question."""
    scores = lexical.scores(list(dict.fromkeys(lexical.repair(question).values())))
    return {name for name, score in zip(TEXTS, scores, strict=True) if score > 0}


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("alpha", "greek"),
        (r"\alpha", "greek"),
        ("β", "named"),
        ("behavior", "british"),
        ("factorization", "british"),
        ("normalisation", "american"),
        ("the centre", "american"),
        ("harbour", "american"),
        ("matrix", "plural"),
        ("kettle", "apart"),
    ],
)
def test_a_spelling_finds_the_other_one(lexical: Lexical, question: str, name: str) -> None:
    assert name in found(lexical, question)


@pytest.mark.parametrize("question", ["finetuning", "fine-tuning", "fine tuning"])
def test_hyphens_and_spaces_do_not_matter(lexical: Lexical, question: str) -> None:
    assert "joined" in found(lexical, question)


def test_a_word_that_is_two_stands_as_those(lexical: Lexical) -> None:
    assert lexical.repair("testtime scaling") == {
        "test": "test",
        "time": "time",
        "scaling": "scale",
    }


def test_two_words_are_not_worth_more_than_the_one_they_make(lexical: Lexical) -> None:
    row = list(TEXTS).index("joined")
    one, two = (lexical.scores(terms(text))[row] for text in ("finetune", "fine tune"))
    assert one == pytest.approx(two)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("kettel", "kettle"), ("whistl", "whistle"), ("normalzied", "normalized")],
    ids=["swapped", "missing", "swapped before an end"],
)
def test_a_slip_is_repaired_by_the_word_that_was_meant(
    lexical: Lexical, typed: str, meant: str
) -> None:
    assert lexical.repair(typed) == {typed: stem(meant)}


def test_a_short_word_with_another_letter_is_another_word(lexical: Lexical) -> None:
    assert lexical.repair("spoofs") == {"spoofs": "spoof"}


def test_a_real_word_is_not_repaired(
    lexical: Lexical, tmp_path_factory: pytest.TempPathFactory, minilm: MiniLM
) -> None:
    folder = tmp_path_factory.mktemp("caring")
    write_bm25(folder, [paper("care", "Caring for snails.")])
    assert Lexical(folder).repair("carving") == {"carving": "care"}
    assert Lexical(folder, minilm.is_word).repair("carving") == {"carving": "carv"}


def test_a_slip_of_a_real_word_is_not_taken_for_a_commoner_odd_one(tmp_path: Path) -> None:
    texts = ("We graft roses.", "The grafist sings.", "A grafist sleeps.")
    write_bm25(tmp_path, [paper(f"p{i}", text) for i, text in enumerate(texts)])
    assert Lexical(tmp_path, {"graft"}.__contains__).repair("grafst") == {"grafst": "graft"}


@pytest.mark.parametrize(
    "question",
    ["k" * 19_000, "ae" * 9_500, " ".join(f"zq{chr(97 + n % 26)}xv{n}y" for n in range(2_000))],
    ids=["one word", "spellings", "many words"],
)
def test_a_question_without_an_end_is_repaired_at_once(lexical: Lexical, question: str) -> None:
    started = perf_counter()
    lexical.scores(list(lexical.repair(question).values()))
    assert perf_counter() - started < 2


def test_known_words_are_searched_as_before(lexical: Lexical) -> None:
    scores = lexical.scores(["kettl"])
    assert np.flatnonzero(scores).tolist() == [4, 5]


@pytest.mark.parametrize("word", ["hour", "poem", "model"])
def test_short_words_are_no_other_words(word: str) -> None:
    assert not {"hor", "pem"} & spellings(word)


@pytest.mark.parametrize(
    ("word", "base"), [("resetting", "reset"), ("staking", "stake"), ("glances", "glance")]
)
def test_an_inflected_word_is_a_form_of_its_base(word: str, base: str) -> None:
    assert base in forms(word)


def test_letters_of_far_scripts_part_words() -> None:
    assert parted("DRIFT的主要3x贡献") == "DRIFT 的主要 3x 贡献"


def test_the_first_letter_is_right() -> None:
    assert all(slip.startswith("k") for slip in slips("kettle"))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (r"$\alpha$-divergence", "α-divergence"),
        (r"what is $\ell_1$?", "what is ℓ₁?"),
        ("costs under $5", "costs under $5"),
        ("$$", "$$"),
    ],
)
def test_latex_of_a_question_is_that_of_the_abstracts(question: str, expected: str) -> None:
    assert plain(question) == expected
