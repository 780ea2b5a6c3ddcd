"""Where on a map the names of topics go: near their papers, hiding few of these and no name."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from rag.publish.content import shown
from rag.publish.svg import cut, width

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Spots = NDArray[np.float64]
    """x and y on the picture, in units, a row a paper."""

SIZE, LEADING = 13, 16
"""Font size and line height of a name, in units."""
_WRAP, _ROOM = 22, 150
"""The most characters and units of a line."""
_MARGIN = 5
"""How near to a name's box a mark counts as hidden, in units."""
_CELL = 40
"""Size of the squares in which papers are counted to find where a topic is at home."""
_SHIFTS = [*product(range(-120, 121, 30), range(-120, 121, 15))]
"""How far from a topic's home its name may be moved, across and down."""


@dataclass(frozen=True, slots=True)
class Label:
    """A topic's name in lines, and the middle and size of the box that it fills."""

    topic: int
    lines: tuple[str, ...]
    x: float
    y: float
    width: float
    height: float

    def overlaps(self, other: Label) -> bool:
        apart = abs(self.x - other.x) >= (self.width + other.width) / 2
        return not apart and abs(self.y - other.y) < (self.height + other.height) / 2


@dataclass(frozen=True, slots=True)
class Canvas:
    """The size of the picture in units, and where on it the papers lie."""

    width: int
    height: int
    spots: Spots

    def labels(self, names: Sequence[str], topic_of: NDArray[np.int_]) -> list[Label]:
        """A place for the name of each topic that has papers, those of large topics chosen first;
        a name for which there is no room is left out."""
        sizes = {topic: int((topic_of == topic).sum()) for topic in range(len(names))}
        placed: list[Label] = []
        for topic in sorted(filter(sizes.get, sizes), key=lambda topic: (-sizes[topic], topic)):
            home = self._home(self.spots[topic_of == topic])
            boxes = self._boxes(topic, names[topic], home)
            free = [box for box in boxes if not any(map(box.overlaps, placed))]
            if free:
                placed.append(min(free, key=lambda box: self._cost(box, home)))
        return placed

    def _home(self, own: Spots) -> tuple[float, float]:
        """The middle of a topic's papers around the place that is most its own: a mean over all
        of a topic that is spread out would lie among others."""
        import numpy as np

        mine, everyone = self._density(own), self._density(self.spots)
        best = np.unravel_index(np.argmax(mine * mine / np.maximum(everyone, 1)), mine.shape)
        cells = own / _CELL - best
        near = own[((cells >= -1) & (cells <= 2)).all(axis=1)]
        x, y = near.mean(axis=0).round(3)
        return float(x), float(y)

    def _density(self, spots: Spots) -> Spots:
        """How many of the papers lie in each cell or in one that touches it, columns by rows."""
        import numpy as np

        columns, rows = -(-self.width // _CELL), -(-self.height // _CELL)
        counts = np.zeros((columns + 2, rows + 2))
        np.add.at(counts, tuple((spots / _CELL).astype(int).T + 1), 1)
        around = np.zeros((columns, rows))
        for x, y in product(range(3), repeat=2):
            around += counts[x : x + columns, y : y + rows]
        return around

    def _boxes(self, topic: int, name: str, home: tuple[float, float]) -> list[Label]:
        """Every place for a name around a topic's home that lies on the picture."""
        lines = _lines(name)
        wide = max(width(line, SIZE) for line in lines) + 18
        high = len(lines) * LEADING + 8
        return [
            Label(
                topic,
                lines,
                min(max(home[0] + dx, wide / 2), self.width - wide / 2),
                min(max(home[1] + dy, high / 2), self.height - high / 2),
                wide,
                high,
            )
            for dx, dy in _SHIFTS
        ]

    def _cost(self, label: Label, home: tuple[float, float]) -> float:
        """How far a name is from its topic's home, in its own lines, and how much it hides: a
        hundredth of all papers weighs as much as two and a half lines."""
        reach = (label.width / 2 + _MARGIN, label.height / 2 + _MARGIN)
        inside = (abs(self.spots - (label.x, label.y)) < reach).all(axis=1)
        distance = abs(label.x - home[0]) / 2 + abs(label.y - home[1])
        return float(round(distance / LEADING + 250 * inside.mean(), 6))


def _lines(name: str) -> tuple[str, ...]:
    """The name in one or two lines."""
    lines = textwrap.wrap(shown(name), _WRAP, max_lines=2, placeholder="…", break_long_words=False)
    return tuple(cut(line, SIZE, _ROOM) for line in lines) or ("–",)
