"""Whether what a statement says of a paper is said by that paper's own quotes.

Matters only where several papers are quoted together: "A halves the cost while B needs no
labels" may not become "B halves the cost".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rag.engine.check.reading import Reading

FOREIGN = 3
"""Words that only the other papers' quotes have, from which on a paper is given too much."""
TIMES = 2
"""How many times more of these there have to be than of the paper's own."""


def misattributed(said: Reading, papers: Mapping[str, Sequence[Reading]]) -> Iterator[str]:
    """The papers, by handle, that are said to do what only others do; ``papers`` are quotes."""
    stems = {name: frozenset().union(*(q.stems for q in quotes)) for name, quotes in papers.items()}
    places = {name: _places(said, name) for name in papers}
    named = [(place, name) for name, found in places.items() for place in found]
    if len(papers) < 2 or not named:
        return
    own, foreign = Counter[str](), Counter[str]()
    for word in said.words:
        if word.content:
            _, name = min((abs(word.place - place), name) for place, name in named)
            others = frozenset().union(*(s for other, s in stems.items() if other != name))
            own[name] += word.stem in stems[name] and word.stem not in others
            foreign[name] += word.stem in others and word.stem not in stems[name]
    for name in papers:
        if foreign[name] >= FOREIGN and foreign[name] > TIMES * own[name]:
            yield name


def _places(said: Reading, name: str) -> list[int]:
    """Where a statement names a paper."""
    squashed = "".join(char for char in name.casefold() if char.isalnum())
    return [
        word.place
        for first, word in enumerate(said.words)
        for last in range(first + 1, min(first + 8, len(said.words)) + 1)
        if "".join(w.low for w in said.words[first:last]) == squashed
    ]
