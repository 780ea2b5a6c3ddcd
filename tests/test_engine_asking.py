"""Questions as people put them: wishes that narrow, restrict, define and point elsewhere."""

from __future__ import annotations

import pytest

from rag.embed.minilm import MiniLM
from rag.engine.answer import Asker
from rag.engine.listing.members import MAY, SAY_ONLY, UNSAID
from rag.engine.overview import NOTE
from rag.engine.question import Turn
from rag.retrieve.filters import Filters
from rag.retrieve.hybrid import Retriever
from rag.store.snapshot import Snapshot
from rag.types import Answer
from tests.corpus import PAPERS, index
from tests.fakes import paper

MORE = [
    paper(
        "kite",
        "Kites tear in gusts that nobody foresees. We train a pilot only on synthetic winds. It "
        "flew for six hours over the cliffs. Our code will be released.",
        title="Pilots of Paper Kites",
    ),
    paper(
        "yarn",
        "Code generation for knitting machines is slow work. Our compiler turns drawings and "
        "synthetic winds of yarn into stitches. It halves the waste of wool.",
        title="Stitches from Drawings",
    ),
]


@pytest.fixture(scope="module")
def asker(tmp_path_factory: pytest.TempPathFactory, minilm: MiniLM) -> Asker:
    store = tmp_path_factory.mktemp("asking") / "store"
    index(store, minilm, [*PAPERS, *MORE])
    return Asker(Retriever(Snapshot.open(store), minilm))


def cited(answer: Answer) -> set[str]:
    return {c.paper_id for statement in answer.statements for c in statement.citations}


def conversation(asker: Asker, *questions: str) -> Answer:
    """The answer to the last of several questions."""
    history: list[Turn] = []
    for question in questions:
        answer = asker.ask(question, history)
        refused = answer.outcome.startswith("not_in")
        papers = tuple(paper.paper_id for paper in answer.sources)
        history.append(Turn(question, answer.text, papers, refused))
    return answer


def test_a_list_is_narrowed_down_to_those_that_say_it(asker: Asker) -> None:
    models = "Which papers are about models?"
    some = conversation(asker, models, "which of them are about test sets?")
    assert (some.kind, cited(some)) == ("list", {"leak"})
    assert some.text.startswith("1 of these ")
    none = conversation(asker, models, "which of those also use violins?")
    assert (none.outcome, none.statements) == ("not_in_abstracts", ())
    assert none.text.startswith("0 of these ")
    again = conversation(asker, models, "which of them use violins?", "and what about test sets?")
    assert again.text == some.text
    assert again.question == "and what about test sets?"
    counted = conversation(asker, models, "how many of them write proofs?")
    assert (counted.kind, cited(counted)) == ("count", {"proof"})


def test_the_other_side_of_a_follow_up_may_be_missing(asker: Asker) -> None:
    answer = conversation(asker, "What is TideNet?", "compare it with zebras")
    assert (answer.kind, answer.outcome) == ("compare", "partial")
    assert answer.notes == ("Nothing here is about this side: zebras.",)
    own = conversation(asker, "What is TideNet?", "how does it compare with neighbouring harbours?")
    assert (own.kind, own.notes) == ("follow-up", ())


def test_a_name_may_have_an_and_in_it(asker: Asker) -> None:
    answer = asker.ask("TideNet vs. Rise and Fall")
    assert answer.notes == ("Nothing here is about this side: Rise and Fall.",)
    two = asker.ask("Compare TideNet with LemmaLoom and Fathom")
    assert two.notes == ("Nothing here is about this side: Fathom.",)
    assert cited(two) == {"tide", "proof"}


def test_code_that_is_released_is_told_from_code_that_is_written(asker: Asker) -> None:
    answer = asker.ask("Which papers release code?")
    assert [statement.text for statement in answer.statements] == ["Our code will be released."]
    without = asker.ask("Which papers have no code?")
    assert cited(without) == {p.paper_id for p in (*PAPERS, *MORE)} - {"kite"}
    assert without.notes == (UNSAID,)


def test_a_restriction_is_checked_or_said_to_be_unchecked(asker: Asker) -> None:
    only = asker.ask("Which papers use only synthetic winds?")
    assert (cited(only), only.notes) == ({"kite"}, (SAY_ONLY,))
    assert only.statements[0].text == "We train a pilot only on synthetic winds."
    unchecked = asker.ask("Which papers use only drawings?")
    assert "yarn" in cited(unchecked)
    assert unchecked.notes == (MAY,)
    assert asker.ask("Only papers about synthetic winds").notes == ()


def test_fields_in_words_narrow_down_the_papers(asker: Asker) -> None:
    answer = asker.ask("Which papers in the area of biology use cameras?")
    assert (cited(answer), answer.question) == (
        {"bees"},
        "Which papers in the area of biology use cameras?",
    )
    assert answer.text.startswith("1 of 2 papers")
    assert answer.notes == ("Read as filters: area “biology”, which 2 of 10 papers have.",)
    every = asker.ask("papers from 2030")
    assert cited(every) == {"bees", "leak"}
    kept = asker.ask("papers from 2030 on bees", filters=Filters(year=2031))
    assert cited(kept) <= {p.paper_id for p in PAPERS if p.year == 2031}
    some = conversation(asker, "Which papers are about models?", "which of them are from 2030?")
    assert cited(some) == {"leak"}


@pytest.mark.parametrize(
    "question",
    [
        "What are the papers about?",
        "What is this conference about?",
        "summarize everything",
        "give me an overview of the papers here",
        "What topics are there?",
        "Which topics do the papers cover?",
    ],
)
def test_what_everything_is_about_is_no_single_papers_to_say(asker: Asker, question: str) -> None:
    answer = asker.ask(question)
    assert (answer.kind, answer.outcome, answer.sources) == ("overview", "not_in_abstracts", ())
    assert "biology (2)" in answer.text
    assert answer.notes == (NOTE,)


@pytest.mark.parametrize(
    "question", ["What are the papers on bees about?", "What topics in biology are there?"]
)
def test_what_some_papers_are_about_is_no_overview(asker: Asker, question: str) -> None:
    assert asker.ask(question).kind != "overview"


def test_papers_other_than_one_leave_that_one_out(asker: Asker) -> None:
    every = cited(asker.ask("Which papers use language models?"))
    assert "proof" in every
    for question in (
        "papers other than LemmaLoom that use language models",
        "Which papers besides LemmaLoom use language models?",
        "Apart from LemmaLoom, which papers use language models?",
    ):
        assert cited(asker.ask(question)) == every - {"proof"}


def test_papers_like_one_can_be_asked_for_on_a_subject(asker: Asker) -> None:
    alike = asker.ask("papers like TideNet but about synthetic winds")
    assert (alike.kind, cited(alike)) == ("similar", {"kite", "yarn"})
    assert asker.ask("papers like TideNet but about violins").outcome == "not_in_corpus"
