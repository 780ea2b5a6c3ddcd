"""Why an answer is what it is, in values and in plain sentences."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import pytest

from rag.chat import Conversation
from rag.embed.minilm import MiniLM
from rag.engine.answer import Asker
from rag.engine.check import Checker
from rag.engine.explaining import Explanation, told
from rag.engine.explaining.phrases import FEATURES, INDICATIONS, KINDS, feature, indicated
from rag.engine.outcome import Indications
from rag.engine.question import Turn
from rag.engine.quoting import Considered
from rag.engine.sentences import weights
from rag.engine.writer import Writer
from rag.errors import QuestionError
from rag.prompts import load_task
from rag.retrieve.filters import Filters
from rag.retrieve.hybrid import Retriever
from rag.store.snapshot import Snapshot
from tests.commands import Run
from tests.corpus import PAPERS, index
from tests.fakes import Replies, paper

Explain = Callable[..., Explanation]


def explanation(asker: Asker, question: str, *more: object) -> Explanation:
    heard: list[Considered] = []
    answer = asker.ask(question, *more, on_considered=heard.append)  # type: ignore[arg-type]
    return asker.explain(heard[-1], answer)


@pytest.fixture
def explained(retriever: Retriever) -> Explain:
    return lambda question, *more: explanation(Asker(retriever), question, *more)


def text(found: Explanation) -> str:
    return "\n".join(f"{heading}\n{' '.join(lines)}" for heading, lines in told(found))


def test_a_paper_is_explained_by_words_repairs_nearness_and_name(explained: Explain) -> None:
    found = explained("By how much does TideNet lower the error of the watre level?")
    assert found.understood.kind == "fact"
    (paper, *_) = found.papers
    assert (paper.paper_id, paper.rank, paper.named) == ("tide", 1, True)
    assert paper.has["water"] == "water"
    assert (paper.abstract_nearer, paper.sentence_nearer) == (1.0, 1.0)
    said = text(found)
    assert "Understood as: By how much does TideNet lower the error of the water level?" in said
    assert "The question calls it by its name." in said
    assert "its abstract and its best sentence are both the nearest" in said
    assert re.search(r"“level” \(in \d( of 8 papers)?\)", said)


def test_a_sentence_is_explained_by_what_the_others_lack(explained: Explain) -> None:
    found = explained("By how much does TideNet lower the error of the water level?")
    first = found.sentences[0]
    assert "9.4 cm" in first.text
    assert {"error", "water", "level"} <= set(first.words)
    assert any(gain.feature == "wanted digit" and gain.more for gain in found.sentences[0].gains)
    assert "gives a figure, which is asked for" in text(found)


def test_a_definition_is_explained_by_the_sentence_that_introduces(explained: Explain) -> None:
    found = explained("What is TideNet?")
    assert found.sentences[0].introduces
    assert "introduces what the paper is about" in text(found)


def test_a_refusal_names_the_words_that_no_paper_has(explained: Explain) -> None:
    found = explained("How many GPUs did TideNet need?")
    assert found.verdict and found.verdict.outcome == "not_in_abstracts"
    assert found.verdict.doubt >= 0.5 and not found.sentences
    assert found.papers[0].paper_id == "tide"
    adds = {each.name: each.adds for each in found.verdict.indications}
    assert adds["figure_missing"] > 0 == adds["continued"]
    said = text(found)
    assert "No paper has “many” or “gpus”." in said
    assert "Refused, since the abstracts here do not seem to say it" in said
    assert "a figure is asked for, and the paper gives none of that kind" in said


def test_a_list_says_what_was_matched_and_how(explained: Explain) -> None:
    found = explained("Which papers mention language models?")
    assert found.matched and not found.matched.meant
    assert found.matched.said == sum(paper.said for paper in found.papers) > 1
    names = [name for forms in found.matched.forms for name, _ in forms]
    assert names[0] == "language" and "model" in names[-1]
    assert f"{found.matched.said} by its words" in text(found)


def test_a_list_of_the_others_says_what_was_left_out(explained: Explain) -> None:
    others = explained("Which papers do not mention language models?")
    assert "Papers with “language models” are left out." in text(others)
    assert f"all {others.matched.said if others.matched else 0} others" in text(others)
    assert not any(paper.said for paper in others.papers)
    assert "all 8 there are" in text(explained("List all papers"))


def test_papers_that_deny_what_is_refused_are_not_said_to_lack_it(
    tmp_path: Path, minilm: MiniLM
) -> None:
    says = "Our painter needs no human annotations and keeps the colours of a scene."
    index(tmp_path / "store", minilm, [*PAPERS, paper("colour", says)])
    asker = Asker(Retriever(Snapshot.open(tmp_path / "store"), minilm))
    said = text(explanation(asker, "Which papers need no human annotations?"))
    assert "are left out" not in said and "“human” (1)" in said


def test_papers_like_one_are_explained_by_that_one(explained: Explain) -> None:
    found = explained("Papers like LemmaLoom?")
    assert found.papers and found.papers[0].like == "LemmaLoom"
    said = text(found)
    assert "nearest to the paper" in said and "seen from LemmaLoom" in said
    assert "doubt" not in said and "It lacks" not in said


def test_a_word_that_no_paper_has_is_told_without_contradiction(explained: Explain) -> None:
    none = text(explained("Which papers use zithers?"))
    assert "“zithers” (in none)" in none and "the nearest ones count" not in none
    some = text(explained("Which papers use microphones or zithers?"))
    assert "It says what is asked for, as far as any paper does." in some


def test_filters_and_a_follow_up_are_told(explained: Explain) -> None:
    history = (Turn("What is TideNet?", "A graph network.", ("tide",)),)
    found = explained("And by how much does it lower the error?", history, Filters(year=2031))
    said = text(found)
    assert "Understood as: " in said and "TideNet" in found.understood.standalone
    assert f"The filters left {found.understood.passed} of 8 papers." in said


def test_with_a_model_what_it_was_shown_is_told(retriever: Retriever, minilm: MiniLM) -> None:
    def ask(reply: str) -> Explanation:
        writer = Writer(Replies(reply), load_task("answer"), Checker(minilm))
        return explanation(Asker(retriever, writer), "How far does TideNet lower the error?")

    found = ask("TideNet lowers the error of the water level from 9.4 cm to 6.1 cm.")
    assert found.shown[0].paper_id == "tide" and found.shown[0].sentences == 3
    assert "9.4 cm" in found.sentences[0].text
    assert "What the model was shown" in text(found)
    refused = ask("NOT IN THE ABSTRACTS")
    assert "The model found no answer in what it was shown." in text(refused)
    assert not refused.sentences


def test_every_indication_and_every_feature_has_a_phrase() -> None:
    assert {field.name for field in fields(Indications)} <= set(INDICATIONS)
    used = {name.removeprefix("statement: ") for name in weights()} - {"bias"}
    assert used <= set(FEATURES)


def test_what_has_no_phrase_is_shown_as_it_is() -> None:
    assert indicated("new_sign", 0.25) == "new sign: 0.25"
    assert feature("novelty", more=True) == "has more of: novelty"


@pytest.mark.parametrize(
    "question",
    [
        *("What does it do?", "Which papers are about robots?", "How many papers use diffusion?"),
        *("Compare TideNet and LemmaLoom", "Is there work on bees?", "papers like TideNet"),
        *("What is LemmaLoom?", "the " * 40 + "∑ \ud800 weiß 蜂", "robots: without grip, or: "),
    ],
)
def test_any_question_can_be_explained(explained: Explain, question: str) -> None:
    found = explained(question)
    assert found.understood.kind in KINDS
    assert all(lines for heading, lines in told(found) if not heading.startswith("and "))
    assert found.to_json()["understood"]["population"] == 8


def test_explain_goes_to_stderr_and_with_json_into_the_answer(indexed: Run) -> None:
    plain = indexed("ask", "What is TideNet?")
    told = indexed("ask", "What is TideNet?", "--explain")
    assert told.out == plain.out and "Taken for" not in plain.err
    assert "Taken for a question for what a paper is about." in told.err
    data = indexed("ask", "What is TideNet?", "--explain", "--json")
    assert data.json["explain"]["papers"][0]["named"] is True
    assert "Taken for" not in data.err
    assert "explain" not in indexed("ask", "What is TideNet?", "--json").json


def test_where_nothing_was_searched_for_that_is_said(indexed: Run) -> None:
    told = indexed("ask", "When was TideNet published?", "--explain")
    assert "2031" in told.out and "the record of the paper says it" in told.err
    assert "explain" in indexed("ask", "When was TideNet published?", "--explain", "--json").out


def test_a_search_is_explained_hit_by_hit(indexed: Run) -> None:
    done = indexed("search", "strawbery", "-k", "2", "--explain", "--area", "robotics")
    assert "“strawbery” was read as “strawberries”." in done.err
    assert "The filters left 1 of 8 papers." in done.err
    (hit,) = indexed("search", "strawbery", "-k", "1", "--explain", "--json").lines
    assert hit["explain"]["paper"]["has"] == {"strawbery": "strawberries"}
    nothing = indexed("search", "strawbery", "--json").lines
    assert all("explain" not in hit for hit in nothing)


def test_a_conversation_explains_its_last_answer(retriever: Retriever) -> None:
    talk = Conversation(Asker(retriever))
    with pytest.raises(QuestionError, match="Nothing has been asked"):
        talk.why()
    talk.ask("What is TideNet?")
    assert talk.why().papers[0].paper_id == "tide"
