"""BibTeX, read by ``bibtexparser``; of a damaged entry what stands before the damage.

Cleaning resolves the LaTeX in the values, as it does in any abstract.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rag.corpus.fields import record_from
from rag.corpus.readers.bibtex_values import plain
from rag.corpus.record import RawRecord, Reader, reject
from rag.types import Rejection

if TYPE_CHECKING:
    from bibtexparser.model import Block, Entry

_ENTRY = re.compile(r"^\s*@\s*\w+\s*[{(]", re.MULTILINE)
_NOT_PAPERS = frozenset({"string", "preamble", "comment"})
_LINES_TRIED = 60
"""Lines of a damaged entry that are left out from its end, one after the other, until it reads."""


def sniff(text: str, suffix: str) -> bool:
    """Whether an entry begins near the top."""
    return _ENTRY.search(text[:2_000]) is not None or suffix in (".bib", ".bibtex")


def read(text: str) -> Iterator[RawRecord | Rejection]:
    """The record of each entry, in file order."""
    found = list(_blocks(text))
    for block in found:
        yield _record(block)
    if not found:
        yield reject(1, "no entry begins with @")


def _blocks(text: str) -> Iterator[Block]:
    from bibtexparser.model import Entry, ParsingFailedBlock

    for block in _parsed(text):
        if isinstance(block, Entry | ParsingFailedBlock):
            yield block


def _parsed(text: str) -> list[Block]:
    """The library's blocks; it reports damage to the log, where nobody looks."""
    from bibtexparser.library import Library
    from bibtexparser.middlewares import RemoveEnclosingMiddleware
    from bibtexparser.splitter import Splitter

    logging.getLogger("bibtexparser.splitter").disabled = True
    library: Library = Splitter(bibstr=text).split()
    return list(RemoveEnclosingMiddleware().transform(library).blocks)


def _record(block: Block) -> RawRecord | Rejection:
    from bibtexparser.model import Entry

    line = (block.start_line or 0) + 1
    entry = block if isinstance(block, Entry) else _salvaged(block.raw or "")
    if entry is None:
        return reject(line, "not an entry of BibTeX: its braces or quotes do not match")
    return record_from(_fields(entry), line)


def _fields(entry: Entry) -> dict[str, object]:
    """The entry's values; its key is an id only where nothing better is there."""
    fields = plain({field.key: str(field.value) for field in entry.fields})
    names = {name.casefold() for name in fields}
    known = names & {"doi", "url", "eprint", "link", "paperid"}
    return fields if known else {"id": entry.key, **fields}


def _salvaged(raw: str) -> Entry | None:
    """A damaged entry without its last lines, as few as will do."""
    from bibtexparser.model import Entry

    lines = raw.split("\n")
    for kept in range(len(lines) - 1, max(len(lines) - _LINES_TRIED, 0), -1):
        blocks = _parsed("\n".join(lines[:kept]).rstrip().rstrip(",") + "\n}")
        if len(blocks) == 1 and isinstance(blocks[0], Entry) and blocks[0].fields:
            return blocks[0]
    return None


BIBTEX = Reader("bibtex", sniff, read)
