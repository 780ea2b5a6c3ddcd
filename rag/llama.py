"""Our answers as LlamaIndex's query engine and chat engine, each with its quotes as nodes.

Knows nothing of how an answer is found, and never touches LlamaIndex's global Settings.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator, Mapping
from typing import TYPE_CHECKING, Any

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, MessageRole
from llama_index.core.base.response.schema import Response
from llama_index.core.chat_engine.types import (
    AgentChatResponse,
    BaseChatEngine,
    StreamingAgentChatResponse,
)
from llama_index.core.schema import NodeWithScore, QueryBundle

from rag.chat.conversation import turn_of
from rag.engine.question import Turn
from rag.retrieve.llama import cited_node
from rag.types import Answer

if TYPE_CHECKING:
    from rag.library import Corpus


class QueryEngine(BaseQueryEngine):
    """A response is the answer's text with its [n]; its nodes are the quotes, in the order cited,
    and its metadata the whole answer, as ``rag ask --json`` gives it."""

    def __init__(self, corpus: Corpus, filters: Mapping[str, Any]) -> None:
        super().__init__(callback_manager=None)
        self._corpus = corpus
        self._filters = filters

    def _query(self, query_bundle: QueryBundle) -> Response:
        answer = self._corpus.ask(query_bundle.query_str, **self._filters)
        return Response(answer.text, source_nodes=quotes(answer), metadata=answer.to_json())

    async def _aquery(self, query_bundle: QueryBundle) -> Response:
        return await asyncio.to_thread(self._query, query_bundle)

    def _get_prompt_modules(self) -> dict[str, Any]:
        return {}


class ChatEngine(BaseChatEngine):
    """A conversation. What is given as ``chat_history`` takes the place of what was said so far;
    nodes and metadata are those of ``QueryEngine``."""

    def __init__(self, corpus: Corpus, filters: Mapping[str, Any]) -> None:
        self._corpus = corpus
        self._filters = filters
        self._turns: list[Turn] = []

    def reset(self) -> None:
        self._turns = []

    @property
    def chat_history(self) -> list[ChatMessage]:
        pairs = (
            (ChatMessage(turn.question, role="user"), ChatMessage(turn.answer, role="assistant"))
            for turn in self._turns
        )
        return [message for pair in pairs for message in pair]

    def chat(
        self, message: str, chat_history: list[ChatMessage] | None = None
    ) -> AgentChatResponse:
        answer = self._answer(message, chat_history)
        return AgentChatResponse(
            answer.text, source_nodes=quotes(answer), metadata=answer.to_json()
        )

    def stream_chat(
        self, message: str, chat_history: list[ChatMessage] | None = None
    ) -> StreamingAgentChatResponse:
        """The answer when all of it is checked: a sentence that was shown is not taken back."""
        answer = self._answer(message, chat_history)
        return StreamingAgentChatResponse(
            chat_stream=_pieces(answer), source_nodes=quotes(answer), is_writing_to_memory=False
        )

    async def achat(
        self, message: str, chat_history: list[ChatMessage] | None = None
    ) -> AgentChatResponse:
        return await asyncio.to_thread(self.chat, message, chat_history)

    async def astream_chat(
        self, message: str, chat_history: list[ChatMessage] | None = None
    ) -> StreamingAgentChatResponse:
        answer = await asyncio.to_thread(self._answer, message, chat_history)

        async def pieces() -> AsyncGenerator[ChatResponse, None]:
            for piece in _pieces(answer):
                yield piece

        return StreamingAgentChatResponse(
            achat_stream=pieces(), source_nodes=quotes(answer), is_writing_to_memory=False
        )

    def _answer(self, message: str, chat_history: list[ChatMessage] | None) -> Answer:
        if chat_history is not None:
            self._turns = turns(chat_history)
        answer = self._corpus.ask(message, self._turns, **self._filters)
        self._turns.append(turn_of(answer))
        return answer


def turns(messages: list[ChatMessage]) -> list[Turn]:
    """Questions with the answers that follow them; what was not answered is left out."""
    pairs = zip(messages, messages[1:], strict=False)
    return [
        Turn(asked.content or "", said.content or "")
        for asked, said in pairs
        if (asked.role, said.role) == (MessageRole.USER, MessageRole.ASSISTANT)
    ]


def quotes(answer: Answer) -> list[NodeWithScore]:
    """A node for each quote of an answer; its score is the support of what it is quoted for."""
    papers = {paper.paper_id: paper for paper in answer.sources}
    return [
        NodeWithScore(
            node=cited_node(papers[cited.paper_id], cited.start, cited.end),
            score=statement.support,
        )
        for statement in answer.statements
        for cited in statement.citations
    ]


def _pieces(answer: Answer) -> Generator[ChatResponse, None, None]:
    """An answer line by line, as a stream."""
    said = ""
    for line in answer.text.splitlines(keepends=True):
        said += line
        message = ChatMessage(said, role="assistant")
        yield ChatResponse(message=message, delta=line)
