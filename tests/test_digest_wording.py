"""``rag.digest.wording``: one changed word in what was made of quotes shows."""

from __future__ import annotations

import pytest

from rag.digest.kinds import PLURALS, a
from rag.digest.wording import Made, not_quoted
from rag.engine.check import Quoted

MOLE = Quoted(
    "To count moles without digging, we introduce MoleMap, a unified benchmark of k-NN models "
    "that listens for tunnels and avoids false alarms.",
    ("MoleMap", "Counting Moles by Ear"),
)
RESULT = Quoted("In wet soil, our method finds 9 of 10 tunnels.", MOLE.names)
OWL = Quoted("We train OwlNet, an algorithm that hears LLMs hoot.", ("OwlNet",))
FOX = Quoted("Here we introduce FoxTrot, which follows foxes home.", ("FoxTrot",))
BAT = Quoted("BatBench is the first dataset of echoes.", ("BatBench", "Echoes, Collected"))


@pytest.mark.parametrize(
    "line",
    [
        "MoleMap is a unified benchmark of kNN models that listens for tunnels.",
        "MoleMap counts moles without digging.",
        "We present a unified benchmark that is listening for tunnels.",
        "MoleMap is a benchmark of models, and finds 9 of 10 tunnels in wet soil.",
        "The authors introduce MoleMap, the unified benchmark.",
    ],
)
def test_a_line_leaves_out_moves_a_name_and_conjugates(line: str) -> None:
    assert not_quoted(line, [MOLE, RESULT], "of a quote") == ""


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("MoleMap is a fragmented benchmark of k-NN models.", "fragmented"),
        ("MoleMap is a unified framework of k-NN models.", "framework"),
        ("MoleMap is the second benchmark of k-NN models.", "second"),
        ("MoleMap listens for tunnels and causes false alarms.", "causes"),
        ("MoleMap counts moles by digging.", "by"),
        ("MoleMap counts moles without an ear.", "ear"),
        ("MoleMap listens for alarms and avoids false tunnels.", "another order"),
        ("Tunnels listen for MoleMap.", "another order"),
    ],
)
def test_a_line_with_another_word_or_order_does_not_pass(line: str, named: str) -> None:
    assert named in not_quoted(line, [MOLE], "of a quote")


@pytest.mark.parametrize(
    "sentence",
    [
        "OwlNet and BatBench both deal with echoes.",
        "Most of these papers deal with large language models, among them OwlNet.",
        "OwlNet is a method, whereas “Echoes, Collected” is a dataset.",
        "The papers around OwlNet lean towards hooting; those around BatBench towards echoes.",
        "OwlNet hears large language models, while another paper is the first of echoes.",
        f"FoxTrot and OwlNet are methods, and BatBench is {a('dataset')}.",
        f"OwlNet is {a('study')}, another paper {a('theory')}, and others are {PLURALS['study']}.",
    ],
)
def test_an_overview_joins_what_quotes_say(sentence: str) -> None:
    assert not_quoted(sentence, [OWL, BAT, FOX], "of quotes") == ""


@pytest.mark.parametrize(
    ("sentence", "word"),
    [
        ("OwlNet is a benchmark, whereas BatBench is a dataset.", "benchmark"),
        ("OwlNet is a dataset, whereas BatBench is a dataset.", "dataset"),
        ("OwlNet is a method, and BatBench is a method.", "method"),
        ("BatBench is the second dataset of echoes.", "second"),
        ("OwlNet hears LLMs hoot, and like it BatBench.", "like"),
        ("Most of these papers deal with small language models.", "small"),
        ("The papers around OwlNet lean towards echoes; those around BatBench do not.", "echoes"),
    ],
)
def test_an_overview_with_another_word_does_not_pass(sentence: str, word: str) -> None:
    told = not_quoted(sentence, [OWL, BAT], "of quotes")
    assert told == f"the word “{word}” is not in the quotes"


def test_what_an_overview_says_of_one_paper_has_the_order_of_its_quote() -> None:
    said = "OwlNet trains an algorithm that hears LLMs hoot, whereas BatBench is of echoes."
    assert not_quoted(said, [OWL, BAT], "of quotes") == ""
    swapped = said.replace("algorithm that hears", "hears that algorithm")
    assert "another order" in not_quoted(swapped, [OWL, BAT], "of quotes")


@pytest.mark.parametrize("made", ["of a quote", "of quotes"])
def test_no_text_takes_long_or_raises(made: Made) -> None:
    for text in ("in " * 6_000, "A" * 20_000, "\ud800 \x00", ", " * 5_000, "", "(" * 9_000):
        quotes = [Quoted(text, ("", text[:90])), Quoted(text[::-1], ())]
        assert isinstance(not_quoted(text[:3_000], quotes, made), str)
