"""Samples → figures, counted by hand; rankings and references, by the libraries behind them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from rag.evaluate.metrics import METRICS, by_kind, confusion, figures, interval, metric, totals
from rag.evaluate.ranking import ranking_scores
from rag.evaluate.rouge import rouge_scores
from rag.evaluate.types import SUITES, Judged, Sample, SuiteName
from rag.types import Usage


def sample(
    case: str,
    scores: Mapping[str, float],
    repeat: int = 0,
    suite: SuiteName = "ask",
    **more: Any,
) -> Sample:
    more = {"kind": "fact", **more}
    return Sample(
        case=case, suite=suite, subject="?", tags=(), repeat=repeat, scores=scores, **more
    )


def test_a_figure_is_the_mean_over_the_cases_that_have_it() -> None:
    samples = [
        sample("a", {"completed": 1, "facts": 1}),
        sample("b", {"completed": 1, "facts": 0.5}),
        sample("c", {"completed": 1}),
        sample("d", {"completed": 0}, error="EndpointError: no"),
        sample("e", {"completed": 1, "facts": 0}, suite="digest"),
    ]
    found = figures(samples)
    assert list(found) == [("ask", "completed"), ("ask", "facts")] + [
        ("digest", "completed"),
        ("digest", "facts"),
    ]
    assert (found["ask", "completed"].value, found["ask", "completed"].cases) == (0.75, 4)
    assert (found["ask", "facts"].value, found["ask", "facts"].cases) == (0.75, 2)
    assert (found["ask", "facts"].low, found["ask", "facts"].high) == (0.5, 1)
    assert found["digest", "facts"].value == 0


def test_a_case_counts_once_however_often_it_is_repeated() -> None:
    samples = [sample("a", {"facts": score}, repeat=i) for i, score in enumerate([0, 0, 1, 1])]
    samples += [sample("b", {"facts": 1.0})]
    [figure] = figures(samples).values()
    assert (figure.value, figure.cases) == (0.75, 2)


def test_spread_is_the_deviation_of_the_repeats_means() -> None:
    scores = {0: (1.0, 0.5), 1: (0.5, 0.5), 2: (0.0, 0.5)}
    samples = [
        sample(case, {"facts": score}, repeat)
        for repeat, pair in scores.items()
        for case, score in zip("ab", pair, strict=True)
    ]
    assert figures(samples)["ask", "facts"].spread == 0.25  # of 0.75, 0.5 and 0.25
    assert figures(samples[:2])["ask", "facts"].spread is None


def test_intervals_narrow_with_cases_and_are_the_same_each_time() -> None:
    few, many = (0.0, 1.0) * 5, (0.0, 1.0) * 500
    (low, high), (lower, upper) = interval(few), interval(many)
    interval.cache_clear()
    assert interval(few) == (low, high)
    assert low < lower < 0.5 < upper < high
    assert upper - lower == pytest.approx(2 * 1.96 * (0.25 / 1000) ** 0.5, rel=0.1)
    assert interval((0.25,)) == (0.25, 0.25)
    assert interval((0.1,) * 7) == (0.1, 0.1)


def test_no_samples_make_no_figures() -> None:
    assert (figures([]), by_kind([]), confusion([]), totals([])) == ({}, {}, [], {})


def test_kinds_are_told_apart_by_suite_and_name() -> None:
    samples = [
        sample("a", {"facts": 1}, kind="list"),
        sample("b", {"facts": 0}, kind="count"),
        sample("c", {"recall": 1}, suite="digest", kind="list"),
    ]
    found = by_kind(samples)
    assert list(found) == [("ask", "count"), ("ask", "list"), ("digest", "list")]
    assert [
        found[key][name].value
        for key, name in zip(found, ["facts", "facts", "recall"], strict=True)
    ] == [0, 1, 1]


def test_outcomes_are_counted_as_expected_and_got() -> None:
    samples = [
        sample("a", {}, expected="answered", outcome="answered"),
        sample("b", {}, expected="answered", outcome="answered"),
        sample("c", {}, expected="answered", outcome="not_in_corpus"),
        sample("d", {}, expected="not_in_corpus", outcome="answered"),
        sample("e", {}, expected="answered", error="ValueError: odd"),
        sample("f", {}, outcome="answered"),
    ]
    assert confusion(samples) == [
        ("answered", "answered", 2),
        ("answered", "not_in_corpus", 1),
        ("answered", "error", 1),
        ("not_in_corpus", "answered", 1),
    ]


def test_totals_leave_out_what_is_not_known() -> None:
    judged = [Judged(1.0), Judged(0.5), Judged(None, "no verdict")]
    samples = [
        sample(str(i), {}, ms=100 * i, usage=Usage(10, 5, 0.25), judged={"groundedness": verdict})
        for i, verdict in enumerate(judged, start=1)
    ]
    samples += [sample("x", {}, ms=0, error="RateLimited: later", judged={"rubric": Judged(None)})]
    found = totals(samples)["ask"]
    assert (found.samples, found.errors, found.tokens, found.cost_usd) == (4, 1, 45, 0.75)
    assert (found.p50, found.p95) == (200, 290)
    grounded, rubric = found.judges["groundedness"], found.judges["rubric"]
    assert (grounded.score, grounded.scored, grounded.unscored) == (0.75, 2, 1)
    assert (rubric.score, rubric.scored, rubric.unscored) == (None, 0, 1)
    failed = totals(samples[-1:])["ask"]
    assert (failed.p50, failed.p95) == (None, None)


def test_a_metric_has_one_name_in_a_suite_and_every_suite_has_exact_ones() -> None:
    names = [(suite, found.name) for found in METRICS for suite in found.suites]
    assert len(names) == len(set(names))
    for suite in SUITES:
        assert metric(suite, "completed").exact
    assert metric("digest", "off-topic").better == "lower"
    with pytest.raises(KeyError):
        metric("retrieval", "facts")


def test_rankings_are_scored_by_where_the_gold_papers_stand() -> None:
    ranked = [f"paper {i}\t“{i}”" for i in range(3000)]
    assert ranking_scores(ranked, [ranked[0]]) == dict.fromkeys(
        ["recall@gold", "recall@5", "recall@10", "MRR", "nDCG@10"], 1.0
    )
    found = ranking_scores(ranked, [ranked[1], ranked[6], "nowhere"])
    assert found["recall@gold"] == found["recall@5"] == pytest.approx(1 / 3, abs=1e-6)
    assert found["recall@10"] == pytest.approx(2 / 3, abs=1e-6)
    assert found["MRR"] == 0.5
    gain, best = 1 / 1.584963 + 1 / 3, 1 + 1 / 1.584963 + 1 / 2  # 1 / log2(rank + 1)
    assert found["nDCG@10"] == pytest.approx(gain / best, abs=1e-5)


def test_a_ranking_is_looked_through_down_to_its_first_gold_paper() -> None:
    ranked = [str(i) for i in range(3000)]
    assert ranking_scores(ranked, ["1999"])["MRR"] == 0.0005
    assert ranking_scores(ranked, ranked[:40])["recall@gold"] == 1
    assert ranking_scores(ranked, ["5", "5"])["recall@gold"] == 0
    assert set(ranking_scores([], ["a"]).values()) == {0.0}
    assert ranking_scores(ranked, []) == {}


def test_a_line_is_compared_with_a_reference_by_stemmed_words() -> None:
    same = rouge_scores("Two nets repair broken proofs.", "two net repairs broken proof")
    assert same == {"ROUGE-1": 1, "ROUGE-2": 1, "ROUGE-L": 1}
    turned = rouge_scores("broken proofs repaired", "repair broken proofs")
    assert turned["ROUGE-1"] == 1
    assert 0 < turned["ROUGE-2"] < turned["ROUGE-L"] < 1
    assert rouge_scores("anything", "") == {}
    assert rouge_scores("", "words")["ROUGE-1"] == 0
    assert rouge_scores("\ud800 x", "…") == {}
