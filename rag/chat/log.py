"""The turns of all conversations, a line each, in the index's folder: so that what left a reader
dissatisfied can become a case. For its reader's eyes only, and of bounded size."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from rag.evaluate.said import replace_private

FILE = "chats.jsonl"
MOST_BYTES = 16_000_000
"""Of the log, some ten thousand turns; the older half of a longer one is forgotten."""


def log_turn(store: Path, row: Mapping[str, Any]) -> None:
    """Add a turn. One that cannot be written is lost: that is no reason to stop talking."""
    path = store / FILE
    line = json.dumps(row).encode("ascii") + b"\n"
    with suppress(OSError):
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(descriptor, line)
            size = os.fstat(descriptor).st_size
        finally:
            os.close(descriptor)
        if size > MOST_BYTES:
            _forget(path)


def _forget(path: Path) -> None:
    """Drop the older half of a log, in whole lines."""
    data = path.read_bytes()
    replace_private(path, data[data.find(b"\n", len(data) // 2) + 1 :])
