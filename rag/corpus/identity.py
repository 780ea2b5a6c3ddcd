"""What makes two records the same paper: their ids and the letters of their text.

Knows nothing about files, formats or the store. An id depends on the record alone, so the
same file gives the same ids on every machine and at every re-ingest.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import TYPE_CHECKING
from urllib.parse import unquote

if TYPE_CHECKING:
    from rag.types import Paper

_NOT_ALPHANUMERIC = re.compile(r"[\W_]+")
_OPENREVIEW = re.compile(r"openreview\.net/\w+\?(?:[^#]*&)?id=([\w-]+)", re.IGNORECASE)
_ARXIV = re.compile(
    r"arxiv(?:\.org/(?:abs|pdf|html)/|[.:])((?:\d{4}\.\d{4,5}|[a-z.-]+/\d{7})(?!\d))", re.IGNORECASE
)
_BARE_ARXIV = re.compile(r"(\d{4}\.\d{4,5})(?:v\d+)?")
_DOI = re.compile(r"(?:doi\.org/|doi:\s*|^)(10\.\d{4,9}/[^\s&]+)", re.IGNORECASE)
_SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*://", re.IGNORECASE)


def paper_id(id: str | None, url: str | None, text: str) -> str:
    """The stable id of a record: its own, else one read off its URL, else one of its text.

    The record's own id is kept verbatim but for control characters and outer space. A URL
    gives the OpenReview forum id, ``arXiv:NNNN.NNNNN`` (without the version), the DOI in
    lower case, or itself without scheme and trailing slash. A text gives 12 hex digits.
    """
    return printable(id) or _from_url(printable(url)) or text_key(text)[:12]


def identifiers(paper: Paper) -> tuple[tuple[str, str], ...]:
    """What names a paper everywhere, as far as its id and URL tell: scheme and id."""
    url = paper.url or ""
    found = []
    if forum := _OPENREVIEW.search(url):
        found.append(("openreview", forum[1]))
    for text in (paper.paper_id, url):
        if arxiv := _ARXIV.search(text) or _BARE_ARXIV.fullmatch(text):
            found.append(("arxiv", f"arXiv:{arxiv[1]}"))
        elif doi := _DOI.search(unquote(text)):
            found.append(("doi", doi[1].rstrip("/").lower()))
    return tuple(dict.fromkeys(found))


def text_key(text: str) -> str:
    """SHA-256 (64 hex digits) of the casefolded letters and digits of ``text``.

    Spacing, punctuation and case do not count: they differ between copies of one abstract.
    """
    letters = _NOT_ALPHANUMERIC.sub("", text.casefold()) or text
    return hashlib.sha256(letters.encode("utf-8", "replace")).hexdigest()


def printable(value: str | None) -> str:
    """``value`` without what cannot be printed or encoded (control characters, surrogates)."""
    kept = (c for c in value or "" if unicodedata.category(c) not in ("Cc", "Cs"))
    return "".join(kept).strip()


def _from_url(url: str) -> str:
    if forum := _OPENREVIEW.search(url):
        return forum[1]
    if arxiv := _ARXIV.search(url):
        return f"arXiv:{arxiv[1]}"
    if doi := _DOI.search(unquote(url)):
        return doi[1].rstrip("/").lower()
    return _SCHEME.sub("", url).rstrip("/")
