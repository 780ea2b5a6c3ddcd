"""A real model that makes things up, put to our own questions: what it invents is never shown
as supported. Judged here by plain string search, not by the checker."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from rag.corpus import read_file
from rag.embed.minilm import MiniLM
from rag.endpoint import Endpoint
from rag.engine import writer
from rag.engine.answer import Asker
from rag.engine.check import Checker
from rag.engine.writer import Writer
from rag.evaluate.cases import load_suites
from rag.evaluate.types import Case
from rag.models.openai import connect
from rag.prompts import load_task
from rag.retrieve.hybrid import Retriever
from rag.store.snapshot import Snapshot
from rag.types import Answer, Statement
from tests.corpus import index
from tests.servers import Llama

ROOT = Path(__file__).parent.parent
NOTES = ROOT / "rag" / "sample" / "iclr2026_notes.jsonl"
ANSWERS, WINDOW, REPLY_TOKENS = 60, 680, 48

_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*")
_NAME = re.compile(r"\b(?:[A-Z]{2,}|[A-Z]?[a-z]+[A-Z])\w*\b")
"""Capitals inside a word: what cannot be the beginning of a sentence."""


@pytest.fixture(scope="module")
def answers(
    tmp_path_factory: pytest.TempPathFactory, minilm: MiniLM, smollm: Llama
) -> list[Answer]:
    """What SmolLM2 makes of our questions about the bundled notes."""
    folder = tmp_path_factory.mktemp("notes") / "index"
    index(folder, minilm, read_file(str(NOTES)).records)
    retriever = Retriever(Snapshot.open(folder), minilm)
    # Few tokens make for a quick test: the model reads some 150 in a second and writes 40.
    model = connect(Endpoint("smollm2", smollm.url, timeout=300), window=WINDOW)
    asker = Asker(retriever, Writer(model, load_task("answer"), Checker(minilm)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writer, "REPLY_TOKENS", REPLY_TOKENS)
        asked = (asker.ask(case.subject, case.history) for case in cases())
        return list(islice((answer for answer in asked if answer.usage.output_tokens), ANSWERS))


def cases() -> list[Case]:
    """Every other of our questions, of all kinds, with and without an answer; where nothing
    comes near a question the model is not asked."""
    return load_suites(ROOT / "evals", ["ask"])["ask"][::2]


def statements(answers: list[Answer]) -> Iterator[tuple[Answer, Statement]]:
    for answer in answers:
        yield from ((answer, statement) for statement in answer.statements)


def test_enough_was_asked_and_much_of_it_was_made_up(answers: list[Answer]) -> None:
    assert len(answers) == ANSWERS
    unfounded = [a for a in answers if a.engine == "extractive"]
    doubted = [s for _, s in statements(answers) if not s.supported]
    written = [s for a, s in statements(answers) if a.engine == "llm" and s.supported]
    assert len(unfounded) + len(doubted) >= 5
    assert len(written) >= 5


def test_no_invented_number_or_name_is_shown_as_supported(answers: list[Answer]) -> None:
    for answer, statement in statements(answers):
        if not statement.supported:
            continue
        quotes = " ".join(citation.quote for citation in statement.citations)
        cited = {citation.paper_id for citation in statement.citations}
        names = [f"{p.title} {p.handle}" for p in answer.sources if p.paper_id in cited]
        told = plain(f"{quotes} {' '.join(names)}")
        numbers = set(_NUMBER.findall(plain(quotes))) | spelled(quotes)
        assert set(_NUMBER.findall(plain(statement.text))) <= numbers, statement
        for name in _NAME.findall(statement.text):
            short = name.lower().rstrip("s")
            assert short in told.lower() or short in initials(told), statement


def test_every_quote_is_exact(answers: list[Answer]) -> None:
    texts = {paper.paper_id: paper.text for paper in read_file(str(NOTES)).records}
    for _, statement in statements(answers):
        for c in statement.citations:
            assert texts[c.paper_id][c.start : c.end] == c.quote


def test_no_marker_of_the_model_reaches_a_reader(answers: list[Answer]) -> None:
    for answer in answers:
        shown = [int(number) for number in re.findall(r"\[(\d+)\]", answer.text)]
        assert all(1 <= number <= len(answer.sources) for number in shown)
        assert not re.search(r"\[\d+\.\d+|【|<think|<\|", answer.text)
        assert not any(re.search(r"\[\d", s.text) for s in answer.statements)


def spelled(text: str) -> set[str]:
    """The numbers from two to ten that stand in a text as words."""
    words = "two three four five six seven eight nine ten".split()
    found = set(re.findall(r"[a-z]+", text.lower()))
    return {str(n) for n, word in enumerate(words, start=2) if word in found}


def initials(text: str) -> str:
    """The first letters of all words: "llm" is in those of "a large language model"."""
    return "".join(word[0] for word in re.findall(r"[^\W\d_]+", text.lower()))


def plain(text: str) -> str:
    return text.replace(",", "")
