"""What a server says of its models, and how much fits into one of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import PureWindowsPath
from typing import Any

from rag.endpoint import Endpoint
from rag.endpoint.client import believable, look_up, served, unknown_model
from rag.errors import EndpointError

DEFAULT_WINDOW = 8192
"""Tokens, where nobody says anything."""

OLLAMA_WINDOW = 4096
"""What Ollama gives a model unless told otherwise. It cuts off what is longer, in silence."""

SMALLEST = 256
"""Tokens below which a server's word on a window must mean something else."""

LARGE_WINDOW = 128_000
"""Tokens that OpenAI's models take at the least since GPT-4 Turbo. Many take more; no prompt of
ours comes near, and to load LlamaIndex's table takes longer than to answer from the cache."""

LARGE = re.compile(r"(gpt-4(o|-turbo|\.[15])|gpt-[5-9]|chatgpt-4o|o[1-9])(?![a-z\d])")
"""How the names of these models begin."""

SAID_AS = ("max_model_len", "context_length", "context_window", "max_context_length")
"""What vLLM, OpenRouter, Groq and Mistral call a model's window in their lists."""


def describe(endpoint: Endpoint) -> dict[str, Any]:
    """The entry of the endpoint's model in its server's list; empty if there is none.

    A server with a single model answers under any name, and would have us believe that another
    model wrote: a name that is not that one's raises ModelUnknown. OpenAI itself is not asked.
    """
    offered: list[dict[str, Any]] = []
    if endpoint.base_url:
        with suppress(EndpointError):  # what is wrong shows at the first request
            offered = served(endpoint)
    for entry in offered:
        if _is(entry, endpoint.model):
            return entry
    if len(offered) == 1:
        raise unknown_model(endpoint, [short_name(str(offered[0]["id"]))])
    return {}


def short_name(model: str) -> str:
    """A model's name; llama.cpp calls a model by the path of its file."""
    return PureWindowsPath(model).stem if model.endswith(".gguf") else model


def _is(entry: Mapping[str, Any], model: str) -> bool:
    """Whether the entry is the model's. Ollama may leave out a tag, llama.cpp a file's ending."""
    aliases = entry.get("aliases")
    more = aliases if isinstance(aliases, list) else []
    names = {str(name).casefold() for name in (entry["id"], *more)}
    names |= {short_name(name) for name in names}
    wanted = model.casefold()
    return bool(names & {wanted, short_name(wanted), f"{wanted}:latest"})


def find_window(endpoint: Endpoint, entry: Mapping[str, Any]) -> int:
    """Tokens that the model takes at once, question and reply together: by the server's word,
    by the name if it is one of OpenAI's, else a careful guess."""
    return _said(endpoint, entry) or _guess(endpoint, entry)


def _said(endpoint: Endpoint, entry: Mapping[str, Any]) -> int | None:
    """By the server's word; the running llama.cpp's goes before what its model could do."""
    meta = _table(entry.get("meta"))
    if entry.get("owned_by") == "llamacpp" and not meta.get("n_ctx"):
        with suppress(EndpointError):
            settings = _table(look_up(endpoint, "/props").get("default_generation_settings"))
            meta = {"n_ctx": settings.get("n_ctx"), **meta}
    said = [meta.get("n_ctx"), *(entry.get(name) for name in SAID_AS), meta.get("n_ctx_train")]
    return next((tokens for tokens in map(believable, said) if tokens >= SMALLEST), None)


def _table(value: object) -> dict[str, Any]:
    """What should be a table, or an empty one."""
    return value if isinstance(value, dict) else {}


def _guess(endpoint: Endpoint, entry: Mapping[str, Any]) -> int:
    """By name, also with a gateway's prefix or an edition's date. A server on this machine may
    call its model anything."""
    if not endpoint.local and LARGE.match(endpoint.model.rsplit("/", 1)[-1]):
        return LARGE_WINDOW
    return OLLAMA_WINDOW if entry.get("owned_by") == "library" else DEFAULT_WINDOW
