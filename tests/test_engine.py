"""From question to answer over eight invented papers, with the real embedder."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

import pytest

from rag.engine.anaphora import continues
from rag.engine.answer import Asker
from rag.engine.expectations import lacks_figure, seldom_stated, unknown_name, wanted
from rag.engine.extractive import SENTENCES
from rag.engine.names import Names
from rag.engine.outcome import by_chance
from rag.engine.question import Turn, kind_of
from rag.errors import QuestionError
from rag.retrieve.filters import Filters
from rag.retrieve.hybrid import Retriever
from rag.types import Answer


@pytest.fixture(scope="session")
def asker(retriever: Retriever) -> Asker:
    return Asker(retriever)


def cited(answer: Answer) -> set[str]:
    return {c.paper_id for statement in answer.statements for c in statement.citations}


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("What does TideNet do?", "fact"),
        ("Which papers are about robots?", "list"),
        ("list everything on biology", "list"),
        ("How many papers use diffusion?", "count"),
        ("How many heads can go?", "fact"),
        ("Compare TideNet and LemmaLoom", "compare"),
        ("How does TideNet differ from LemmaLoom?", "compare"),
    ],
)
def test_kind_is_read_off_the_wording(question: str, kind: str) -> None:
    assert kind_of(question) == kind


@pytest.mark.parametrize("question", ["Why?", "And how fast is it?", "what do they measure?"])
def test_a_question_that_leans_on_the_one_before_continues_it(question: str) -> None:
    assert continues(question)


def test_a_self_contained_question_continues_nothing() -> None:
    assert not continues("Which network fills gaps of sea level gauges?")


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("How good is TideNet?", [0]),
        ("how good is tidenet", [0]),
        ("LemmaLoom or TideNet?", [1, 0]),
        ("Is Tide Net Plus better?", []),
        ("Is the Tide Atlas public?", [3]),
        ("What about Loom?", []),
    ],
)
def test_papers_are_recognised_by_their_handles(question: str, rows: list[int]) -> None:
    names = Names(["TideNet", "LemmaLoom", "Loom", "Tide Atlas", "Loom"])
    assert names.rows(question) == rows


@pytest.mark.parametrize(
    ("question", "spelt"),
    [
        ("What is TidNet?", "What is TideNet?"),
        ("How does tideatlas work?", "How does Tide Atlas work?"),
        ("Is Leema like TideNet?", "Is Leema like TideNet?"),
        ("Are tide nets strange?", "Are tide nets strange?"),
    ],
)
def test_a_slip_in_a_name_is_mended(question: str, spelt: str) -> None:
    names = Names(["TideNet", "LemmaLoom", "Loom", "Tide Atlas", "Loom"])
    assert names.spelt(question, lambda word: True) == spelt


@pytest.mark.parametrize(
    ("question", "text", "lacks"),
    [
        ("How many lemmas are used?", "It weaves in 40 new lemmas.", False),
        ("How many lemmas are used?", "It weaves in lemmas from 3 books.", True),
        ("How many lemmas are used?", "Several lemmas are used.", False),
        ("What is the accuracy in percent?", "It reaches 38 % of the goals.", False),
        ("What is the accuracy in percent?", "It beats Gemini 2.5.", True),
        ("Why does it work?", "Because.", False),
    ],
)
def test_a_missing_figure_is_noticed(question: str, text: str, lacks: bool) -> None:
    assert lacks_figure(question, text) is lacks


def test_the_wanted_noun_is_the_one_after_the_question_word() -> None:
    assert wanted("How many hours of sound were recorded?") == ["hours", "sound"]


@pytest.mark.parametrize(
    ("question", "text", "seldom"),
    [
        ("How many GPUs were used?", "We train a policy.", True),
        ("How many GPUs were used?", "We train on 8 GPUs.", False),
        ("Which learning rate is best?", "A rate that is learning.", True),
        ("Which learning rate is best?", "The learning rate is 0.1.", False),
        ("Who wrote it?", "We write.", True),
        ("What is measured?", "We measure.", False),
    ],
)
def test_details_that_abstracts_seldom_give(question: str, text: str, seldom: bool) -> None:
    assert seldom_stated(question, text) is seldom


@pytest.mark.parametrize(
    ("question", "repairs", "unknown"),
    [
        ("Is it better than FooNet?", {"foonet": "foonet"}, True),
        ("Is it better than TideNett?", {"tidenett": "tidenet"}, False),
        ("Is it better than Tide-Net?", {"tide": "tidenet", "net": "tidenet"}, False),
        ("What about CPLEX?", {"cplex": "complex"}, True),
        ("Who is better?", {}, False),
    ],
)
def test_names_that_the_corpus_lacks(question: str, repairs: dict[str, str], unknown: bool) -> None:
    assert unknown_name(question, repairs, {"tidenet", "complex"}) is unknown


@pytest.mark.parametrize(
    ("question", "paper", "fact"),
    [
        ("To what does TideNet lower the error of the water level?", "tide", "6.1 cm"),
        ("How many dances did the tracker read?", "bees", "1,240"),
        ("What share of open goals does LemmaLoom close?", "proof", "38 %"),
        ("tide net: how many years of records?", "tide", "twelve years"),
    ],
)
def test_facts_are_answered_from_their_paper(
    asker: Asker, question: str, paper: str, fact: str
) -> None:
    answer = asker.ask(question)
    assert answer.outcome == "answered"
    assert answer.statements[0].citations[0].paper_id == paper
    assert any(fact in statement.text for statement in answer.statements)


def test_every_quote_stands_at_its_offsets(asker: Asker, retriever: Retriever) -> None:
    answer = asker.ask("Which papers are about language models?")
    texts = {paper.paper_id: paper.text for paper in retriever.snapshot.papers()}
    citations = [c for statement in answer.statements for c in statement.citations]
    assert citations
    for citation in citations:
        assert texts[citation.paper_id][citation.start : citation.end] == citation.quote
        assert answer.sources[citation.number - 1].paper_id == citation.paper_id


def test_an_answer_has_at_most_three_statements(asker: Asker) -> None:
    statements = asker.ask(
        "What do the sea level and the error have to do with harbours?"
    ).statements
    assert 1 <= len(statements) <= 3


@pytest.mark.parametrize(
    "question", ["What is LemmaLoom?", "summarize LemmaLoom", "Tell me about LemmaLoom."]
)
def test_what_a_named_paper_is_about_is_never_refused(asker: Asker, question: str) -> None:
    answer = asker.ask(question)
    assert (answer.kind, answer.outcome) == ("definition", "answered")
    assert cited(answer) == {"proof"}


def test_a_definition_is_briefer_than_a_summary(asker: Asker) -> None:
    brief, long = asker.ask("What is TideNet?"), asker.ask("summarize TideNet")
    assert len(brief.statements) <= len(long.statements)
    assert "TideNet" in brief.statements[0].text
    assert len(long.statements) > 1


def test_a_question_for_more_than_the_name_is_no_definition(asker: Asker) -> None:
    assert asker.ask("How many goals does LemmaLoom close?").kind == "fact"


def test_a_list_says_how_many_papers_hold_the_words(asker: Asker) -> None:
    answer = asker.ask("Which papers mention language models?")
    assert answer.text.startswith("2 of 8 papers:\n- ")
    assert cited(answer) == {"prune", "proof"}


def test_a_list_is_complete_and_not_the_best_few(asker: Asker) -> None:
    answer = asker.ask("How many papers mention models?")
    assert answer.outcome == "answered"
    assert answer.text.startswith("4 of 8 papers:\n- ")
    assert len(answer.statements) == len(cited(answer)) == 4


@pytest.mark.parametrize(
    "question",
    [
        "Are there papers on quantum computing?",
        "What do the papers say about protein folding?",
        "papers about tax law",
        "Is there anything on climate change?",
        "How many papers are about quantum computing?",
    ],
)
def test_a_list_of_what_no_paper_is_about_is_refused(asker: Asker, question: str) -> None:
    answer = asker.ask(question)
    assert answer.outcome == "not_in_corpus"
    assert answer.text.startswith("0 of 8 papers are about that. Nearest")
    assert answer.statements == ()


@pytest.mark.parametrize(
    "question",
    ["Compare TideNet and LemmaLoom", "What are TideNet and LemmaLoom?", "TideNet vs LemmaLoom"],
)
def test_papers_of_which_nothing_else_is_asked_are_introduced(asker: Asker, question: str) -> None:
    answer = asker.ask(question)
    assert (answer.kind, answer.outcome) == ("compare", "answered")
    one, other = answer.statements
    assert (one.citations[0].paper_id, other.citations[0].paper_id) == ("tide", "proof")


def test_one_sentence_is_enough_where_the_next_are_far_behind(retriever: Retriever) -> None:
    def texts(question: str) -> list[str]:
        return [statement.text for statement in Asker(retriever).ask(question).statements]

    assert len(texts("Which goals of the library does LemmaLoom close?")) < SENTENCES


def test_papers_that_there_were_not_are_told(asker: Asker) -> None:
    history = [Turn("What is LemmaLoom?", "It repairs broken proofs.", ("proof",))]
    answer = asker.ask("And the third?", history)
    assert answer.notes == ("Only 1 paper was shown before.",)
    assert answer.outcome != "answered"


def test_a_side_called_by_several_words_is_searched_for(asker: Asker) -> None:
    answer = asker.ask("How does TideNet differ from Tender Fruit Grippers?")
    assert not answer.notes
    assert len(cited(answer)) == 2


def test_of_many_sides_no_more_are_searched_for_than_are_told(
    asker: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[str] = []
    search = Retriever.signals_of
    monkeypatch.setattr(
        Retriever,
        "signals_of",
        lambda self, texts, *rest: (searched.extend(texts), search(self, texts, *rest))[1],
    )
    answer = asker.ask(f"How do {', '.join(asker.retriever.snapshot.handles)} differ in speed?")
    assert len(cited(answer)) == SENTENCES
    assert len(searched) == 1 + SENTENCES


@pytest.mark.parametrize(
    "question",
    [
        "Compare TideNet and Nopelet",
        "How does TideNet differ from Zebranet?",
        "Compare TideNet, LemmaLoom and ZQNET",
    ],
)
def test_a_side_with_an_unknown_name_is_said_to_be_missing(asker: Asker, question: str) -> None:
    answer = asker.ask(question)
    missing = question.strip("?").split()[-1]
    assert (answer.outcome, answer.notes) == (
        "partial",
        (f"Nothing here is about this side: {missing}.",),
    )
    assert cited(answer) <= {"tide", "proof"}


@pytest.mark.parametrize("joint", ["vs. ", "a and ", "A-"])
def test_a_comparison_without_end_is_quick(asker: Asker, joint: str) -> None:
    started = perf_counter()
    asker.ask(("compare TideNet " + joint * 9_000)[:19_000])
    assert perf_counter() - started < 2.5


def test_a_comparison_cites_both_sides(asker: Asker) -> None:
    answer = asker.ask("Compare TideNet and LemmaLoom")
    assert answer.kind == "compare"
    assert cited(answer) == {"tide", "proof"}


def test_a_side_that_the_corpus_lacks_is_said_to_be_missing(asker: Asker) -> None:
    answer = asker.ask("How do TideNet and MoonWorm3 differ in what they predict?")
    assert answer.outcome == "partial"
    assert answer.notes == ("Nothing here is about this side: MoonWorm3.",)
    assert cited(answer) == {"tide"}


def test_each_side_is_asked_only_what_the_question_asks_of_it(asker: Asker) -> None:
    sides = [asker.ask(f"What does {name} do?") for name in ("TideNet", "LemmaLoom")]
    answer = asker.ask("What does TideNet do, and what does LemmaLoom do?")
    quotes = [statement.text for statement in answer.statements]
    assert all(side.statements[0].text in quotes for side in sides)


@pytest.mark.parametrize(
    "question", ["How long should risotto simmer?", "Who won the football cup in 2022?"]
)
def test_a_foreign_question_is_not_in_the_corpus(asker: Asker, question: str) -> None:
    answer = asker.ask(question)
    assert answer.outcome == "not_in_corpus"
    assert answer.statements == ()


@pytest.mark.parametrize(
    ("question", "paper_id"),
    [
        ("TideNet的主要贡献是什么？", "tide"),
        ("Was ist der Hauptbeitrag von TideNet?", "tide"),
        ("Was ist TideNet?", "tide"),
        ("Qu'est-ce que LemmaLoom ?", "proof"),
        ("Каков главный вклад LemmaLoom?", "proof"),
    ],
)
def test_a_name_answers_a_question_in_any_language(
    asker: Asker, question: str, paper_id: str
) -> None:
    answer = asker.ask(question)
    assert answer.outcome == "answered"
    assert cited(answer) == {paper_id}
    assert any("Only the names" in note for note in answer.notes)


@pytest.mark.parametrize(
    "question", ["哪些论文使用强化学习？", "Quelle est la méthode pour les abeilles?"]
)
def test_a_language_that_is_not_known_is_no_ground_for_guesses(asker: Asker, question: str) -> None:
    answer = asker.ask(question)
    assert (answer.outcome, answer.sources) == ("not_in_corpus", ())
    assert "RAG_EMBED_MODEL" in answer.notes[0]


def test_a_detail_that_the_abstract_lacks_is_not_in_the_abstracts(asker: Asker) -> None:
    answer = asker.ask("How many GPUs was TideNet trained on?")
    assert answer.outcome == "not_in_abstracts"
    assert answer.sources[0].paper_id == "tide"
    assert answer.statements == ()


@pytest.mark.parametrize(
    ("question", "chance"), [("How hot is a fire?", True), ("Is FIRE hot?", False), ("Why?", False)]
)
def test_a_name_that_is_an_everyday_word_may_be_meant_as_one(
    retriever: Retriever, question: str, chance: bool
) -> None:
    assert by_chance(retriever, question, "FIRE") is chance


def test_a_follow_up_is_about_the_paper_before(asker: Asker) -> None:
    history = [Turn("What is LemmaLoom?", "It repairs broken proofs.")]
    answer = asker.ask("How many goals does it close?", history)
    assert answer.kind == "follow-up"
    assert cited(answer) == {"proof"}
    assert "LemmaLoom" in answer.standalone_question


def test_a_new_name_ends_the_old_topic(asker: Asker) -> None:
    history = [Turn("What is LemmaLoom?", "It repairs broken proofs.")]
    answer = asker.ask("And what error does TideNet reach with it?", history)
    assert answer.standalone_question == answer.question
    assert answer.statements[0].citations[0].paper_id == "tide"


def test_filters_narrow_down_the_papers(asker: Asker) -> None:
    answer = asker.ask("Which papers are about biology?", filters=Filters(area="biology"))
    assert cited(answer) <= {"bees", "cells"}


def test_filters_that_no_paper_passes_name_the_values(asker: Asker) -> None:
    with pytest.raises(QuestionError, match="No paper has area 'poetry'") as error:
        asker.ask("What is TideNet?", filters=Filters(area="poetry"))
    assert "earth science" in error.value.fix


@pytest.mark.parametrize("question", ["", "   ", "?!", "…", "a" * 30_000])
def test_a_question_needs_a_word_and_an_end(asker: Asker, question: str) -> None:
    with pytest.raises(QuestionError):
        asker.ask(question)


@pytest.mark.parametrize(
    "question", ["it", "the", "TideNet", "🦀 TideNet?", "的", "a" * 19_000, "tide\x00net \ud800"]
)
def test_odd_questions_get_some_answer(asker: Asker, question: str) -> None:
    assert asker.ask(question).text


def test_the_same_question_gets_the_same_answer(asker: Asker, retriever: Retriever) -> None:
    def stable(answer: Answer) -> dict[str, object]:
        data = answer.to_json()
        del data["timings_ms"]
        return data

    question = "What lowers the error of the water level?"
    assert stable(asker.ask(question)) == stable(Asker(retriever).ask(question))


def test_an_answer_has_the_fields_of_the_contract(asker: Asker) -> None:
    data = asker.ask("What does TideNet do?").to_json()
    assert set(data) >= {
        "question",
        "standalone_question",
        "outcome",
        "kind",
        "text",
        "statements",
        "sources",
        "engine",
        "model",
        "prompt",
        "usage",
        "timings_ms",
    }
    statements: Sequence[dict[str, object]] = data["statements"]
    assert set(statements[0]) == {"text", "citations", "supported", "support"}
    assert data["text"].count("[1]") >= 1
    assert data["sources"][0]["number"] == 1
