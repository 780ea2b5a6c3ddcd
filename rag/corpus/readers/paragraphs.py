"""Plain text: abstracts parted by blank lines, perhaps with headings, or titles and authors.

Knows abstracts from headings by their shape; knows nothing about markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby

from rag.corpus.readers.shapes import (
    ends_sentence,
    is_heading,
    is_names,
    is_page_number,
    is_reference,
    is_short,
)
from rag.corpus.record import RawRecord, Reader, reject
from rag.corpus.values import list_of, names_of
from rag.types import Rejection

TITLED_SHARE = 0.8
"""Headings are titles if at least this share of the abstracts stands right below one."""

_HEAD_LINES, _HEAD_WORDS = 4, 60
"""Of a paragraph of headings: a wrapped title and its authors."""
_LONG_LINE = 250
"""Characters of a line that is a whole paragraph, not a part of a wrapped one."""
_LABEL = re.compile(
    r"\W*(?:abstract|summary|zusammenfassung|résumé|resumen|resumo|摘要|要旨)\W*", re.IGNORECASE
)
_ABSTRACT = re.compile(
    r"\A\W{0,3}(?:abstract|摘要)[*_ ]*(?:[:：.—–-]+[*_]*\s*|\s*\n|$)", re.IGNORECASE
)
_KEYWORDS = re.compile(r"\W{0,3}(?:key ?-?words?|index terms|关键词)\W{0,2}\s*[:：—–-]+\s*", re.I)
_NUMBERED = re.compile(r"\A\W{0,2}(\d{1,4})[.)\]]\s+(?=\S)")
_ADDRESS = re.compile(r"(?:https?://|www\.|doi:|arxiv:)\S+", re.IGNORECASE)


@dataclass(frozen=True)
class _Paragraph:
    line: int
    text: str

    @cached_property
    def lines(self) -> list[str]:
        return [line.strip() for line in self.text.split("\n")]

    @cached_property
    def is_heading(self) -> bool:
        """One short line in which no sentence ends, or a few: a title and who wrote it."""
        text = _NUMBERED.sub("", self.text)
        if len(self.lines) == 1:
            return is_heading(text)
        if len(self.lines) > _HEAD_LINES or len(text.split()) > _HEAD_WORDS:
            return False
        if is_names(self.lines[-1]):
            return all(map(is_short, self.lines))
        return all(map(is_heading, text.split("\n"))) and not ends_sentence(text)


@dataclass(frozen=True, slots=True)
class _Head:
    """What stands above an abstract; ``unused`` are the headings that it does not need."""

    title: str | None = None
    authors: str = ""
    url: str | None = None
    unused: tuple[_Paragraph, ...] = ()


def sniff(text: str, suffix: str) -> bool:
    """Any text is text."""
    return True


def read(text: str) -> Iterator[RawRecord | Rejection]:
    """A record for each abstract; what else stands in the file is skipped or rejected.

    Headings are titles where abstracts and headings alternate. Before the first abstract
    any other heading is the file's header and is skipped; after it, it is rejected. In a
    bibliography each reference is rejected.
    """
    paragraphs = list(_paragraphs(text))
    if _is_bibliography(paragraphs):
        yield from _references(paragraphs)
        return
    titled = _are_titled(paragraphs)
    numbered = _are_numbered(paragraphs)
    above: list[_Paragraph] = []
    last: RawRecord | None = None
    for paragraph in paragraphs:
        # Where all abstracts have titles, a short text that has none is one, whatever it ends with.
        if paragraph.is_heading or (titled and not above and is_short(paragraph.text)):
            if last and not above and (label := _KEYWORDS.match(paragraph.text)):
                last = replace(last, keywords=list_of(paragraph.text[label.end() :]))
            elif not _LABEL.fullmatch(paragraph.text):
                above.append(paragraph)
            continue
        head = _head(above) if titled else _Head(unused=tuple(above))
        if last:
            yield last
            yield from map(_unused, head.unused)
        above, last = [], _record(paragraph, head)
        if numbered:
            last = replace(last, abstract=_NUMBERED.sub("", last.abstract))
    if last:
        yield last
        yield from map(_unused, above)


def _unused(heading: _Paragraph) -> Rejection:
    return reject(heading.line, f"looks like a heading, not an abstract: {heading.text}")


def _record(paragraph: _Paragraph, head: _Head) -> RawRecord:
    own, text = _own_head(paragraph)
    if own and (own.title or own.authors):
        head = own
    return RawRecord(
        paragraph.line, text, title=head.title, url=head.url, authors=names_of(head.authors)
    )


def _own_head(paragraph: _Paragraph) -> tuple[_Head | None, str]:
    """The title and authors in the first lines of a paragraph that has them, and the rest."""
    lines = paragraph.lines
    labels = (at for at, line in enumerate(lines[1:7], start=1) if _ABSTRACT.match(line))
    at = next(labels, None)
    if at is None:
        at = _prose_begin(lines)
    if not at or not all(map(is_short, lines[:at])):
        return None, paragraph.text
    head = _head([_Paragraph(paragraph.line, "\n".join(lines[:at]))])
    return head, _ABSTRACT.sub("", "\n".join(lines[at:]), count=1).strip()


def _prose_begin(lines: Sequence[str]) -> int | None:
    """Where the abstract begins below a title: at the only long line, the last, or below a title
    that has a number and, perhaps, names."""
    named = len(lines) > 2 and is_names(lines[1])
    title = _NUMBERED.sub("", lines[0])
    if 1 < len(lines) <= 6 and len(lines[-1]) >= _LONG_LINE:
        return len(lines) - 1 if named or all(map(is_heading, lines[:-1])) else None
    if len(lines) > 1 and title != lines[0] and (named or not ends_sentence(title)):
        return 2 if named else 1
    return None


def _head(above: Sequence[_Paragraph]) -> _Head:
    """Title, authors and address among the headings right above an abstract."""
    if not above:
        return _Head()
    *before, nearest = above
    places = [found[0] for line in nearest.lines if (found := _ADDRESS.match(line))]
    lines = [line for line in nearest.lines if not _ADDRESS.match(line)]
    authors = ""
    has_title_above = len(lines) > 1 or bool(before)
    if lines and has_title_above and is_names(lines[-1]):
        authors = lines.pop()
    if not lines and before:
        *before, farther = before
        lines = farther.lines
    title = _NUMBERED.sub("", " ".join(lines), count=1).strip("* ") or None
    return _Head(title, authors.strip("*_ "), places[0] if places else None, tuple(before))


def _paragraphs(text: str) -> Iterator[_Paragraph]:
    """What blank lines part, and numbers at the starts of lines; no page numbers."""
    lines = enumerate(text.split("\n"), start=1)
    for blank, group in groupby(lines, key=lambda line: not line[1].strip()):
        if blank:
            continue
        for part in _parts(list(group)):
            paragraph = _Paragraph(part[0][0], "\n".join(line for _, line in part).strip())
            if not is_page_number(paragraph.text):
                yield paragraph


def _parts(lines: list[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    """A paragraph cut where its lines begin with one number after the other."""
    expected, begin = None, 0
    for at, (_, line) in enumerate(lines):
        number = int(found[1]) if (found := _NUMBERED.match(line)) else None
        if number is None or (expected is None and at > 0) or number != (expected or number):
            continue
        if at > begin:
            yield lines[begin:at]
        expected, begin = number + 1, at
    yield lines[begin:]


def _are_titled(paragraphs: Sequence[_Paragraph]) -> bool:
    """Whether headings and abstracts alternate: a single pair is a header and its text."""
    kept = [part for part in paragraphs if not _LABEL.fullmatch(part.text)]
    around: list[_Paragraph | None] = [None, *kept, None]
    above = [
        before is not None and before.is_heading and not _KEYWORDS.match(before.text)
        for before, paragraph, after in zip(around, kept, around[2:], strict=False)
        if not paragraph.is_heading and not _is_title(paragraph, after)
    ]
    return sum(above) >= max(2, TITLED_SHARE * len(above))


def _is_title(paragraph: _Paragraph, after: _Paragraph | None) -> bool:
    """Whether a short text that ends a sentence is a title after all: names stand below it."""
    return is_short(paragraph.text) and after is not None and is_names(after.text)


def _are_numbered(paragraphs: Sequence[_Paragraph]) -> bool:
    """Whether the abstracts are counted: 1., 2. and so on before them."""
    texts = [part.text for part in paragraphs if not part.is_heading]
    numbers = [int(found[1]) for text in texts if (found := _NUMBERED.match(text))]
    return len(numbers) > 1 and numbers == list(range(numbers[0], numbers[0] + len(texts)))


def _is_bibliography(paragraphs: Sequence[_Paragraph]) -> bool:
    """Whether most of its lines, or paragraphs, are references, whatever the last one is."""
    entries = [entry.text for entry in _entries(paragraphs)]
    sure = entries[:-1] or entries
    return bool(sure) and sum(map(is_reference, sure)) >= TITLED_SHARE * len(sure)


def _entries(paragraphs: Sequence[_Paragraph]) -> Iterator[_Paragraph]:
    """The lines of paragraphs all of whose lines are references; other paragraphs whole."""
    for paragraph in paragraphs:
        sure = paragraph.lines[:-1]
        if sure and sum(map(is_reference, sure)) >= TITLED_SHARE * len(sure):
            for at, line in enumerate(paragraph.lines):
                yield _Paragraph(paragraph.line + at, line)
        elif not paragraph.is_heading:
            yield replace(paragraph, text=" ".join(paragraph.lines))


def _references(paragraphs: Sequence[_Paragraph]) -> Iterator[Rejection]:
    for entry in _entries(paragraphs):
        yield reject(entry.line, f"no abstract: a reference, {entry.text[:80]}")


PARAGRAPHS = Reader("text", sniff, read)
