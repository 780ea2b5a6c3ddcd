"""Digests as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rag.publish import content
from rag.render import Style, fill, safe
from rag.types import Citation, Digest, Entry

_INDENT = "    "


def digest_text(digests: Sequence[Digest], style: Style) -> str:
    """Every digest with its lines and their quotes, without control characters."""
    names = content.names(digests)
    texts = ("\n\n".join(_blocks(digest, names, style)) for digest in digests)
    return "\n\n\n".join(texts) + "\n"


def _blocks(digest: Digest, names: Mapping[str, str], style: Style) -> Iterator[str]:
    yield _underlined(digest.topic, style)
    yield fill(content.coverage_sentence(digest))
    yield from (style.dim(fill(_line(note))) for note in digest.notes)
    if digest.overview:
        told = (_told(s.text, s.citations, s.supported) for s in digest.overview)
        yield "\n".join(fill(text) for text in told)
    if digest.changes is not None:
        yield "\n".join([style.bold("Since the last digest"), *_changes(digest)])
    for shelf in content.shelves(digest):
        heading = style.bold(fill(f"{_line(shelf.name)} ({len(shelf.entries)})"))
        terms = style.dim(fill(_line(", ".join(shelf.terms)))) if shelf.terms else ""
        yield "\n".join(filter(None, [heading, terms]))
        yield from (_entry(entry, digest.topic, style) for entry in shelf.entries)
    if digest.findings:
        yield style.bold("Numbers")
        yield from _numbers(digest, names, style)
    for heading, lines in _lists(digest):
        if lines:
            yield "\n".join([style.bold(heading), *(fill(line, _INDENT) for line in lines)])
    rows = content.made_from_rows(digest.made_from)
    made = "; ".join(f"{_line(name)} {_line(value)}" for name, value in rows)
    yield style.dim(fill(f"Made from {made}"))


def _underlined(topic: str, style: Style) -> str:
    """A heading that stands out from those of groups in a file as well."""
    lines = fill(_line(topic)).split("\n")
    return "\n".join([*map(style.bold, lines), "=" * max(map(len, lines))])


def _entry(entry: Entry, topic: str, style: Style) -> str:
    lines = [_numbered(entry.number, entry.paper.name, style)]
    facts = content.facts(entry.paper, topic)
    if facts:
        lines.append(style.dim(fill(_line(" · ".join(facts)), _INDENT)))
    lines.append(fill(_told(entry.line, (), entry.supported), _INDENT))
    quotes = content.quotes(entry)
    lines += [style.dim(fill(f"“{_line(quote)}”", _INDENT)) for quote in quotes]
    return "\n".join(lines)


def _numbered(number: int, name: str, style: Style) -> str:
    """A paper's name behind its number, on as many lines as it needs."""
    mark = f"[{number}] ".ljust(len(_INDENT))
    lines = fill(_line(name), _INDENT)[len(_INDENT) :].split("\n")
    return "\n".join([f"{mark}{style.bold(lines[0])}", *map(style.bold, lines[1:])])


def _numbers(digest: Digest, names: Mapping[str, str], style: Style) -> Iterator[str]:
    """What the abstract of each paper says in figures, under its name."""
    for paper_id, findings in content.by_paper(digest.findings):
        name = _numbered(findings[0].citation.number, names.get(paper_id, paper_id), style)
        told = (fill(f"{_line(f.figure)}: {_line(f.claim)}", _INDENT) for f in findings)
        yield "\n".join([name, *told])


def _told(text: str, citations: Iterable[Citation], supported: bool) -> str:
    numbers = dict.fromkeys(citation.number for citation in citations)
    markers = "".join(f"\u00a0[{number}]" for number in numbers)
    return f"{_line(text)}{markers}{'' if supported else f' ({content.UNSUPPORTED})'}"


def _changes(digest: Digest) -> Iterator[str]:
    for kind, changes in content.told(digest.changes or ()):
        for change in changes:
            yield fill(f"{kind}: {_line(change.title)}{_aside(change.detail)}", _INDENT)
    if not digest.changes:
        yield f"{_INDENT}Nothing has changed."


def _lists(digest: Digest) -> Iterator[tuple[str, list[str]]]:
    """What follows the entries: headings, each with its lines."""
    ends = []
    for end in digest.open_ends:
        entries, more = content.silent(digest, end)
        papers = [*(f"[{entry.number}]" for entry in entries), *filter(None, [more])]
        ends.append(f"{_line(end.text)}: {' '.join(papers)}")
    yield "Not stated in the abstracts", ends
    omitted = [f"{_line(o.title)}{_aside(o.reason)}" for o in digest.omitted]
    yield "Left out, and why", [*omitted, *filter(None, [content.unnamed(digest)])]


def _aside(text: str) -> str:
    return f" — {_line(text)}" if text else ""


def _line(text: str) -> str:
    """Text from outside on one line."""
    return " ".join(safe(content.shown(text)).split())
