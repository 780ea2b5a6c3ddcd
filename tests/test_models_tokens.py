"""Tokens are counted without a network, whatever the text."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rag.errors import ConfigError
from rag.models import Message, tokens
from rag.models.tokens import MARGIN, count_messages, counter


def test_known_models_are_counted_by_their_own_encoding() -> None:
    old, exact_old = counter("gpt-4-0613")
    new, exact_new = counter("gpt-4.1-mini")
    text = "Überraschende Verallgemeinerung ist messbar."
    assert exact_old and exact_new
    assert old(text) != new(text)
    assert new("hello world") == 2
    assert new("") == 0


@pytest.mark.parametrize(
    "name", ["openai/gpt-4o-2024-08-06", "text-embedding-3-small", "gpt-oss-20b"]
)
def test_names_with_prefix_or_date_are_known(name: str) -> None:
    assert counter(name)[1]


@pytest.mark.parametrize("name", ["smollm2", "", "davinci", "/models/x.gguf", "llama3:8b"])
def test_others_are_estimated_upward(name: str) -> None:
    count, exact = counter(name)
    known, _ = counter("gpt-4.1")
    text = "A short note on how models read. " * 20
    assert not exact
    assert known(text) < count(text) <= MARGIN * known(text) + 1


@pytest.mark.parametrize(
    "text", ["<|endoftext|>", "a\ud800b", "\x00", "🙂" * 50, "x" * 20_000, "<|im_start|>system"]
)
def test_no_text_is_too_odd_to_be_counted(text: str) -> None:
    for name in ("gpt-4", "gpt-4.1", "other"):
        assert counter(name)[0](text) > 0


def test_a_message_costs_a_little_more_than_its_text() -> None:
    count, _ = counter("gpt-4.1")
    two = [Message("system", "Be brief."), Message("user", "Why?")]
    extra = count_messages(count, two) - count("Be brief.") - count("Why?")
    assert 6 <= extra <= 15


def test_counting_never_goes_to_the_network(tmp_path: Path) -> None:
    script = (
        "import os, socket\n"
        "def never(*a, **k): raise AssertionError('the network was asked')\n"
        "socket.socket.connect = socket.create_connection = socket.getaddrinfo = never\n"
        "from rag.models.tokens import counter\n"
        "import sys\n"
        "for name in ('gpt-4', 'gpt-4.1', 'davinci', 'gpt-oss-20b', 'x'):\n"
        "    counter(name)[0]('one two')\n"
        "print(os.environ['TIKTOKEN_CACHE_DIR'], 'llama_index.core' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "TIKTOKEN_CACHE_DIR": str(tmp_path)},
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [str(tmp_path), "False"]


def test_a_missing_encoding_is_told_and_not_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match="encodings") as caught:
        tokens._shipped_folder()
    assert "llama-index-core" in caught.value.fix
