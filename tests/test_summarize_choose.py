"""Which sentence a summary is made of."""

from __future__ import annotations

import pytest

from rag.corpus.sentences import sentence_spans
from rag.summarize.chooser import ranked, weights
from rag.summarize.features import features
from tests.corpus import PAPERS


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


def test_every_feature_has_a_weight_and_every_weight_a_feature() -> None:
    assert set(features(["We propose a lamp."], "")[0]) == set(weights())


@pytest.mark.parametrize(
    ("text", "telling"),
    [
        (
            "Lighthouses need keepers, and keepers are rare. We propose a lamp that keeps itself "
            "lit by watching the horizon for ships. Tests on four coasts save half of the oil.",
            "We propose",
        ),
        (
            "Tea cools while committees talk. Earlier kettles ignore this. This paper introduces a "
            "kettle that predicts the end of a meeting from the tone of voice. Code is available.",
            "This paper",
        ),
        (
            "Is moss a clock? Moss grows on roofs of known age. We show that the width of moss "
            "cushions dates a roof to within three years. We also release all photographs.",
            "We show",
        ),
    ],
)
def test_the_sentence_that_says_what_a_paper_brings_comes_first(text: str, telling: str) -> None:
    sentences = split(text)
    assert sentences[ranked(sentences, "")[0]].startswith(telling)


def test_background_comes_after_everything_that_the_authors_say_themselves() -> None:
    for paper in PAPERS:
        sentences = split(paper.text)
        own = [" we " in f" {s.lower()}" or s.startswith(paper.handle) for s in sentences]
        in_order = [own[i] for i in ranked(sentences, paper.handle)]
        assert in_order == sorted(in_order, reverse=True), paper.paper_id


def test_no_sentences_have_no_order() -> None:
    assert ranked([], "") == []
