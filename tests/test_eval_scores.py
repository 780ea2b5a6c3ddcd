"""One case → a Sample: what the product makes is scored, and what is wrong with it is said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from rag.embed.minilm import MiniLM
from rag.engine.answer import Asker
from rag.engine.check import Checker
from rag.engine.question import Turn
from rag.errors import BudgetError, EndpointUnreachable, RateLimited, StoreDamaged
from rag.evaluate.asking import Asking
from rag.evaluate.papers import Names
from rag.evaluate.scoring import written_marks
from rag.evaluate.types import Case, Sample
from rag.retrieve.hybrid import Retriever
from rag.types import Answer, Citation, Usage
from tests.corpus import PAPERS

GOALS = Case(
    id="goals",
    suite="ask",
    subject="What share of the open goals does LemmaLoom close?",
    gold=("LemmaLoom",),
    facts=(("38 %", "38 percent"),),
    forbidden=("83 %",),
    outcome="answered",
    kind="number",
    tags=("short",),
)
NOWHERE = Case(
    id="nowhere",
    suite="ask",
    subject="Which sourdough starter rises fastest?",
    outcome="not_in_corpus",
)
Change = Callable[[Answer], Answer]


@dataclass(frozen=True)
class Saying(Asker):
    """Answers every question with what ``say`` does."""

    say: Callable[[], Any] = lambda: None

    def ask(self, *asked: Any, **how: Any) -> Any:
        return self.say()


@pytest.fixture(scope="module")
def names(retriever: Retriever, tmp_path_factory: pytest.TempPathFactory) -> Names:
    return Names(retriever.snapshot, tmp_path_factory.mktemp("cases"))


@pytest.fixture(scope="module")
def checker(minilm: MiniLM) -> Checker:
    return Checker(minilm)


@pytest.fixture
def ask(retriever: Retriever, names: Names, checker: Checker) -> Callable[..., Sample]:
    """Puts a case; given ``change``, as if the product had answered otherwise."""

    def sample(case: Case = GOALS, change: Change | None = None) -> Sample:
        asker = Asker(retriever)
        if change:
            answer = change(asker.ask(case.subject))
            asker = Saying(retriever, say=lambda: answer)
        return Asking(asker, names, checker=checker).sample(case)

    return sample


def test_a_right_answer_has_full_scores_and_no_fault(ask: Callable[..., Sample]) -> None:
    sample = ask()
    assert sample.faults == ()
    assert sample.scores == {
        **dict.fromkeys(["completed", "facts", "all facts", "no forbidden", "outcome"], 1),
        **dict.fromkeys(["citation precision", "citation recall", "quote recall"], 1),
        **dict.fromkeys(["quote precision", "quote integrity", "marker integrity", "support"], 1),
        **dict.fromkeys(["recall@gold", "recall@5", "recall@10", "MRR", "nDCG@10"], 1),
    }
    assert (sample.expected, sample.outcome, sample.error) == ("answered", "answered", "")
    assert (sample.kind, sample.tags, sample.subject) == ("number", ("short",), GOALS.subject)
    assert sample.papers[0] == "LemmaLoom"
    assert "[1]" in sample.text
    assert all(quote.paper == "LemmaLoom" for quote in sample.quotes)


def test_the_same_words_have_the_same_hash_and_others_another(ask: Callable[..., Sample]) -> None:
    once, again = ask(), ask(change=lambda a: replace(a, usage=Usage(7, 7, 1.0)))
    assert (once.words, len(once.words)) == (again.words, 12)
    assert (again.usage.cost_usd, once.usage.cost_usd) == (1.0, 0.0)
    assert ask(change=lambda a: replace(a, text=f"{a.text} ")).words != once.words


def cited(**values: Any) -> Change:
    """The first citation of the first statement with other values."""

    def change(answer: Answer) -> Answer:
        first = answer.statements[0]
        citations = (replace(first.citations[0], **values), *first.citations[1:])
        return replace(
            answer, statements=(replace(first, citations=citations), *answer.statements[1:])
        )

    return change


def shifted(answer: Answer) -> Answer:
    """Every quote a character late, as offsets into another text would be."""

    def late(citation: Citation) -> Citation:
        return replace(citation, start=citation.start + 1, end=citation.end + 1)

    statements = (
        replace(each, citations=tuple(map(late, each.citations))) for each in answer.statements
    )
    return replace(answer, statements=tuple(statements))


def renumbered(answer: Answer) -> Answer:
    """Each number one too high, in the text as well."""
    moved = cited(number=2)(answer)
    return replace(moved, text=moved.text.replace("[1]", "[2]"))


def stated(**values: Any) -> Change:
    """One statement, with other values."""
    return lambda a: replace(a, statements=(replace(a.statements[0], **values),))


MISTAKES = [
    pytest.param(shifted, "quote integrity", "quotes what does not stand there", id="offsets"),
    pytest.param(cited(paper_id="nobody"), "quote integrity", "quotes what", id="no such paper"),
    pytest.param(cited(start=5, end=5, quote=""), "quote integrity", "quotes what", id="empty"),
    pytest.param(cited(start=-9, end=-1), "quote integrity", "quotes what", id="from the end"),
    pytest.param(stated(citations=()), "quote integrity", "has no quote for", id="no quote"),
    pytest.param(cited(number=2), "marker integrity", "markers that point", id="number"),
    pytest.param(cited(number=0), "marker integrity", "markers that point", id="number zero"),
    pytest.param(renumbered, "marker integrity", "markers that point", id="numbers and markers"),
    pytest.param(
        lambda a: replace(a, text=a.text.replace("[1]", "[2]")),
        "marker integrity",
        "markers that point",
        id="markers",
    ),
    pytest.param(
        lambda a: replace(a, text=a.text.replace(" [1]", "")),
        "marker integrity",
        "markers that point",
        id="no markers",
    ),
    pytest.param(stated(supported=False), "support", "no support for", id="unsupported"),
    pytest.param(
        lambda a: replace(stated(text="It closes 83 % of the goals.")(a), text="It is 83 %. [1]"),
        "no forbidden",
        "says what it must not: 83 %",
        id="forbidden",
    ),
    pytest.param(
        lambda a: replace(a, text="It repairs."), "facts", "lacks the fact 38 %", id="fact"
    ),
]


@pytest.mark.parametrize(("change", "metric", "fault"), MISTAKES)
def test_a_mistake_costs_its_metric_and_is_said(
    ask: Callable[..., Sample], change: Change, metric: str, fault: str
) -> None:
    sample = ask(change=change)
    assert sample.scores[metric] < 1
    assert any(fault in each for each in sample.faults), sample.faults


def test_what_the_product_calls_supported_is_checked_again(
    retriever: Retriever, names: Names, checker: Checker
) -> None:
    answer = Asker(retriever).ask(GOALS.subject)
    said = replace(answer.statements[0], text="It closes 52 % of the goals.")
    made = replace(answer, statements=(said,), text=f"{said.text} [1]", engine="llm")
    asker = Saying(retriever, say=lambda: made)
    assert Asking(asker, names).sample(GOALS).scores["support"] == 1
    sample = Asking(asker, names, checker=checker).sample(GOALS)
    assert sample.scores["support"] == 0
    assert any("52" in fault for fault in sample.faults)


def refusing(answer: Answer) -> Answer:
    listed = tuple(PAPERS[:2])
    text = f"Nothing. Nearest: {listed[0].name} [1]; {listed[1].name} [2]."
    return replace(answer, outcome="not_in_corpus", statements=(), sources=listed, text=text)


def test_a_refusal_of_what_has_an_answer_is_one_fault(ask: Callable[..., Sample]) -> None:
    sample = ask(replace(GOALS, facts=(("TideNet",),)), refusing)
    assert sample.faults == ("refuses although there is an answer",)
    scores = sample.scores
    assert (scores["facts"], scores["all facts"], scores["quote recall"]) == (0, 0, 0)
    assert (scores["outcome"], scores["refusal precision"], scores["citation recall"]) == (0, 0, 0)
    assert scores["marker integrity"] == scores["no forbidden"] == 1
    absent = {"refusal recall", "citation precision", "quote precision", "quote integrity"}
    assert absent.isdisjoint(scores)


def test_the_numbers_of_a_refusal_stand_behind_its_papers(ask: Callable[..., Sample]) -> None:
    def swapped(answer: Answer) -> Answer:
        return replace(refusing(answer), sources=tuple(PAPERS[1::-1]))

    assert ask(NOWHERE, swapped).scores["marker integrity"] == 0


def test_refusing_what_has_no_answer_is_right_and_answering_it_is_not(
    ask: Callable[..., Sample],
) -> None:
    right = ask(NOWHERE)
    assert right.outcome in ("not_in_corpus", "not_in_abstracts")
    assert right.scores["refusal recall"] == right.scores["refusal precision"] == 1
    assert "facts" not in right.scores
    wrong = ask(replace(GOALS, outcome="not_in_abstracts", facts=()))
    assert wrong.faults == ("answers what no abstract says",)
    assert (wrong.scores["refusal recall"], wrong.scores["outcome"]) == (0, 0)
    assert "refusal precision" not in wrong.scores
    assert "citation recall" not in wrong.scores


def test_numbers_in_markers_are_no_facts(ask: Callable[..., Sample]) -> None:
    assert ask(replace(GOALS, facts=(("1",),))).scores["facts"] == 0
    assert ask(replace(GOALS, forbidden=("1",))).scores["no forbidden"] == 1


def test_papers_that_do_no_harm_are_left_out_of_citation_precision(
    ask: Callable[..., Sample],
) -> None:
    wanted = replace(GOALS, gold=("prune",))
    wrong = ask(wanted)
    assert (wrong.scores["citation precision"], wrong.scores["citation recall"]) == (0, 0)
    assert "cites LemmaLoom, which is not gold" in wrong.faults
    assert any(fault.startswith("does not cite") for fault in wrong.faults)
    assert "citation precision" not in ask(replace(wanted, maybe=("lemmaloom",))).scores


def test_a_case_that_expects_nothing_has_no_score_for_it(ask: Callable[..., Sample]) -> None:
    sample = ask(Case(id="open", suite="ask", subject=GOALS.subject, rubric="is short"))
    assert set(sample.scores) == {"completed", "quote integrity", "marker integrity", "support"}
    assert sample.expected == ""


def test_papers_of_earlier_turns_may_go_by_any_name(
    retriever: Retriever, names: Names, ask: Callable[..., Sample]
) -> None:
    first = Turn("What repairs broken proofs?", "A method does.", ("lemmaloom",))
    sample = ask(replace(GOALS, subject="What share of the goals does it close?", history=(first,)))
    assert sample.scores["facts"] == 1
    assert sample.quotes[0].paper == "LemmaLoom"


def test_faults_and_texts_are_bounded(ask: Callable[..., Sample]) -> None:
    facts = tuple((f"/nothing{i}{'x' * 200}/", f"word{i} " * 50) for i in range(30))
    sample = ask(replace(GOALS, facts=facts), lambda a: replace(a, text="\ud800 long " * 2000))
    assert len(sample.faults) == 10
    assert max(map(len, sample.faults)) < 200
    assert all(fault.startswith("lacks the fact word") for fault in sample.faults)
    assert len(sample.text) == 4000


def failing(error: BaseException) -> Callable[[], Any]:
    def fail() -> Any:
        raise error

    return fail


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (RateLimited("Too many requests.", "wait"), "RateLimited: Too many requests."),
        (ValueError("odd"), "ValueError: odd"),
        (RecursionError(), "RecursionError"),
    ],
)
def test_an_error_is_a_sample_that_did_not_complete(
    retriever: Retriever, names: Names, error: Exception, told: str
) -> None:
    sample = Asking(Saying(retriever, say=failing(error)), names).sample(GOALS, 2)
    assert sample.error.startswith(told)
    assert (sample.scores, sample.repeat, sample.expected) == ({"completed": 0}, 2, "answered")


@pytest.mark.parametrize(
    "error",
    [
        KeyboardInterrupt(),
        BudgetError("The budget is spent.", "raise it"),
        EndpointUnreachable("Nobody answers.", "start it"),
        StoreDamaged("A file is missing.", "rag rebuild"),
    ],
)
def test_an_error_that_every_case_would_meet_ends_the_run(
    retriever: Retriever, names: Names, error: BaseException
) -> None:
    with pytest.raises(type(error)):
        Asking(Saying(retriever, say=failing(error)), names).sample(GOALS)


def test_a_case_about_an_unknown_paper_is_an_error(ask: Callable[..., Sample]) -> None:
    assert ask(replace(GOALS, gold=("Nobody's Paper",))).error.startswith("PaperNotFound")


def test_a_search_is_scored_by_what_it_shows(retriever: Retriever, names: Names) -> None:
    case = Case(id="r", suite="retrieval", subject="a camera that reads dances", gold=("bees",))
    sample = Asking(Asker(retriever), names).sample(case)
    assert sample.scores["MRR"] == sample.scores["completed"] == 1
    assert (len(sample.papers), sample.outcome, sample.faults) == (8, "", ())
    both = replace(case, gold=("bees", "grid"))
    few = Asking(Asker(retriever), names, top_k=1).sample(both)
    assert few.scores["recall@10"] == 0.5
    assert len(few.papers) == 1
    assert few.faults == (f"does not find {names.name_of('grid')}",)


def test_quotes_in_place_of_a_models_words_are_told() -> None:
    assert written_marks("llm", "m").scores == {"written": 1.0}
    assert written_marks("extractive", "m").scores == {"written": 0.0}
    assert written_marks("extractive", None).scores == {}
    assert written_marks("llm", "m", asked=False).scores == {}
