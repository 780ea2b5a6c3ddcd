"""Runs and comparisons as text, Markdown and JUnit, and what their page is made of."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any, get_args
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.evaluate import wording
from rag.evaluate.thresholds import Kind
from rag.evaluate.types import Changed, Comparison, Failure, Figure, Quote
from rag.publish.evals.cases import direction, tally
from rag.publish.evals.columns import columns, cut, wrapped
from rag.publish.evals.headline import headline
from rag.publish.evals.junit import junit
from rag.publish.evals.markdown import LIMIT, markdown
from rag.publish.evals.page import kinds, page
from rag.publish.evals.pictures import curve
from rag.publish.evals.text import CHANGED, OTHERS, text
from rag.publish.evals.trend import series
from rag.render import Style
from tests.evals_runs import AFTER, BEFORE, EVIL, comparison, difference, hostile, run, sample

PLAIN = Style(colour=False)
UNCHANGED = {"changed": (), "causes": (), "failures": ()}


def test_the_terminal_has_figures_verdict_and_changed_cases() -> None:
    lines = text(AFTER, comparison(), PLAIN).splitlines()
    facts = next(line for line in lines if line.startswith("facts"))
    assert re.split(r"  +", facts)[1:] == [
        "0.702",
        "0.652–0.752",
        "40",
        "0.780",
        "−0.078 (−0.118 to −0.038)",
        "worse",
    ]
    told = "\n".join(lines)
    assert "Errors: 1 sample raised; first moth: TimeoutError: 30 s\n" in told
    assert "rubric — over 0 samples, 1 unscored" in told
    assert "6 answered, 1 not in abstracts, 1 error; not in abstracts expected: 1" in told
    assert "225 ms at p95, 1,000 tokens, $0.0012\nSpent before: 12 ms at p50" in told
    assert "Not gating: support\n" in told
    assert "The gate is shut: 1 failure. If that is meant" in told
    assert "\n- facts in ask fell by 0.078" in told
    assert (
        "  worse: ask bee0 (number)\n"
        "    What does bee0 weigh?\n"
        "    worse: facts 1.000 → 0.000, outcome 1.000 → 0.000\n"
        "    The fact “4 grams” is missing.\n"
        "  better: retrieval gnat (number)\n"
    ) in told


def test_tables_are_aligned_and_lines_fit_whatever_the_texts() -> None:
    evil = hostile()
    told = text(AFTER, comparison(), PLAIN) + text(evil.after, evil, PLAIN)
    assert max(map(columns, told.splitlines())) <= 100
    assert all(character.isprintable() or character == "\n" for character in told)
    table = [line for line in told.splitlines() if re.match(r"(facts|outcome|support) ", line)]
    assert len({line.index("0.") for line in table}) == 1


def test_colour_is_the_only_difference_that_a_style_makes() -> None:
    coloured = text(AFTER, comparison(), Style(colour=True))
    assert coloured != text(AFTER, comparison(), PLAIN)
    assert re.sub(r"\x1b\[\dm", "", coloured) == text(AFTER, comparison(), PLAIN)


def test_a_run_alone_is_told_without_what_it_has_not() -> None:
    told = text(AFTER, None, PLAIN)
    assert "before" not in told
    assert "Not compared: 10 cases in retrieval and ask, and there is no baseline." in told
    assert "| verdict |" not in markdown(AFTER, None)
    assert "Changed cases" not in page(AFTER, None)


def test_rows_that_stayed_are_folded_and_those_that_moved_are_not() -> None:
    found = comparison(
        differences=(
            difference("ask", "facts", 0.78, 0.702, verdict="worse"),
            difference("ask", "outcome", 0.9, 0.9),
            difference("ask", "all facts", 0.7, 0.7, differing=0),
            difference("ask", "support", 0.8, 0.8, differing=0),
        )
    )
    lines = text(AFTER, found, PLAIN).splitlines()
    assert "No difference: all facts 0.700, support 0.800 (2 metrics)" in lines
    starts = [line.split("  ")[0] for line in lines if re.search(r" \+?0\.\d{3}–", line)]
    assert starts[-2:] == ["facts", "outcome"]
    told = markdown(AFTER, found)
    assert "<summary>No difference: all facts, support (2 metrics)</summary>\n\n| metric" in told
    assert told.index("| outcome |") < told.index("<summary>No difference") < told.index("| all f")
    assert page(AFTER, found).count('<th scope="row">all facts</th>') == 1


def test_a_terminal_shows_the_first_changed_cases_and_counts_the_others() -> None:
    old, new = sample("ant"), sample("ant", text="Ants weigh little.")
    worse, other = Changed(old, new, (), ("facts",)), Changed(old, new, (), ())
    for changed, shown in (
        ((worse,) * (CHANGED + 3), CHANGED),
        ((other,) * 9 + (worse,) * 2, OTHERS + 2),
        ((other,) * 9, OTHERS),
    ):
        told = text(AFTER, replace(comparison(), changed=changed), PLAIN)
        assert told.count("What does ant weigh?") == shown
        assert told.endswith(f"  and {len(changed) - shown} more\n")


def test_what_only_differs_is_called_what_it_is() -> None:
    old = sample("ant")
    muted = sample("ant", text="", quotes=(), papers=(), words="a1")
    ranked = sample("ant", papers=("Ants", "Weighing Bees"))
    found = [
        Changed(old, None, (), ()),
        Changed(muted, ranked, (), ()),
        Changed(old, ranked, (), ()),
        Changed(old, sample("ant", quotes=()), (), ()),
        Changed(old, sample("ant", text="Little."), (), ()),
    ]
    assert [direction(each) for each in found] == [
        "gone",
        "unknown",
        "other ranking",
        "other words",
        "other words",
    ]
    told = "5 cases changed: 2 other words, 1 other ranking, 1 unknown, 1 gone"
    assert tally(found) == told


def test_of_a_case_that_raised_only_that_is_told() -> None:
    old = sample("ant")
    new = sample("ant", scores={"completed": 0.0}, text="", error="PaperNotFound: no Ants.")
    lost = comparison(changed=(Changed(old, new, (), ("completed",)),))
    back = comparison(changed=(Changed(new, old, ("completed",), ()),))
    for found, said in ((lost, "raised: "), (back, "raised before: ")):
        shown = text(AFTER, found, PLAIN)
        assert f"    What does ant weigh?\n    {said}PaperNotFound: no Ants.\n" in shown
        assert f"{said}PaperNotFound" in markdown(AFTER, found)
        assert page(AFTER, found).count("PaperNotFound") == 1
        for told in (shown, markdown(AFTER, found), page(AFTER, found)):
            assert not re.search("→ —|— →", told)


def test_repeats_leave_no_case_out() -> None:
    twice = [sample(f"bee{n}", repeat=r, scores={"facts": r}) for n in range(2) for r in (0, 1)]
    repeated = replace(run(twice), selection={"repeat": 2})
    told = text(repeated, None, PLAIN)
    assert told.startswith("Run 20260131T094512, each 2 times.\n")
    assert "ask: 2 cases, 2 times each\n" in told
    assert "Spread: facts ±0.707\n" in told
    assert {p.remark for e in series(repeated, [run(twice, "20260130T0")]) for p in e.points} == {
        ""
    }
    some = replace(repeated, selection={"filter": ("kind=number",), "repeat": 2})
    assert "not of all cases (filter kind=number), each 2 times." in text(some, None, PLAIN)


UNSURE = difference("ask", "facts", 1.0, 0.7, verdict="too few cases to tell", paired=10)
FEW = "Too few cases to tell: facts in ask fell from 1.000 to 0.700 over 10 cases "
BOUNDS = "(−0.300, 95 % interval −0.340 to −0.260)"
MRR = difference("retrieval", "MRR", 0.5, 0.75, verdict="better")
EXCUSED = difference("ask", "facts", 0.8, 0.7, verdict="corpus changed, not the code")


def worse(*names: str, metric: str = "facts") -> tuple[Changed, ...]:
    """Cases that got worse in a metric."""
    return tuple(Changed(sample(name), sample(name), (), (metric,)) for name in names)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"differences": (difference("ask", "facts", 0.8, 0.8),)}, "No difference."),
        (
            {"differences": (difference("ask", "facts", 0.8, 0.8),), "changed": worse("a", "b")},
            "No difference beyond the tolerance; 2 cases got worse: a, b.",
        ),
        (
            {
                "differences": (UNSURE, difference("ask", "outcome", 0.8, 0.8)),
                "changed": (*worse("a", "b", "c", "d"), *worse("e", metric="outcome")),
            },
            f"{FEW}{BOUNDS}; 4 cases got worse: a, b, c and 1 more.",
        ),
        (
            {"differences": (MRR, UNSURE), "changed": worse("a")},
            f"{FEW}{BOUNDS}; 1 case got worse: a; better: MRR 0.500 → 0.750 in retrieval.",
        ),
        (
            {"differences": (UNSURE,), "failures": (Failure("few", "…", "ask", "facts"),)},
            "Too few cases to tell: facts 1.000 → 0.700 in ask.",
        ),
        (
            {"differences": (difference("ask", "facts", 0.7, 0.8, verdict=UNSURE.verdict),)},
            "Too few cases to tell: facts in ask rose from 0.700 to 0.800 over 40 cases "
            "(+0.100, 95 % interval +0.060 to +0.140).",
        ),
        (
            {"differences": (MRR,), "changed": worse("a")},
            "Better: MRR 0.500 → 0.750 in retrieval; 1 case got worse: a.",
        ),
        (
            {"differences": (EXCUSED,), "failures": (Failure("corpus", "…", "ask", "facts"),)},
            "Corpus changed, not the code: facts 0.800 → 0.700 in ask.",
        ),
        (
            {
                "differences": (
                    difference("retrieval", "recall@5", 0.9, 0.8, verdict="worse"),
                    difference("retrieval", "MRR", 0.9, 0.7, verdict="worse"),
                    difference("ask", "facts", 0.9, 0.85, verdict="worse"),
                    difference("ask", "off-topic", 0.1, 0.12, verdict="worse"),
                )
            },
            "Worse: MRR 0.900 → 0.700 and recall@5 0.900 → 0.800 in retrieval; "
            "facts 0.900 → 0.850 in ask; and 1 more metric.",
        ),
        ({"failures": (Failure("no-cases", "No case ran."),)}, "Failed: no case was run."),
        (
            {"failures": (Failure("below", "…", "ask", "facts"), Failure("vanished", "…", "ask"))},
            "Failed: facts is too low in ask, and 1 more failure.",
        ),
        ({}, "Nothing was compared."),
        (
            {"differences": (difference("ask", "facts", 1, 1, verdict="not compared"),)},
            "Nothing was compared.",
        ),
    ],
)
def test_the_headline_says_the_verdict_in_words(fields: dict[str, object], told: str) -> None:
    empty = {"differences": (), "changed": (), "causes": (), "failures": ()}
    found = comparison(**(empty | fields))
    assert headline(AFTER, found, found.failures) == told


def test_the_headline_knows_every_failure_of_the_gate() -> None:
    for kind in sorted({*get_args(Kind)} - {"few", "corpus"}):
        failures = (Failure(kind, "…", "ask", "facts"),)
        told = headline(AFTER, comparison(differences=(), failures=failures), failures)
        assert told.startswith("Failed: ")
        assert told != f"Failed: {kind} in ask."
        assert "{" not in told


def test_numbers_are_never_nan() -> None:
    nan = math.nan
    assert wording.share(nan) == wording.signed(nan) == wording.share(None) == "—"
    assert wording.signed(-0.0001) == wording.signed(0.0) == "0.000"
    assert wording.share(-0.0) == "0.000"
    odd = replace(difference("ask", "facts", 0.8, 0.7), after=Figure(nan, 0, nan, nan), change=nan)
    found = comparison(differences=(odd,))
    for told in (text(AFTER, found, PLAIN), markdown(AFTER, found), junit(AFTER, found)):
        assert "nan" not in told.casefold()


def test_columns_count_wide_letters_twice_and_accents_not_at_all() -> None:
    assert columns("数据") == 4
    assert columns("e\u0301") == 1
    assert cut("数据集很小", 6) == "数据…"
    assert wrapped("a " + "数" * 60).splitlines() == ["a", "数" * 50, "数" * 10]


def test_markdown_has_the_verdict_the_tables_and_cases_side_by_side() -> None:
    told = markdown(AFTER, comparison())
    assert told.startswith("## Worse: facts 0.780 → 0.702 in ask.\n")
    assert (
        "| facts | 0.702 | 0.652–0.752 | 40 | 0.780 | −0.078 (−0.118 to −0.038) | **worse** |"
    ) in told
    assert "<details><summary>worse: ask bee0 (number). What does bee0 weigh?</summary>" in told
    assert "| “bee0 weighs 4 grams” — Weighing Bees |  |" in told
    assert "- settings: top\\_k was 8 and is 1." in told


def rendered(source: str) -> str:
    """What GitHub would make of it, HTML in it let through."""
    markdown_it = pytest.importorskip("markdown_it")
    html: str = markdown_it.MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(source)
    return html


def test_markdown_keeps_texts_texts() -> None:
    evil = hostile()
    html = rendered(markdown(evil.after, evil))
    tags = set(re.findall(r"<(\w+)", html))
    assert tags <= set(
        "h2 h3 p ul li strong em table thead tbody tr th td details summary br".split()
    )
    assert "window.pwned = 1&lt;/script&gt;" in html
    for table in re.findall(r"<table>.*?</table>", html, re.DOTALL):
        rows = [len(re.findall("<t[hd]", row)) for row in table.split("<tr>")[1:]]
        assert set(rows) in ({2}, {7})


def test_markdown_calls_nobody_and_links_no_issue() -> None:
    ant = sample("ant", subject="Ask @octocat of #12 and GH-7", text="@team knows, see a/b#34")
    told = markdown(run([ant]), comparison(changed=(Changed(None, ant, (), ()),)))
    assert "octocat" in told
    assert not re.search(r"@\w|#\d|GH-\d", re.sub(r"\\|(?<=&)#", "", told))


def test_markdown_fits_a_comment_and_says_what_it_leaves_out() -> None:
    pairs = [
        Changed(sample(f"c{n}", text=EVIL[0] * 99), sample(f"c{n}", text="x" * 100_000), (), ())
        for n in range(60)
    ]
    failures = tuple(Failure("worse", "| long " * 9_000) for _ in range(200))
    found = comparison(changed=tuple(pairs), failures=failures, causes=("*" * 100_000,) * 50)
    told = markdown(AFTER, found)
    shown = told.count("<summary>other words")
    assert LIMIT / 2 < len(told) <= LIMIT
    assert 0 < shown < 60
    assert told.endswith(f"{60 - shown} more changed cases are not shown here.\n")


def test_junit_is_red_only_where_the_gate_is_shut() -> None:
    root = ElementTree.fromstring(junit(AFTER, comparison()))
    failed = [test for test in root.iter("testcase") if test.find("failure") is not None]
    named = [(test.get("classname"), test.get("name")) for test in failed]
    assert named == [("ask.metrics", "facts"), ("ask.number", "bee0")]
    told = failed[1].find("failure")
    assert told is not None
    assert told.get("message", "").startswith("worse: facts 1.000 → 0.000")
    skipped = [t.get("name") for t in root.iter("testcase") if t.find("skipped") is not None]
    assert skipped == ["moth"]
    assert (root.get("failures"), root.get("skipped"), root.get("tests")) == ("2", "1", "14")


def test_junit_skips_what_got_worse_though_the_gate_is_not_shut_for_it() -> None:
    other = Failure("below", "…", "ask", "support"), Failure("worse", "…", "digest", "facts")
    for failures, red in (((), 0), (other, 2)):
        root = ElementTree.fromstring(junit(AFTER, replace(comparison(), failures=failures)))
        assert root.get("failures") == str(red)
        assert root.get("skipped") == "2"


def test_junit_is_red_for_cases_that_raise_where_errors_shut_the_gate() -> None:
    fields: dict[str, Any] = {"scores": {"completed": 0.0}, "error": "TimeoutError: 30 s"}
    new = [sample("bug", repeat=repeat, **fields) for repeat in (0, 1)]
    as_before = sample("ant", **fields)
    rewritten = sample("bee", expects="b", **fields)
    changed = (Changed(None, new[0], (), ()), Changed(sample("bee"), rewritten, (), ()))
    errors = Failure("errors", "2 of 3 cases raised an error.", "ask", "completed")
    raising = run([*new, as_before, rewritten])
    found = comparison(after=raising, changed=changed, failures=(errors,), differences=())
    root = ElementTree.fromstring(junit(raising, found))
    told = {test.get("name"): test[0].tag for test in root.iter("testcase") if len(test)}
    assert told["bug"] == told["bug #2"] == told["bee"] == "failure"
    assert told["ant"] == "skipped"


def test_junit_has_every_failure_of_the_gate() -> None:
    failures = (Failure("no-cases", "No case ran."), Failure("vanished", "Two are gone.", "ask"))
    root = ElementTree.fromstring(junit(AFTER, replace(comparison(), failures=failures)))
    told = [failure.get("message") for failure in root.iter("failure")]
    assert told == ["No case ran.", "Two are gone."]


def test_junit_is_xml_whatever_the_texts() -> None:
    evil = hostile()
    root = ElementTree.fromstring(junit(evil.after, evil).encode())
    assert EVIL[0] in {test.get("name") for test in root.iter("testcase")}
    assert len(list(root.iter("failure"))) == len(EVIL)


@settings(max_examples=40, deadline=None)
@given(st.text(st.characters(), max_size=40))
def test_any_text_makes_valid_xml_and_fits_columns(odd: str) -> None:
    ant = sample(odd, kind=odd, subject=odd, faults=(odd,), error=odd, scores={"completed": 0.0})
    found = comparison(changed=(Changed(None, ant, (), ()),), causes=(odd,))
    ElementTree.fromstring(junit(run([ant]), found).encode())
    assert max(map(columns, text(run([ant]), found, PLAIN).splitlines())) <= 100


def test_kinds_are_darker_the_more_is_missing() -> None:
    digest = [
        sample("a", "digest", kind="broad", scores={"recall": 1.0, "off-topic": 0.9}),
        sample("b", "digest", kind="narrow", scores={"recall": 0.1}),
    ]
    (table,) = kinds(run(digest))
    assert (table.suite, table.metrics) == ("digest", ("recall", "off-topic"))
    cells = [[cell and cell.level for cell in kind.cells] for kind in table.kinds]
    assert cells == [[0, 4], [4, None]]


def test_the_trend_marks_runs_that_cannot_be_compared() -> None:
    other = replace(run(BEFORE.samples, "20260101T000000", corpus="bad"), selection={"limit": 5})
    found = {(each.suite, each.metric): each.points for each in series(AFTER, [BEFORE, other])}
    points = found["ask", "outcome"]
    assert [point.run for point in points] == [other.id, BEFORE.id, AFTER.id]
    assert [point.remark for point in points] == ["another corpus, not all cases: limit 5", "", ""]
    assert ("ask", "support") not in found


@pytest.mark.parametrize(
    ("id", "times"),
    [
        ("20260130T080000", ["2026-01-30", "2026-01-31"]),
        ("20260131T080000", ["2026-01-31 08:00:00", "09:45:12"]),
        ("0 odd name", ["0 odd na", "20260131"]),
    ],
)
def test_the_ends_of_a_trend_are_days_or_times_of_one_day(id: str, times: list[str]) -> None:
    drawn = curve(series(AFTER, [run(BEFORE.samples, id)])[0])
    assert [text.text for text in drawn.iter("text")][-2:] == times


def test_a_baseline_without_words_says_so() -> None:
    old, new = sample("ant", text="", quotes=(), papers=(), words="a1"), sample("ant")
    found = comparison(before=run([old]), changed=(Changed(old, new, (), ()),))
    for told in (page(AFTER, found), markdown(AFTER, found)):
        assert told.count("This run keeps no words") == 1
        assert "only after" not in told


def test_a_sample_that_came_to_nothing_is_not_one_without_words() -> None:
    old, new = sample("ant", text="", quotes=(), papers=(), words="a1"), sample("ant")
    found = comparison(changed=(Changed(old, new, (), ()),))
    assert "keeps no words" not in page(AFTER, found) + markdown(AFTER, found)


def test_what_is_held_against_a_run_alone_is_told() -> None:
    missing = Failure("no-baseline", "There is no baseline.")
    low = Failure("below", "ask: facts is 0.5 and has to be 0.7 at least.", "ask", "facts")
    for failures, word in (((missing,), "Not compared"), ((low, missing), "Failed")):
        html = page(AFTER, None, (), failures)
        assert f"<h1>{word}</h1>" in html
        assert html.count("The gate is shut: ") == 1
        assert markdown(AFTER, None, failures).startswith(f"## {word}: ")
        assert f"\n{word}: " in text(AFTER, None, PLAIN, failures)
        root = ElementTree.fromstring(junit(AFTER, None, failures))
        told = {failure.get("message") for failure in root.iter("failure")}
        assert told == {failure.text for failure in failures}


def test_reports_are_the_same_each_time() -> None:
    evil: Comparison = hostile()
    assert page(evil.after, evil, [BEFORE]) == page(evil.after, evil, [BEFORE])
    assert junit(AFTER, comparison()) == junit(AFTER, comparison())


def test_a_quote_that_only_one_side_has_is_marked() -> None:
    old = sample("ant", quotes=(Quote("Ants", "both have it"), Quote("Ants", "dropped since")))
    new = sample("ant", quotes=(Quote("Ants", "both have it"),))
    told = page(AFTER, comparison(changed=(Changed(old, new, (), ()),)))
    assert told.count('<span class="own">only before</span>') == 1
    assert 'dropped since</q> <cite>Ants</cite> <span class="own">only before' in told
