"""Records as lines that begin with a short tag: Web of Science, PubMed's nbib, EndNote's own.

Knows how each marks a tag, where its records begin and what its tags mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rag.corpus.fields import is_usual, record_from
from rag.corpus.record import RawRecord, Reader, reject
from rag.types import Rejection


@dataclass(frozen=True, slots=True)
class Grammar:
    """How a format is written.

    ``begins`` matches where a record does, ``tag`` a line's tag; a line without one goes on with
    the value before it or, below a tag in ``listed``, is another value. ``fields`` are the tags
    that say something here, of equal fields the better one first; others keep their tags.
    """

    begins: re.Pattern[str]
    tag: re.Pattern[str]
    fields: Mapping[str, str]
    listed: frozenset[str] = frozenset()

    def sniff(self, text: str, suffix: str) -> bool:
        """Whether a record begins near the top."""
        return self.begins.search(text[:1_000]) is not None

    def read(self, text: str) -> Iterator[RawRecord | Rejection]:
        """The record of each entry, also of a last one that is cut off."""
        starts = [found.start() for found in self.begins.finditer(text)]
        if not starts:
            yield reject(1, "no entry begins with a tag")
            return
        for begin, end in zip(starts, [*starts[1:], len(text)], strict=True):
            entry = text[begin:end]
            line = text.count("\n", 0, begin + len(entry) - len(entry.lstrip())) + 1
            yield record_from(self._fields(entry), line)

    def _fields(self, entry: str) -> dict[str, object]:
        values = self._values(entry)
        found: dict[str, object] = {}
        others = {tag: tag for tag in values if tag not in self.fields and not is_usual(tag)}
        for tag, name in {**self.fields, **others}.items():
            if tag in values:
                single = len(values[tag]) == 1
                found.setdefault(name, values[tag][0] if single else values[tag])
        return found

    def _values(self, entry: str) -> dict[str, list[str]]:
        values: dict[str, list[str]] = {}
        last = ""
        for line in entry.split("\n"):
            if tag := self.tag.match(line):
                last = tag[1]
                values.setdefault(last, []).append(line[tag.end() :].strip())
            elif last and line.strip():
                if last in self.listed:
                    values[last].append(line.strip())
                else:
                    values[last][-1] += f"\n{line.strip()}"
        return values


_WOS = Grammar(
    begins=re.compile(r"^PT [A-Z]\s*$", re.MULTILINE),
    tag=re.compile(r"([A-Z][A-Z0-9])(?: |$)"),
    fields={
        **{"TI": "title", "AB": "abstract", "AF": "authors", "AU": "authors", "SO": "journal"},
        **{"PY": "year", "DI": "doi", "UT": "accession number", "DE": "keywords"},
    },
    listed=frozenset({"AU", "AF"}),
)
_NBIB = Grammar(
    begins=re.compile(r"(?:\A|\n[ \t]*\n)\s*(?=(?:PMID|OWN|STAT|TI)\s{0,2}- )"),
    tag=re.compile(r"([A-Z]{2,4})\s{0,2}- "),
    fields={
        **{"PMID": "pmid", "TI": "title", "AB": "abstract", "FAU": "authors", "AU": "authors"},
        **{"JT": "journal", "DP": "year", "OT": "keywords", "AID": "doi", "LID": "url"},
    },
)
_ENDNOTE = Grammar(
    begins=re.compile(r"(?:\A|\n[ \t]*\n)\s*(?=%[A-Z0-9] )"),
    tag=re.compile(r"%([A-Z0-9@!?\[\]&~#$^<>*()=+]) "),
    fields={
        **{"T": "title", "X": "abstract", "A": "authors", "B": "conference", "J": "journal"},
        **{"D": "year", "R": "doi", "U": "url", "K": "keywords"},
    },
)

WOS = Reader("wos", _WOS.sniff, _WOS.read)
NBIB = Reader("nbib", _NBIB.sniff, _NBIB.read)
ENDNOTE = Reader("endnote", _ENDNOTE.sniff, _ENDNOTE.read)
