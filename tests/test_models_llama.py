"""A program that uses LlamaIndex may bring its own model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from llama_index.core.llms import MockLLM

from rag.errors import EndpointError
from rag.models import Message
from rag.models.llama import LlamaIndexModel

HELLO = [Message("user", "Say hello.")]
both = pytest.mark.parametrize("streamed", [False, True])


def test_a_llama_index_program_may_bring_its_own_model() -> None:
    model = LlamaIndexModel(MockLLM(max_tokens=3), window=500)
    heard: list[str] = []
    reply = model.reply([Message("user", "one two three four five")], 3, heard.append)
    assert reply.text == "".join(heard)
    assert reply.finished
    assert reply.usage.output_tokens > 0
    assert model.window == 500


@both
def test_an_own_models_failure_is_told(streamed: bool) -> None:
    class Broken(MockLLM):
        def chat(self, *args: Any, **kwargs: Any) -> Any:
            raise ConnectionError("no wire")

        def stream_chat(self, *args: Any, **kwargs: Any) -> Iterator[Any]:
            raise ConnectionError("no wire")
            yield

    model = LlamaIndexModel(Broken())
    with pytest.raises(EndpointError, match="no wire"):
        model.reply(HELLO, 3, str if streamed else None)
