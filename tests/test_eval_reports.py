"""Runs and comparisons as text, Markdown and JUnit, and what their page is made of."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.evaluate.types import Changed, Comparison, Failure, Figure, Quote
from rag.publish.evals import content, wording
from rag.publish.evals.columns import columns, cut, wrapped
from rag.publish.evals.junit import junit
from rag.publish.evals.markdown import LIMIT, markdown
from rag.publish.evals.page import kinds, page
from rag.publish.evals.text import CHANGED, text
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
    assert "The gate is shut: 1 failure.\n- facts in ask fell by 0.078" in told
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


def test_a_terminal_shows_the_first_changed_cases_and_counts_the_others() -> None:
    old, new = sample("ant"), sample("ant", text="Ants weigh little.")
    found = replace(comparison(), changed=(Changed(old, new, (), ()),) * (CHANGED + 3))
    told = text(AFTER, found, PLAIN)
    assert told.count("What does ant weigh?") == CHANGED
    assert told.endswith("  and 3 more\n")


def test_spread_and_selection_are_told() -> None:
    twice = [sample(f"bee{n}", repeat=r, scores={"facts": r}) for n in range(2) for r in (0, 1)]
    repeated = replace(run(twice), selection={"filter": ("kind=number",), "repeat": 2})
    told = text(repeated, None, PLAIN)
    assert "not of all cases (filter kind=number, repeat 2)" in told
    assert "ask: 2 cases, 2 times each\n" in told
    assert "Spread: facts ±0.707\n" in told


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        (
            {"differences": (difference("ask", "facts", 0.8, 0.8),), **UNCHANGED},
            "No difference.",
        ),
        (
            {
                "differences": (
                    difference("ask", "facts", 0.8, 0.7, verdict="too few cases to tell"),
                ),
                **UNCHANGED,
            },
            "Too few cases to tell.",
        ),
        (
            {
                "differences": (
                    difference("ask", "facts", 0.8, 0.7, verdict="corpus changed, not the code"),
                    difference("ask", "outcome", 0.8, 0.8),
                ),
                **UNCHANGED,
            },
            "Corpus changed, not the code.",
        ),
        (
            {"differences": (), **UNCHANGED, "failures": (Failure("no-cases", "No case ran."),)},
            "Failed: No case ran.",
        ),
        ({"differences": (), **UNCHANGED}, "Nothing was compared."),
        (
            {"differences": (difference("ask", "facts", 0.8, 0.9, verdict="better"),), **UNCHANGED},
            "Better: facts in ask rose from 0.800 to 0.900 "
            "(+0.100, 95 % interval +0.060 to +0.140, 40 cases).",
        ),
        (
            {"differences": (difference("ask", "facts", 0.8, 0.7, verdict="worse", gates=False),)},
            "Failed: facts in ask fell by 0.078; 0.010 is tolerated.",
        ),
    ],
)
def test_the_headline_says_the_verdict_in_words(fields: dict[str, object], told: str) -> None:
    found = comparison(**fields)
    assert content.headline(AFTER, found, found.failures) == told


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
    assert told.startswith("## Worse: facts in ask fell from 0.780 to 0.702 (−0.078, ")
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
    assert [(t.get("classname"), t.get("name")) for t in failed] == [("ask.metrics", "facts")]
    skipped = {t.get("name"): t.find("skipped") for t in root.iter("testcase")}
    assert {name for name, found in skipped.items() if found is not None} == {"bee0", "moth"}
    assert skipped["bee0"].get("message").startswith("worse: facts 1.000 → 0.000")  # type: ignore[union-attr]
    assert (root.get("failures"), root.get("skipped"), root.get("tests")) == ("1", "2", "14")
    passed = ElementTree.fromstring(junit(AFTER, replace(comparison(), failures=())))
    assert passed.get("failures") == "0"


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
