"""Puts a digest together: its lines, groups, overview, figures, and what it leaves out.

Knows what a digest is made of; how papers are picked, lines written and topics found is decided
elsewhere. The same corpus, settings and engine give the same digest.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from rag.corpus.suspicion import trusted
from rag.digest.findings import findings
from rag.digest.open_ends import open_ends
from rag.digest.overview import overview
from rag.digest.select import Pick, Selection
from rag.engine.check import Checker
from rag.models import Message
from rag.store.snapshot import Snapshot
from rag.types import (
    Coverage,
    Digest,
    Entry,
    Group,
    MadeFrom,
    Omission,
    Paper,
    Statement,
    Summary,
    Usage,
)

if TYPE_CHECKING:
    from rag.digest.written import Overviewer

HANDFUL = 7
"""Papers from which on a digest is grouped."""
INSTEAD = "Nothing that the model wrote of the whole is supported; the overview is quoted."
UNSUPPORTED = "no line could be written that its abstract supports"


@dataclass(frozen=True)
class Builder:
    """Makes digests over one snapshot from lines that are there already, by row.

    With ``written``, a model writes the overviews. ``strict`` leaves out papers whose line no
    quote supports. ``settings`` is what a digest says of how it was made.
    """

    snapshot: Snapshot
    lines: Mapping[int, Summary]
    checker: Checker
    made_from: MadeFrom
    written: Overviewer | None = None
    strict: bool = False

    def digest(self, selection: Selection) -> Digest:
        """One digest; with a model raises EndpointError's kinds and BudgetError."""
        entries, groups = self._arranged(selection)
        spans = {e.paper.paper_id: self._spans(e.paper) for e in entries}
        statements, usage, notes = self._overview(selection.topic, entries, groups, spans)
        dropped = self._dropped(selection)
        return Digest(
            topic=selection.topic,
            overview=statements,
            entries=entries,
            groups=groups,
            findings=findings(entries, spans),
            open_ends=open_ends(entries, spans),
            omitted=(*dropped, *selection.omitted),
            coverage=Coverage(
                matched=len(selection.picks),
                listed=len(entries),
                population=selection.population,
                omitted=selection.omitted_count + len(dropped),
                left_out=selection.left_out,
            ),
            made_from=self.made_from,
            usage=usage,
            notes=(*notes, *self._stand_ins(entries)),
        )

    def messages(self, selection: Selection) -> list[Message]:
        """What a model would be asked for the overview; empty where it would not be."""
        entries, groups = self._arranged(selection)
        if not self.written or len(entries) < 2:
            return []
        return self.written.messages(selection.topic, entries, groups)

    def _arranged(self, selection: Selection) -> tuple[tuple[Entry, ...], tuple[Group, ...]]:
        """The entries and groups of a digest."""
        picks = [pick for pick in selection.picks if self._listed(pick)]
        groups = self._groups(selection, [pick.row for pick in picks])
        entries = self._entries(picks, groups)
        return entries, tuple(_in_order(group, entries) for group in groups)

    def _listed(self, pick: Pick) -> bool:
        return self.lines[pick.row].supported or not self.strict

    def _spans(self, paper: Paper) -> list[tuple[int, int]]:
        """The sentences that a digest may take something from."""
        return trusted(paper.text, self.snapshot.spans(self.snapshot.row_of[paper.paper_id]))

    def _groups(self, selection: Selection, rows: Sequence[int]) -> tuple[Group, ...]:
        """What the papers fall into; none for a handful of them, or where they hang together."""
        if len(rows) < HANDFUL:
            return ()
        from rag.topics.clusters import find_topics

        topics = find_topics(self.snapshot, rows, avoid=selection.topic)
        ids = self.snapshot.ids
        groups = tuple(
            Group(t.name, _ids(ids, t.rows), t.terms, _ids(ids, t.central)) for t in topics
        )
        return groups if len(groups) > 1 else ()

    def _entries(self, picks: Sequence[Pick], groups: Sequence[Group]) -> tuple[Entry, ...]:
        """Numbered in the order in which they are read: by group, then as they were picked."""
        group_of = {paper_id: g for g, group in enumerate(groups) for paper_id in group.paper_ids}
        ids = self.snapshot.ids
        ordered = sorted(picks, key=lambda pick: group_of.get(ids[pick.row], 0))
        return tuple(self._entry(number, pick) for number, pick in enumerate(ordered, start=1))

    def _entry(self, number: int, pick: Pick) -> Entry:
        line = self.lines[pick.row]
        citations = tuple(replace(citation, number=number) for citation in line.citations)
        return Entry(number, line.paper, line.text, citations, line.supported, pick.relevance)

    def _overview(
        self,
        topic: str,
        entries: Sequence[Entry],
        groups: Sequence[Group],
        spans: Mapping[str, Sequence[tuple[int, int]]],
    ) -> tuple[tuple[Statement, ...], Usage, tuple[str, ...]]:
        """What the papers share and where they differ; quoted where no model can say it."""
        if self.written and len(entries) > 1:
            draft = self.written.overview(topic, entries, groups)
            if draft.statements:
                return draft.statements, draft.usage, draft.notes
            quoted = overview(entries, groups, topic, self.checker, spans)
            return quoted, draft.usage, (*draft.notes, INSTEAD)
        return overview(entries, groups, topic, self.checker, spans), Usage(), ()

    def _stand_ins(self, entries: Sequence[Entry]) -> list[str]:
        """How many lines are quoted although a model was asked for them."""
        lines = [self.lines[self.snapshot.row_of[entry.paper.paper_id]] for entry in entries]
        quoted = sum(bool(line.model) and line.engine == "extractive" for line in lines)
        told = f"{quoted:,} of {len(lines):,} lines are quoted: the model's could not stand."
        return [told] if quoted else []

    def _dropped(self, selection: Selection) -> list[Omission]:
        """The papers that are on the topic and are not listed."""
        left = [pick for pick in selection.picks if not self._listed(pick)]
        papers = [self.lines[pick.row].paper for pick in left]
        return [
            Omission(paper.paper_id, paper.name, UNSUPPORTED, pick.relevance)
            for paper, pick in zip(papers, left, strict=True)
        ]


def fingerprint(snapshot: Snapshot) -> str:
    """12 hex digits of what is known of the papers, wherever their files lie and whatever numbers
    they go by elsewhere."""
    known = []
    for paper in snapshot.papers():
        data = asdict(replace(paper, sources=()))
        del data["doi"], data["arxiv"]
        known.append(json.dumps(data, sort_keys=True, ensure_ascii=True))
    return hashlib.sha256("\n".join(sorted(known)).encode()).hexdigest()[:12]


def made_from(
    snapshot: Snapshot,
    settings: Mapping[str, Any],
    prompts: Sequence[str] = (),
    model: str | None = None,
) -> MadeFrom:
    """What a digest of a snapshot depends on; settings that are not set are left out."""
    set_ones = {name: value for name, value in settings.items() if value not in (None, (), "")}
    engine = "llm" if model else "extractive"
    return MadeFrom(fingerprint(snapshot), engine, model, tuple(prompts), set_ones)


def _in_order(group: Group, entries: Sequence[Entry]) -> Group:
    """The group with its papers as they are read."""
    members = set(group.paper_ids)
    ids = (entry.paper.paper_id for entry in entries)
    return replace(group, paper_ids=tuple(paper_id for paper_id in ids if paper_id in members))


def _ids(ids: Sequence[str], rows: Sequence[int]) -> tuple[str, ...]:
    return tuple(ids[row] for row in rows)
