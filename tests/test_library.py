"""An index as an object: asked, opened again, and inside LlamaIndex's engines."""

from __future__ import annotations

import asyncio
import re
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from llama_index.core.base.llms.types import ChatMessage

from rag import Corpus, open_corpus
from rag.errors import ConfigError, QuestionError, StoreMissing
from rag.types import Answer
from tests.conftest import Run
from tests.corpus import PAPERS, QUESTIONS

README = Path(__file__).parent.parent / "README.md"
TIDE = "What does TideNet do?"


@pytest.fixture
def corpus(indexed: Run, tmp_path: Path) -> Corpus:
    return open_corpus(tmp_path / "index_store")


def same(answer: Answer) -> dict[str, object]:
    return {**answer.to_json(), "timings_ms": None}


def test_it_holds_the_papers(corpus: Corpus) -> None:
    assert len(corpus) == len(PAPERS)
    assert [paper.paper_id for paper in corpus] == [paper.paper_id for paper in PAPERS]
    assert corpus.paper("LemmaLoom").paper_id == "proof"


@pytest.mark.parametrize(("question", "paper_id"), QUESTIONS.items())
def test_it_finds_and_answers(corpus: Corpus, question: str, paper_id: str) -> None:
    assert corpus.search(question, 1)[0].paper.paper_id == paper_id
    assert corpus.ask(question).sources[0].paper_id == paper_id


def test_a_filter_is_that_of_the_command_line(corpus: Corpus) -> None:
    hits = corpus.search("a small network", area="biology")
    assert {hit.paper.area for hit in hits} == {"biology"}
    with pytest.raises(QuestionError, match="No paper has area"):
        corpus.ask(TIDE, area="alchemy")


def test_a_follow_up_knows_what_was_said(corpus: Corpus) -> None:
    first = corpus.ask(TIDE)
    second = corpus.ask("By how much does it lower the error?", [(TIDE, first.text)])
    assert "6.1 cm" in second.text


def test_a_paper_in_a_line_and_a_topic_in_a_digest(corpus: Corpus) -> None:
    assert corpus.summarize("tide").words <= 25
    digest = corpus.digest("language models", floor=0.1)
    assert {"prune", "proof"} & {entry.paper.paper_id for entry in digest.entries}


def test_an_index_that_grew_is_seen_by_the_next_call(
    corpus: Corpus, indexed: Run, tmp_path: Path
) -> None:
    before = corpus.snapshot
    (tmp_path / "more.txt").write_text("We teach QuillBird, a small robot, to write with a pen.")
    assert indexed("ingest", "more.txt").status == 0
    assert len(corpus) == len(PAPERS) + 1
    assert corpus.ask("What is QuillBird?").outcome == "answered"
    assert [paper.paper_id for paper in before.papers()] == [paper.paper_id for paper in PAPERS]


def test_an_index_that_changed_often_is_not_kept_in_all_its_states(
    corpus: Corpus, indexed: Run, tmp_path: Path
) -> None:
    states = []
    for number in range(5):
        corpus.ask(TIDE)
        states.append(weakref.ref(corpus.snapshot))
        (tmp_path / "more.txt").write_text(f"We teach QuillBird{number}, a robot, to write.")
        indexed("ingest", "more.txt")
    corpus.ask(TIDE)
    assert [state() is None for state in states[:2]] == [True, True]


def test_threads_get_the_answers_that_one_gets(corpus: Corpus, tmp_path: Path) -> None:
    alone = [same(open_corpus(tmp_path / "index_store").ask(question)) for question in QUESTIONS]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(corpus.ask, [*QUESTIONS] * 4))
    assert [same(answer) for answer in together] == alone * 4


def test_what_is_not_there_is_told(tmp_path: Path, run: Run) -> None:
    with pytest.raises(StoreMissing):
        open_corpus(tmp_path / "nothing")
    with pytest.raises(ConfigError, match="unknown"):
        open_corpus(tmp_path, ingine="llm")


def test_a_query_engine_gives_the_answer_with_its_quotes(corpus: Corpus) -> None:
    engine, answer = corpus.as_query_engine(), corpus.ask(TIDE)
    for response in (engine.query(TIDE), asyncio.run(engine.aquery(TIDE))):
        assert str(response) == answer.text
        quoted = [cited.quote for said in answer.statements for cited in said.citations]
        assert [found.node.get_content() for found in response.source_nodes] == quoted
        assert response.metadata and response.metadata["outcome"] == "answered"


def test_a_chat_engine_follows_up_and_forgets(corpus: Corpus) -> None:
    engine, follow_up = corpus.as_chat_engine(), "By how much does it lower the error?"
    engine.chat(TIDE)
    assert "6.1 cm" in engine.chat(follow_up).response
    assert [message.role.value for message in engine.chat_history] == ["user", "assistant"] * 2
    engine.reset()
    assert engine.chat_history == []
    told = [ChatMessage(TIDE, role="user"), ChatMessage("It fills gaps.", role="assistant")]
    assert "6.1 cm" in engine.chat(follow_up, told).response


def test_a_chat_engine_streams(corpus: Corpus) -> None:
    engine, text = corpus.as_chat_engine(), corpus.ask(TIDE).text
    assert "".join(engine.stream_chat(TIDE).response_gen) == text

    async def streamed() -> str:
        response = await engine.astream_chat(TIDE)
        return "".join([piece async for piece in response.async_response_gen()])

    assert asyncio.run(streamed()) == text


def test_the_readme_example_runs(indexed: Run, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.S)
    (example,) = (block for block in blocks if "open_corpus" in block)
    exec(compile(example, "README.md", "exec"), {})
    assert "[1]" in capsys.readouterr().out
