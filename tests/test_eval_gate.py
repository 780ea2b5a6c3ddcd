"""Two runs → verdicts and reasons to shut the gate, over runs that are written down here."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.evaluate.fingerprint import expects
from rag.evaluate.gate import compare, gate
from rag.evaluate.metrics import METRICS
from rag.evaluate.paired import changes
from rag.evaluate.thresholds import Kind, Threshold, Thresholds
from rag.evaluate.types import (
    Case,
    Comparison,
    Difference,
    Judged,
    Provenance,
    Run,
    Sample,
    SuiteName,
)

DEFAULT = Thresholds()
MADE = Provenance(
    corpus="c1",
    papers=3,
    embedder="mini",
    engine="extractive",
    model=None,
    judge=None,
    prompts=(),
    settings={},
    packages={"rag": "1.0+aaaa"},
    commit="0" * 40,
)


def sample(case: str, scores: Mapping[str, float], **given: Any) -> Sample:
    fields: dict[str, Any] = {"suite": "ask", "repeat": 1, "words": "w", **given}
    return Sample(
        case, subject="?", kind="", tags=(), scores={"completed": 1.0, **scores}, **fields
    )


def broken(case: str, **given: Any) -> Sample:
    return replace(sample(case, {}, **given), scores={"completed": 0.0}, error="Boom: it broke")


def run_of(samples: Iterable[Sample], **given: Any) -> Run:
    known = tuple(samples)
    suites: dict[SuiteName, dict[str, None]] = {}
    for each in known:
        suites.setdefault(each.suite, {})[each.case] = None
    ids = {suite: tuple(cases) for suite, cases in suites.items()}
    fields: dict[str, Any] = {"suites": ids, "selection": {}, "made_from": MADE, **given}
    return Run(id="20260101T000000", samples=known, **fields)


def scored(values: Iterable[float | None], metric: str = "facts", **given: Any) -> Run:
    """A run whose cases have one metric, where the value is not None."""
    return run_of(
        sample(f"q{i:03}", {} if value is None else {metric: value}, **given)
        for i, value in enumerate(values)
    )


def verdict(before: Run, after: Run, name: str, thresholds: Thresholds = DEFAULT) -> Difference:
    found = compare(before, after, thresholds).differences
    return next(each for each in found if each.metric == name)


def kinds(failures: Iterable[Any]) -> list[tuple[str, str, str]]:
    return [(f.kind, f.suite, f.metric) for f in failures]


GOOD = scored([1.0] * 40)
BAD = scored([0.0] * 10 + [1.0] * 30)


# --- verdicts


def test_a_clear_loss_is_worse_and_its_mirror_image_better() -> None:
    down, up = verdict(GOOD, BAD, "facts"), verdict(BAD, GOOD, "facts")
    assert (down.verdict, up.verdict) == ("worse", "better")
    assert (down.change, up.change) == (-0.25, 0.25)
    assert down.low is not None and down.high is not None
    assert down.low < -0.25 < down.high < 0
    assert (up.low, up.high) == (pytest.approx(-down.high), pytest.approx(-down.low))
    assert down.before and down.after
    assert (down.before.value, down.after.value) == (1.0, 0.75)
    assert (down.paired, down.differing) == (40, 10)


def test_where_lower_is_better_a_rise_is_worse() -> None:
    low = scored([0.0] * 12, "off-topic", suite="digest")
    high = scored([0.5] * 12, "off-topic", suite="digest")
    assert verdict(low, high, "off-topic").verdict == "worse"
    assert verdict(high, low, "off-topic").verdict == "better"
    (failure,) = compare(low, high, DEFAULT).failures
    assert "off-topic rose from 0.000 to 0.500" in failure.text


def test_a_change_within_tolerance_is_no_difference() -> None:
    after = scored([0.98] * 40)
    assert verdict(GOOD, after, "facts", Thresholds(tolerance=0.02)).verdict == "no difference"
    assert verdict(GOOD, after, "facts", Thresholds(tolerance=0.01)).verdict == "worse"
    own = Thresholds(metrics={("ask", "facts"): Threshold(tolerance=0.02)})
    assert verdict(GOOD, after, "facts", own).verdict == "no difference"


def test_chance_is_too_few_cases_to_tell_and_only_warns() -> None:
    before = scored([1.0] * 5 + [0.0] * 4 + [1.0] * 31)
    after = scored([0.0] * 5 + [1.0] * 4 + [1.0] * 31)
    found = verdict(before, after, "facts")
    assert (found.verdict, found.change) == ("too few cases to tell", -0.025)
    assert compare(before, after, DEFAULT).failures == ()


def by_a_model(run: Run) -> Run:
    return replace(run, made_from=replace(run.made_from, model="m"))


def test_three_cases_in_forty_may_be_a_models_chance_and_four_are_not() -> None:
    for worse, expected in ((3, "too few cases to tell"), (4, "worse")):
        after = scored([0.0] * worse + [1.0] * (40 - worse))
        assert verdict(GOOD, by_a_model(after), "facts").verdict == expected
        assert verdict(GOOD, after, "facts").verdict == "worse"


def test_without_a_model_gains_beside_losses_leave_it_to_the_interval() -> None:
    before = scored([1.0] * 3 + [0.0] * 2 + [1.0] * 5)
    after = scored([0.0] * 3 + [1.0] * 2 + [1.0] * 5)
    assert verdict(before, after, "facts").verdict == "too few cases to tell"


def test_half_of_a_small_suite_getting_worse_is_noticed() -> None:
    before, after = scored([1.0] * 7), scored([0.0] * 4 + [1.0] * 3)
    assert verdict(before, after, "facts").verdict == "worse"


def test_an_exact_metric_may_not_fall_for_a_single_case() -> None:
    before = scored([1.0] * 40, "quote integrity")
    after = scored([0.5] + [1.0] * 39, "quote integrity")
    assert verdict(before, after, "quote integrity").verdict == "worse"
    assert verdict(after, before, "quote integrity").verdict == "better"
    loose = Thresholds(metrics={("ask", "quote integrity"): Threshold(tolerance=0.1)})
    assert compare(before, after, loose).failures == ()


def test_only_the_corpus_changed() -> None:
    other = replace(BAD, made_from=replace(MADE, corpus="c2", papers=4, judge="j", commit="1" * 40))
    found = compare(GOOD, other, DEFAULT)
    assert [d.verdict for d in found.differences if d.differing] == ["corpus changed, not the code"]
    assert kinds(found.failures) == [("corpus", "ask", "facts")]
    assert "Only the corpus changed" in found.failures[0].text
    assert compare(GOOD, other, Thresholds(accept=("corpus",))).failures == ()


@pytest.mark.parametrize(
    "also",
    [
        {"packages": {"rag": "1.0+bbbb"}},
        {"settings": {"top_k": 1}},
        {"engine": "llm", "model": "m"},
        {"prompts": ("answer@1",)},
        {"embedder": "other"},
    ],
    ids=lambda also: next(iter(also)),
)
def test_the_corpus_is_no_excuse_where_something_else_changed(also: dict[str, Any]) -> None:
    made = replace(MADE, corpus="c2", papers=4, **also)
    found = compare(GOOD, replace(BAD, made_from=made), DEFAULT)
    assert kinds(found.failures) == [("worse", "ask", "facts")]
    assert len(found.causes) >= 2
    assert found.causes[0].startswith("corpus")


def test_a_commit_counts_where_no_hash_of_the_code_is_known() -> None:
    old = replace(MADE, packages={"rag": "1.0"})
    new = replace(old, corpus="c2", commit="1" * 40)
    found = compare(replace(GOOD, made_from=old), replace(BAD, made_from=new), DEFAULT)
    assert kinds(found.failures) == [("worse", "ask", "facts")]


def test_a_promise_broken_on_another_corpus_is_broken() -> None:
    before = scored([1.0] * 9, "quote integrity")
    other = replace(MADE, corpus="c2", papers=4)
    after = replace(scored([0.5] * 9, "quote integrity"), made_from=other)
    assert kinds(compare(before, after, DEFAULT).failures) == [("worse", "ask", "quote integrity")]


def test_a_metric_of_other_cases_than_before_is_compared_as_each_run_has_it() -> None:
    """Of 20 refusals 20 were right; now 20 more are refused that have an answer."""
    before = scored([1.0] * 20 + [None] * 60, "refusal precision")
    after = scored([1.0] * 20 + [0.0] * 20 + [None] * 40, "refusal precision")
    found = verdict(before, after, "refusal precision")
    assert (found.verdict, found.change) == ("worse", -0.5)
    assert (found.paired, found.differing) == (40, 20)
    (failure,) = compare(before, after, DEFAULT).failures
    assert "20 got worse: q020, q021, q022 and 17 more" in failure.text


def test_repeats_count_as_one_case() -> None:
    def thrice(values: Iterable[float]) -> list[Sample]:
        return [sample("a", {"facts": v}, repeat=i) for i, v in enumerate(values)]

    found = verdict(run_of(thrice([1, 1, 1])), run_of(thrice([1, 0, 0.5])), "facts")
    assert (found.paired, found.change) == (1, -0.5)
    assert found.after and found.after.spread == 0.5


# --- failures, each alone


def only(failures: Iterable[Any], kind: Kind, suite: str = "", metric: str = "") -> str:
    found = list(failures)
    assert kinds(found) == [(kind, suite, metric)]
    return str(found[0].text)


def test_worse_names_everything() -> None:
    text = only(compare(GOOD, BAD, DEFAULT).failures, "worse", "ask", "facts")
    assert text.startswith("ask: facts fell from 1.000 to 0.750 over 40 cases (change −0.250,")
    assert "10 got worse: q000, q001, q002 and 7 more" in text


def test_the_cases_that_lost_most_are_named_first() -> None:
    after = scored([0.9] * 8 + [0.0, 0.5] + [1.0] * 30)
    text = only(gate(GOOD, after, DEFAULT), "worse", "ask", "facts")
    assert "10 got worse: q008, q009, q000 and 7 more" in text


def test_below_a_minimum_and_above_a_maximum() -> None:
    least = Thresholds(metrics={("ask", "facts"): Threshold(min=0.8)})
    assert "0.75" in only(gate(BAD, BAD, least), "below", "ask", "facts")
    assert gate(GOOD, GOOD, least) == ()
    most = Thresholds(metrics={("ask", "latency p95"): Threshold(max=10)})
    slow, quick = (run_of(replace(each, ms=ms) for each in GOOD.samples) for ms in (11, 9))
    only(gate(GOOD, slow, most), "above", "ask", "latency p95")
    assert gate(slow, quick, most) == ()


def test_bounds_hold_where_changes_do_not_gate() -> None:
    asked = Thresholds(metrics={("ask", "facts"): Threshold(min=0.8, gate=False)})
    only(gate(GOOD, BAD, asked), "below", "ask", "facts")
    loose = Thresholds(metrics={("ask", "facts"): Threshold(gate=False)})
    found = compare(GOOD, BAD, loose)
    assert found.failures == ()
    assert ("facts", "worse", False) in [(d.metric, d.verdict, d.gates) for d in found.differences]


def test_a_loss_over_too_few_cases_does_not_pass() -> None:
    before, after = by_a_model(scored([1.0] * 5)), by_a_model(scored([1.0] * 4 + [0.0]))
    text = only(gate(before, after, DEFAULT), "few", "ask", "facts")
    assert "fewer than 6" in text and "q004" in text
    assert gate(before, after, Thresholds(accept=("few",))) == ()
    assert gate(after, before, DEFAULT) == ()
    assert gate(before, before, DEFAULT) == ()


def test_no_cases() -> None:
    only(gate(GOOD, replace(GOOD, samples=()), DEFAULT), "no-cases")
    empty = replace(GOOD, suites={**GOOD.suites, "digest": ()})
    only(gate(GOOD, empty, DEFAULT), "no-cases", "digest")


def test_all_errors() -> None:
    dead = run_of(broken(each.case) for each in GOOD.samples)
    assert "q000: Boom: it broke" in only(gate(GOOD, dead, DEFAULT), "all-errors", "ask")
    assert "Boom" in only(
        gate(None, dead, Thresholds(accept=("no-baseline",))), "all-errors", "ask"
    )


def test_errors_that_were_not_there_before() -> None:
    one = run_of([*GOOD.samples[:-1], broken("q039")])
    text = only(gate(GOOD, one, DEFAULT), "errors", "ask", "completed")
    assert "1 of 40" in text and "q039: Boom" in text
    assert gate(one, one, DEFAULT) == ()
    assert gate(one, GOOD, DEFAULT) == ()


def test_a_new_case_that_raises_is_an_error() -> None:
    more = run_of([*GOOD.samples, broken("z")])
    only(gate(GOOD, more, DEFAULT), "errors", "ask", "completed")


def test_a_metric_of_the_baseline_that_the_run_lacks() -> None:
    without = scored([None] * 40)
    assert "gate = false" in only(gate(GOOD, without, DEFAULT), "missing-metric", "ask", "facts")
    loose = Thresholds(metrics={("ask", "facts"): Threshold(gate=False)})
    assert gate(GOOD, without, loose) == ()
    assert gate(without, GOOD, DEFAULT) == ()


def test_a_metric_of_the_thresholds_that_the_run_lacks() -> None:
    asked = Thresholds(metrics={("ask", "facts"): Threshold(min=0.1)})
    without = scored([None] * 9)
    only(gate(without, without, asked), "missing-metric", "ask", "facts")
    some = replace(without, selection={"limit": 9})
    assert gate(without, some, asked) == ()


def test_a_metric_that_does_not_exist_any_more() -> None:
    old = scored([1.0] * 9, "charm")
    only(gate(old, scored([None] * 9), DEFAULT), "missing-metric", "ask", "charm")


def test_a_case_that_vanished_and_one_that_was_only_left_out() -> None:
    fewer = scored([1.0] * 38)
    assert "q038, q039" in only(gate(GOOD, fewer, DEFAULT), "vanished", "ask")
    left_out = replace(fewer, suites=GOOD.suites, selection={"filter": ["tag=x"]})
    assert gate(GOOD, left_out, DEFAULT) == ()
    assert compare(GOOD, left_out, DEFAULT).changed == ()
    assert gate(fewer, GOOD, DEFAULT) == ()


def test_a_baseline_of_another_suite() -> None:
    theirs = run_of(sample(f"x{i}", {"facts": 1.0}) for i in range(9))
    failures = gate(theirs, GOOD, DEFAULT)
    assert "no case is in both" in only(failures, "other-suite", "ask")
    digests = scored([1.0] * 9, suite="digest")
    assert "digest" in only(gate(digests, GOOD, DEFAULT), "other-suite")


def test_nothing_in_common_among_what_was_run() -> None:
    some = replace(GOOD, samples=GOOD.samples[:9], selection={"limit": 9})
    others = replace(GOOD, samples=GOOD.samples[9:], selection={"filter": ["tag=x"]})
    assert "nothing was compared" in only(gate(some, others, DEFAULT), "other-suite", "ask")


def test_no_baseline_or_one_of_errors() -> None:
    assert "--update-baseline" in only(gate(None, GOOD, DEFAULT), "no-baseline")
    assert gate(None, GOOD, Thresholds(accept=("no-baseline",))) == ()
    dead = run_of(broken(each.case) for each in GOOD.samples)
    only(gate(dead, GOOD, DEFAULT), "no-baseline", "ask")


def test_a_suite_whose_files_are_gone_and_one_not_asked_for() -> None:
    both = run_of([*GOOD.samples, *scored([1.0] * 9, suite="digest").samples])
    assert gate(both, GOOD, DEFAULT, present=("ask", "digest")) == ()
    assert "files are gone" in only(gate(both, GOOD, DEFAULT, present=("ask",)), "unrun", "digest")


def test_a_run_that_did_not_come_to_its_end() -> None:
    half = replace(GOOD, samples=GOOD.samples[:20])
    assert "20 of 40" in only(gate(GOOD, half, DEFAULT), "unrun", "ask")
    assert gate(GOOD, replace(half, selection={"limit": 20, "repeat": 2}), DEFAULT) == ()
    only(gate(GOOD, replace(half, selection={"repeat": 2}), DEFAULT), "unrun", "ask")


def test_a_run_of_some_cases_is_compared_over_those() -> None:
    some = replace(BAD, samples=BAD.samples[:10], selection={"limit": 10})
    text = only(gate(GOOD, some, DEFAULT), "worse", "ask", "facts")
    assert "over 10 cases" in text


def test_judges_never_gate() -> None:
    def judged(score: float | None) -> Run:
        return run_of(replace(s, judged={"correctness": Judged(score)}) for s in GOOD.samples)

    assert gate(judged(1.0), judged(0.0), DEFAULT) == ()
    assert gate(judged(1.0), judged(None), DEFAULT) == ()


# --- cases


def test_new_cases_are_told_and_do_no_harm() -> None:
    more = scored([1.0] * 42)
    found = compare(GOOD, more, DEFAULT)
    assert found.failures == ()
    assert found.causes == ("2 cases of ask are not in the baseline: q040, q041",)
    assert [(c.before, c.after and c.after.case) for c in found.changed] == [
        (None, "q040"),
        (None, "q041"),
    ]


def test_a_rewritten_case_is_not_held_against_the_code() -> None:
    before = scored([1.0] * 40, expects="a")
    after = run_of(
        replace(each, expects="b", scores={"completed": 1.0, "facts": 0.0}) if i < 10 else each
        for i, each in enumerate(before.samples)
    )
    found = compare(before, after, DEFAULT)
    assert (found.failures, found.changed) == ((), ())
    assert found.causes == (
        "10 cases of ask are rewritten and not compared: q000, q001, q002 and 7 more",
    )
    assert found.differences[1].paired == 30


def test_what_a_case_expects() -> None:
    case = Case("a", "ask", "What is it?", facts=(("one", "two"),), tags=("x",))
    assert expects(case) == expects(replace(case, id="b", kind="k", tags=(), rubric="r"))
    others = [
        replace(case, subject="What?"),
        replace(case, facts=(("one",), ("two",))),
        replace(case, gold=("p",)),
        replace(case, forbidden=("p",)),
        replace(case, outcome="answered"),
    ]
    assert len({expects(each) for each in [case, *others]}) == 6
    assert len(expects(replace(case, subject="\ud800"))) == 12


def test_changed_cases_stand_in_the_order_of_what_they_lost() -> None:
    before = run_of(
        [
            sample("small", {"facts": 1.0, "outcome": 1.0}),
            sample("large", {"facts": 1.0, "outcome": 1.0}),
            sample("won", {"facts": 0.0}),
            sample("words", {"facts": 1.0}),
            sample("same", {"facts": 1.0}),
            sample("gone", {"facts": 1.0}),
        ]
    )
    after = run_of(
        [
            sample("same", {"facts": 1.0}),
            sample("new", {"facts": 1.0}),
            sample("words", {"facts": 1.0}, words="others"),
            sample("won", {"facts": 1.0}),
            sample("small", {"facts": 0.5, "outcome": 1.0}),
            sample("large", {"facts": 0.0, "outcome": 0.0}),
        ]
    )
    told = [
        ((c.after or c.before).case, c.better, c.worse)  # type: ignore[union-attr]
        for c in compare(before, after, DEFAULT).changed
    ]
    assert told == [
        ("large", (), ("facts", "outcome")),
        ("small", (), ("facts",)),
        ("won", ("facts",), ()),
        ("words", (), ()),
        ("new", (), ()),
        ("gone", (), ()),
    ]


def test_of_repeats_those_are_shown_that_differ() -> None:
    before = run_of([sample("a", {}, repeat=i, words="w") for i in range(2)])
    after = run_of([sample("a", {}, repeat=i, words=w) for i, w in enumerate(["w", "other"])])
    (found,) = compare(before, after, DEFAULT).changed
    assert found.after and found.after.words == "other"


# --- what holds for all runs

SHARES = st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1))
ASK = [metric.name for metric in METRICS if "ask" in metric.suites and metric.name != "completed"]
SCORES = st.dictionaries(st.sampled_from(ASK), SHARES, max_size=5)


@st.composite
def runs(draw: st.DrawFn) -> Run:
    cases = draw(
        st.dictionaries(
            st.text(min_size=1, max_size=3),
            st.lists(SCORES, min_size=1, max_size=3),
            min_size=1,
            max_size=8,
        )
    )
    return run_of(
        sample(case, each, repeat=i)
        for case, repeats in cases.items()
        for i, each in enumerate(repeats)
    )


@settings(deadline=None, max_examples=40)
@given(runs())
def test_a_run_does_not_differ_from_itself(run: Run) -> None:
    found = compare(run, run, DEFAULT)
    assert {each.verdict for each in found.differences} == {"no difference"}
    assert (found.changed, found.causes, found.failures) == ((), (), ())


def comparable(found: Comparison) -> tuple[Any, ...]:
    return found.differences, found.changed, found.causes, found.failures


@settings(deadline=None, max_examples=20)
@given(runs(), runs(), st.randoms(use_true_random=False))
def test_the_order_of_samples_does_not_matter(before: Run, after: Run, dice: random.Random) -> None:
    def shuffled(run: Run) -> Run:
        samples = list(run.samples)
        dice.shuffle(samples)
        return replace(run, samples=tuple(samples))

    expected = comparable(compare(before, after, DEFAULT))
    assert comparable(compare(shuffled(before), shuffled(after), DEFAULT)) == expected


PAIRS = st.lists(st.tuples(SHARES, SHARES), min_size=1, max_size=30)


@settings(deadline=None, max_examples=40)
@given(PAIRS)
def test_an_interval_holds_the_change_and_turns_with_it(pairs: list[tuple[float, float]]) -> None:
    (found,) = changes([pairs])
    assert -1 <= found.low <= found.value <= found.high <= 1


def test_a_metric_of_one_case_among_many_has_an_interval() -> None:
    """Most resamples of the others do without that case."""
    (found,) = changes([[(1.0, 0.5), *[(None, None)] * 200]])
    assert (found.value, found.low, found.high) == (-0.5, -0.5, -0.5)


def test_an_interval_covers_what_it_should() -> None:
    """Of 200 samples of 60 cases about 95 % have the true change inside."""
    dice = random.Random(5)

    def pair() -> tuple[float, float]:
        return float(dice.random() < 0.9), float(dice.random() < 0.7)

    found = changes([[pair() for _ in range(60)] for _ in range(200)])
    assert 180 <= sum(each.low <= -0.2 <= each.high for each in found) <= 198


def test_a_large_suite_is_compared_quickly() -> None:
    dice = random.Random(3)
    names = [metric.name for metric in METRICS if "ask" in metric.suites]

    def large() -> Run:
        return run_of(
            sample(f"{i}", {name: dice.randrange(21) / 20 for name in names}) for i in range(250)
        )

    before, after = large(), large()
    began = time.perf_counter()
    found = compare(before, after, DEFAULT)
    assert len(found.differences) >= 16
    assert time.perf_counter() - began < 5  # 0.3 s on one idle core


def test_cases_that_were_rewritten_for_the_most_part_are_no_pass() -> None:
    before = run_of(sample(f"q{i}", {"facts": 1.0}, expects="a") for i in range(9))
    after = run_of(sample(f"q{i}", {"facts": 1.0}, expects="a" if i < 4 else "b") for i in range(9))
    assert "5 of 9 cases" in only(gate(before, after, DEFAULT), "rewritten", "ask")
    fewer = run_of(sample(f"q{i}", {"facts": 1.0}, expects="a" if i else "b") for i in range(9))
    assert gate(before, fewer, DEFAULT) == ()


def test_a_baseline_that_was_cut_is_none() -> None:
    cut = replace(GOOD, samples=GOOD.samples[:7])
    assert "lacks 33" in only(gate(cut, GOOD, DEFAULT), "no-baseline", "ask")
    narrowed = replace(cut, selection={"limit": 7})
    assert gate(narrowed, narrowed, DEFAULT) == ()


def test_a_suite_that_a_whole_run_lacks_is_missed_without_its_files() -> None:
    both = run_of([*GOOD.samples, *scored([1.0] * 9, "recall", suite="digest").samples])
    assert ("unrun", "digest", "") in kinds(gate(both, GOOD, DEFAULT))
    assert gate(both, replace(GOOD, selection={"suites": ["ask"]}), DEFAULT) == ()


def test_a_wrong_refusal_that_was_mended_shuts_nothing() -> None:
    before = scored([0.0] + [None] * 39, "refusal precision")
    before = run_of(replace(s, scores={**s.scores, "facts": 1.0}) for s in before.samples)
    after = run_of(replace(s, scores={"facts": 1.0}) for s in before.samples)
    assert gate(before, after, DEFAULT) == ()
