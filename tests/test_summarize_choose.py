"""Which sentence a summary is made of."""

from __future__ import annotations

import pytest

from rag.corpus.sentences import sentence_spans
from rag.summarize.chooser import ranked, weights
from rag.summarize.features import features
from rag.summarize.openings import first_person
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


@pytest.mark.parametrize(
    ("text", "handle", "telling"),
    [
        (
            "Sheep get lost in fog. Shepherds, who know every path, are few. WoolCall (Wool "
            "Calling in Fog) uses bells on old sheep to lead young ones home. On six hills "
            "WoolCall saves nine sheep in ten. WoolCall also shortens the way home.",
            "WoolCall",
            "WoolCall (Wool",
        ),
        (
            "Sheep get lost in fog, yet bells often lead them home. Calling Wool Softly (CWS) "
            "plans the ringing of bells. CWS beats dogs on six hills. CWS models are small.",
            "CWS",
            "Calling",
        ),
        (
            "Fog makes sheep lose their way on hills. The authors ask whether sheep know bells. "
            "The authors introduce a bell that rings by itself. Bells of brass help most.",
            "",
            "The authors introduce",
        ),
        (
            "Fog makes sheep lose their way on hills. Existing bells are too quiet for fog. The "
            "proposed bell rings louder as fog thickens. Trials on a hill show that sheep follow.",
            "",
            "The proposed",
        ),
        (
            "Sheep lose their way on foggy hills and seldom return. A bell on every gate tells "
            "lambs which hill they are on.",
            "",
            "A bell",
        ),
    ],
)
def test_a_paper_told_by_others_is_read_as_one_told_by_its_authors(
    text: str, handle: str, telling: str
) -> None:
    sentences = split(text)
    order = ranked(first_person(sentences), handle)
    assert sentences[order[0]].startswith(telling)


def test_who_speaks_of_the_authors_is_read_as_they_speak() -> None:
    assert first_person(
        [
            "According to the authors, owls read.",
            "They show that larks do not.",
            "The authors of old maps did not know.",
            "They find worms.",
        ]
    ) == [
        "Owls read.",
        "We show that larks do not.",
        "The authors of old maps did not know.",
        "They find worms.",
    ]


def test_background_comes_after_everything_that_the_authors_say_themselves() -> None:
    for paper in PAPERS:
        sentences = split(paper.text)
        own = [" we " in f" {s.lower()}" or s.startswith(paper.handle) for s in sentences]
        in_order = [own[i] for i in ranked(sentences, paper.handle)]
        assert in_order == sorted(in_order, reverse=True), paper.paper_id


def test_no_sentences_have_no_order() -> None:
    assert ranked([], "") == []
