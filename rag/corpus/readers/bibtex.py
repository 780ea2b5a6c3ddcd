"""BibTeX and BibLaTeX, read by ``bibtexparser``; of a damaged entry the fields that are whole.

Cleaning resolves the LaTeX in the values, as it does in any abstract.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

from rag.corpus.fields import record_from
from rag.corpus.record import RawRecord, Reader, reject
from rag.types import Rejection

if TYPE_CHECKING:
    from bibtexparser.library import Library
    from bibtexparser.model import Block

_ENTRY = re.compile(r"^\s*@\s*\w+\s*[{(]\s*[^\s{}()\"]*\s*[,=]", re.MULTILINE)
_FIELD = re.compile(r"(?:^|[,\n])[ \t]*([A-Za-z][\w-]*)\s*=\s*(?=[{\"\w])")
_KEY = re.compile(r"\s*@\s*\w+\s*[{(]\s*([^\s,={}]*)\s*(?=[,\n])")
_KEYLESS = re.compile(
    r"^([ \t]*@\s*(?!string\b)\w+\s*[{(]\s*)(?=\w+\s*=)", re.MULTILINE | re.IGNORECASE
)
_OPENING = re.compile(r"\A\s*@\s*\w+\s*[{(]")
_CONCATENATION = re.compile(r"\s+#\s+")
_NAMED = frozenset(("doi", "url", "eprint"))
"""Fields that say better than the key which paper it is."""

Fields = dict[str, object]


def sniff(text: str, suffix: str) -> bool:
    """Whether an entry begins near the top."""
    return _ENTRY.search(text[:5_000]) is not None or suffix in (".bib", ".bibtex")


def read(text: str) -> Iterator[RawRecord | Rejection]:
    """The record of each entry, in file order."""
    library = _parsed(text)
    strings = {string.key.casefold(): str(string.value) for string in library.strings}
    blocks = list(filter(_is_entry, library.blocks))
    # What the library takes for the end of a damaged entry may be long before it.
    begins = [*(block.start_line or 0 for block in blocks), None]
    lines = text.split("\n")
    sources = ("\n".join(lines[begin:end]) for begin, end in pairwise(begins))
    found = [_fields(*each, strings) for each in zip(blocks, sources, strict=True)]
    parents = {str(fields.get("ID")).casefold(): fields for fields in found if fields}
    for place, (block, fields) in enumerate(zip(blocks, found, strict=True), start=1):
        line = (block.start_line or 0) + 1
        if place == len(found) and _is_cut(text):
            yield reject(line, "the entry is cut off by the end of the file")
        elif fields is None:
            yield reject(line, "not an entry of BibTeX: its braces or quotes do not match")
        else:
            parent = parents.get(str(fields.get("crossref")).casefold(), {})
            yield record_from(_identified({**_inherited(parent), **fields}), line)
    if not found:
        yield reject(1, "no entry begins with @")


def _parsed(text: str) -> Library:
    """The library's blocks; it reports damage to the log, where nobody looks."""
    from bibtexparser.middlewares import RemoveEnclosingMiddleware
    from bibtexparser.splitter import Splitter

    logging.getLogger("bibtexparser.splitter").disabled = True
    return RemoveEnclosingMiddleware().transform(
        Splitter(bibstr=_KEYLESS.sub(r"\1,", text)).split()
    )


def _is_entry(block: Block) -> bool:
    from bibtexparser.model import Entry, ParsingFailedBlock

    return isinstance(block, Entry | ParsingFailedBlock)


def _is_cut(text: str) -> bool:
    """Whether a file ends within a line and an entry."""
    return not text.endswith("\n") and text.rstrip()[-1:] not in ("}", ")")


def _fields(block: Block, source: str, strings: Mapping[str, str]) -> Fields | None:
    """Values by name, the key as ``ID``; None where nothing of a damaged entry is whole."""
    from bibtexparser.model import Entry

    if not isinstance(block, Entry):
        return _salvaged(source, strings)
    fields: Fields = {"ID": block.key}
    for field in block.fields:
        fields.setdefault(field.key.casefold(), _resolved(str(field.value), strings))
    return _with_authors(fields)


def _resolved(value: str, strings: Mapping[str, str]) -> str:
    """A value with its abbreviations written out: ``icml # " 2020"``."""
    if value.casefold() in strings:
        return strings[value.casefold()]
    if "#" not in value or not _CONCATENATION.search(value):
        return value
    parts = _CONCATENATION.split(value)
    if not any(part.strip().casefold() in strings for part in parts):
        return value
    return "".join(strings.get(part.strip().casefold(), part.strip('"{}')) for part in parts)


def _with_authors(fields: Fields) -> Fields:
    from bibtexparser.middlewares.names import split_multiple_persons_names

    if isinstance(people := fields.get("author"), str):
        fields["author"] = split_multiple_persons_names(" ".join(people.split()))
    return fields


def _identified(fields: Fields) -> Fields:
    """Fields whose key is an id only where nothing better is there."""
    return {
        name: value for name, value in fields.items() if name != "ID" or not _NAMED & fields.keys()
    }


def _inherited(parent: Fields) -> Fields:
    """What an entry has from the one that it refers to: that one's title is its book's."""
    kept = ("booktitle", "journal", "year", "date", "eventtitle")
    fields = {name: parent[name] for name in kept if name in parent}
    return {"booktitle": parent["title"], **fields} if "title" in parent else fields


def _salvaged(raw: str, strings: Mapping[str, str]) -> Fields | None:
    """The fields of a damaged entry, told by their names; the last one only if it is whole."""
    key = _KEY.match(raw)
    raw = _OPENING.sub("\n", raw)
    begins = list(_FIELD.finditer(raw))
    fields: Fields = {"ID": key[1]} if key and key[1] else {}
    ends = [*(begin.start() for begin in begins[1:]), len(raw)]
    for begin, end in zip(begins, ends, strict=False):
        value = _value(raw[begin.end() : end], is_last=end == len(raw))
        if value is not None:
            fields.setdefault(begin[1].casefold(), _resolved(value, strings))
    return _with_authors(fields) if begins and fields else None


def _value(written: str, is_last: bool) -> str | None:
    """A value out of its braces or quotes, also where the closing one is missing."""
    written = written.strip()
    opening = written[0]
    if opening not in '{"':
        return written.rstrip(",})\n ")
    depth = 0
    for place, char in enumerate(written):
        depth += (char == "{") - (char == "}")
        closes = depth == 0 if opening == "{" else (place > 0 and char == '"' and depth == 0)
        if closes:
            return written[1:place]
    return None if is_last else written[1:].rstrip(',}" \n')


BIBTEX = Reader("bibtex", sniff, read)
