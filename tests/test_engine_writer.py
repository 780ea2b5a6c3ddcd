"""A model's sentences become statements only as far as the abstracts carry them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rag.embed.minilm import MiniLM
from rag.engine.answer import Asker
from rag.engine.check import Checker
from rag.engine.premise import CORRECTED
from rag.engine.writer import UNSUPPORTED, Writer
from rag.engine.writing import INSTEAD, UNFOUNDED
from rag.errors import BudgetError, EndpointUnreachable, RagError
from rag.models import Message, OnText, Reply
from rag.prompts import load_task
from rag.retrieve.hybrid import Retriever
from rag.types import Answer
from tests.corpus import PAPERS
from tests.fakes import Replies

QUESTION = "By how much does TideNet lower the error of the water level?"
TRUE = "TideNet lowers the error of the water level from 9.4 cm to 6.1 cm."
WRONG = "TideNet lowers the error of the water level from 9.4 cm to 3.1 cm."
OTHER = "LemmaLoom closes 38 % of the goals that were left open."
TEXTS = {paper.paper_id: paper.text for paper in PAPERS}

Ask = Callable[..., Answer]


@pytest.fixture(scope="session")
def checker(minilm: MiniLM) -> Checker:
    return Checker(minilm)


@pytest.fixture
def asker(retriever: Retriever, checker: Checker) -> Callable[..., Asker]:
    def make(*replies: str, strict: bool = False, model: Replies | None = None) -> Asker:
        return Asker(
            retriever, Writer(model or Replies(*replies), load_task("answer"), checker, strict)
        )

    return make


def id_of(asker: Asker, wanted: str, question: str = QUESTION) -> str:
    """The id under which the model is shown the sentence with these words."""
    shown = asker.messages(question)[-1].text
    line = next(line for line in shown.splitlines() if wanted in line)
    return line.split()[0]


def test_a_cited_sentence_becomes_a_statement_with_its_exact_quote(asker: Ask) -> None:
    mark = id_of(asker(), "9.4 cm")
    answer = asker(f"{TRUE[:-1]} {mark}.").ask(QUESTION)
    (statement,) = answer.statements
    (citation,) = statement.citations
    assert statement.supported
    assert statement.text == TRUE
    assert citation.quote == TEXTS["tide"][citation.start : citation.end]
    assert "9.4 cm" in citation.quote
    assert (answer.engine, answer.model, answer.outcome) == ("llm", "fed-1", "answered")
    assert answer.text == f"{TRUE} [1]"
    assert [paper.paper_id for paper in answer.sources] == ["tide"]
    assert answer.prompt == load_task("answer").identity
    assert answer.usage.input_tokens > 50


def test_without_ids_the_sentence_that_carries_it_is_found(asker: Ask) -> None:
    (statement,) = asker(TRUE).ask(QUESTION).statements
    assert statement.supported
    assert "9.4 cm" in statement.citations[0].quote


@pytest.mark.parametrize("ids", ["[1.99]", "[77.1]", "[8.1]"])
def test_ids_that_are_unknown_or_wrong_give_way_to_right_ones(asker: Ask, ids: str) -> None:
    answer = asker(f"{TRUE} {ids}").ask(QUESTION)
    (statement,) = answer.statements
    assert statement.supported
    assert "9.4 cm" in statement.citations[0].quote
    assert "77" not in answer.text


def test_a_wrong_number_is_rewritten_once_with_its_quotes_before_the_model(asker: Ask) -> None:
    mark = id_of(asker(), "9.4 cm")
    model = Replies(f"{WRONG} {mark}", TRUE)
    answer = asker(model=model).ask(QUESTION)
    assert [s.text for s in answer.statements] == [TRUE]
    assert answer.statements[0].supported
    again = model.asked[1][-1].text
    assert WRONG in again
    assert "3.1" in again.split("wrong with it")[1].split("Quotes")[0]
    assert "from 9.4 cm to 6.1 cm" in again
    assert answer.usage.output_tokens == len(f"{WRONG} {mark} {TRUE}".split())


def test_what_is_rewritten_into_what_was_said_is_not_said_twice(asker: Ask) -> None:
    answer = asker(f"{TRUE} {WRONG}", TRUE).ask(QUESTION)
    assert answer.text == f"{TRUE} [1]"


def test_what_stays_wrong_is_marked(asker: Ask) -> None:
    answer = asker(f"{TRUE} {WRONG} {OTHER}", WRONG).ask("What do TideNet and LemmaLoom achieve?")
    supported = {s.text: s.supported for s in answer.statements}
    assert supported == {TRUE: True, WRONG: False, OTHER: True}
    assert f"{WRONG} {UNSUPPORTED}" in answer.text
    assert answer.statements[1].citations == ()
    assert answer.text.count(UNSUPPORTED) == 1


def test_strict_leaves_out_what_stays_wrong_and_says_so(asker: Ask) -> None:
    answer = asker(f"{WRONG} {TRUE}", WRONG, strict=True).ask(QUESTION)
    assert [s.text for s in answer.statements] == [TRUE]
    assert "3.1" not in answer.text
    assert any("1 sentence" in note for note in answer.notes)


@pytest.mark.parametrize("reply", [f"Yes. {TRUE}", f"1.1\n\n{TRUE}"])
def test_what_says_nothing_is_no_statement(asker: Ask, reply: str) -> None:
    assert [s.text for s in asker(reply).ask(QUESTION).statements] == [TRUE]


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("reply", ["", "[1.1]", WRONG, "The moon is made of green cheese."])
def test_if_nothing_survives_the_abstracts_answer_and_it_is_said(
    asker: Ask, retriever: Retriever, reply: str, strict: bool
) -> None:
    answer = asker(reply, reply, strict=strict).ask(QUESTION)
    plain = Asker(retriever).ask(QUESTION)
    assert answer.text == f"{UNFOUNDED} {INSTEAD} {plain.text}"
    assert answer.statements == plain.statements
    assert (answer.engine, answer.model) == ("extractive", "fed-1")


def test_the_model_may_say_that_the_abstracts_do_not_answer(asker: Ask) -> None:
    answer = asker("NOT IN THE ABSTRACTS").ask(QUESTION)
    assert answer.outcome == "not_in_abstracts"
    assert answer.statements == ()
    assert answer.engine == "llm"
    assert "TideNet" in answer.text


def test_where_nothing_comes_near_the_question_no_model_is_asked(asker: Ask) -> None:
    model = Replies("It is made of basalt.")
    answer = asker(model=model).ask("Who won the Zurich marathon of Qatarian zebras?")
    assert answer.outcome == "not_in_corpus"
    assert model.asked == []
    assert (answer.engine, answer.usage.input_tokens) == ("llm", 0)
    assert any("not asked" in note for note in answer.notes)


def test_an_answer_to_a_part_is_partial(asker: Ask) -> None:
    answer = asker(f"{TRUE} The abstracts do not mention its training time.").ask(QUESTION)
    assert answer.outcome == "partial"
    assert [s.text for s in answer.statements] == [TRUE]


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize(
    "replies",
    [
        (TRUE,),
        (f"{TRUE} [3.1] {OTHER}",),
        (f"{WRONG} {TRUE} {OTHER} {WRONG}", WRONG, WRONG),
        (WRONG, WRONG),
        ("NOT IN THE ABSTRACTS",),
        (f"<think>Let me see.</think>{TRUE}",),
        (f"{TRUE} The abstracts do not mention its training time.",),
    ],
)
def test_streamed_pieces_add_up_to_the_same_answer(
    asker: Ask, replies: tuple[str, ...], strict: bool
) -> None:
    question = "What do TideNet and LemmaLoom achieve?"
    whole = asker(*replies, strict=strict).ask(question)
    for piece in (1, 7, 1000):
        pieces: list[str] = []
        model = Replies(*replies, piece=piece)
        streamed = asker(model=model, strict=strict).ask(question, on_text=pieces.append)
        assert "".join(pieces) == streamed.text == whole.text
        assert streamed.statements == whole.statements
        assert streamed.usage == whole.usage


def test_a_sentence_is_shown_before_the_next_one_is_written(asker: Ask) -> None:
    shown: list[str] = []

    class Watched(Replies):
        def reply(
            self, messages: list[Message], limit: int, on_text: OnText | None = None
        ) -> Reply:
            assert on_text
            on_text(f"{TRUE} [1.3]")
            on_text(" LemmaLoom closes")
            assert TRUE in "".join(shown)
            on_text(" 38 % of the goals that were left open.")
            return Reply("", super().reply(messages, limit).usage)

    asker(model=Watched("")).ask("What do TideNet and LemmaLoom achieve?", on_text=shown.append)
    assert "38 %" in "".join(shown)


def test_a_false_premise_is_noted_with_a_model_too(asker: Ask) -> None:
    said = "Biologists could not tell drawn frames from real ones in 48 of 100 trials."
    question = "Why do 40 of 100 trials fool biologists with drawn frames?"
    answer = asker(said).ask(question)
    assert (answer.engine, answer.notes[0]) == ("llm", CORRECTED)


def test_a_list_says_how_many_papers_have_the_words(asker: Ask) -> None:
    answer = asker(f"{OTHER} [1.3]").ask("Which papers mention language models?")
    assert answer.text.startswith("2 of 8 papers.")


@pytest.mark.parametrize("error", [BudgetError, EndpointUnreachable])
def test_what_keeps_a_second_try_from_being_made_costs_no_sentence(
    asker: Ask, error: type[RagError]
) -> None:
    class Poor(Replies):
        def reply(
            self, messages: list[Message], limit: int, on_text: OnText | None = None
        ) -> Reply:
            if len(self.asked) == 1:
                raise error("0.00 USD are left.", "raise --budget")
            return super().reply(messages, limit, on_text)

    answer = asker(model=Poor(f"{TRUE} {WRONG}")).ask(QUESTION)
    assert [s.supported for s in answer.statements] == [True, False]
    assert any("0.00 USD" in note for note in answer.notes)


def test_in_a_small_window_the_telling_sentences_are_shown(asker: Ask) -> None:
    small = asker(model=Replies(window=700)).messages(QUESTION)
    large = asker(model=Replies(window=8192)).messages(QUESTION)
    assert "from 9.4 cm to 6.1 cm" in small[-1].text
    assert len(small[-1].text) < len(large[-1].text)


def test_an_empty_corpus_costs_no_request(checker: Checker, minilm: MiniLM, tmp_path) -> None:  # type: ignore[no-untyped-def]
    from rag.store.snapshot import Snapshot
    from tests.corpus import index

    index(tmp_path / "empty", minilm, [])
    model = Replies()
    empty = Retriever(Snapshot.open(tmp_path / "empty"), minilm)
    answer = Asker(empty, Writer(model, load_task("answer"), checker)).ask(QUESTION)
    assert answer.outcome == "not_in_corpus"
    assert model.asked == []
