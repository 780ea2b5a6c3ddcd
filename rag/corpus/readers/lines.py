"""Offsets in a text become lines, from 1."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable


def lines_of(text: str) -> Callable[[int], int]:
    """The function that tells the line of an offset, without going through the text each time."""
    newlines = [found.start() for found in re.finditer("\n", text)]
    return lambda offset: bisect_left(newlines, offset) + 1
