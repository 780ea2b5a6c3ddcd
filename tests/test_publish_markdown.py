"""Digests as Markdown, read with a CommonMark parser that knows tables."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from rag.publish.content import shown
from rag.publish.escaping import escaped
from rag.publish.markdown import digest_markdown
from tests.digests import EVIL, empty, hostile, living, machines

READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
PLAIN = {"text", "text_special", "strong_open", "strong_close", "em_open", "em_close"}


def inner(text: str) -> list[Token]:
    """Everything that stands within the blocks of a document."""
    return [child for token in READER.parse(text) for child in token.children or ()]


@pytest.mark.parametrize("text", EVIL)
@pytest.mark.parametrize("place", ["{}", "# {}", "- {}", "*{}*", "| {} | b |\n|---|---|"])
def test_hostile_texts_show_as_they_are(text: str, place: str) -> None:
    found = inner(place.format(escaped(text)))
    told = "".join(token.content for token in found)
    assert {token.type for token in found} <= PLAIN
    assert told.removesuffix("b") == " ".join(shown(text).split())


@given(st.text(alphabet=st.sampled_from("ab1 .-+*_`[]()!<>#|~$&%=^@:\\\n\"'/{}") | st.characters()))
def test_any_text_shows_as_it_is(text: str) -> None:
    line = " ".join(shown(text).split())
    tokens = READER.parse(escaped(text))
    assert [token.type for token in tokens] == (
        ["paragraph_open", "inline", "paragraph_close"] if line else []
    )
    assert "".join(token.content for token in inner(escaped(text))) == line


@pytest.mark.parametrize(
    "sign", ["%%a%%", "==a==", "a ^b", "[[a]]", "$a$", "#a", "www.a.de", "a@b.de", ":a:", "~~a~~"]
)
def test_signs_of_obsidian_and_github_lose_their_meaning(sign: str) -> None:
    """A parser of CommonMark does not know them: each must have a backslash."""
    assert "\\" in escaped(sign)


@pytest.mark.parametrize("text", ["It works!", "a^", "see [1]", "back\\"])
def test_a_marker_after_a_text_stays_a_marker(text: str) -> None:
    told = "".join(token.content for token in inner(f"{escaped(text)}[^1]\n\n[^1]: A: “b”"))
    assert told.startswith(f"{text}[^1]")
    assert not escaped(text).endswith(("!", "^")) or escaped(text)[-2] == "\\"


def test_everyday_texts_need_no_backslash() -> None:
    text = "TideNet's error falls by 38.1% (from 9.4 cm), i.e. [1] it wins; at 2:1, so-called."
    assert escaped(text) == text


def test_a_hostile_digest_has_the_blocks_of_a_harmless_one() -> None:
    text = digest_markdown([hostile()])
    blocks = READER.parse(text)
    assert not {"html_block", "fence", "code_block", "hr"} & {token.type for token in blocks}
    known = PLAIN | {"softbreak"}
    assert {token.type for token in inner(text)} <= known
    rows = [token for token in blocks if token.type == "tr_open"]
    cells = [token for token in blocks if token.type in ("td_open", "th_open")]
    assert len(rows) == len(EVIL) + 1
    assert len(cells) == 4 * len(rows)


def test_links_come_from_the_addresses_of_papers_alone() -> None:
    found = [token for token in inner(digest_markdown([machines()])) if token.type == "link_open"]
    assert [token.attrs for token in found] == [{"href": "https://example.org/tide"}]


def test_every_marker_has_one_footnote_with_the_quotes() -> None:
    text = digest_markdown([machines(), living(), empty()])
    notes = dict(re.findall(r"^(\[\^[\d-]+\]): (.*)$", text, re.MULTILINE))
    markers = set(re.findall(r"\[\^[\d-]+\](?!:)", text))
    assert set(notes) == markers
    assert len(re.findall(r"^\[\^", text, re.MULTILINE)) == len(notes)
    assert notes["[^1-1]"] == (
        "Half of the Heads Can Go: “attention heads that do nothing” … "
        "“We remove heads one at a time”"
    )


def test_one_digest_is_the_document_and_several_are_its_sections() -> None:
    alone = digest_markdown([living()])
    assert alone.startswith("# Sensing\n\n3 of 8 papers are on this topic.\n")
    several = digest_markdown([living(), empty()])
    assert several.startswith("# 2 topics\n\n## Sensing\n")
    assert "## Medieval pottery\n\nNone of 8 papers is on this topic.\n" in several


def test_a_quote_of_several_figures_is_told_once() -> None:
    finding = machines().findings[1]
    other = replace(finding, claim="still open", figure="goals")
    text = digest_markdown([replace(machines(), findings=(finding, other))])
    assert "| LemmaLoom | still open | goals | [^3] |" in text


def test_an_area_that_is_the_topic_is_not_told_with_each_paper() -> None:
    text = digest_markdown([replace(living(), topic="Biology")])
    assert "**Reading the Dance Floor of a Hive** (Toy Workshop 2030): " in text
    assert "(Toy Conference 2031, robotics): " in text


def test_groups_changes_and_doubts_are_told() -> None:
    text = digest_markdown([machines()])
    assert "## Structure (2)\n\n*graph, lemma*\n\n- **LemmaLoom** (reasoning): " in text
    assert "LemmaLoom never fails.[^3] *(not supported by its quotes)*" in text
    assert "- Moved: TideNet: Filling" in text
    assert "- Whether code is public[^1][^2][^4]\n" in text
    assert text.count("*One line was written anew.*") == 1
    assert "| LemmaLoom | goals closed | 38 % | It closes 38 % of the goals[^3] |" in text


@pytest.mark.parametrize("title", ["See [x](https://evil.example)", "a] (b](https://evil.example"])
def test_no_title_ends_the_link_that_it_stands_in(title: str) -> None:
    tokens = inner(f"[{escaped(title)}](<https://good.example>)")
    links = [t.attrs["href"] for t in tokens if t.type == "link_open"]
    assert links == ["https://good.example"]
