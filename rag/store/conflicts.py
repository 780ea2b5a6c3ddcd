"""Another version of a paper that the index has: whose text counts.

Knows records, not how they are stored. Without a wish the longest text of a paper counts, whichever
file was read last; a wish is marked in the records that are read, and holds until their file is
read without one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from rag.corpus.alike import Record
from rag.types import OnConflict, Paper


def marks(
    records: Iterable[Paper], files: Collection[str], on_conflict: OnConflict
) -> dict[str, Any]:
    """What the sources of the records in ``files`` get to count as wished beside all others."""
    if on_conflict == "both":
        return {"apart": True}
    sources = (record.sources[0] for record in records)
    weights = [0, *(source.weight for source in sources if source.file not in files)]
    return {"weight": max(weights) + 1 if on_conflict == "replace" else min(weights) - 1}


def settled(
    before: Iterable[Paper],
    now: Sequence[Paper],
    on_conflict: OnConflict,
    marked: dict[str, Any],
) -> Iterator[Paper]:
    """The records of a file as they are ``now``, with what is kept of it as it was ``before``."""
    versions: dict[tuple[str, str], list[Paper]] = {}
    for record in before:
        for name in _names(record):
            versions.setdefault(name, []).append(record)
    for record in now:
        record = replace(record, sources=tuple(replace(s, **marked) for s in record.sources))
        known = [old for name in _names(record) for old in versions.get(name, ())]
        others = [old for old in dict.fromkeys(known) if old.text != record.text]
        if others and on_conflict == "keep":
            yield replace(others[0], sources=record.sources)
            continue
        if on_conflict == "both":
            yield from others
        yield record


def _names(paper: Paper) -> Iterator[tuple[str, str]]:
    record = Record(paper)
    yield "id", paper.paper_id
    if record.title and record.own_title:
        yield "title", record.title
