"""Verdicts on statements about the invented papers, with the real embedder."""

from __future__ import annotations

import time

import pytest

from rag.corpus.sentences import sentence_spans
from rag.embed.minilm import MiniLM
from rag.engine.check import Checker, Quoted, Verdict
from tests.corpus import PAPERS
from tests.fakes import HashEmbedder


@pytest.fixture(scope="module")
def checker(minilm: MiniLM) -> Checker:
    return Checker(minilm)


def quote(*parts: str) -> list[Quoted]:
    """The sentences of the invented papers that begin in these ways."""
    found = []
    for part in parts:
        for paper in PAPERS:
            names = (paper.handle, paper.title) if paper.title else (paper.handle,)
            for start, end in sentence_spans(paper.text):
                if paper.text[start:end].startswith(part):
                    found.append(Quoted(paper.text[start:end], names))
    return found


TIDE = ("We present TideNet", "On twelve years")


@pytest.mark.parametrize(
    ("statement", "parts"),
    [
        ("TideNet is a graph network that fills gaps from neighbouring harbours", TIDE),
        ("On 12 years of records, the error of the water level drops from 9.4 to 6.1 cm.", TIDE),
        ("LemmaLoom mends broken proofs with lemmas taken from a library.", ("LemmaLoom",)),
        ("The paper reads 1240 dances and touches no bee.", ("A camera",)),
        ("In Half of the Heads Can Go, 50% of the heads can be removed at a loss of 0.2 points "
         "of accuracy.", ("Half of the heads",)),
        ("9 of 14 public models show that they were trained on the test set.", ("Nine of",)),
        ("TideNet fills gaps from neighbouring harbours, whereas LemmaLoom weaves in lemmas "
         "from a library.", ("We present TideNet", "LemmaLoom repairs")),
    ],
)  # fmt: skip
def test_true_statements_are_supported(
    checker: Checker, statement: str, parts: tuple[str, ...]
) -> None:
    verdict = checker.check(statement, quote(*parts))
    assert verdict.faults == ()
    assert verdict.supported
    assert 0.5 <= verdict.support < 1


@pytest.mark.parametrize(
    ("statement", "parts", "fault"),
    [
        ("TideNet lowers the error to 6.2 cm.", TIDE, "the number 6.2 cm is not in the quotes"),
        ("GaugeNet fills the gaps from harbours.", TIDE, "the name GaugeNet is not in the quotes"),
        ("It lowers the error of the water level from 6.1 cm to 9.4 cm.", TIDE,
         "where it says 6.1 cm, the quotes say 9.4 cm"),
        ("It raises the error of the water level.", TIDE,
         "where it says raises, the quotes say lowers"),
        ("TideNet does not fill the gaps.", TIDE, 'the quotes do not say "not fill"'),
        ("A policy picks strawberries with bruising.", ("A policy",), 'the quotes say "without'),
        ("Strawberries ripen slowly.", TIDE, "the quotes hardly say it"),
        ("TideNet fills the gaps of gauges and teaches surgeons to sew wounds in zero gravity "
         "with silk.", TIDE, "nothing in the quotes is about"),
        ("LemmaLoom fills gaps from neighbouring harbours by a graph network.",
         ("We present TideNet", "LemmaLoom repairs"), "what it says of LemmaLoom"),
    ],
)  # fmt: skip
def test_each_kind_of_fault_is_told(
    checker: Checker, statement: str, parts: tuple[str, ...], fault: str
) -> None:
    verdict = checker.check(statement, quote(*parts))
    assert any(told.startswith(fault) for told in verdict.faults), verdict
    assert not verdict.supported
    assert verdict.support < 0.5


def test_verbatim_is_supported_in_full(checker: Checker) -> None:
    for paper in PAPERS:
        whole = Quoted(paper.text, (paper.handle,))
        assert checker.check(paper.text, [whole]) == Verdict(True, 1.0, ())
        for start, end in sentence_spans(paper.text):
            sentence = paper.text[start:end]
            assert checker.check(f" {sentence.rstrip('.')}\n", [whole]) == Verdict(True, 1.0, ())
    two = quote(*TIDE)
    assert checker.check(" ".join(q.text for q in two), two).support == 1.0


def test_a_part_of_a_denial_is_not_verbatim(checker: Checker) -> None:
    quotes = [Quoted("The method does not improve accuracy on tides.", ("m",))]
    assert not checker.check("The method does improve accuracy on tides.", quotes).supported


def test_names_of_the_paper_may_stand_for_we(checker: Checker) -> None:
    text = "Our method halves the cost of training on long texts."
    assert checker.check("HalfCost halves the cost of training.", [Quoted(text, ("HalfCost",))])
    other = checker.check("HalfCost halves the cost of training.", [Quoted(text, ("TideNet",))])
    assert other.faults == ("the name HalfCost is not in the quotes",)


@pytest.mark.parametrize(
    "statement", ["", "  ", "?!…", "12 34 5.", "\ud800", "🌊🌊", "a b c " * 20_000]
)
def test_what_says_nothing_or_too_much_is_unsupported(checker: Checker, statement: str) -> None:
    verdict = checker.check(statement, quote(*TIDE))
    assert (verdict.supported, verdict.support, len(verdict.faults)) == (False, 0.0, 1)


def test_without_quotes_nothing_is_supported(checker: Checker) -> None:
    assert checker.check("TideNet is fast.", []) == Verdict(False, 0.0, ("it has no quotes",))
    assert checker.align("TideNet is fast.", []) == []


HOSTILE = [
    "not " * 740,
    "GPT-4 " * 480,
    "1,111" * 600,
    "1 2 3 4 " * 370,
    "aB" * 1_400,
    "A-" * 1_400,
    "(" * 2_000 + "a",
    "\u202eشبكة تملأ الفجوات",
    "TideNet \ud83d lowers\x00 it\u200b.",
    "a" * 2_900,
    "$\\frac{1}{2}$ a " * 150,
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_neither_raises_nor_hangs(text: str) -> None:
    checker = Checker(HashEmbedder())
    began = time.perf_counter()
    checker.check(text, quote(*TIDE))
    checker.check("TideNet lowers the error from 9.4 cm to 6.1 cm.", [Quoted(text * 5, (text,))])
    checker.align(text, quote(*TIDE))
    assert time.perf_counter() - began < 5


def test_a_warm_check_is_quick(checker: Checker) -> None:
    quotes = quote(*TIDE)
    statement = "TideNet, a graph network, lowers the error of the water level to 6.1 cm."
    checker.check(statement, quotes)
    began = time.perf_counter()
    for _ in range(20):
        checker.check(statement, quotes)
    assert (time.perf_counter() - began) / 20 < 0.03


def test_statements_align_with_the_sentence_that_carries_them(checker: Checker) -> None:
    sentences = [
        Quoted(paper.text[start:end], (paper.handle,))
        for paper in PAPERS
        for start, end in sentence_spans(paper.text)
    ]
    for statement, start in (
        ("Lemmas from a library are woven into broken proofs.", "LemmaLoom repairs"),
        ("The water level's error drops to 6.1 cm.", "On twelve years"),
        ("A strawberry is not bruised by the policy.", "A policy trained"),
    ):
        aligned = checker.align(statement, sentences)
        assert all(0 <= value <= 1 for value in aligned)
        assert sentences[aligned.index(max(aligned))].text.startswith(start)


def test_a_sentence_without_the_number_aligns_less(checker: Checker) -> None:
    quotes = [Quoted(f"The error is {n} cm on all gauges.", ("t",)) for n in (4, 6)]
    aligned = checker.align("The error is 6 cm on all gauges.", quotes)
    assert aligned[1] > 2 * aligned[0]


def test_the_same_again_gives_the_same(minilm: MiniLM) -> None:
    statement, quotes = "TideNet fills gaps and costs 3 euros.", quote(*TIDE)
    assert Checker(minilm).check(statement, quotes) == Checker(minilm).check(statement, quotes)


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        ("TideNet fills the gaps of harbours, and won an award at the conference.", "award"),
        ("TideNet", "says nothing"),
        ("The answer is: 1.", "1"),
        ("Here TideNet, see https://evil.example/a, fills gaps.", "evil.example"),
        ("Neighbouring harbours fill gaps better than TideNet.", "reverse"),
    ],
)
def test_what_is_glued_on_or_says_nothing_is_refused(
    minilm: MiniLM, statement: str, fault: str
) -> None:
    quote = Quoted(
        "One reason is that the graph network TideNet fills gaps better than neighbouring harbours "
        "and answers quickly.",
        ("TideNet",),
    )
    verdict = Checker(minilm).check(statement, [quote])
    assert not verdict.supported
    assert fault in " ".join(verdict.faults)
