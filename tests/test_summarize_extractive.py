"""Lines of whole abstracts, checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag.corpus import read_file
from rag.corpus.sentences import sentence_spans
from rag.engine.check import Checker, Verdict
from rag.summarize import MAX_WORDS, chooser, extractive
from rag.summarize.extractive import Extractive
from rag.types import Paper, Summary
from tests.corpus import PAPERS
from tests.fakes import HashEmbedder, paper

LISTS = Path(__file__).parent.parent.parent / "shared" / "corpus"

GARBAGE = [
    "",
    "…",
    "))((",
    "We propose.",
    "a" * 5_000,
    "word " * 400,
    "However, ",
    "Is it? Is it not?",
    "中文没有空格。第二句话在这里！",
    "Nous apprenons à lire aux hiboux. Ils lisent bien.",
    "<script>alert(1)</script> | **bold** _x_ `code` [a](b)",
    "We introduce the Foo (",
    "1. 2. 3.",
    "We train owls, " * 70 + "and that is all.",
]


@pytest.fixture
def summarizer() -> Extractive:
    return Extractive(Checker(HashEmbedder()))


def summarized(summarizer: Extractive, paper: Paper) -> Summary:
    return summarizer.summarize(paper, sentence_spans(paper.text))


def assert_sound(summary: Summary) -> None:
    assert summary.words <= MAX_WORDS
    assert len(sentence_spans(summary.text)) == 1
    assert summary.text.endswith(".")
    for citation in summary.citations:
        assert citation.number == 1
        assert citation.quote == summary.paper.text[citation.start : citation.end] != ""


def test_lines_of_plain_abstracts_are_supported(summarizer: Extractive) -> None:
    for each in PAPERS:
        summary = summarized(summarizer, each)
        assert_sound(summary)
        assert summary.supported, summary.text
        assert summary.citations
        assert summary.text.split()[0] not in ("This", "It", "However,")


def test_a_line_says_what_a_system_is_does_and_achieves(summarizer: Extractive) -> None:
    text = (
        "Moths fly into lamps. To address this, we introduce MothGate (a shutter), a novel gate "
        "that dims lamps as moths come near. It costs little. Trials in three gardens show that "
        "MothGate reduces losses by 41% without any change of the lamps."
    )
    summary = summarized(summarizer, paper("moth", text))
    assert summary.text == (
        "MothGate is a gate that dims lamps as moths come near, and reduces losses by 41% without "
        "any change of the lamps."
    )
    assert [c.quote.split()[0] for c in summary.citations] == ["To", "Trials"]


def test_a_sentence_that_only_names_a_system_is_passed_over(summarizer: Extractive) -> None:
    text = (
        "Lamps harm moths in many old gardens. We introduce the MothGate framework. MothGate "
        "dims every lamp as soon as a moth comes near the glass."
    )
    line = summarized(summarizer, paper("moth", text, handle="MothGate")).text
    assert line == "MothGate dims every lamp as soon as a moth comes near the glass."


def test_a_sentence_that_no_cut_leaves_whole_gives_way_to_the_next(summarizer: Extractive) -> None:
    text = (
        "Lamps harm moths in many old gardens. We propose a long study of lamps and of moths in "
        'gardens where keepers say "leave every lamp lit until the last of all the moths has found '
        'its way out of the garden". We show that moths avoid lamps with a gate.'
    )
    assert summarized(summarizer, paper("moth", text)).text.count('"') % 2 == 0


@pytest.mark.parametrize("text", GARBAGE)
def test_any_text_gives_one_sentence(summarizer: Extractive, text: str) -> None:
    summary = summarized(summarizer, paper("g", text, handle="G"))
    assert_sound(summary)
    assert bool(summary.citations) == bool(text)
    assert not any(mark in summary.text for mark in ("**", "`", "$", "\\", "]("))


def test_the_same_paper_gets_the_same_line(summarizer: Extractive) -> None:
    again = Extractive(Checker(HashEmbedder()))
    assert [summarized(summarizer, p) for p in PAPERS] == [summarized(again, p) for p in PAPERS]


def test_a_line_that_the_checker_refuses_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    checker, asked = Checker(HashEmbedder()), list[str]()

    def refuse_first(statement: str, _: object) -> Verdict:
        asked.append(statement)
        return Verdict(len(asked) > 2, 0.7, ())

    monkeypatch.setattr(checker, "check", refuse_first)
    summary = summarized(Extractive(checker), PAPERS[0])
    assert summary.text == asked[2] != asked[0]
    assert summary.support == 0.7


def test_other_weights_or_rules_are_another_identity(
    summarizer: Extractive, monkeypatch: pytest.MonkeyPatch
) -> None:
    identities = {summarizer.identity}
    monkeypatch.setattr(extractive, "VERSION", extractive.VERSION + 1)
    identities.add(Extractive(Checker(HashEmbedder())).identity)
    monkeypatch.setattr(extractive, "weights", lambda: {**chooser.weights(), "we": 9.0})
    identities.add(Extractive(Checker(HashEmbedder())).identity)
    assert len(identities) == 3
    assert all(identity.startswith("extractive@") for identity in identities)


@pytest.mark.skipif(not LISTS.is_dir(), reason=f"no real abstracts in {LISTS}")
def test_lines_of_real_abstracts_are_sound_and_supported(summarizer: Extractive) -> None:
    papers = [
        record for file in sorted(LISTS.glob("*.txt")) for record in read_file(str(file)).records
    ]
    for each in papers:
        summary = summarized(summarizer, each)
        assert_sound(summary)
        assert summary.supported, summary.text
        assert summary.words >= 6
