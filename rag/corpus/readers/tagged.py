"""Records as lines that begin with a short tag: Web of Science, PubMed's nbib, EndNote's own.

Also Ovid's, which is like PubMed's, and Cochrane's. Knows how each marks a tag, where its records
begin and end, and what its tags mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rag.corpus.fields import is_usual, record_from
from rag.corpus.readers.lines import lines_of
from rag.corpus.readers.shapes import is_cut_off
from rag.corpus.record import RawRecord, Reader, reject
from rag.types import Rejection

_MARGIN = 300
"""Characters before a tag among which the line above it is."""
_LISTS = frozenset(("authors", "keywords"))


@dataclass(frozen=True, slots=True)
class Grammar:
    """How a format is written.

    ``begins`` matches the first tag of a record, which stands below a blank line if it is not one
    that is met nowhere else (``anywhere``), ``ends`` where one ends if the format has a mark for
    it, ``tag`` a line's tag; a line without one goes on with the value before it or, below a tag
    in ``listed``, is another value. ``fields`` are the tags that say something here, of equal
    fields the better one first.
    """

    begins: re.Pattern[str]
    tag: re.Pattern[str]
    fields: Mapping[str, str]
    listed: frozenset[str] = frozenset()
    ends: re.Pattern[str] | None = None
    anywhere: frozenset[str] = frozenset()

    def sniff(self, text: str, suffix: str) -> bool:
        """Whether a record begins near the top."""
        return next(self._starts(text[:1_000]), None) is not None

    def read(self, text: str) -> Iterator[RawRecord | Rejection]:
        """The record of each entry; of a last one that is cut off, that it is."""
        line_of = lines_of(text)
        starts = list(self._starts(text))
        for begin, end in zip(starts, [*starts[1:], len(text)], strict=False):
            entry = text[begin:end]
            line = line_of(begin)
            if end == len(text) and self._is_cut(text, entry):
                yield reject(line, "the entry is cut off by the end of the file")
            else:
                yield record_from(self._fields(entry), line)
        if not starts:
            yield reject(1, "no record begins as the format wants it")

    def _starts(self, text: str) -> Iterator[int]:
        for found in self.begins.finditer(text):
            before = text[max(0, found.start() - _MARGIN) : found.start()].split("\n")
            if found[0] in self.anywhere or not any(map(str.strip, before[-2:])):
                yield found.start()

    def _is_cut(self, text: str, entry: str) -> bool:
        if self.ends is not None and self.ends.search(text):
            return self.ends.search(entry) is None
        return is_cut_off(text)

    def _fields(self, entry: str) -> dict[str, object]:
        values = self._values(entry)
        found: dict[str, object] = {}
        others = {tag: tag for tag in values if tag not in self.fields and not is_usual(tag)}
        for tag, name in {**self.fields, **others}.items():
            if tag in values:
                value: object = values[tag]
                if name not in _LISTS and len(values[tag]) == 1:
                    value = values[tag][0]
                found.setdefault(name, value)
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
    begins=re.compile(r"^PT (?=[A-Z]\s*$)", re.MULTILINE),
    tag=re.compile(r"([A-Z][A-Z0-9])(?: |$)"),
    fields={
        **{"TI": "title", "AB": "abstract", "AF": "authors", "AU": "authors", "SO": "journal"},
        **{"PY": "year", "DI": "doi", "UT": "accession number", "DE": "keywords"},
    },
    listed=frozenset({"AU", "AF"}),
    ends=re.compile(r"^ER\s*$", re.MULTILINE),
    anywhere=frozenset({"PT "}),
)
_NBIB = Grammar(
    begins=re.compile(r"^(?:PMID|OWN|STAT|TI|UI|VN|AN) {0,2}- ", re.MULTILINE),
    tag=re.compile(r"([A-Z]{2,4})\s{0,2}- "),
    fields={
        **{"PMID": "pmid", "TI": "title", "AB": "abstract", "FAU": "authors", "AU": "authors"},
        **{"JT": "journal", "TA": "journal", "DP": "year", "OT": "keywords", "MH": "keywords"},
        **{"AID": "doi", "LID": "url", "DO": "doi", "YR": "year", "KW": "keywords"},
    },
    anywhere=frozenset({"PMID- "}),
)
_ENDNOTE = Grammar(
    begins=re.compile(r"^%[A-Z0-9] ", re.MULTILINE),
    tag=re.compile(r"%([A-Z0-9@!?\[\]&~#$^<>*()=+]) "),
    fields={
        **{"T": "title", "X": "abstract", "A": "authors", "J": "journal", "B": "conference"},
        **{"D": "year", "R": "doi", "U": "url", "K": "keywords"},
    },
)

_COCHRANE = Grammar(
    begins=re.compile(r"^Record #\d+ of \d+", re.MULTILINE),
    tag=re.compile(r"([A-Z]{2}): "),
    fields={
        **{"TI": "title", "AB": "abstract", "AU": "authors", "SO": "journal", "YR": "year"},
        **{"DOI": "doi", "US": "url", "KY": "keywords", "ID": "id"},
    },
)

WOS = Reader("wos", _WOS.sniff, _WOS.read)
NBIB = Reader("nbib", _NBIB.sniff, _NBIB.read)
COCHRANE = Reader("cochrane", _COCHRANE.sniff, _COCHRANE.read)
ENDNOTE = Reader("endnote", _ENDNOTE.sniff, _ENDNOTE.read)
