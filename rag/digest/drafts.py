"""What a sentence of an overview is made from, and how it speaks of papers.

A draft has the quotes it rests on; whether they carry it is for the checker to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from rag.digest.clauses import called, is_titled
from rag.digest.shared import Themes
from rag.types import Citation, Entry, Group

EXAMPLES = 3
"""Papers that a sentence names."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A sentence that may be said, and what later ones need not say again: ``words`` are those of
    its theme's key, ``classed`` the indices of entries whose kind it tells, ``contrasted`` of
    those that it sets beside each other."""

    text: str
    citations: tuple[Citation, ...]
    words: frozenset[str] = frozenset()
    classed: frozenset[int] = frozenset()
    contrasted: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Papers:
    """The entries of one digest, at least two and each once, as an overview sees them."""

    entries: Sequence[Entry]
    groups: Sequence[Group]
    topic: str
    spans: Mapping[str, Sequence[tuple[int, int]]]

    def __len__(self) -> int:
        return len(self.entries)

    @cached_property
    def themes(self) -> Themes:
        return Themes(self.entries, self.spans)

    @cached_property
    def members(self) -> list[list[int]]:
        """Indices of the entries of each group, its central ones first."""
        index = {entry.paper.paper_id: i for i, entry in enumerate(self.entries)}
        return [
            [index[i] for i in dict.fromkeys((*group.central, *group.paper_ids)) if i in index]
            for group in self.groups
        ]

    def examples(self, members: Sequence[int]) -> list[int]:
        """Up to EXAMPLES of some papers: those with a name first, then the most relevant."""
        order = sorted(
            members, key=lambda i: (self._namelessness(i), -self.entries[i].relevance, i)
        )
        return sorted(order[:EXAMPLES])

    def names(self, members: Sequence[int], titles: bool = True) -> list[str]:
        """What to call some papers, without those that have no name for a sentence."""
        least = 1 if titles else 0
        return [called(self.entries[i]) for i in members if self._namelessness(i) <= least]

    def _namelessness(self, i: int) -> int:
        """0 for a system's name, 1 for a title, 2 for neither."""
        name = called(self.entries[i])
        return 2 if not name else int(is_titled(name))


def listed(names: Sequence[str]) -> str:
    """A, B and C."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def capital(text: str) -> str:
    """With a sentence's first letter, unless it is that of a name."""
    first = text.split(" ", 1)[0]
    return text if any(map(str.isupper, first)) else text[:1].upper() + text[1:]
