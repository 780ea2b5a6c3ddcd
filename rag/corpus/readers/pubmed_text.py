"""PubMed's export called "abstract": numbered entries in paragraphs, as they are printed.

Knows which paragraph is which by its place and by what it begins with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.corpus.fields import record_from
from rag.corpus.readers.lines import lines_of
from rag.corpus.record import RawRecord, Reader, reject
from rag.types import Rejection

_ENTRY = re.compile(r"^\d{1,6}\. (?=\S[^\n]*[12]\d{3})", re.MULTILINE)
_PMID = re.compile(r"^PMID: (\d+)", re.MULTILINE)
_DOI = re.compile(r"(?:^DOI: |\bdoi: )(10\.\S+?)\.?(?:\s|$)", re.MULTILINE)
_CITATION = re.compile(r"\d+\. ([^.]+)\. ([12]\d{3})")
_ASIDE = re.compile(
    r"author information|collaborators|comment (?:in|on)|erratum|update (?:in|of)|copyright|©"
    r"|doi: |pmid: |pmcid: |conflict of interest|publisher|\(1\)|free (?:pmc )?article",
    re.IGNORECASE,
)
_MARKS = re.compile(r"\(\d+(?:\)\(\d+)*\)")


def sniff(text: str, suffix: str) -> bool:
    """Whether a first entry is numbered and has a PubMed number below."""
    return _ENTRY.match(text.lstrip()[:500]) is not None and _PMID.search(text[:20_000]) is not None


def read(text: str) -> Iterator[RawRecord | Rejection]:
    """The record of each entry; each ends with its PubMed number."""
    line_of = lines_of(text)
    begin = 0
    for end in _PMID.finditer(text):
        entry = text[begin : end.end()]
        yield record_from(_fields(entry.strip(), end[1]), line_of(begin + _blank(entry)))
        newline = text.find("\n\n", end.end())
        begin = newline if newline >= 0 else len(text)
    if text[begin:].strip():
        rest = begin + _blank(text[begin:])
        yield reject(line_of(rest), "the entry is cut off by the end of the file")


def _blank(text: str) -> int:
    return len(text) - len(text.lstrip())


def _fields(entry: str, pmid: str) -> dict[str, object]:
    """Citation, title and authors come first; the abstract is what is no aside after them."""
    citation, *parts = [" ".join(part.split()) for part in re.split(r"\n\s*\n", entry)]
    title, authors, *rest = [*(part for part in parts if not _ASIDE.match(part)), "", ""]
    cited, doi = _CITATION.match(citation), _DOI.search(entry)
    return {
        "pmid": pmid,
        "title": title,
        "authors": _MARKS.sub("", authors).rstrip("."),
        "abstract": " ".join(filter(None, rest)),
        "journal": cited[1] if cited else "",
        "year": cited[2] if cited else "",
        "doi": doi[1] if doi else "",
    }


PUBMED_TEXT = Reader("pubmed-text", sniff, read)
