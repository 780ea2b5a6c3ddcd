"""Counting tokens without a network.

tiktoken fetches its encodings when it first needs them; LlamaIndex ships the two that count,
and their folder is where tiktoken is made to look.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from importlib.util import find_spec
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from rag.errors import ConfigError
from rag.models import Message

if TYPE_CHECKING:
    from tiktoken import Encoding

FALLBACK = "o200k_base"
SHIPPED = {"cl100k_base": "cl100k_base", "o200k_base": FALLBACK, "o200k_harmony": FALLBACK}
"""Encodings that we can count with; the last two differ in their special tokens only."""

MARGIN = 1.15
"""How many more tokens a model with another encoding may make of a text. On abstracts,
SmolLM2's 49,000 words make 1.04 times as many as ours; encodings of 32,000 words make more."""

MESSAGE_TOKENS = 4
"""What a message's frame costs, https://github.com/openai/openai-cookbook (How to count tokens)."""


def counter(model: str) -> tuple[Callable[[str], int], bool]:
    """A function that counts a text's tokens, and whether it does so by the model's encoding;
    where that is not known it counts by another, and some more.

    Loads tiktoken, and an encoding when it first counts.
    """
    from tiktoken.model import encoding_name_for_model

    try:
        name = SHIPPED.get(encoding_name_for_model(model.rsplit("/", 1)[-1]))
    except KeyError:
        name = None
    if name:
        return partial(_count, name), True
    return lambda text: ceil(MARGIN * _count(FALLBACK, text)), False


def count_messages(count: Callable[[str], int], messages: Sequence[Message]) -> int:
    """Tokens of a conversation, with what frames its messages and begins the reply."""
    return sum(count(message.text) + MESSAGE_TOKENS for message in messages) + MESSAGE_TOKENS


def _count(encoding: str, text: str) -> int:
    """An abstract may hold what looks like a special token; to us it is text."""
    return len(_encoding(encoding).encode(text, disallowed_special=()))


@lru_cache
def _encoding(name: str) -> Encoding:
    import tiktoken

    with _cache_folder(_shipped_folder()):
        return tiktoken.get_encoding(name)


def _shipped_folder() -> Path:
    """Where LlamaIndex keeps the encodings; found without loading it, which takes a second."""
    spec = find_spec("llama_index")
    for place in (spec.submodule_search_locations or ()) if spec else ():
        folder = Path(place) / "core" / "_static" / "tiktoken_cache"
        if folder.is_dir():
            return folder
    fix = "install llama-index-core again: pip install --force-reinstall llama-index-core"
    raise ConfigError("The encodings that count tokens are missing.", fix)


@contextmanager
def _cache_folder(folder: Path) -> Iterator[None]:
    name = "TIKTOKEN_CACHE_DIR"
    before = os.environ.get(name)
    os.environ[name] = str(folder)
    try:
        yield
    finally:
        del os.environ[name]
        if before is not None:
            os.environ[name] = before
