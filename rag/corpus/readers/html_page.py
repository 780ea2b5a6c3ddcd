"""A page saved from a web browser: its text as Markdown, which is then read as such.

Knows which elements are headings, items, links and emphasis, and what a page's head says of the
one paper that it is about. Scripts, menus and forms are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html.parser import HTMLParser

from rag.corpus.fields import record_from
from rag.corpus.readers.labelled import LABELLED
from rag.corpus.readers.markdown import MARKDOWN
from rag.corpus.record import RawRecord, Reader, reject
from rag.types import Rejection

_START = re.compile(
    r"(?:\s|<!--(?:(?!-->).)*-->|<\?xml[^>]*>)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S
)
_SILENT = frozenset("script style nav footer form button select svg noscript template math".split())
_VOID = frozenset("br hr img meta link input wbr source col".split())
_BLOCKS = frozenset(
    "p div section article table tr ul ol dl dt dd blockquote details header main pre td th".split()
)
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_COMMENT = re.compile(r"<!--(?:(?!<!--).)*?-->", re.DOTALL)
_STRAY = re.compile(r"<(?![^<>]*>)|\0")
"""A tag that is not closed: each would be sought to the end of the page."""
_CITATION = re.compile(r"(?:citation|dc|dcterms)[._](\w+)", re.IGNORECASE)
_NOWHERE = re.compile(r"\[([^\[\]\n]*)\]\(\)")
_FIX = "this is HTML in which no titles with abstracts were found: save or copy the page as text"


def sniff(text: str, suffix: str) -> bool:
    """Whether a page of HTML begins."""
    return _START.match(text[:5_000]) is not None or suffix in (".html", ".htm")


def read(text: str) -> Iterator[RawRecord | Rejection]:
    """The paper that the page's head describes, else the records of its text."""
    page = _Page()
    page.feed(_STRAY.sub("", _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)))
    page.close()
    if page.cited.get("title") and page.cited.get("abstract"):
        yield record_from(page.cited, 1)
        return
    written = page.text()
    reader = next((reader for reader in (MARKDOWN, LABELLED) if reader.sniff(written, "")), None)
    found = list(reader.read(written)) if reader else []
    if any(isinstance(record, RawRecord) for record in found):
        yield from (_placed(record, page.lines) for record in found)
    else:
        yield reject(1, _FIX)


def _placed(record: RawRecord | Rejection, lines: Sequence[int]) -> RawRecord | Rejection:
    """With its line in the page instead of that in the Markdown."""
    return replace(record, line=lines[min(record.line or 1, len(lines)) - 1])


class _Page(HTMLParser):
    """The text of a page as Markdown, the line of the page for each of its lines, and what its
    head cites."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.cited: dict[str, object] = {}
        self.lines: list[int] = [1]
        self._parts: list[str] = []
        self._silent = 0
        self._address: str | None = None

    def text(self) -> str:
        return _NOWHERE.sub(r"\1", "".join(self._parts))

    def _write(self, text: str) -> None:
        self._parts.append(text)
        self.lines += [self.getpos()[0]] * text.count("\n")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "meta":
            self._cite(given)
        elif tag in _SILENT:
            self._silent += 1
        elif tag in _HEADINGS:
            self._write(f"\n\n{'#' * int(tag[1])} ")
        elif tag == "li":
            self._write("\n- ")
        elif tag in ("b", "strong"):
            self._write("**")
        elif tag == "a" and given.get("href"):
            self._address = given["href"]
            self._write("[")
        elif tag == "summary":
            self._write("\n<summary>")
        elif tag == "br" or tag in _BLOCKS:
            self._write("\n" if tag == "br" else "\n\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        elif tag in ("b", "strong"):
            self._write("** ")
        elif tag == "a" and self._address is not None:
            self._write(f"]({self._address})" if "://" in self._address else "]()")
            self._address = None
        elif tag == "summary":
            self._write("</summary>\n")
        elif tag in _BLOCKS or tag in _HEADINGS:
            self._write("\n\n")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._parts.append(re.sub(r"\s+", " ", data))

    def _cite(self, given: dict[str, str]) -> None:
        found = _CITATION.fullmatch(given.get("name", ""))
        if found and given.get("content"):
            name = found[1].casefold()
            held = self.cited.get(name)
            if name in ("author", "creator", "keywords", "keyword") and isinstance(held, list):
                held.append(given["content"])
            elif held is None:
                value = given["content"]
                self.cited[name] = [value] if name in ("author", "creator") else value


HTML = Reader("html", sniff, read)
