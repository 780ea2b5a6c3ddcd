"""What models cost."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag.endpoint import DEFAULT_MODEL, Endpoint
from rag.errors import ConfigError
from rag.models.prices import FREE, Price, load_prices, price_of

GATEWAY = "https://gateway.example/v1"


def test_a_cost_is_by_the_million() -> None:
    price = Price(0.4, 1.6)
    assert price.cost(1_000_000, 0) == pytest.approx(0.4)
    assert price.cost(1000, 500) == pytest.approx(0.0012)


def test_the_table_has_the_models_that_we_name() -> None:
    prices = load_prices()
    assert prices[DEFAULT_MODEL] == Price(0.4, 1.6)
    for name in ("text-embedding-3-small", "text-embedding-3-large"):
        assert prices[name].input > 0
    assert all(price.output >= price.input or not price.output for price in prices.values())


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("gpt-4o-2024-08-06", "gpt-4o"),
        ("gpt-4o-2024-05-13", "gpt-4o-2024-05-13"),
        ("openai/gpt-4o-mini", "gpt-4o-mini"),
        ("openrouter/openai/gpt-4.1-2025-04-14", "gpt-4.1"),
        ("gpt-5-chat-latest", "gpt-5-chat"),
        ("gpt-3.5-turbo-0125", "gpt-3.5-turbo"),
    ],
)
def test_editions_and_prefixes_cost_the_same(name: str, known: str) -> None:
    prices = load_prices()
    assert price_of(prices, Endpoint(name, GATEWAY)) == prices[known]


@pytest.mark.parametrize(
    "name",
    ["o3-deep-research", "gpt-4o-audio-preview", "gpt-5.5-pro", "ft:gpt-4o:me", "llama3", ""],
)
def test_another_model_has_no_known_price(name: str) -> None:
    assert price_of(load_prices(), Endpoint(name)) is None


def test_a_server_on_this_machine_is_free_unless_its_models_name_has_a_price() -> None:
    prices, here = load_prices(), "http://localhost:1234/v1"
    for name in ("llama3", "gpt-4o-2024-08-06", "ollama/gpt-4o"):
        assert price_of(prices, Endpoint(name, here)) == FREE
    assert price_of(prices, Endpoint("gpt-4o", here)) == prices["gpt-4o"]
    assert FREE.cost(10**9, 10**9) == 0


def test_the_users_file_adds_and_goes_before(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        '"gpt-4o" = { input = 1, output = 2 }\n"org/llama3" = { input = 0.5, output = 0.5 }\n'
        "[mistral]\ninput = 0.25\n"
    )
    prices = load_prices(file)
    assert price_of(prices, Endpoint("gpt-4o")) == Price(1, 2)
    assert price_of(prices, Endpoint("org/llama3", GATEWAY)) == Price(0.5, 0.5)
    assert price_of(prices, Endpoint("mistral", GATEWAY)) == Price(0.25)
    assert price_of(prices, Endpoint("gpt-4.1")) == load_prices()["gpt-4.1"]


@pytest.mark.parametrize(
    "text",
    [
        '"m" = { input = -1, output = 2 }',
        '"m" = { input = "1", output = 2 }',
        '"m" = { input = nan, output = 2 }',
        '"m" = { input = true }',
        '"m" = { output = 2 }',
        '"m" = { input = 1, cached = 2 }',
        '"m" = 3',
        "not toml",
        "\ufeff[[m]]\ninput = 1",
    ],
)
def test_a_bad_file_is_named(tmp_path: Path, text: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_prices(file)
    assert str(file) in caught.value.message
    assert "input = " in caught.value.fix


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="gone.toml"):
        load_prices(tmp_path / "gone.toml")
