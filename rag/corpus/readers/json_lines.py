"""JSON Lines: one object a line. A bad line costs only itself."""

from __future__ import annotations

import json
from collections.abc import Iterator

from rag.corpus.readers.json_document import is_paper, rest
from rag.corpus.readers.json_text import JsonText
from rag.corpus.readers.nested import papers_in
from rag.corpus.record import RawRecord, Reader, reject
from rag.types import Rejection

_SUFFIXES = (".jsonl", ".ndjson")


def sniff(text: str, suffix: str) -> bool:
    """Whether the first line is a whole object with more lines after it.

    The suffix decides where the first line is damaged, or the only one.
    """
    first, _, rest = text.lstrip().partition("\n")
    if first.startswith("{") and _is_json(first):
        return bool(rest.strip()) or suffix in _SUFFIXES
    is_document = first.startswith("[") and not _is_json(first)
    return suffix in _SUFFIXES and not is_document


def read(text: str) -> Iterator[RawRecord | Rejection]:
    """The record of each line that is not blank, or why it is none."""
    # Not splitlines(): it also breaks at U+2028 and its like, which JSON allows in strings.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield from _records(line, number)


def _records(line: str, number: int) -> Iterator[RawRecord | Rejection]:
    document = JsonText(line, is_whole=is_paper)
    for found in papers_in(document.values) or rest(document):
        yield found.record(number)
    for damage in document.damage:
        yield reject(number, f"not valid JSON: {damage.reason} at column {damage.at + 1}")


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


JSON_LINES = Reader("jsonl", sniff, read)
