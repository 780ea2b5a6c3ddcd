"""Markdown lists and digests: papers as headings or items with what is said of them below.

Knows labelled values ("**Abstract:** …") and links in headings. A list of titles alone has no
abstracts, which is told entry by entry.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rag.corpus.fields import knows, record_from
from rag.corpus.record import RawRecord, Reader
from rag.types import Rejection

_HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*\s*$", re.MULTILINE)
_LABEL = re.compile(r"^[ \t]*(?:[-*+][ \t]+)?(\*\*|__)([^*_\n]{2,40}?):?\1:?[ \t]*", re.MULTILINE)
"""A label at the start of a line: ``**Abstract:** …`` or ``- **Venue**: …``."""
_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])+)\]\((https?://[^\s()]+)\)")
_NUMBER = re.compile(r"^(?:\[\d+\]|\d+[.)])\s+")
_EMPHASISED = re.compile(r"^\s*[*_]([^*_\n]+)[*_]\s*$", re.MULTILINE)
_TAG = re.compile(r"^\s*</?(?:details|summary|div|br)\b.*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Section:
    line: int
    heading: str
    body: str


def sniff(text: str, suffix: str) -> bool:
    """Whether headings stand over labelled abstracts, whatever the file is called."""
    return any(_abstract(section) for section in _sections(text[:200_000]))


def read(text: str) -> Iterator[RawRecord | Rejection]:
    """The record of each section that says something of a paper."""
    for section in _sections(text):
        fields = _fields(section)
        if len(fields) > 1:
            yield record_from(fields, section.line)


def _abstract(section: _Section) -> bool:
    return bool(_fields(section).get("abstract"))


def _sections(text: str) -> Iterator[_Section]:
    found = list(_HEADING.finditer(text))
    ends = [heading.start() for heading in found[1:]] + [len(text)]
    for heading, end in zip(found, ends, strict=False):
        line = text.count("\n", 0, heading.start()) + 1
        yield _Section(line, heading[2], text[heading.end() : end])


def _fields(section: _Section) -> dict[str, object]:
    """Title and link of the heading, and the labelled values that we know below it."""
    title = _NUMBER.sub("", section.heading)
    link = _LINK.search(title)
    fields: dict[str, object] = {"title": link[1] if link else title}
    if link:
        fields["url"] = link[2]
    body = _TAG.sub("", section.body)
    labels = list(_LABEL.finditer(body))
    if authors := _EMPHASISED.search(body[: labels[0].start()] if labels else ""):
        fields["authors"] = authors[1]
    ends = [*(label.start() for label in labels[1:]), len(body)]
    for label, end in zip(labels, ends, strict=False):
        if knows(label[2]):
            fields.setdefault(label[2].casefold(), body[label.end() : end].strip())
    return fields


MARKDOWN = Reader("markdown", sniff, read)
