"""Digests as Markdown that shows the same on GitHub and in Obsidian.

Quotes are footnotes, the one kind of reference that both link there and back. No HTML.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rag.publish import content
from rag.publish.escaping import escaped
from rag.types import Citation, Digest, Entry, Finding, Paper, Statement


def digest_markdown(digests: Sequence[Digest]) -> str:
    """A document: a section a digest, and the quotes as footnotes at its end."""
    names = content.names(digests)
    alone = len(digests) == 1
    blocks = [] if alone else [f"# {content.count(len(digests), 'topic')}"]
    for place, digest in enumerate(digests, start=1):
        blocks += _Section(digest, "" if alone else f"{place}-", 1 if alone else 2, names).blocks()
    return "\n\n".join(block for block in blocks if block) + "\n"


class _Section:
    """One digest; ``prefix`` keeps its footnotes apart from those of others."""

    def __init__(self, digest: Digest, prefix: str, level: int, names: Mapping[str, str]) -> None:
        self._digest, self._prefix, self._level, self._names = digest, prefix, level, names

    def blocks(self) -> Iterator[str]:
        digest = self._digest
        yield self._heading(digest.topic)
        yield content.coverage_sentence(digest)
        yield from (f"*{escaped(note)}*" for note in digest.notes)
        yield from map(self._statement, digest.overview)
        yield from self._changes()
        for shelf in content.shelves(digest):
            yield self._heading(f"{shelf.name} ({len(shelf.entries)})", 1)
            if shelf.terms:
                yield f"*{escaped(', '.join(shelf.terms))}*"
            yield "\n".join(map(self._entry, shelf.entries))
        yield from self._numbers()
        yield from self._open_ends()
        yield from self._omitted()
        yield from self._made_from()
        yield from self._footnotes()

    def _heading(self, text: str, deeper: int = 0) -> str:
        return f"{'#' * (self._level + deeper)} {escaped(text)}"

    def _statement(self, statement: Statement) -> str:
        return self._told(statement.text, statement.citations, statement.supported)

    def _told(self, text: str, citations: Iterable[Citation], supported: bool) -> str:
        """A sentence, a marker for each paper that it cites, a warning if they do not carry it."""
        numbers = dict.fromkeys(citation.number for citation in citations)
        markers = "".join(f"[^{self._prefix}{number}]" for number in numbers)
        return f"{escaped(text)}{markers}{'' if supported else f' *({content.UNSUPPORTED})*'}"

    def _entry(self, entry: Entry) -> str:
        facts = content.facts(entry.paper, self._digest.topic)
        known = f" ({escaped(', '.join(facts))})" if facts else ""
        line = self._told(entry.line, entry.citations, entry.supported)
        return f"- {_linked(entry.paper)}{known}: {line}"

    def _changes(self) -> Iterator[str]:
        if self._digest.changes is None:
            return
        yield self._heading("Since the last digest", 1)
        lines = [
            f"- {kind}: {escaped(change.title)}{_aside(change.detail)}"
            for kind, changes in content.told(self._digest.changes)
            for change in changes
        ]
        yield "\n".join(lines) or "Nothing has changed."

    def _numbers(self) -> Iterator[str]:
        if self._digest.findings:
            yield self._heading("Numbers", 1)
            rows = ["| Paper | What | Figure | In the abstract |", "|---|---|---|---|"]
            before = (None, *self._digest.findings)
            rows += map(self._row, self._digest.findings, before)
            yield "\n".join(rows)

    def _row(self, finding: Finding, before: Finding | None) -> str:
        """A row of the table; a quote that is that of the row before it is not told again."""
        name = self._names.get(finding.paper_id, finding.paper_id)
        again = before is not None and before.citation == finding.citation
        quote = self._told("" if again else finding.citation.quote, (finding.citation,), True)
        cells = [escaped(name), escaped(finding.claim), escaped(finding.figure), quote]
        return f"| {' | '.join(cells)} |"

    def _open_ends(self) -> Iterator[str]:
        if self._digest.open_ends:
            yield self._heading("Not stated in the abstracts", 1)
            lines = []
            for end in self._digest.open_ends:
                entries, more = content.silent(self._digest, end)
                known = "".join(map(self._pointer, entries))
                lines.append(f"- {escaped(end.text)}{known}{f' {more}' if more else ''}")
            yield "\n".join(lines)

    def _pointer(self, entry: Entry) -> str:
        """A marker that leads to what is quoted of a paper, or its name where nothing is."""
        known = f"[^{self._prefix}{entry.number}]"
        return known if entry.citations else f" ({escaped(entry.paper.name)})"

    def _omitted(self) -> Iterator[str]:
        if self._digest.omitted:
            yield self._heading("Left out, and why", 1)
            more = content.unnamed(self._digest)
            yield "\n".join(
                [f"- {escaped(o.title)}{_aside(o.reason)}" for o in self._digest.omitted]
                + ([f"- {more}"] if more else [])
            )

    def _made_from(self) -> Iterator[str]:
        yield self._heading("Made from", 1)
        rows = content.made_from_rows(self._digest.made_from)
        yield "\n".join(f"- {escaped(name)}: {escaped(value)}" for name, value in rows)

    def _footnotes(self) -> Iterator[str]:
        for citations in content.cited(self._digest).values():
            first = citations[0]
            name = escaped(self._names.get(first.paper_id, first.paper_id))
            quotes = " … ".join(f"“{escaped(citation.quote)}”" for citation in citations)
            yield f"[^{self._prefix}{first.number}]: {name}: {quotes}"


def _linked(paper: Paper) -> str:
    url, name = content.link(paper.url), f"**{escaped(paper.name)}**"
    return f"[{name}](<{url}>)" if url else name


def _aside(text: str) -> str:
    return f" — {escaped(text)}" if text else ""
