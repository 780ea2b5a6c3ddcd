"""JSON documents: papers wherever they are nested; damage costs the paper that it is in."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.corpus.fields import has_abstract
from rag.corpus.readers.json_text import JsonText
from rag.corpus.readers.lines import lines_of
from rag.corpus.readers.nested import Found, papers_in
from rag.corpus.record import RawRecord, Reader, reject
from rag.types import Rejection

_START = re.compile(
    r'(?:(?:var|let|const)\s+[\w$]+|window\.[\w$.]+)?\s*=?\s*(?:\{\s*["}]|\[\s*[\[{\]"])'
)


def sniff(text: str, suffix: str) -> bool:
    """Whether the text begins like a JSON array or object; a ``.json`` file must be one."""
    return suffix == ".json" or _START.match(text[:500].lstrip()) is not None


def read(text: str) -> Iterator[RawRecord | Rejection]:
    """The record of each paper, or why it is none, in file order; then each damage."""
    line_of = lines_of(text)
    document = JsonText(text, is_whole=is_paper)
    for found in papers_in(document.values) or rest(document):
        start = document.starts.get((id(found.holder), found.key), 0)
        yield found.record(line_of(start))
    for damage in document.damage:
        yield reject(line_of(damage.at), f"not valid JSON from here on: {damage.reason}")


def is_paper(value: object) -> bool:
    """Whether an object needs no looking into."""
    return isinstance(value, dict) and has_abstract(value, weak=False)


def rest(document: JsonText) -> list[Found]:
    """Where no paper is found and nothing is damaged, each value, to be rejected."""
    if document.damage:
        return []
    return [Found(document.values, place) for place in range(len(document.values))]


JSON_DOCUMENT = Reader("json", sniff, read)
