"""Summaries on disk, so that a paper is summed up once by the same means, whoever stops when.

One file for each way of summing up, a line for each paper, added as it is made and never
rewritten. Any number of processes may add at once; a line that a crash has torn is left out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from rag.store.files import added_lines, append_line
from rag.summarize import Summarizer
from rag.types import Citation, Paper, Summary

FOLDER = "summaries"
"""In the folder of an index."""

_Row = dict[str, Any]

_SAME = ("text", "supported", "support", "engine", "model", "prompt")
"""Fields of a summary that a row has as they are."""


class Kept:
    """A Summarizer that does not do again what it has done for the same text and names.

    ``fresh`` reads nothing: every paper is summed up anew, and what is made goes before what was
    there. ``note`` is told once where the folder cannot be written.
    """

    def __init__(
        self,
        summarizer: Summarizer,
        folder: Path,
        note: Callable[[str], None] = lambda text: None,
        *,
        fresh: bool = False,
    ) -> None:
        self.identity = summarizer.identity
        self.summarizer = summarizer
        self._path = folder / f"{_hash(summarizer.identity)}.jsonl"
        self._note: Callable[[str], None] | None = note
        self._fresh = fresh

    def summarize(self, paper: Paper, spans: Sequence[tuple[int, int]]) -> Summary:
        """The kept summary, at no cost, or a new one; raises what making one raises."""
        found = self.find(paper)
        if found is None:
            found = self.summarizer.summarize(paper, spans)
            self._keep(found)
        return found

    def find(self, paper: Paper) -> Summary | None:
        """The kept summary; None if there is none, or if its quotes are not in the text."""
        row = self._rows.get(_key(paper))
        return _summary(paper, row) if row else None

    @cached_property
    def _rows(self) -> dict[str, _Row]:
        """What the file has, by key; of two lines with the same key the later one."""
        return {} if self._fresh else {row["key"]: row for row in _read(self._path)}

    def _keep(self, summary: Summary) -> None:
        try:
            append_line(self._path, json.dumps(_row(summary)))
        except OSError as error:
            if self._note:
                self._note(f"summaries are not kept: {error.strerror} ({self._path.parent})")
                self._note = None


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


def _key(paper: Paper) -> str:
    """What a summary depends on: the text, the title, and what the paper is called."""
    return _hash(f"{paper.text_hash} {paper.handle}")


def _row(summary: Summary) -> _Row:
    quotes = [[c.start, c.end, c.quote] for c in summary.citations]
    same = ("text", "supported", "support", "engine", "model", "prompt", "notes")
    values = {name: getattr(summary, name) for name in same}
    row = {"key": _key(summary.paper), **values, "quotes": quotes}
    return {**row, "seal": _seal(row)}


def _seal(row: _Row) -> str:
    """A hash over all that a row says: what was damaged or changed by hand is made anew."""
    return _hash(json.dumps({**row, "seal": ""}, sort_keys=True))


def _summary(paper: Paper, row: _Row) -> Summary | None:
    """The summary in a row, of a paper that may have come to stand elsewhere; None for one that
    quotes what is not there."""
    values = {name: row[name] for name in _SAME}
    quotes = (Citation(1, paper.paper_id, quote, start, end) for start, end, quote in row["quotes"])
    citations = tuple(quotes)
    exact = all(paper.text[c.start : c.end] == c.quote for c in citations)
    notes = tuple(row["notes"])
    return Summary(paper, citations=citations, notes=notes, **values) if exact else None


def _read(path: Path) -> Iterator[_Row]:
    """The rows of a file; none without one, and without what is damaged."""
    for line in added_lines(path):
        try:
            row = json.loads(line)
            whole = isinstance(row, dict) and row["seal"] == _seal(row)
        except (ValueError, LookupError, RecursionError):
            continue
        if whole:
            yield row
