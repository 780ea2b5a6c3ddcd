"""Atom and RSS, as arXiv's API and its daily feeds have them; read by ``feedparser``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rag.corpus.fields import record_from
from rag.corpus.readers.lines import lines_of
from rag.corpus.record import RawRecord, Reader, reject
from rag.types import Rejection

_FEED = re.compile(r"<(?:\w+:)?(?:feed|rss|RDF)\b")
_ENTRY = re.compile(r"<(?:\w+:)?(?:entry|item)\b")
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_ERROR = "/api/errors"
"""What arXiv's API answers a wrong request with: an entry that is none."""


def sniff(text: str, suffix: str) -> bool:
    """Whether a feed begins near the top."""
    return text.lstrip().startswith("<") and _FEED.search(text[:2_000]) is not None


def read(text: str) -> Iterator[RawRecord | Rejection]:
    """The record of each entry; a feed without entries, and damage, are told at the end."""
    import feedparser

    # As text, the library would take one for the name of a file or an address. What the file says
    # of its encoding is no longer so.
    feed = feedparser.parse(_DECLARATION.sub("", text).encode("utf-8", "replace"))
    line_of = lines_of(text)
    lines = [line_of(found.start()) for found in _ENTRY.finditer(text)]
    for place, entry in enumerate(feed.entries):
        yield _record(entry, lines[place] if place < len(lines) else 1)
    if not feed.entries:
        yield reject(1, "a feed without entries")
    elif feed.bozo and len(lines) > len(feed.entries):
        yield reject(lines[len(feed.entries)], f"not valid XML: {feed.bozo_exception}")


def _record(entry: Any, line: int) -> RawRecord | Rejection:
    if _ERROR in entry.get("id", ""):
        return reject(line, f"an error that arXiv answered with: {entry.get('summary', '')}")
    return record_from(
        {
            "title": " ".join(entry.get("title", "").split()),
            "abstract": entry.get("summary", ""),
            "url": entry.get("link") or entry.get("id", ""),
            "doi": entry.get("arxiv_doi", ""),
            "authors": [author.get("name", "") for author in entry.get("authors", [])],
            "year": entry.get("published", ""),
            "venue": entry.get("arxiv_journal_ref", ""),
            "area": entry.get("arxiv_primary_category", {}).get("term", ""),
        },
        line,
    )


ATOM = Reader("atom", sniff, read)
