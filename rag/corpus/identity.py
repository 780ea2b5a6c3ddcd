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
_OPENREVIEW = re.compile(
    r"openreview\.net/(?!group|venue|profile|search)\w+\?(?:[^#]*&)?id=([\w-]+)(?![\w./-])",
    re.IGNORECASE,
)
_ARXIV_NUMBER = r"(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})"
_ARXIV = re.compile(
    rf"arxiv(?:\.org/(?:abs|pdf|html)/|[.:]\s*)({_ARXIV_NUMBER})(?!\d)", re.IGNORECASE
)
_ARCHIVES = (
    "acc-phys|adap-org|alg-geom|ao-sci|astro-ph|atom-ph|bayes-an|chao-dyn|chem-ph|cmp-lg|comp-gas|cond-mat"
    "|cs|dg-ga|funct-an|gr-qc|hep-(?:ex|lat|ph|th)|math(?:-ph)?|mtrl-th|nlin|nucl-(?:ex|th)"
    "|patt-sol|physics|plasm-ph|q-alg|q-bio|quant-ph|solv-int|supr-con"
)
"""Those of the old numbers, which without a prefix look like any path."""
_BARE_ARXIV = re.compile(
    rf"(\d{{4}}\.\d{{4,5}}|(?:{_ARCHIVES})(?:\.[a-z]{{2}})?/\d{{7}})(?:v\d+)?", re.IGNORECASE
)
_SUBJECT = re.compile(r"\.[a-z]{2}/")
"""A part of old arXiv numbers that may be left out: math.GT/0309136."""
_DOI = re.compile(r"(?:doi\.org/|doi:\s*|^)(10\.\d{4,9}/[^\s&?#]+)", re.IGNORECASE)
_LABELLED_DOI = re.compile(r"\b(10\.\d{4,9}/[^\s&?#]+)\s*\[doi\]", re.IGNORECASE)
"""As PubMed writes it, which gives other numbers in the same place."""
_UNPRINTED = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
"""Categories of Unicode."""
_NOT_ADDRESS = re.compile(r"^(?:[a-z][a-z0-9+.-]*://)?\s*|[\s/]+$", re.IGNORECASE)


def paper_id(
    id: str | None, url: str | None, text: str, doi: str | None = None, arxiv: str | None = None
) -> str:
    """The stable id of a record: its own, else one that it has everywhere, else of its text.

    The record's own id is kept verbatim but for control characters and outer space. Next are
    the OpenReview forum in its URL, ``arXiv:NNNN.NNNNN`` (without the version), its DOI in
    lower case, and the URL without scheme and trailing slash. A text gives 12 hex digits.
    """
    own, url = printable(id), printable(url)
    if not own and (forum := _OPENREVIEW.search(url)):
        return forum[1]
    number = arxiv or arxiv_of(url)
    everywhere = f"arXiv:{number}" if number else doi or doi_of(url) or ""
    return own or everywhere or _NOT_ADDRESS.sub("", url) or text_key(text)[:12]


def doi_of(*written: str | None) -> str | None:
    """The DOI, in lower case and without a prefix, in the first text that is one, or an address
    or a label with one."""
    for text in filter(None, written):
        text = printable(unquote(text))
        if found := _DOI.search(text) or _LABELLED_DOI.search(text):
            return found[1].rstrip("/.,;").lower()
    return None


def arxiv_of(*written: str | None) -> str | None:
    """The arXiv number, without its version, in the first text that is one or an address of one."""
    for text in map(printable, written):
        if found := _ARXIV.search(text) or _BARE_ARXIV.fullmatch(text):
            return _SUBJECT.sub("/", found[1].lower())
    return None


def identifiers(paper: Paper) -> tuple[tuple[str, str], ...]:
    """What names a paper everywhere: scheme and id. An arXiv number is also a DOI, but not the
    one under which the paper was published."""
    found = []
    if forum := _OPENREVIEW.search(paper.url or ""):
        found.append(("openreview", forum[1]))
    for arxiv in (paper.arxiv, arxiv_of(paper.paper_id, paper.url)):
        if arxiv:
            found.append(("arxiv", f"arXiv:{arxiv}"))
    for doi in (paper.doi, doi_of(paper.paper_id, paper.url)):
        if doi and not _ARXIV.search(doi):
            found.append(("doi", doi))
    return tuple(dict.fromkeys(found))


def text_key(text: str) -> str:
    """SHA-256 (64 hex digits) of the casefolded letters and digits of ``text``.

    Spacing, punctuation and case do not count: they differ between copies of one abstract.
    """
    letters = _NOT_ALPHANUMERIC.sub("", text.casefold()) or text
    return hashlib.sha256(letters.encode("utf-8", "replace")).hexdigest()


def printable(value: str | None) -> str:
    """``value`` without what cannot be printed or encoded, or what nobody sees: controls, changes
    of direction, separators of lines, surrogates."""
    kept = (c for c in value or "" if unicodedata.category(c) not in _UNPRINTED)
    return "".join(kept).strip()
