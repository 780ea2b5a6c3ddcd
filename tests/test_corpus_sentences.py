"""sentence_spans: where sentences end, and that no character is lost."""

from __future__ import annotations

import time

import pytest

from rag.corpus.sentences import MAX_SENTENCE_CHARS, sentence_spans


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    "parts",
    [
        ["It works.", "It is fast."],
        ["Why does it work?", "Nobody knows!", "We ask."],
        ['They call it "magic."', "We do not."],
        ["It is cheap (very cheap.).", "(2) It is small."],
        ["It has 1) speed, 2) size; 3) cost.", "Nothing else: that is all."],
        ["(1) It reads.", "(2) It writes."],
        ["It halts... sometimes.", "It resumes… Later."][:1],
        ["我们提出一种方法。", "它很快！", "为什么？"],
        ["これは本です。", "We agree."],
        ["It uses QuickNet.", "mTool is slower."],
        ["We recover the factor R.", "The rest follows."],
        ["It lists cats, dogs, etc.", "We add birds."],
        ["The answer is no.", "We stop."],
        ["It is linear in n.", "Combining both is cheap.", "It took 8 h.", "Later it halts."],
        ["They lack vitamin D.", "Sunlight helps.", "One scan by MR.", "It is slow."],
        ["Background. It rains.", "METHODS: We wait.", "Results. They are wet."],
        ["First paragraph", "Second paragraph"],
    ],
)
def test_splits(parts: list[str]) -> None:
    wide = "。" in parts[0]
    joined = "\n\n" if "paragraph" in parts[0] else "" if wide else " "
    assert sentences(joined.join(parts)) == parts


@pytest.mark.parametrize(
    "sentence",
    [
        "Large files (e.g. Videos, i.e. moving images) are cf. Table 2 slow.",
        "Smith et al. (2020) and J. R. Doe vs. Roe agree w.r.t. speed.",
        "See Fig. 3, Eq. (4), Sec. 5 and No. 7 for approx. 12 cases.",
        "Accuracy grows from 0.5 to 3.14 with v2.0.1 of https://ex.org/a.b?c=D.",
        "Features (i.e. sometimes more than ten) are costly.",
        "We ask: Why? and answer it.",
        "1. Begin with a seed.",
        "It waits ... and resumes.",
        "The U.S. Census counts.",
        "As J. Doe, A. B. Roe and R. Poe (see p. 12) wrote in Proc. Natl. Acad. Sci. USA.",
        "Growth of S. Typhi and variant p. R2D is slow (60% v. 50%).",
    ],
)
def test_does_not_split(sentence: str) -> None:
    assert sentences(sentence) == [sentence]


@pytest.mark.parametrize("text", ["", "   \n\t ", "\n\n\n"])
def test_no_text_has_no_sentences(text: str) -> None:
    assert sentence_spans(text) == []


@pytest.mark.parametrize(
    "text",
    ["  One. Two!  Three", ". . . a", "word " * 900, "x" * 2_500, "a; " * 700 + "end.", "a。b。 c"],
)
def test_spans_cover_every_character_in_order(text: str) -> None:
    spans = sentence_spans(text)
    flat = [edge for span in spans for edge in span]
    assert flat == sorted(flat)
    assert "".join("".join(text[a:b].split()) for a, b in spans) == "".join(text.split())
    assert all(text[a:b] == text[a:b].strip() != "" for a, b in spans)
    assert all(b - a <= MAX_SENTENCE_CHARS for a, b in spans)


def test_a_long_sentence_is_cut_at_a_semicolon() -> None:
    first, second = sentences("a" + " and" * 180 + "; " + "then " * 100)
    assert first.endswith("and;")
    assert second.startswith("then")


@pytest.mark.parametrize("unit", [".", ". ", ".)", "a.", "。", "\n", "x", "No. 1 "])
def test_linear_time(unit: str) -> None:
    start = time.process_time()
    sentence_spans(unit * (200_000 // len(unit)))
    assert time.process_time() - start < 2.0
