"""What a gate asks of a run, as ``evals/thresholds.toml`` says it. Knows no run.

::

    [gate]
    accept = ["few"]      # kinds of failures that let a run pass all the same; see ACCEPTABLE
    cases = 6             # with fewer of them, no change is told from chance
    tolerance = 0.01      # how far the mean of a metric may fall

    [ask.facts]           # a suite and one of its metrics
    min = 0.85            # where it stands, whatever the baseline says
    max = 1.0
    tolerance = 0.03      # instead of that of [gate]
    gate = true           # false: its changes are told, and shut no gate; min and max do

    [ask."latency p95"]   # of these, and of "latency p50", "cost" (USD) and "tokens", only max
    max = 400             # milliseconds

All of it may be left out, and so may the file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, cast, get_args

from rag.config import read_toml
from rag.errors import ConfigError
from rag.evaluate.metrics import METRICS, Metric, Totals
from rag.evaluate.types import SUITES, SuiteName

Kind = Literal[
    "worse",
    "below",
    "above",
    "few",
    "corpus",
    "errors",
    "all-errors",
    "no-cases",
    "missing-metric",
    "vanished",
    "rewritten",
    "unrun",
    "other-suite",
    "no-baseline",
]
"""The kinds of failures of a gate."""

ACCEPTABLE: tuple[Kind, ...] = (
    *("few", "corpus", "errors", "missing-metric", "vanished", "rewritten", "unrun", "no-baseline"),
)
"""Kinds that a project can live with. A gate that lets the others pass holds nothing: who does
not mind a metric takes it out by ``gate = false``."""

TOTALS: Mapping[str, str] = {
    "latency p50": "p50",
    "latency p95": "p95",
    "cost": "cost_usd",
    "tokens": "tokens",
}
"""What a whole suite takes, and the fields of Totals that have it."""

MOST = 1e12
"""More milliseconds, dollars or tokens than this are a slip of the pen."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """What is asked of a metric of a suite; None is nothing."""

    min: float | None = None
    max: float | None = None
    tolerance: float | None = None
    gate: bool = True


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What is asked of a run. With fewer than six ``cases`` not even all of them getting worse
    is significant in a two-sided sign test at .05: 2 × ½⁵ = .0625."""

    accept: tuple[Kind, ...] = ()
    cases: int = 6
    tolerance: float = 0.01
    metrics: Mapping[tuple[SuiteName, str], Threshold] = field(default_factory=dict)

    def of(self, suite: SuiteName, name: str) -> Threshold:
        """What is asked of a metric; one that the file does not name has nothing set."""
        return self.metrics.get((suite, name), Threshold())

    def slack(self, suite: SuiteName, metric: Metric) -> float:
        """How far a metric may fall. One that is exact may not, unless the file says so."""
        own = self.of(suite, metric.name).tolerance
        return own if own is not None else 0.0 if metric.exact else self.tolerance

    def strict(self, suite: SuiteName, metric: Metric) -> bool:
        """Whether a metric is a promise for every case and every corpus: any fall breaks it."""
        return metric.exact and not self.slack(suite, metric)


def load_thresholds(path: Path) -> Thresholds:
    """Thresholds of a file; the defaults if there is none. Raises ConfigError, with what to write
    instead, for a file that cannot be read and for a key or a value that cannot be meant."""
    if not os.path.lexists(path):
        return Thresholds()
    try:
        tables = read_toml(path)
    except ValueError as error:
        raise ConfigError(f"{path} cannot be read: {error}", "correct it or remove it") from error
    return _Reader(path).thresholds(tables)


def total(totals: Totals, name: str) -> float | None:
    """One of TOTALS by its name; None where nothing ran without an error."""
    return cast("float | None", getattr(totals, TOTALS[name]))


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the tables of a file, and names it in what it raises."""

    path: Path

    def thresholds(self, tables: Mapping[str, Any]) -> Thresholds:
        self._known(tables, ("gate", *SUITES), "table")
        gate = self._table(tables.get("gate", {}), "[gate]")
        self._known(gate, ("accept", "cases", "tolerance"), "key", "[gate]")
        given: dict[str, Any] = {}
        if "accept" in gate:
            given["accept"] = self._accept(gate["accept"])
        if "cases" in gate:
            given["cases"] = self._whole(gate["cases"], "cases of [gate]")
        if "tolerance" in gate:
            given["tolerance"] = self._number(gate["tolerance"], "tolerance of [gate]", 1.0)
        metrics = {
            (suite, name): self._threshold(suite, name, keys)
            for suite in SUITES
            for name, keys in self._suite(suite, tables.get(suite, {})).items()
        }
        return Thresholds(**given, metrics=metrics)

    def _suite(self, suite: SuiteName, value: Any) -> Mapping[str, Any]:
        table = self._table(value, f"[{suite}]")
        names = [metric.name for metric in METRICS if suite in metric.suites]
        self._known(table, (*names, *TOTALS), f"metric of {suite}")
        return table

    def _threshold(self, suite: SuiteName, name: str, value: Any) -> Threshold:
        place = f"[{suite}.{name}]" if name.isalnum() else f'[{suite}."{name}"]'
        table = self._table(value, place)
        keys = ("max",) if name in TOTALS else ("min", "max", "tolerance", "gate")
        self._known(table, keys, "key", place)
        if not isinstance(table.get("gate", True), bool):
            message = f"gate of {place} cannot be {_shown(table['gate'])}"
            raise self._error(message, "give true or false")
        top = MOST if name in TOTALS else 1.0
        numbers = {
            key: self._number(table[key], f"{key} of {place}", top)
            for key in ("min", "max", "tolerance")
            if key in table
        }
        if numbers.get("min", 0.0) > numbers.get("max", MOST):
            raise self._error(f"min of {place} is above its max", "give a min that is not above it")
        return Threshold(**numbers, gate=table.get("gate", True))

    def _accept(self, value: Any) -> tuple[Kind, ...]:
        fix = f"give a list of some of: {', '.join(ACCEPTABLE)}"
        if not isinstance(value, list) or not all(isinstance(kind, str) for kind in value):
            raise self._error(f"accept of [gate] cannot be {_shown(value)}", fix)
        for kind in value:
            if kind in get_args(Kind) and kind not in ACCEPTABLE:
                message = f"accept of [gate] cannot hold {kind!r}: such a gate would hold nothing"
                raise self._error(message, fix)
        self._known(value, ACCEPTABLE, "kind of failure", "accept")
        return tuple(value)

    def _table(self, value: Any, place: str) -> Mapping[str, Any]:
        if not isinstance(value, dict):
            fix = f"write it as a table, {place} in a line of its own and the values below"
            raise self._error(f"{place.strip('[]')} is no table but {_shown(value)}", fix)
        return value

    def _number(self, value: Any, name: str, top: float) -> float:
        """A number from 0 to ``top``; NaN is none, and neither is a truth value."""
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not number or not 0 <= value <= top:
            fix = f"give a number from 0 to {top:g}"
            raise self._error(f"{name} cannot be {_shown(value)}", fix)
        return float(value)

    def _whole(self, value: Any, name: str) -> int:
        if type(value) is not int or not 1 <= value <= 1_000_000:
            message = f"{name} cannot be {_shown(value)}"
            raise self._error(message, "give a whole number from 1 up")
        return value

    def _known(self, given: Iterable[str], known: Iterable[str], what: str, of: str = "") -> None:
        """Raise ConfigError for the first name that is not known."""
        names = list(known)
        for name in given:
            if name not in names:
                near = get_close_matches(name, names, n=1)
                fix = f"did you mean {near[0]!r}?" if near else f"use one of: {', '.join(names)}"
                raise self._error(f"There is no {what} {name!r}{f' in {of}' if of else ''}", fix)

    def _error(self, message: str, fix: str) -> ConfigError:
        return ConfigError(f"{self.path}: {message}.", fix)


def _shown(value: Any) -> str:
    """A value as far as it fits into a message; Python refuses to write out a giant number."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        return "that"
    return text if len(text) <= 60 else f"{text[:60]}…"
