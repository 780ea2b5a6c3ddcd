"""Digests for a terminal."""

from __future__ import annotations

from rag.publish.text import digest_text
from rag.render import WIDTH, Style
from tests.digests import empty, hostile, living, machines

PLAIN = Style(colour=False)


def test_a_digest_in_a_terminal() -> None:
    text = digest_text([machines()], PLAIN)
    topic, rule, _, coverage = text.splitlines()[:4]
    assert topic == "Waste and trust in language models"
    assert rule == "=" * len(topic)
    assert coverage == "4 of 8 papers are on this topic; 3 more come near."
    assert (
        "[3] LemmaLoom\n"
        "    reasoning\n"
        "    LemmaLoom never fails. (not supported by its quotes)\n"
        "    “It closes 38 % of the goals”\n"
    ) in text
    assert "Both look for what a model does not need.\u00a0[1]\u00a0[2]" in text
    assert "\n[3] LemmaLoom\n    38 %: goals closed\n" in text
    assert "    Gone: Reading the Dance Floor of a Hive — no longer in the index\n" in text
    assert "    Whether code is public: [1] [2] [4]\n" in text


def test_several_digests_follow_each_other() -> None:
    text = digest_text([living(), empty()], PLAIN)
    assert text.index("Sensing") < text.index(
        "\n\n\nMedieval pottery\n================\n\nNone of 8"
    )
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
