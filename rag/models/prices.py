"""What tokens cost: a table that came with the program, and one of the user's before it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from rag.config import read_toml
from rag.endpoint import Endpoint
from rag.errors import ConfigError

OURS = Path(__file__).with_name("prices.toml")
VERSION = re.compile(r"(-(\d{4}-\d{2}-\d{2}|\d{4,8}|latest|preview)|@\d+)$")
"""The end of a name that says which edition of a model is meant; all cost the same."""


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens."""

    input: float
    output: float = 0.0

    def cost(self, input_tokens: int, output_tokens: int) -> float:
        """US dollars."""
        return (input_tokens * self.input + output_tokens * self.output) / 1e6


FREE = Price(0.0)


def load_prices(override: Path | None = None) -> dict[str, Price]:
    """Prices by model: ours, then the user's, which win. Raises ConfigError for a bad file."""
    prices = _read(OURS)
    return prices | _read(override) if override else prices


def price_of(prices: Mapping[str, Price], endpoint: Endpoint) -> Price | None:
    """The price of a model at an endpoint; None is a price that nobody has told us.

    Found by the name, also without a gateway's prefix or a date: openai/gpt-4o-2024-08-06. Any
    other ending is another model, whose price may be a multiple. A server on this machine is
    free, unless its model is called just like one with a price: then it may be a gateway.
    """
    if endpoint.local:
        return prices.get(endpoint.model, FREE)
    parts = endpoint.model.split("/")
    for start in range(len(parts)):
        name = "/".join(parts[start:])
        for known in (name, VERSION.sub("", name)):
            if known in prices:
                return prices[known]
    return None


def _read(path: Path) -> dict[str, Price]:
    try:
        table = read_toml(path)
    except ValueError as error:
        raise _bad(path, str(error)) from error
    return {model: _price(path, model, entry) for model, entry in table.items()}


def _price(path: Path, model: str, entry: Any) -> Price:
    if not isinstance(entry, dict) or not {"input"} <= set(entry) <= {"input", "output"}:
        raise _bad(path, f"{model!r} needs an input and an output price, and nothing else")
    for value in entry.values():
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not number or not isfinite(value) or value < 0:
            raise _bad(path, f"{model!r} has the price {value!r}")
    return Price(**entry)


def _bad(path: Path, why: str) -> ConfigError:
    fix = 'write one line a model: "name" = { input = 0.40, output = 1.60 }, in dollars per million'
    return ConfigError(f"The prices in {path} cannot be used: {why}.", fix)
