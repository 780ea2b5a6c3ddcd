"""What was spent: one line a request, added to a file that is never rewritten.

Holds no text and no key. Several processes may add at once: a line goes in by one write.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path

FILE = "usage.jsonl"
NAME_CHARS = 200
"""What is kept of a name, so that a line stays far below the size up to which a write to the
end of a file is one."""

MOST = 1e15
"""What no count of tokens and no price comes near."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One request; ``cost_usd`` None where the price was not known. ``date`` is ISO 8601, UTC."""

    date: str
    model: str
    place: str
    purpose: str
    input_tokens: int
    output_tokens: int
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class Row:
    """The sum of some requests; ``day`` is None for all days, ``unpriced`` how many of them
    have no known price and are not in ``cost_usd``."""

    day: str | None
    model: str
    place: str
    requests: int
    input_tokens: int
    output_tokens: int
    cost_usd: float
    unpriced: int


class Ledger:
    """The file in a folder, for the requests to one place for one purpose.

    ``note`` is told once where the folder cannot be written; a ledger stops nobody's work.
    """

    def __init__(
        self, folder: Path, *, place: str, purpose: str, note: Callable[[str], None]
    ) -> None:
        self._path = folder / FILE
        self._place = place
        self._purpose = purpose
        self._note: Callable[[str], None] | None = note

    def add(self, model: str, input_tokens: int, output_tokens: int, cost: float | None) -> None:
        """Add one request, now."""
        date = datetime.now(timezone.utc).isoformat(timespec="seconds")
        name, place = model[:NAME_CHARS], self._place[:NAME_CHARS]
        entry = Entry(date, name, place, self._purpose, input_tokens, output_tokens, cost)
        line = json.dumps(asdict(entry))
        try:
            _append(self._path, line)
        except OSError as error:
            if self._note:
                self._note(f"usage is not recorded: {error.strerror} ({self._path})")
                self._note = None


def _append(path: Path, line: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        size = os.fstat(handle).st_size
        os.lseek(handle, max(size - 1, 0), os.SEEK_SET)
        torn = size and os.read(handle, 1) != b"\n"  # a crash cut the last line off
        os.write(handle, ("\n" * bool(torn) + line + "\n").encode())
    finally:
        os.close(handle)


def read(folder: Path) -> list[Entry]:
    """All entries in the order of their writing; damaged lines are left out."""
    try:
        text = (folder / FILE).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return [entry for line in text.splitlines() if (entry := _parsed(line))]


def _parsed(line: str) -> Entry | None:
    try:
        entry = Entry(**json.loads(line))
        datetime.fromisoformat(entry.date)
    except (ValueError, TypeError, RecursionError):
        return None
    names = (entry.model, entry.place, entry.purpose)
    counts = (entry.input_tokens, entry.output_tokens)
    cost = 0.0 if entry.cost_usd is None else entry.cost_usd
    whole = all(_sane(count) and isinstance(count, int) for count in counts) and _sane(cost)
    return entry if whole and all(isinstance(name, str) for name in names) else None


def _sane(number: object) -> bool:
    """Whether it can be a count or a price; not true, NaN, infinite or without measure."""
    numeric = isinstance(number, (int, float)) and not isinstance(number, bool)
    return numeric and 0 <= number < MOST  # type: ignore[operator]


def summary(entries: Iterable[Entry], *, by_day: bool = False) -> list[Row]:
    """Sums per model and place, or per day, model and place; sorted by these."""
    rows: dict[tuple[str, str, str], list[Entry]] = {}
    for entry in entries:
        day = entry.date[:10] if by_day else ""
        rows.setdefault((day, entry.model, entry.place), []).append(entry)
    return [
        _row(day or None, model, place, rows[day, model, place])
        for day, model, place in sorted(rows)
    ]


def _row(day: str | None, model: str, place: str, entries: list[Entry]) -> Row:
    return Row(
        day,
        model,
        place,
        requests=len(entries),
        input_tokens=sum(entry.input_tokens for entry in entries),
        output_tokens=sum(entry.output_tokens for entry in entries),
        cost_usd=sum(entry.cost_usd or 0.0 for entry in entries),
        unpriced=sum(entry.cost_usd is None for entry in entries),
    )
