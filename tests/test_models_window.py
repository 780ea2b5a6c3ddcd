"""What a server says of its model: its name, and how much fits into it."""

from __future__ import annotations

import re
from typing import Any

import pytest

from rag.endpoint import Endpoint
from rag.errors import ModelUnknown
from rag.models import Message
from rag.models.openai import connect
from rag.models.window import LARGE_WINDOW, find_window
from rag.types import Secret
from tests.servers import Llama, Scripted

KEY = "sk-sentinel-0123456789abcdef"
HELLO = [Message("user", "Say hello.")]


def test_the_servers_word_on_its_window_is_taken(smollm: Llama) -> None:
    model = connect(Endpoint("", smollm.url))
    assert (model.name, model.window) == ("smollm2", 2048)
    assert connect(Endpoint("", smollm.url), window=1024).window == 1024


def test_another_models_name_is_not_answered_under(smollm: Llama) -> None:
    with pytest.raises(ModelUnknown, match="gpt-4o") as caught:
        connect(Endpoint("gpt-4o", smollm.url))
    assert "smollm2" in caught.value.fix


@pytest.mark.parametrize(
    ("entry", "window"),
    [
        ({"id": "m", "max_model_len": 3000}, 3000),
        ({"id": "m", "context_length": 4000}, 4000),
        ({"id": "m", "meta": {"n_ctx": 5000, "n_ctx_train": 9000}}, 5000),
        ({"id": "m", "meta": {"n_ctx_train": 9000}, "owned_by": "llamacpp"}, 9000),
        ({"id": "m", "owned_by": "library"}, 4096),
        ({"id": "m", "max_model_len": "lots", "meta": None}, 8192),
        ({"id": "gpt-4o"}, 8192),
        ({"id": "m", "meta": "x", "aliases": 5}, 8192),
        ({"id": "m", "meta": [1], "aliases": [None, 5]}, 8192),
        ({"id": "m", "max_model_len": True, "context_length": 1}, 8192),
        ({"id": "m", "max_model_len": 10**40, "context_length": 5000}, 5000),
    ],
)
def test_windows_of_servers(entry: dict[str, Any], window: int) -> None:
    with Scripted("x", lists=[entry]) as server:
        assert connect(Endpoint("", server.url)).window == window


@pytest.mark.parametrize(
    ("name", "window"),
    [
        ("gpt-4o-2024-08-06", 128_000),
        ("openai/gpt-4o-mini", 128_000),
        ("gpt-4.1-mini", 128_000),
        ("gpt-4.1-mini-2027-01-01", 128_000),
        ("gpt-6.1-sol", 128_000),
        ("o3-mini", 128_000),
        ("gpt-4", 8192),
        ("gpt-3.5-turbo", 8192),
        ("gpt-4.9", 8192),
        ("anything", 8192),
    ],
)
def test_windows_of_openais_models(name: str, window: int) -> None:
    assert connect(Endpoint(name, key=Secret(KEY))).window == window


def test_no_window_is_larger_than_in_the_table_of_llama_index() -> None:
    from llama_index.llms.openai.utils import ALL_AVAILABLE_MODELS, CHAT_MODELS

    ours = {name: find_window(Endpoint(name, key=Secret(KEY)), {}) for name in CHAT_MODELS}
    retired = {name for name in ours if re.match(r"gpt-3\.?5-turbo", name)}
    assert len(ours) > 50
    assert all(ours[name] <= ALL_AVAILABLE_MODELS[name] for name in ours.keys() - retired)
    large = {name for name in CHAT_MODELS if ALL_AVAILABLE_MODELS[name] >= LARGE_WINDOW}
    assert {name for name in large if ours[name] < LARGE_WINDOW} <= {
        name for name in large if name.startswith("gpt-4-")
    }


def test_llama_cpp_that_tells_nothing_gets_a_guess() -> None:
    def props(exchange: Any) -> None:
        if exchange.request.path == "/props":
            return exchange.send(200, {"default_generation_settings": None})
        return Scripted.answer(server, exchange)

    with Scripted("x", lists=[{"id": "m", "owned_by": "llamacpp"}]) as server:
        server.answer = props  # type: ignore[method-assign]
        assert connect(Endpoint("", server.url)).window == 8192


def test_older_llama_cpp_tells_its_window_elsewhere() -> None:
    def props(exchange: Any) -> None:
        if exchange.request.path == "/props":
            return exchange.send(200, {"default_generation_settings": {"n_ctx": 1536}})
        return Scripted.answer(server, exchange)

    entry = {"id": "m", "owned_by": "llamacpp", "meta": {"n_ctx_train": 9000}}
    with Scripted("x", lists=[entry]) as server:
        server.answer = props  # type: ignore[method-assign]
        assert connect(Endpoint("", server.url)).window == 1536


@pytest.mark.parametrize(
    ("named", "served"),
    [
        ("llama3", "llama3:latest"),
        ("Scripted", "scripted"),
        ("SmolLM2-135M.Q4", "/models/SmolLM2-135M.Q4.gguf"),
        ("SmolLM2-135M.Q4.gguf", "/models/SmolLM2-135M.Q4.gguf"),
    ],
)
def test_names_that_mean_the_same_are_taken(named: str, served: str) -> None:
    with Scripted("x", lists=[{"id": served}]) as server:
        assert connect(Endpoint(named, server.url)).reply(HELLO, 5).text == "x"


def test_a_model_known_by_its_file_is_not_called_by_its_path() -> None:
    with Scripted("x", lists=[{"id": "/home/me/SmolLM2.Q4.gguf"}]) as server:
        assert connect(Endpoint("", server.url)).name == "SmolLM2.Q4"


def test_one_of_many_names_is_left_to_the_server() -> None:
    with Scripted("x", lists=[{"id": "a"}, {"id": "b"}]) as server:
        assert connect(Endpoint("an-alias", server.url)).reply(HELLO, 5).text == "x"
