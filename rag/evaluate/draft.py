"""Cases proposed from what stands in a corpus, for a person to accept one by one.

Offline they ask for figures, for what systems are or do and for what letters stand for. A case that
fails today is a fine case: it is not looked into how the product would answer.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice, zip_longest
from typing import NamedTuple

from rag.engine.question import Turn
from rag.evaluate.matching import missing
from rag.store.snapshot import Snapshot
from rag.summarize.verbs import is_third
from rag.types import Outcome, Paper

Spans = Sequence[tuple[int, int]]
Facts = tuple[tuple[str, ...], ...]
TITLE_WORDS = 14
"""Of a title that a question calls a paper by."""
_NAME = re.compile(r"\S+")
_SYSTEM = re.compile(r"(?:^|[.!?]\s)(?P<name>[A-Z][a-z]+[A-Z][\w-]*) (?=[a-z]+s )")
"""A sentence about something with capitals inside its name, as systems have."""
_LOWER = re.compile(r"\b(?!(?:an?|and|by|for|from|in|of|on|or|the|to|via|with)\b)[a-z]")
TAGS = ("drafted",)
"""Of what was proposed from a corpus."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A case that somebody may accept. ``gold`` are paper_ids, ``quote`` the words that it rests
    on, ``why`` what made it one. Without expectations, these are for a person to give."""

    question: str
    gold: tuple[str, ...] = ()
    facts: Facts = ()
    kind: str = ""
    quote: str = ""
    why: str = ""
    tags: tuple[str, ...] = ()
    history: tuple[Turn, ...] = ()
    outcome: Outcome | None = None
    forbidden: tuple[str, ...] = ()
    reference: str = ""

    @property
    def expects(self) -> bool:
        """Whether an answer could be wrong by it."""
        return bool(self.gold or self.facts or self.outcome or self.forbidden or self.reference)

    @property
    def key(self) -> str:
        """What it is known by to who has seen it: equal for equal proposals."""
        said = "\0".join([self.question, *(turn.question for turn in self.history), self.quote])
        return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:16]


class Named(NamedTuple):
    """A paper, its system or handle, how a question calls it, and the spans of its sentences.
    ``called`` is "" where nothing short and readable is known to call it by."""

    paper: Paper
    name: str
    called: str
    spans: Spans

    @property
    def label(self) -> str:
        """What to call the paper where something has to stand."""
        return self.called or f"the work on {self.name}"

    def sentences(self) -> Iterator[str]:
        return (self.paper.text[start:end] for start, end in self.spans)


Drafter = Callable[[Named], Iterator[Draft]]
"""Proposes cases from a paper, the best first."""


def drafts(
    snapshot: Snapshot, drafters: Sequence[Drafter], rows: Iterable[int], most: int | None = None
) -> Iterator[Draft]:
    """Proposals from the papers of ``rows``, at most ``most`` of them: one of each, then a second
    one of each, and so on.

    Papers come in an order that depends on their ids alone: the first few are spread over a corpus,
    and stay the first when it grows. One that cannot be called by a name of its own is left out.
    """
    scattered = sorted(rows, key=lambda row: hashlib.sha256(snapshot.ids[row].encode()).digest())[
        :most
    ]
    shared = _shared(snapshot.handles)
    waiting: Iterator[Iterator[Draft]] = iter(
        [_of_paper(snapshot, row, drafters, shared) for row in scattered]
    )
    for active in range(len(scattered), 0, -1):  # a round ends where a paper has no more
        waiting = cycle(islice(waiting, active))
        yield from map(next, waiting)


def _shared(handles: Iterable[str]) -> frozenset[str]:
    """Handles that several papers go by, in lower case."""
    counts = Counter(handle.casefold() for handle in handles)
    return frozenset(handle for handle, papers in counts.items() if papers > 1)


def _of_paper(
    snapshot: Snapshot, row: int, drafters: Sequence[Drafter], shared: frozenset[str]
) -> Iterator[Draft]:
    """The proposals of one paper, the drafters taking turns; which begins differs by paper."""
    paper = snapshot.paper(row)
    if paper.handle.casefold() in shared and not paper.title:
        return
    name = _system(paper, shared)
    one = Named(paper, name or paper.handle, name or _called(paper), snapshot.spans(row))
    first = row % len(drafters)
    turns = [drafter(one) for drafter in (*drafters[first:], *drafters[:first])]
    yield from filter(_fair, (draft for each in zip_longest(*turns) for draft in each if draft))


def _system(paper: Paper, shared: frozenset[str]) -> str:
    """The name of a paper's system, which its handle is or a sentence begins with; "" if it has
    none of its own."""
    named = _SYSTEM.search(paper.text)
    names = [paper.handle] if _NAME.fullmatch(paper.handle) else [named["name"]] if named else []
    return next((name for name in names if name.casefold() not in shared), "")


def _called(paper: Paper) -> str:
    """A paper without a system by its title, if that is not too long, or by a subject; "" where
    its handle is but a piece of a sentence."""
    if paper.title:
        return f"the paper “{paper.title}”" if len(paper.title.split()) <= TITLE_WORDS else ""
    words = paper.handle.lower()
    begun = paper.text.lower().startswith(words) or any(map(is_third, words.split()))
    return "" if begun or _LOWER.search(paper.handle) else f"the work on {paper.handle}"


def _fair(draft: Draft) -> bool:
    """Whether the question is whole and gives away none of what it asks for, and the quote has all
    of it."""
    given_away = len(missing(draft.facts, draft.question)) < len(draft.facts)
    whole = draft.question.count("(") == draft.question.count(")")
    return whole and not given_away and not missing(draft.facts, draft.quote)
