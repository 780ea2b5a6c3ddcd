"""The numbers table of a digest, on sentences of our own."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest

from rag.corpus.sentences import sentence_spans
from rag.digest.claims import LONGEST
from rag.digest.figures import figures
from rag.digest.findings import A_PAPER, findings
from rag.types import Entry, Finding, Paper
from tests.corpus import PAPERS
from tests.fakes import paper


def table(*texts: str) -> tuple[Finding, ...]:
    papers = [paper(f"p{n}", text, handle="") for n, text in enumerate(texts)]
    return table_of(papers)


def table_of(papers: Sequence[Paper]) -> tuple[Finding, ...]:
    spans = {known.paper_id: sentence_spans(known.text) for known in papers}
    entries = [Entry(n, known, "", (), True, 1.0) for n, known in enumerate(papers, start=1)]
    return findings(entries, spans)


def shown(sentence: str) -> list[str]:
    return [sentence[figure.start : figure.end] for figure in figures(sentence)]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("It lowers the error from 9.4 cm to 6.1 cm.", ["from 9.4 cm to 6.1 cm"]),
        ("It closes 38 % of the goals.", ["38 %"]),
        (
            "It is up to 2.3x faster and needs less than 7% of the memory.",
            ["up to 2.3x", "less than 7%"],
        ),
        ("Recall rises by 3.1%, 4.2%, and 5% on the three lists.", ["3.1%, 4.2%, and 5%"]),
        (
            "Gains are 17.2%-40% at two orders of magnitude less cost.",
            ["17.2%-40%", "two orders of magnitude"],
        ),
        ("A tracker read over 1,240 dances.", ["over 1,240 dances"]),
        ("Trained on 5B tokens, it reaches an F1 of 0.91.", ["5B tokens", "0.91"]),
    ],
)
def test_figures_come_with_sign_unit_range_and_what_hedges_them(
    sentence: str, expected: list[str]
) -> None:
    assert shown(sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "In 2031 we show a two-stage 3D method with GPT-4 and Qwen2.5-7B.",
        "First, (1) we read Section 3.2 and (2) images of 256 x 256 pixels.",
        "The 14B models of the AIME 2025 challenge use top-5 sampling at 480p.",
    ],
)
def test_years_names_marks_and_sizes_are_no_figures(sentence: str) -> None:
    assert shown(sentence) == []


def test_figure_and_claim_stand_in_the_quote_and_the_quote_in_the_paper() -> None:
    texts = {known.paper_id: known.text for known in PAPERS}
    numbers = {known.paper_id: number for number, known in enumerate(PAPERS, start=1)}
    found = table_of(PAPERS)
    assert {finding.figure for finding in found} >= {"from 9.4 cm to 6.1 cm", "38 %"}
    for finding in found:
        citation, text = finding.citation, texts[finding.paper_id]
        assert finding.figure in finding.claim
        assert finding.claim in citation.quote == text[citation.start : citation.end]
        assert len(finding.claim.split()) <= LONGEST
        assert citation.number == numbers[finding.paper_id]


def test_a_claim_is_the_part_of_the_sentence_that_its_figure_is_of() -> None:
    found = table(
        "We build a kite. Experiments show that the kite reduces drift by 17% and improves the "
        "lift by 5.3% compared to the best rival, while nobody was hurt in the fields of Kent."
    )
    assert [finding.claim for finding in found] == [
        "the kite reduces drift by 17%",
        "improves the lift by 5.3% compared to the best rival",
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "Our kite achieves a 64% reduction.",
        "Our kite improves by 3% over the baseline.",
        "The lift is 4 for old kites vs. 19.3% for the boat.",
        "With an average overall improvement of 13.9%.",
        "We see gains ranging from 34% to 50% for kites, boats, and sleds.",
        "The kite lowers drift and sway to 1.9% and 7.8%, respectively.",
    ],
)
def test_a_figure_of_which_nothing_is_said_has_no_claim(sentence: str) -> None:
    found = [finding.claim for finding in table(f"We build a kite. {sentence}")]
    assert found in ([], [sentence.rstrip(".")]) and (not found or " and " in found[0])


def test_an_item_of_a_list_goes_with_its_own_figure() -> None:
    found = table(
        "We build a kite. It reaches a lift of 77.2% on Luma, 84.1% on Hail, 78.2% on Veo."
    )
    assert [finding.claim for finding in found] == ["It reaches a lift of 77.2% on Luma"]


def test_what_others_do_is_told_with_their_name() -> None:
    found = table("We build a kite trial. On it, Heron and Gull demonstrates a fall rate of 42%.")
    assert all("Gull demonstrates" in finding.claim for finding in found) and found


def test_figures_of_the_background_and_of_rivals_are_left_out() -> None:
    background = "Old kites lose 40% of their lift. We build a new one. It is blue."
    rival = "We build a kite and reach a lift score of 0.81, exceeding the best baseline (0.44)."
    assert [finding.figure for finding in table(background, rival)] == ["0.81"]


def test_a_paper_has_few_findings_and_results_come_before_sizes() -> None:
    text = (
        "We collect 4,000 kites. Our tail cuts drift by 12%. Our frame is 3x lighter. It raises "
        "the lift by 9%. The accuracy of our pilot climbs from 60% to 71%."
    )
    found = table(text)
    assert len(found) == A_PAPER
    assert found[0].figure == "from 60% to 71%"
    assert "4,000 kites" not in {finding.figure for finding in found}


def test_texts_of_any_kind_and_length_are_read_in_linear_time() -> None:
    crowded = "We show that foo improves bar by 12.5% over baseline 3.2x, " * 2_000
    odd = ["", "word", ".", "\x00 % 5", "1," * 40_000, "(" * 40_000, "from 1 " * 50_000]
    begun = time.perf_counter()
    found = table(crowded, *odd)
    assert {finding.paper_id for finding in found} <= {"p0", "p7"}
    assert time.perf_counter() - begun < 10


def test_the_same_paper_twice_is_told_once() -> None:
    known = paper("tide", PAPERS[0].text)
    entries = [Entry(n, known, "", (), True, 1.0) for n in (1, 2)]
    found = findings(entries, {"tide": sentence_spans(known.text)})
    assert [finding.citation.number for finding in found] == [1]
