"""How failures and reports write numbers and names. A number that there is none of is "—", never
NaN."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

from rag.evaluate.types import Difference, Figure

NONE = "—"


def share(value: float | None) -> str:
    """0.812"""
    return NONE if value is None or not isfinite(value) else f"{value + 0.0:.3f}"


def figure_cells(figure: Figure | None) -> tuple[str, str, str]:
    """A figure, its interval and the number of its cases."""
    if figure is None:
        return NONE, NONE, NONE
    return share(figure.value), interval(figure.low, figure.high), f"{figure.cases:,}"


def interval(low: float | None, high: float | None) -> str:
    """0.701–0.880"""
    known = low is not None and high is not None
    return f"{share(low)}–{share(high)}" if known else NONE


def signed(value: float | None) -> str:
    """+0.012, −0.034, and 0.000 without a sign."""
    if value is None or not isfinite(value):
        return NONE
    rounded = f"{abs(value):.3f}"
    return rounded if float(rounded) == 0 else f"{'+' if value > 0 else '−'}{rounded}"


def moved(difference: Difference | None) -> str:
    """−0.078 (−0.120 to −0.034)"""
    if difference is None or difference.change is None:
        return NONE
    bounds = f" ({signed(difference.low)} to {signed(difference.high)})"
    return signed(difference.change) + (bounds if difference.low is not None else "")


def plain(outcome: str) -> str:
    """An outcome as people write it."""
    return outcome.replace("_", " ") or "none"


def plainly(value: Any) -> str:
    """A value of a setting as people write it."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    if isinstance(value, list | tuple):
        return " ".join(map(plainly, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def listed(names: Sequence[str]) -> str:
    """a, b and c"""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
