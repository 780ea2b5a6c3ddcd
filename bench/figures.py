"""What a comparison measured, kept as it comes, and as tables: knows no system and runs none."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import log
from pathlib import Path
from statistics import median

OURS = "ours"
COSTS = ("s", "ms", "MB")
"""Units of what grows with the papers, and of which others take some multiple."""


@dataclass
class Figures:
    """Figures by papers, system and what they are of, each round's under its number; all are also
    lines of a ``file``, so that a comparison can be run in parts."""

    file: Path
    rounds: dict[tuple[int, str, str], dict[int, float]] = field(default_factory=dict)

    @classmethod
    def kept(cls, file: Path) -> Figures:
        """With those of earlier parts, of which the last counts."""
        figures = cls(file)
        for line in file.open(encoding="utf-8") if file.exists() else ():
            row = json.loads(line)
            figures._add(row["papers"], row["system"], row["what"], row["round"], row["figure"])
        return figures

    def note(self, size: int, system: str, what: str, number: int, figure: float) -> None:
        self._add(size, system, what, number, figure)
        row = {"papers": size, "system": system, "what": what, "round": number, "figure": figure}
        with self.file.open("a", encoding="utf-8") as stream:
            stream.write(f"{json.dumps(row)}\n")

    def _add(self, size: int, system: str, what: str, number: int, figure: float) -> None:
        self.rounds.setdefault((size, system, what), {})[number] = figure

    def of(self, size: int, system: str, what: str) -> dict[int, float]:
        """Round → figure; nothing where none was measured."""
        return self.rounds.get((size, system, what), {})

    @property
    def systems(self) -> list[str]:
        return list(dict.fromkeys(system for _, system, _ in self.rounds))

    @property
    def rows(self) -> list[tuple[int, str]]:
        """The papers and what was measured, by the number of papers."""
        return sorted(
            dict.fromkeys((s, what) for s, _, what in self.rounds), key=lambda row: row[0]
        )


def table(figures: Figures) -> Iterator[str]:
    """Ours in figures, the others as multiples of ours in the same round."""
    yield from _head(["papers", "", *figures.systems])
    for size, what in figures.rows:
        own = figures.of(size, OURS, what)
        cells = [
            _cell(figures.of(size, name, what), own if name != OURS and _costs(what) else {})
            for name in figures.systems
        ]
        yield f"| {size:,} | {what} | {' | '.join(cells)} |"


def growth(figures: Figures) -> Iterator[str]:
    """The power of the number of papers with which figures grow from size to size: 1 is linear."""
    costs = dict.fromkeys(what for _, what in figures.rows if _costs(what))
    pairs = [(what, *pair) for what in costs for pair in _neighbours(figures, what)]
    if pairs:
        yield ""
        yield from _head(["papers", "grows with the power", *figures.systems])
    for what, few, many in pairs:
        powers = [
            _power(few, many, figures.of(few, name, what), figures.of(many, name, what))
            for name in figures.systems
        ]
        yield f"| {few:,} to {many:,} | {what} | {' | '.join(powers)} |"


def _neighbours(figures: Figures, what: str) -> Iterator[tuple[int, int]]:
    """Sizes and the next ones at which something was measured."""
    return pairwise(size for size, measured in figures.rows if measured == what)


def _costs(what: str) -> bool:
    return what.rsplit(", ")[-1] in COSTS


def _head(names: Sequence[str]) -> Iterator[str]:
    yield f"| {' | '.join(names)} |"
    yield "|---" * len(names) + "|"


def _power(few: int, many: int, before: dict[int, float], after: dict[int, float]) -> str:
    if not before or not after:
        return "–"
    ratio = median(after.values()) / median(before.values())
    return f"{log(ratio) / log(many / few):.2f}" if ratio > 0 else "–"


def _cell(found: dict[int, float], own: dict[int, float]) -> str:
    """The median, of multiples of what is ``own`` in the same round if there is any, and the least
    and the most of all rounds; a single one is said to be one."""
    if not found:
        return "–"
    ratios = [theirs / own[number] for number, theirs in found.items() if own.get(number)]
    told = ratios or list(found.values())
    spread = f"{min(told):.3g} to {max(told):.3g}" if len(told) > 1 else "once"
    return f"{median(told):.3g}{' ×' if ratios else ''} ({spread})"
