"""A streamed answer holds no link, however a model cuts it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from rag.chat.markdown import text_markdown
from rag.serve.openai import _chunks
from rag.serve.schema import Asked
from rag.serve.work import Done
from rag.types import Answer

LEAKS = (
    "See [1](https://evil.example/?q=a) or ![1](https://evil.example/b.png) now.",
    "At https://evil.example or www.evil.example and <https://evil.example>.",
    "<img src=x onerror=alert(1)> and [1]: https://evil.example",
)


@pytest.mark.parametrize("text", LEAKS)
def test_no_cut_makes_a_link_of_a_text(text: str) -> None:
    whole = text_markdown(text)
    assert "](" not in whole.replace("\\](", "") and "https://" not in whole
    for size in range(1, 9):
        assert _streamed(text, size) == whole


def _streamed(text: str, size: int) -> str:
    answer = Answer("q?", "q?", "answered", "fact", text, (), (), "llm")

    async def pieces() -> AsyncIterator[str | Done[Answer]]:
        for at in range(0, len(text), size):
            yield text[at : at + size]
        yield Done(answer)

    async def gathered() -> list[str]:
        return [chunk async for chunk in _chunks(pieces(), Asked(question="q?"), usage=False)]

    events = [json.loads(chunk[6:]) for chunk in asyncio.run(gathered()) if "[DONE]" not in chunk]
    deltas = [event["choices"][0]["delta"] for event in events]
    return "".join(delta.get("content", "") for delta in deltas)
