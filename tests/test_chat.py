"""A conversation: what a follow-up is given, what is kept of it, and how it is written down."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from rag.chat import Conversation
from rag.chat.conversation import ANSWER_CHARS, TURNS
from rag.chat.markdown import escaped, markdown
from rag.corpus.writers.bibtex import bibtex
from rag.engine.answer import Asker
from rag.engine.question import Turn
from rag.errors import EndpointUnreachable, QuestionError, StoreUnwritable
from rag.evaluate.chats import chat_drafts
from rag.retrieve.filters import Filters
from rag.retrieve.hybrid import Retriever
from rag.store.snapshot import Snapshot
from rag.types import Answer, Citation, Statement
from tests.fakes import paper

MEAN = "a *bold* _b_ `c` <b> # [x](http://y) ![z](u) $m$ \\n ~~s~~ | & [1](v) [1]: w \x1b[2J\nnext"


class Noted:
    """An Asker that notes what it is given; ``fails`` makes it fail."""

    def __init__(self, asker: Asker) -> None:
        self._asker = asker
        self.retriever = asker.retriever
        self.histories: list[Sequence[Turn]] = []
        self.fails = False

    def ask(self, question: str, history: Sequence[Turn], *more: object) -> Answer:
        if self.fails:
            raise EndpointUnreachable("Nobody answers.", "start it")
        self.histories.append(history)
        return self._asker.ask(question, history, *more)  # type: ignore[arg-type]


@pytest.fixture
def asker(retriever: Retriever) -> Noted:
    return Noted(Asker(retriever))


@pytest.fixture
def talk(asker: Noted) -> Conversation:
    return Conversation(asker)  # type: ignore[arg-type]


def answered(text: str, *quotes: str, **more: object) -> Answer:
    """An answer that quotes one paper."""
    source = paper("p", "One. Two.", **more)
    citations = tuple(Citation(1, "p", quote, 0, 1) for quote in quotes)
    statement = Statement(text, citations, True, 1.0)
    return Answer("Q?", "Q?", "answered", "fact", text, (statement,), (source,), "extractive")


def test_a_follow_up_is_about_the_papers_of_the_answer_before(talk: Conversation) -> None:
    talk.ask("What is LemmaLoom?")
    answer = talk.ask("How many goals does it close?")
    assert answer.standalone_question == "How many goals does LemmaLoom close?"
    assert "38 % of the goals" in answer.text


def test_the_numbers_of_an_answer_can_be_asked_about(talk: Conversation) -> None:
    assert [p.paper_id for p in talk.ask("Compare TideNet and LemmaLoom").sources][1] == "proof"
    answer = talk.ask("What does [2] do?")
    assert {c.paper_id for s in answer.statements for c in s.citations} == {"proof"}


def test_what_was_understood_is_told_before_the_answer(talk: Conversation) -> None:
    heard: list[str] = []
    for question in ("What is LemmaLoom?", "How many goals does it close?"):
        answer = talk.ask(question, heard.append, lambda text: heard.append(f"→ {text}"))
    assert heard[1] == "→ How many goals does LemmaLoom close?"
    assert "".join(heard[2:]) == answer.text


def test_a_question_that_fails_leaves_the_conversation_as_it_was(
    talk: Conversation, asker: Noted
) -> None:
    talk.ask("What is LemmaLoom?")
    asker.fails = True
    with pytest.raises(EndpointUnreachable):
        talk.ask("Why?")
    assert [answer.question for answer in talk.answers] == ["What is LemmaLoom?"]


def test_two_hundred_turns_cost_no_more_each_and_are_all_kept(
    talk: Conversation, asker: Noted
) -> None:
    questions = ["What is LemmaLoom?", "How many goals does it close?", "And why?", "And TideNet?"]
    started = time.perf_counter()
    for turn in range(200):
        talk.ask(questions[turn % 4])
    assert time.perf_counter() - started < 20
    sizes = [sum(len(t) for turn in given for t in turn[:2]) for given in asker.histories]
    assert max(map(len, asker.histories)) == TURNS
    assert max(sizes) < TURNS * (ANSWER_CHARS + 1_000)
    assert talk.markdown().count("\n## ") == 200


def test_a_long_answer_is_cut_for_the_questions_after_it(talk: Conversation, asker: Noted) -> None:
    talk.answers.append(answered("word " * 100_000, "One."))
    talk.ask("What is LemmaLoom?")
    assert len(asker.histories[0][0].answer) == ANSWER_CHARS


def test_a_new_conversation_knows_nothing(talk: Conversation, asker: Noted) -> None:
    talk.ask("What is LemmaLoom?")
    talk.new()
    talk.ask("What is TideNet?")
    assert list(asker.histories[-1]) == []
    assert "LemmaLoom" not in talk.markdown()


def test_filters_hold_for_every_question(asker: Noted) -> None:
    talk = Conversation(asker, Filters(papers=("tide",)))  # type: ignore[arg-type]
    assert [p.paper_id for p in talk.ask("What is TideNet?").sources] == ["tide"]
    assert {p.paper_id for p in talk.ask("Which papers are about biology?").sources} <= {"tide"}


def test_sources_are_those_of_the_latest_answer_that_has_some(talk: Conversation) -> None:
    with pytest.raises(QuestionError, match="No answer has sources"):
        talk.sourced()
    talk.ask("What is LemmaLoom?")
    assert talk.paper(1).paper_id == "proof"
    talk.answers.append(replace(answered("Nothing."), sources=(), statements=()))
    assert talk.paper(1).paper_id == "proof"
    for number in (0, 2, 99):
        with pytest.raises(QuestionError, match=f"no source {number}"):
            talk.paper(number)


# --- Markdown ----------------------------------------------------------------------------------


def test_markdown_has_questions_answers_and_numbered_quotes(talk: Conversation) -> None:
    talk.ask("What is LemmaLoom?")
    talk.ask("How many goals does it close?")
    text = talk.markdown()
    assert "## 1. What is LemmaLoom?\n" in text
    assert "*Understood as: How many goals does LemmaLoom close?*" in text
    quote = talk.answers[1].statements[0].citations[0].quote
    assert f"{quote} [1]" in text
    assert f"1. **LemmaLoom** (a.jsonl, line 1)\n\n   > {quote}\n" in text


@pytest.mark.parametrize("text", [MEAN, "- a", "1. a", "=== a", "+ a", "\\[1] <script>", "12) a"])
def test_no_text_means_anything_to_markdown(text: str) -> None:
    line = escaped(text)
    assert "\n" not in line
    assert line.isprintable()
    bare = re.sub(r"\\[!-/:-@\[-`{-~]", "x", line)
    assert not re.search(r"[*_`<>#$|~&\\]|\[\d+\][(:]|!\[|^\s*(?:[-+=]|\d+[.)])", bare)
    shown = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", line)
    assert shown == " ".join(text.replace("\x1b", "\ufffd").split())


def test_markers_stay_readable() -> None:
    assert escaped("It rose [1][2], twice [3].") == "It rose [1][2], twice [3]."


def test_mean_texts_are_tame_in_the_whole_document() -> None:
    url = "javascript:alert(1)"
    answer = replace(answered(MEAN, MEAN, title=MEAN, url=url), notes=(MEAN,), model="m_1")
    text = markdown([replace(answer, question=MEAN, standalone_question=f"P: {MEAN}")])
    assert "javascript" not in text
    assert "\x1b" not in text
    assert not re.search(r"(?<!\\)(\[x\]\(|<b>|~~|\*bold)", text)


# --- BibTeX ------------------------------------------------------------------------------------


def entries(text: str) -> list[tuple[str, str, dict[str, str]]]:
    """Type, key and fields of each entry, read as BibTeX reads it: by counting braces."""
    found = []
    for kind, key, body in re.findall(r"@(\w+)\{([^,]+),\n(.*?)\n\}\n", text, re.S):
        fields = dict(re.findall(r"^  (\w+) = \{(.*)\},$", body, re.M))
        assert len(fields) == body.count("\n") + 1
        for value in fields.values():
            depth = 0
            for character in value:
                depth += {"{": 1, "}": -1}.get(character, 0)
                assert depth >= 0
            assert depth == 0
        found.append((kind, key, fields))
    return found


def test_the_papers_cited_are_exported_once_each(talk: Conversation) -> None:
    assert talk.bibtex() == ""
    for question in ("What is TideNet?", "What is LemmaLoom?", "What is TideNet?"):
        talk.ask(question)
    first, second = entries(talk.bibtex())
    assert first == (
        "inproceedings",
        "2031tidenet",
        {
            "title": "{TideNet: Filling the Gaps of Storm-Struck Sea Level Gauges}",
            "booktitle": "Toy Conference 2031",
            "year": "2031",
            "url": "https://example.org/tide",
        },
    )
    assert second[0] == "misc"
    assert second[2] == {"title": "{LemmaLoom}", "note": "No title is known; from a.jsonl, line 1"}


def test_a_refusal_cites_nothing(talk: Conversation) -> None:
    talk.ask("How many GPUs was TideNet trained on?")
    assert talk.answers[0].sources
    assert talk.bibtex() == ""


def test_keys_are_unique_and_plain() -> None:
    authors = ("Åsa Öberg", "B. and Sons", "Li, Wei")
    same = [
        paper(f"p{n}", "T.", title="The Éclair Model", authors=authors, year=2030) for n in "abc"
    ]
    odd = [paper("q", "T.", title="的"), paper("r", "T.", title="???")]
    found = entries(bibtex([*same, *odd]))
    keys = [key for _, key, _ in found]
    assert keys == ["oberg2030eclair", "oberg2030eclair-2", "oberg2030eclair-3", "paper", "paper-2"]
    assert found[0][2]["author"] == "Åsa Öberg and {B. and Sons} and Li, Wei"


def test_nothing_in_a_field_is_a_command() -> None:
    title = "50% of {Heads} & $x_1$ #1 ~ ^ \\input{/etc/passwd} }\n@misc{evil,\x00"
    url = 'https://x.org/a_b%20c?q={1}&r=\\z "ü'
    [(_, key, fields)] = entries(bibtex([paper("p", "T.", title=title, url=url)]))
    assert key == "50"
    assert r"50\% of \textbraceleft{}Heads\textbraceright{} \& \$x\_1\$" in fields["title"]
    assert r"\textbackslash{}input" in fields["title"]
    assert fields["url"] == "https://x.org/a_b%20c?q=%7B1%7D&r=%5Cz%20%22%C3%BC"


# --- verdicts ----------------------------------------------------------------------------------


@pytest.fixture
def own(built: Path, tmp_path: Path, retriever: Retriever) -> Conversation:
    """A conversation over an index of its own, which may be written to."""
    store = Path(shutil.copytree(built, tmp_path / "store"))
    return Conversation(Asker(Retriever(Snapshot.open(store), retriever._embedder)))


def test_a_verdict_is_a_case_for_the_evals(own: Conversation, tmp_path: Path) -> None:
    own.ask("What is LemmaLoom?")
    own.ask("How many goals does it close?")
    own.judge(good=True)
    own.judge(good=False, remark="half of it")
    file = tmp_path / "store" / "feedback.jsonl"
    good, bad = map(json.loads, file.read_text().splitlines())
    assert good["id"] == bad["id"]
    assert (good["verdict"], good["outcome"], good["gold"]) == ("good", "answered", ["proof"])
    assert (bad["verdict"], bad["outcome"], bad["gold"]) == ("bad", None, [])
    assert (good["remark"], bad["remark"]) == ("", "half of it")
    assert good["standalone"] == "How many goals does LemmaLoom close?"
    assert good["got"] == bad["got"] == "answered"
    assert good["answer"] == own.answers[-1].text
    assert (good["engine"], good["model"], good["prompt"]) == ("extractive", None, None)

    file.write_text(json.dumps(good) + "\n")
    [draft] = chat_drafts(file.parent, pytest.fail)
    assert draft.question == "How many goals does it close?"
    assert draft.history == (Turn("What is LemmaLoom?", own.answers[0].text, ("proof",)),)


def test_there_must_be_an_answer_to_judge(own: Conversation) -> None:
    with pytest.raises(QuestionError, match="Nothing has been asked"):
        own.judge(good=True)


def test_a_store_that_cannot_be_written_is_told(own: Conversation, tmp_path: Path) -> None:
    own.ask("What is LemmaLoom?")
    (tmp_path / "store" / "feedback.jsonl").mkdir()
    with pytest.raises(StoreUnwritable, match=r"Cannot write .*feedback\.jsonl: "):
        own.judge(good=True)


def test_the_papers_of_a_refusal_are_no_topic(talk: Conversation, asker: Noted) -> None:
    refused = talk.ask("Which papers deal with quantum computing?")
    assert refused.sources
    answer = talk.ask("What about its speed?")
    assert asker.histories[-1][0].refused
    assert answer.standalone_question == "What about its speed?"
    last = refused.sources[1]
    assert talk.ask("Tell me about the second one").sources[0] == last
