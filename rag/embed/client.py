"""One request for vectors, made by LlamaIndex's OpenAI embedding, at OpenAI or elsewhere.

Knows what goes over the wire and what servers do differently there; no batches, no waiting.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.embeddings.openai import OpenAIEmbedding

from rag.embed import Meter
from rag.embed.batches import estimated_tokens
from rag.endpoint import Endpoint
from rag.endpoint.client import believable, client_options
from rag.endpoint.failures import begun

if TYPE_CHECKING:
    from llama_index.core.base.embeddings.base import Embedding
    from openai.types import CreateEmbeddingResponse
    from openai.types import Embedding as Entry


class EndpointEmbedding(OpenAIEmbedding):
    """``OpenAIEmbedding`` for a model of any name at any server, without retries of its own.

    The library's batch call trusts the order in which vectors come, drops the count of tokens
    and puts spaces for line breaks. So that one step is ours, and each request passes ``meter``.
    """

    _meter: Meter = PrivateAttr()

    def __init__(self, endpoint: Endpoint, dimensions: int | None, meter: Meter) -> None:
        # Left out, it is base64: a quarter of the bytes, but older vLLM and others refuse it.
        plain: dict[str, Any] = {"encoding_format": "float"} if endpoint.base_url else {}
        super().__init__(
            model_name=endpoint.model,
            dimensions=dimensions,  # sent only if it is not None
            embed_batch_size=2048,
            additional_kwargs=plain,
            **client_options(endpoint),
        )
        self._meter = meter

    def _get_text_embeddings(self, texts: list[str]) -> list[Embedding]:
        expected = sum(map(estimated_tokens, texts))
        self._meter.allow(expected)
        taken = 0
        try:
            reply = self._get_client().embeddings.create(
                input=texts, model=self.model_name, **self.additional_kwargs
            )
            taken = _tokens(reply) or expected
        except Exception as error:
            taken = expected if begun(error) else 0
            raise
        finally:
            self._meter.enter(expected, taken)
        return [entry.embedding for entry in _ordered(reply.data)]


def _tokens(reply: CreateEmbeddingResponse) -> int:
    """What the server has counted; 0 where it does not say, as some do not."""
    return believable(getattr(reply.usage, "prompt_tokens", None))


def _ordered(entries: Sequence[Entry]) -> list[Entry]:
    """The entries in the order of their texts, which is the given one where none is numbered.

    Raises ValueError where numbers are missing or come twice: whose vectors are they?
    """
    places = [getattr(entry, "index", None) for entry in entries]
    if all(place is None for place in places):
        return list(entries)
    if set(places) != set(range(len(entries))):
        raise ValueError("the vectors are not numbered in turn")
    return sorted(entries, key=lambda entry: entry.index)
