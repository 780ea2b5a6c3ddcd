"""What the papers of a digest have in common and where they differ, in two to four sentences.

Without a model a sentence is put together from phrases that the papers share and from their
lines; it is kept only if the evidence checker supports it. There are no numbers in it but those
of the quotes: "all", "most" and "several" are counted, and say less than a number would.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from rag.digest.common import another, widest
from rag.digest.contrasts import kinds, side_by_side
from rag.digest.drafts import Draft, Papers
from rag.engine.check import Checker, Quoted
from rag.types import Entry, Group, Statement

FEWEST, MOST_STATEMENTS = 2, 4
TRIED = 8
"""Versions of a sentence that are checked before it is given up."""
SENTENCES = (widest, another, kinds, side_by_side)
"""What is said, in the order in which it is read; each knows what was said before."""


def overview(
    entries: Sequence[Entry],
    groups: Sequence[Group],
    topic: str,
    checker: Checker,
    spans: Mapping[str, Sequence[tuple[int, int]]],
) -> tuple[Statement, ...]:
    """Two to four supported statements; fewer where neither the papers together nor single ones
    by name can be spoken of, none for a single paper.

    ``spans``: sentences of each paper's text, by paper_id.
    """
    once: dict[str, Entry] = {}
    for entry in entries:
        once.setdefault(entry.paper.paper_id, entry)
    papers = Papers([*once.values()], groups, " ".join(topic.split()), spans)
    told: list[Draft] = []
    statements: list[Statement] = []
    for sentence in SENTENCES if len(papers) > 1 else ():
        if len(statements) == MOST_STATEMENTS:
            break
        for draft, support in islice(_supported(sentence(papers, told), once, checker), 1):
            told.append(draft)
            statements.append(Statement(draft.text, draft.citations, True, support))
    if len(papers) > FEWEST:
        missing = max(FEWEST - len(statements), 0)
        statements += islice(_typical(once, groups, checker), missing)
    return tuple(statements)


def _typical(
    entries: Mapping[str, Entry], groups: Sequence[Group], checker: Checker
) -> Iterator[Statement]:
    """Where little can be said of all, what single papers do: the most central one of each group,
    then the surest. Only lines that say by name whose they are."""
    central = [paper_id for group in groups for paper_id in group.central[:1]]
    surest = sorted(entries, key=lambda paper_id: -entries[paper_id].relevance)
    for paper_id in dict.fromkeys([*central, *surest]):
        entry = entries.get(paper_id)
        if entry and entry.line.startswith(f"{entry.paper.handle} "):
            quotes = [Quoted(citation.quote, _names(entry)) for citation in entry.citations]
            verdict = checker.check(entry.line, quotes)
            if verdict.supported:
                yield Statement(entry.line, entry.citations, True, verdict.support)


def _supported(
    drafts: Iterator[Draft], entries: Mapping[str, Entry], checker: Checker
) -> Iterator[tuple[Draft, float]]:
    """Those of the first TRIED drafts that their quotes carry, and how well."""
    for draft in islice(drafts, TRIED):
        quotes = [
            Quoted(citation.quote, _names(entries[citation.paper_id]))
            for citation in draft.citations
        ]
        verdict = checker.check(draft.text, quotes)
        if verdict.supported:
            yield draft, verdict.support


def _names(entry: Entry) -> tuple[str, ...]:
    """What a paper goes by, handle first."""
    return (entry.paper.handle, *([entry.paper.title] if entry.paper.title else []))
