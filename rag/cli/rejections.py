"""What was not taken, told in a few lines however much it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from rag.cli.intake import Intake
from rag.cli.terminal import Terminal
from rag.corpus.wanting import listed

if TYPE_CHECKING:
    from rag.corpus import FileReading
    from rag.corpus.places import Skipped
    from rag.types import Rejection

LINES = 10
"""Told at most; --json has all."""
FEW = 2
"""Files that were passed over for one kind of reason and are told each with its own."""
PLACES = 5
"""Line numbers that are told of one reason."""

_DETAIL = re.compile(r"[:(\d].*", re.DOTALL)
"""From where on two reasons of one kind differ."""


def missed(intake: Intake) -> dict[str, object]:
    """What was not taken, as JSON; the first error stands for all of them."""
    failures = [error.to_json() for _, error in intake.failures[:1]]
    return {
        "rejected": [asdict(rejection) for rejection in intake.rejected],
        "skipped": [asdict(skipped) for skipped in intake.skipped],
        **({"error": failures[0]} if failures else {}),
    }


def show_missed(terminal: Terminal, intake: Intake) -> None:
    """Tell on stderr what was not taken, in a few lines."""
    for line in rejection_lines(intake.readings):
        terminal.note(line)
    for line in skipped_lines(intake.skipped):
        terminal.note(line)
    for _, error in intake.failures:
        terminal.note(f"error: {error.message}\n  fix: {error.fix}")


def rejection_lines(readings: Iterable[FileReading]) -> list[str]:
    """Lines on the records that were not taken, those of one file for one reason together. Where
    none was taken it is the file that is told of."""
    taken = [reading for reading in readings if reading.records]
    groups = [group for reading in taken for group in _by_reason(reading.rejected)]
    lines = [_line(group) for group in groups[:LINES]]
    if more := sum(map(len, groups[LINES:])):
        lines.append(f"and {more:,} more: --json lists all")
    return lines


def skipped_lines(skipped: Sequence[Skipped]) -> list[str]:
    """Lines on what was found and not read, for many of one kind a line together."""
    kinds: dict[str, list[Skipped]] = {}
    for one in skipped:
        kinds.setdefault(_kind(one.reason), []).append(one)
    lines = [line for kind, alike in kinds.items() for line in _skipped(kind, alike)]
    more = [f"and {len(lines) - LINES:,} more: --json lists all"] if len(lines) > LINES else []
    return [*lines[:LINES], *more]


def _skipped(kind: str, alike: Sequence[Skipped]) -> list[str]:
    if len(alike) <= FEW:
        return [f"skipped: {one.path}: {one.reason}" for one in alike]
    return [f"skipped, {kind}: {listed([one.path for one in alike])}"]


def _by_reason(rejected: Sequence[Rejection]) -> list[list[Rejection]]:
    groups: dict[str, list[Rejection]] = {}
    for rejection in rejected:
        groups.setdefault(_kind(rejection.reason), []).append(rejection)
    return list(groups.values())


def _kind(reason: str) -> str:
    return _DETAIL.sub("", reason).strip() or reason


def _line(group: Sequence[Rejection]) -> str:
    first = group[0]
    if len(group) == 1:
        return f"not taken: {first.path}, line {first.line}: {first.reason}"
    lines = list(dict.fromkeys(str(rejection.line) for rejection in group))
    more = ", …" if len(lines) > PLACES else ""
    what = f"{len(group):,} records in lines {', '.join(lines[:PLACES])}{more}"
    return f"not taken: {first.path}: {what}: {_kind(first.reason)}"
