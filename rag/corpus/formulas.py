"""Cells that a spreadsheet would calculate, and the apostrophe that keeps it from that."""

from __future__ import annotations

import re

_FORMULA = re.compile("'*[=+@＝＋－＠-]")
"""Also behind apostrophes, so that taking one off gives the same cell again."""


def guarded(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if _FORMULA.match(cell) else cell


def unguarded(cell: str) -> str:
    """The cell that was guarded."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
