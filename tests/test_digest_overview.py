"""What papers share and where they differ, said of invented papers and checked."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence

import pytest

from rag.corpus.sentences import sentence_spans
from rag.digest.clauses import called, clause
from rag.digest.kinds import kind_of
from rag.digest.overview import MOST_STATEMENTS, overview
from rag.embed.minilm import MiniLM
from rag.engine.check import Checker, Quoted
from rag.types import Citation, Entry, Group, Paper, Statement
from tests.fakes import paper

KITES = [
    paper(
        "gust",
        "Wind energy from kites is cheap. We present GustNet, a controller that lands kites in a "
        "storm. Wind energy needs it.",
        handle="GustNet",
    ),
    paper(
        "knot",
        "Lines of kites tangle. KnotFree is a planner that orders the lines before takeoff. "
        "Farms use it for wind energy. Without it wind energy does not grow.",
        handle="KnotFree",
    ),
    paper(
        "bench",
        "No two labs fly the same kite. KiteBench is a benchmark for wind energy from kites. "
        "Forty labs found it fair to wind energy.",
        handle="KiteBench",
    ),
    paper(
        "soft",
        "Soft wings bend. SoftWing is a planner that bends wings on purpose, for wind energy. "
        "Wind energy costs less with them.",
        handle="SoftWing",
    ),
    paper(
        "sea",
        "Ships drag kites over the sea. SeaPull is a method that steers ships by sound. It is "
        "loud at night.",
        handle="SeaPull",
    ),
]
LINES = {
    "gust": "GustNet is a controller that lands kites in a storm.",
    "knot": "KnotFree is a planner that orders the lines before takeoff.",
    "bench": "KiteBench is a benchmark for wind energy from kites.",
    "soft": "SoftWing is a planner that bends wings on purpose, for wind energy.",
    "sea": "SeaPull is a method that steers ships by sound.",
}


def entry(number: int, known: Paper, line: str | None = None) -> Entry:
    """The paper with its line and the sentence that has its verb."""
    line = LINES.get(known.paper_id, "It is here.") if line is None else line
    sought = line.rstrip(".").split()[-1:]
    start, end = next(
        ((s, e) for s, e in sentence_spans(known.text) if sought[0] in known.text[s:e]), (0, 0)
    )
    cited = (Citation(number, known.paper_id, known.text[start:end], start, end),) if end else ()
    return Entry(number, known, line, cited, True, round(1 - number / 100, 2))


def spans_of(entries: Sequence[Entry]) -> Mapping[str, Sequence[tuple[int, int]]]:
    return {e.paper.paper_id: sentence_spans(e.paper.text) for e in entries}


@pytest.fixture(scope="module")
def checker(minilm: MiniLM) -> Checker:
    return Checker(minilm)


def said(
    checker: Checker, papers: Sequence[Paper], topic: str = "kites", groups: Sequence[Group] = ()
) -> tuple[Statement, ...]:
    entries = [entry(number, known) for number, known in enumerate(papers, start=1)]
    return overview(entries, groups, topic, checker, spans_of(entries))


def test_common_ground_comes_first_and_differences_after(checker: Checker) -> None:
    texts = [statement.text for statement in said(checker, KITES)]
    assert 2 <= len(texts) <= MOST_STATEMENTS
    assert texts[0].startswith("Beyond kites, most of these papers deal with wind energy")
    assert any(re.search(r"KiteBench is a benchmark", text) for text in texts[1:])
    assert any(re.search(r"SeaPull is a method", text) for text in texts[1:])


def test_every_statement_is_one_supported_sentence_on_exact_quotes(checker: Checker) -> None:
    known = {paper.paper_id: paper for paper in KITES}
    for statement in said(checker, KITES):
        assert statement.supported and statement.text.endswith(".")
        assert "[" not in statement.text and len(sentence_spans(statement.text)) == 1
        assert statement.citations
        quotes = []
        for citation in statement.citations:
            cited = known[citation.paper_id]
            assert cited.text[citation.start : citation.end] == citation.quote
            assert [*known].index(cited.paper_id) + 1 == citation.number
            quotes.append(Quoted(citation.quote, (cited.handle,)))
        assert checker.check(statement.text, quotes).supported


def test_most_is_more_than_half_and_none_is_said_to_be_about_what_it_mentions_once(
    checker: Checker,
) -> None:
    hinted = paper("sea", f"{KITES[4].text} Wind energy is another matter.", handle="SeaPull")
    all_five = [*KITES[:4], hinted]
    assert "all" not in said(checker, all_five)[0].text.split()
    assert "SoftWing all deal with wind energy" in said(checker, KITES[:4])[0].text
    few = [*KITES[:1], *KITES[4:]]
    assert not any("wind energy" in statement.text.lower() for statement in said(checker, few))


def test_two_papers_are_named_side_by_side(checker: Checker) -> None:
    common, contrast = said(checker, KITES[:2], "planning")
    assert common.text == "GustNet and KnotFree both deal with wind energy."
    assert contrast.text == (
        "GustNet lands kites in a storm, while KnotFree orders the lines before takeoff."
    )


def test_one_paper_or_one_paper_twice_has_no_overview(checker: Checker) -> None:
    assert said(checker, []) == said(checker, KITES[:1]) == ()
    assert said(checker, [KITES[0], KITES[0]]) == ()


def test_groups_are_told_by_what_sets_them_apart(checker: Checker) -> None:
    themes = ("wind energy", "salt corrosion")
    text = "KiteNo{} glides over {}. Tail drag helps {}. Tail drag is an art."
    papers = [
        paper(f"{theme}{n}", text.format(n + g, theme, theme), handle=f"KiteNo{n + g}")
        for g, theme in ((0, themes[0]), (4, themes[1]))
        for n in range(4 - g // 4)
    ]
    entries = [entry(n, known, "It glides over it.") for n, known in enumerate(papers, start=1)]
    ids = [known.paper_id for known in papers]
    groups = [Group("Sky", tuple(ids[:4])), Group("Sea", tuple(ids[4:]), ("salt corrosion",))]
    texts = [s.text for s in overview(entries, groups, "flying", checker, spans_of(entries))]
    assert texts[0] == "All of these papers deal with tail drag."
    assert texts[1] == (
        "The papers around KiteNo0 and KiteNo1 lean towards wind energy; those around KiteNo4 "
        "and KiteNo5 towards salt corrosion."
    )


@pytest.mark.parametrize("word", ["detects", "authors", "dependencies", "stone keeps", "training"])
def test_verbs_and_words_that_all_papers_have_are_no_themes(checker: Checker, word: str) -> None:
    told = [
        paper(f"p{n}", f"The authors of {name} say that the {word} it here. A {word} its {name}.",
              handle=name)
        for n, name in enumerate(("GullNet", "TernNet", "SwanNet", "RookNet"))
    ]  # fmt: skip
    assert said(checker, told) == ()


def test_a_theme_that_is_the_topic_is_not_told(checker: Checker) -> None:
    assert not any("deal with" in found.text for found in said(checker, KITES[:4], "wind energy"))


def test_several_are_a_share_that_is_worth_telling(checker: Checker) -> None:
    boats = [paper(f"o{n}", f"We sail boat {n}.", handle=f"Boat{n}") for n in range(20)]
    assert "several of these papers deal with wind" in said(checker, [*KITES, *boats[:8]])[0].text
    assert not any("deal with" in found.text for found in said(checker, [*KITES, *boats]))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("We introduce KiteBench, a large benchmark for kites.", "benchmark"),
        ("The authors present KiteBench (Kites on Trial), a curated dataset of storms.", "dataset"),
        ("We propose KiteBench, a framework for evaluating pilots.", "evaluation"),
        ("KiteBench is the first attack on kites that needs no wind.", "attack"),
        ("With a kite we build a benchmark. KiteBench is a framework that steers.", "method"),
        ("Kites are old. The authors prove that all of them fall.", "theory"),
        ("Kites are old. In this work, we study how they fall.", "study"),
        ("Using KiteBench, we build OtherBench, a benchmark for kites.", None),
        ("We propose a kite. We study how it falls.", None),
        ("Kites are old. Finally, we study how they fall.", None),
    ],
)
def test_a_kind_is_what_the_authors_say_that_they_bring(text: str, name: str | None) -> None:
    known = paper("kite", text, handle="KiteBench")
    kind = kind_of(Entry(1, known, "It flies.", (), True, 1.0), sentence_spans(text))
    assert (kind and kind.name) == name


def test_papers_without_a_name_are_called_by_a_short_title_or_not_at_all() -> None:
    short = paper("a", "We dry nets. Nets dry.", title="Drying Nets in the Sun", handle="Nets Dry")
    long = paper("b", short.text, title=" ".join(["Net"] * 12), handle="Nets Dry")
    assert called(entry(1, short, "We dry nets.")) == "“Drying Nets in the Sun”"
    assert called(entry(1, long, "We dry nets.")) == ""


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("GustNet is a controller that lands kites in a storm.", "GustNet lands kites in a storm"),
        ("GustNet is a kite with two tails.", "GustNet is a kite with two tails"),
        (
            "We study how long kites fall in the rain and show that they do.",
            "one paper studies how long kites fall in the rain",
        ),
        (
            "We find that kites fall, unless there is wind.",
            "one paper finds that kites fall, unless there is wind",
        ),
        ("We introduce GustNet, a kite.", None),
        ("GustNet overcomes this by a second tail.", None),
        ("Kites fall when the wind turns in a storm.", None),
    ],
)
def test_a_line_becomes_a_clause_that_says_no_more(line: str, told: str | None) -> None:
    known = paper("gust", KITES[0].text, handle="GustNet")
    made = clause(Entry(1, known, line, (Citation(1, "gust", "Wind", 0, 4),), True, 1.0))
    assert (made and made.said()) == told


def test_the_same_papers_give_the_same_words(checker: Checker, minilm: MiniLM) -> None:
    assert said(checker, KITES) == said(Checker(minilm), KITES)


def test_odd_and_endless_abstracts_do_no_harm(checker: Checker) -> None:
    odd = [
        "", "word", ".", "\x00 <b> | ²½", "1," * 50_000, "(" * 50_000, "and or " * 20_000,
        "We show that foo improves bar by 12.5% over baseline 3.2x, " * 2_000,
    ]  # fmt: skip
    papers = [paper(f"p{n}", text, handle="") for n, text in enumerate(odd)]
    entries = [entry(n, known, "A line.") for n, known in enumerate(papers, start=1)]
    begun = time.perf_counter()
    for some in (entries[:2], entries[:5], entries[6:], entries):
        overview(some, (), "", checker, spans_of(some))
    assert time.perf_counter() - begun < 12
