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
_WRAP, _MOST, _ROOM = 22, 32, 210
"""From how many characters on a name has two lines, and the most characters and units of one."""
_BOLD = 1.07
"""How much wider the names' letters are than others."""
_CELL = 40
"""Size of the squares in which papers are counted to find where a topic is at home."""
_NEAR, _FEW, _MANY = 9, 30, 1500
"""What it costs a name to lie apart from its papers, to hide one paper, and to hide all of them."""
_SHIFTS = [*product(range(-160, 161, 20), range(-160, 161, 8))]
"""How far from a topic's home its name may be moved, across and down."""


@dataclass(frozen=True, slots=True)
class Label:
    """A topic's name in lines, the middle and size of the box that it fills, and the middle of
    the papers that it names."""

    topic: int
    lines: tuple[str, ...]
    x: float
    y: float
    width: float
    height: float
    home: tuple[float, float]

    @property
    def spot(self) -> tuple[float, float]:
        """Where in the box, next to the papers, a number may stand for the name."""
        across, down = self.width / 2 - SIZE, max(self.height / 2 - SIZE, 0)
        return (
            _between(self.x - across, self.home[0], self.x + across),
            _between(self.y - down, self.home[1], self.y + down),
        )

    def overlaps(self, other: Label) -> bool:
        apart = abs(self.x - other.x) >= (self.width + other.width) / 2
        return not apart and abs(self.y - other.y) < (self.height + other.height) / 2


@dataclass(frozen=True, slots=True)
class Canvas:
    """The size of the picture in units, where on it the papers lie, and how near to a name's box
    a mark counts as hidden."""

    width: int
    height: int
    spots: Spots
    margin: float

    def labels(self, names: Sequence[str], topic_of: NDArray[np.int_]) -> list[Label]:
        """A place for the name of each topic that has papers, those of large topics chosen first;
        a name for which there is no room is left out."""
        sizes = {topic: int((topic_of == topic).sum()) for topic in range(len(names))}
        placed: list[Label] = []
        for topic in sorted(filter(sizes.get, sizes), key=lambda topic: (-sizes[topic], topic)):
            own, others = self.spots[topic_of == topic], self.spots[topic_of != topic]
            boxes = self._boxes(topic, names[topic], self._home(own))
            free = [box for box in boxes if not any(map(box.overlaps, placed))]
            if free:
                placed.append(min(free, key=lambda box: self._cost(box, own, others)))
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
        wide = max(width(line, SIZE * _BOLD) for line in lines) + 18
        high = len(lines) * LEADING + 8
        return [
            Label(
                topic,
                lines,
                _between(wide / 2, home[0] + dx, self.width - wide / 2),
                _between(high / 2, home[1] + dy, self.height - high / 2),
                wide,
                high,
                home,
            )
            for dx, dy in _SHIFTS
        ]

    def _cost(self, label: Label, own: Spots, others: Spots) -> float:
        """How far a name is from its topic's papers and their middle, in its own lines, twice so
        where it is nearer to papers of others, and how many papers it hides, those of others
        twice. One of a few papers weighs so much that none is hidden if there is a way; one of
        thousands little, for a name far from its crowd would be taken for another's."""
        import numpy as np

        mine, foreign = _gaps(label, own), _gaps(label, others)
        gap = float(np.quantile(mine, 0.1))  # some papers stray
        apart = gap + max(gap + LEADING - foreign.min(initial=np.inf), 0)
        distance = abs(label.x - label.home[0]) / 2 + abs(label.y - label.home[1])
        hidden = int((mine < self.margin).sum()) + 2 * int((foreign < self.margin).sum())
        weight = min(_FEW, _MANY / len(self.spots))
        return float(round((_NEAR * apart + distance) / LEADING + weight * hidden, 6))


def _between(least: float, value: float, most: float) -> float:
    return min(max(value, least), most)


def _gaps(label: Label, spots: Spots) -> Spots:
    """How far from a name's box each paper lies, 0 within it."""
    import numpy as np

    reach = (label.width / 2, label.height / 2)
    gaps: Spots = np.hypot(*np.maximum(abs(spots - (label.x, label.y)) - reach, 0).T)
    return gaps


def _lines(name: str) -> tuple[str, ...]:
    """The name on one line, or on two about as long as each other; cut if it needs more."""
    name = " ".join(shown(name).split())
    least = _WRAP if len(name) <= _WRAP else len(name) // 2
    lines = next(
        (found for most in range(least, _MOST) if len(found := _wrapped(name, most)) <= 2),
        textwrap.wrap(name, _MOST, max_lines=2, placeholder="…", break_long_words=False),
    )
    return tuple(cut(line, SIZE * _BOLD, _ROOM) for line in lines) or ("–",)


def _wrapped(name: str, most: int) -> list[str]:
    return textwrap.wrap(name, most, break_long_words=False)
