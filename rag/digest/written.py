"""What a model adds to digests: overviews, each sentence held to the quotes that the papers' lines
rest on, and names of topics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from rag.digest.select import Selection
from rag.engine.context import Context, Shown, cleaned
from rag.engine.writer import MESSAGE_TOKENS, Writer
from rag.models import Message, Model
from rag.prompts import Task
from rag.retrieve.terms import terms, words
from rag.store.snapshot import Snapshot
from rag.types import Citation, Entry, Group, Paper, Statement, Summary, Usage

MOST = 4
"""Statements of an overview."""
MANY = 7
"""Papers from which on a model is shown only what their lines rest on."""
NAME_WORDS, NAME_TOKENS = 6, 24
"""Of a topic's name at most."""


@dataclass(frozen=True, slots=True)
class Overview:
    """What a model said of the papers together, as far as quotes carry it; maybe nothing."""

    statements: tuple[Statement, ...]
    usage: Usage
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Overviewer:
    """Writes overviews of papers of one snapshot."""

    writer: Writer
    snapshot: Snapshot

    def overview(self, topic: str, entries: Sequence[Entry], groups: Sequence[Group]) -> Overview:
        """Two to four statements; raises EndpointError's kinds and BudgetError."""
        context = self.context(topic, entries, groups)
        draft = replace(self.writer, strict=True).write(topic, context)
        number_of = {entry.paper.paper_id: entry.number for entry in entries}
        statements = tuple(_numbered(statement, number_of) for statement in draft.statements)
        return Overview(
            statements[:MOST], draft.usage, (*_left_out(context, entries), *draft.notes)
        )

    def messages(
        self, topic: str, entries: Sequence[Entry], groups: Sequence[Group]
    ) -> list[Message]:
        """What the model would be asked."""
        return self.writer.messages(topic, self.context(topic, entries, groups))

    def context(self, topic: str, entries: Sequence[Entry], groups: Sequence[Group]) -> Context:
        """The sentences behind the papers' lines, as many as there is room for, each group's
        most central papers first; of few papers, all that they say."""
        rows = {e.paper.paper_id: self.snapshot.row_of[e.paper.paper_id] for e in entries}
        behind = {rows[e.paper.paper_id]: _sentences(e.citations) for e in entries}
        shown = []
        for entry in spread(entries, groups):
            row = rows[entry.paper.paper_id]
            spans = tuple(self.snapshot.spans(row)) if len(entries) < MANY else behind[row]
            shown.append(Shown(row, entry.paper, spans))
        return self.writer.context(topic, shown, behind)


def spread(entries: Sequence[Entry], groups: Sequence[Group]) -> Iterator[Entry]:
    """The entries so that any beginning of them has something of every group."""
    by_id = {entry.paper.paper_id: entry for entry in entries}
    ranked = [[*dict.fromkeys([*group.central, *group.paper_ids])] for group in groups]
    turns = zip_longest(*ranked) if ranked else [tuple(by_id)]
    for turn in turns:
        yield from (by_id[paper_id] for paper_id in turn if paper_id in by_id)


@dataclass(frozen=True)
class Namer:
    """Names topics in words of their papers; ``lines`` are the papers' by row."""

    model: Model
    task: Task
    lines: Mapping[int, Summary]

    def name(self, selection: Selection) -> str:
        """A better name, or the one that it has if the model's is none.

        Raises EndpointError's kinds and BudgetError.
        """
        known = {term for row in selection.rows for term in _terms(self.lines[row].paper)}
        reply = self.model.reply(self.messages(selection), self.limit)
        name = " ".join(reply.text.split()).strip(" .\"'“”*")
        return _capitalised(name) if _is_name(name, known) else selection.topic

    @property
    def limit(self) -> int:
        """Tokens of a reply at most."""
        return NAME_TOKENS + MESSAGE_TOKENS

    def messages(self, selection: Selection) -> list[Message]:
        """What the model is asked."""
        typical = [f"- {cleaned(self.lines[row].text)}" for row in selection.central]
        asked = self.task["question"].render(
            terms=cleaned(", ".join(selection.terms)), papers="\n".join(typical)
        )
        return [Message("system", self.task["system"].text), Message("user", asked)]


def _numbered(statement: Statement, number_of: Mapping[str, int]) -> Statement:
    """The statement with its citations under the numbers of the digest's entries."""
    citations = tuple(replace(c, number=number_of[c.paper_id]) for c in statement.citations)
    return replace(statement, citations=citations)


def _left_out(context: Context, entries: Sequence[Entry]) -> list[str]:
    shown = len(context.papers)
    if shown == len(entries):
        return []
    return [
        f"The overview was written from {shown:,} of {len(entries):,} papers, for want of room."
    ]


def _sentences(citations: Sequence[Citation]) -> tuple[tuple[int, int], ...]:
    return tuple(dict.fromkeys((citation.start, citation.end) for citation in citations))


def _terms(paper: Paper) -> list[str]:
    return terms(paper.indexed_text)


def _is_name(name: str, known: set[str]) -> bool:
    """Whether it is a short phrase in words that the papers have."""
    told = terms(name)
    return (
        1 <= len(words(name)) <= NAME_WORDS
        and bool(told)
        and known.issuperset(told)
        and all(c.isalpha() or c in " -–’'" for c in name)
    )


def _capitalised(name: str) -> str:
    return name[:1].upper() + name[1:]
