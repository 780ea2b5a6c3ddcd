"""What a sentence of an overview is made from, and how it speaks of papers.

A draft has the quotes it rests on; whether they carry it is for the checker to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from rag.digest.clauses import called, is_titled
from rag.digest.kinds import Kind, kind_of
from rag.digest.shared import Themes
from rag.types import Citation, Entry, Group

EXAMPLES = 3
"""Papers that a sentence names."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A sentence that may be said, and the ``words`` of its theme's key, which later ones need not
    say again."""

    text: str
    citations: tuple[Citation, ...]
    words: frozenset[str] = frozenset()


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
    def mentioned(self) -> Themes:
        """With what papers only mention, if it is a topic with a name."""
        return Themes(self.entries, self.spans, mentioned=True)

    @cached_property
    def kinds(self) -> list[Kind | None]:
        """What kind of thing each entry's paper brings."""
        return [kind_of(entry, self.spans.get(entry.paper.paper_id, ())) for entry in self.entries]

    @cached_property
    def members(self) -> list[list[int]]:
        """Indices of the entries of each group, its central ones first."""
        index = {entry.paper.paper_id: i for i, entry in enumerate(self.entries)}
        return [
            [index[i] for i in dict.fromkeys((*group.central, *group.paper_ids)) if i in index]
            for group in self.groups
        ]

    def examples(self, members: Sequence[int], most: int = EXAMPLES) -> list[int]:
        """Up to ``most`` of some papers: those with a name first, then the most relevant."""
        order = sorted(
            members, key=lambda i: (self._namelessness(i), -self.entries[i].relevance, i)
        )
        return sorted(order[:most])

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
