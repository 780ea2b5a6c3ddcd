"""An embedder of ours as LlamaIndex's ``BaseEmbedding``. Knows no store and no Settings.

Its vectors are those that the store holds: a text gets the vector of an abstract with that
text, so a stock index can search our collection, and nodes that it adds there fit in.
"""

from __future__ import annotations

import asyncio
from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding, Embedding
from llama_index.core.bridge.pydantic import Field, PrivateAttr

from rag.embed import Document, Embedder
from rag.embed.minilm import MiniLM


class BuiltInEmbedding(BaseEmbedding):
    """LlamaIndex's view of an ``Embedder``, by default ``MiniLM``; the model loads on first use.

    ``model_name`` is the embedder's identity. Vectors have length 1.
    """

    embed_batch_size: int = Field(default=128, gt=0, le=2048)
    """Texts handed over at once; the embedder makes its own batches of like length of them."""

    _embedder: Embedder = PrivateAttr()

    def __init__(self, embedder: Embedder | None = None, **fields: Any) -> None:
        embedder = embedder or MiniLM()
        super().__init__(**{**fields, "model_name": embedder.identity})
        self._embedder = embedder

    @classmethod
    def class_name(cls) -> str:
        return "BuiltInEmbedding"

    def _get_query_embedding(self, query: str) -> Embedding:
        return _floats(self._embedder.query(query))

    def _get_text_embedding(self, text: str) -> Embedding:
        return self._get_text_embeddings([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[Embedding]:
        documents = [Document(text, ()) for text in texts]
        found = {i: _floats(vectors[0]) for i, vectors in self._embedder.documents(documents)}
        return [found[i] for i in range(len(texts))]

    async def _aget_query_embedding(self, query: str) -> Embedding:
        return await asyncio.to_thread(self._get_query_embedding, query)

    async def _aget_text_embedding(self, text: str) -> Embedding:
        return await asyncio.to_thread(self._get_text_embedding, text)

    async def _aget_text_embeddings(self, texts: list[str]) -> list[Embedding]:
        return await asyncio.to_thread(self._get_text_embeddings, texts)


def _floats(vector: Any) -> Embedding:
    floats: Embedding = vector.tolist()
    return floats
