"""Two papers in one statement: each has to be given what is its own."""

from __future__ import annotations

from rag.engine.check.attribution import misattributed
from rag.engine.check.reading import read

PAPERS = {
    "TideNet": [read("We present a graph network that fills gaps of harbour gauges.")],
    "LemmaLoom": [read("It repairs broken proofs by weaving lemmas from a library.")],
}
STATEMENT = "{} fills gaps of harbour gauges, while {} repairs proofs with lemmas from a library."


def test_what_each_paper_does_is_its_own() -> None:
    assert [*misattributed(read(STATEMENT.format("TideNet", "LemmaLoom")), PAPERS)] == []
    passive = "Gaps of harbour gauges are filled by TideNet, and broken proofs by LemmaLoom."
    assert [*misattributed(read(passive), PAPERS)] == []


def test_exchanged_papers_are_found() -> None:
    found = misattributed(read(STATEMENT.format("LemmaLoom", "TideNet")), PAPERS)
    assert [*found] == ["TideNet", "LemmaLoom"]


def test_a_paper_that_is_given_anothers_work_is_found() -> None:
    statement = read("LemmaLoom fills the gaps of harbour gauges.")
    assert [*misattributed(statement, PAPERS)] == ["LemmaLoom"]


def test_one_paper_alone_is_not_compared() -> None:
    statement = read("LemmaLoom fills the gaps of harbour gauges.")
    assert [*misattributed(statement, {"LemmaLoom": PAPERS["LemmaLoom"]})] == []
