"""Digests for a terminal."""

from __future__ import annotations

from rag.publish.text import digest_text
from rag.render import WIDTH, Style
from tests.digests import empty, hostile, living, machines

PLAIN = Style(colour=False)


def test_a_digest_in_a_terminal() -> None:
    text = digest_text([machines()], PLAIN)
    assert text.startswith("Waste and trust in language models\n\nListed: 4 of 4")
    assert (
        "[3] LemmaLoom\n"
        "    reasoning\n"
        "    LemmaLoom never fails. (not supported by its quotes)\n"
        "    “It closes 38 % of the goals”\n"
    ) in text
    assert "Both look for what a model does not need.\u00a0[1]\u00a0[2]" in text
    assert "    38 %: goals closed [3]\n" in text
    assert "    Gone: Reading the Dance Floor of a Hive (no longer in the index)\n" in text


def test_several_digests_follow_each_other() -> None:
    text = digest_text([living(), empty()], PLAIN)
    assert text.index("Sensing") < text.index("\n\n\nMedieval pottery\n\nNothing among 8 papers")
    assert text.endswith("\n")


def test_lines_fit_and_nothing_steers_the_terminal() -> None:
    text = digest_text([hostile()], PLAIN)
    assert all(c.isprintable() or c in "\n\u00a0" for c in text)
    lines = [line for line in digest_text([machines()], PLAIN).splitlines() if "[" not in line]
    assert max(map(len, lines)) <= WIDTH


def test_colour_is_the_only_difference_that_a_style_makes() -> None:
    coloured = digest_text([machines()], Style(colour=True))
    assert coloured != digest_text([machines()], PLAIN)
    plain = coloured.replace("\x1b[1m", "").replace("\x1b[2m", "").replace("\x1b[0m", "")
    assert plain == digest_text([machines()], PLAIN)
