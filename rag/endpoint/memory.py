"""What this process has freed, out of reach of whatever is written to a disk.

Chroma saves buffers in which it has written nothing yet. What the C library hands out for these
may hold what was freed before: a request with its key, or a line of ``.env``.
"""

from __future__ import annotations

import ctypes
from contextlib import suppress
from functools import cache

_M_PERTURB = -6
"""Of glibc's malloc.h."""
_PATTERN = 0xAA


@cache
def forget_freed() -> None:
    """From now on have memory overwritten when it is freed and when it is handed out again.

    With glibc alone; other C libraries have no such switch, and nothing happens there.
    """
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).mallopt(_M_PERTURB, _PATTERN)
