"""Papers as BibTeX, with what is known of them and nothing made up; written by ``bibtexparser``."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rag.corpus.tex_escapes import escaped
from rag.corpus.writers.values import is_exact, listed, one_line
from rag.types import Paper

if TYPE_CHECKING:
    from bibtexparser.model import Entry

_NOT_IN_URL = re.compile(r"[^\x21-\x7e]|[{}\\\"]|%(?![0-9A-Fa-f]{2})")
_NOT_TELLING = frozenset("a an and are at by for from in is of on the to with".split())
_AND = re.compile(r"\band\b|[,;]", re.IGNORECASE)


def bibtex(papers: Sequence[Paper], notes: Sequence[str] | None = None) -> str:
    """One entry to cite each paper by, its key unique among them, with its note where ``notes``
    has one for each; the same papers and notes, the same text."""
    noted = zip(papers, notes or [""] * len(papers), strict=True)
    return _written(papers, (_cited(paper, note) for paper, note in noted))


def bibtex_whole(papers: Sequence[Paper]) -> str:
    """One entry for each paper with all that is held of it, so that it can be read again."""
    return _written(papers, map(_whole, papers))


def _written(papers: Sequence[Paper], fields: Iterator[Mapping[str, str]]) -> str:
    from bibtexparser.library import Library
    from bibtexparser.writer import BibtexFormat, write

    style = BibtexFormat()  # type: ignore[no-untyped-call]
    style.indent, style.trailing_comma, style.block_separator = "  ", True, "\n"
    keyed = zip(_keys(papers), papers, fields, strict=True)
    return write(Library([_entry(*each) for each in keyed]), style)


def _entry(key: str, paper: Paper, fields: Mapping[str, str]) -> Entry:
    from bibtexparser.model import Entry, Field

    filled = [Field(name, f"{{{value}}}") for name, value in fields.items() if value]
    return Entry("inproceedings" if paper.venue else "misc", key, filled)


def _cited(paper: Paper, note: str) -> dict[str, str]:
    """A paper without a title goes by its handle."""
    source = paper.sources[0]
    untitled = "" if paper.title else f"No title is known; from {source.path}, line {source.line}"
    return {
        "author": _authors([one_line(name) for name in paper.authors]),
        "title": f"{{{escaped(one_line(paper.name))}}}",
        "booktitle": escaped(one_line(paper.venue or "")),
        "year": str(paper.year or ""),
        "url": _url(paper.url or ""),
        "note": escaped(one_line(f"{note} {untitled}")),
    }


def _whole(paper: Paper) -> dict[str, str]:
    """An address that had to be changed for ``url`` stands in ``link`` as it is. Fields that
    BibTeX does not know have our names."""
    url = _url(paper.url or "")
    return {
        "author": _authors(paper.authors),
        "title": f"{{{escaped(paper.title)}}}" if paper.title else "",
        "booktitle": escaped(paper.venue or ""),
        "year": str(paper.year or ""),
        "doi": escaped(paper.doi or ""),
        "eprint": escaped(paper.arxiv or ""),
        "archiveprefix": "arXiv" if paper.arxiv else "",
        "url": url,
        "link": "" if url == paper.url else escaped(paper.url or ""),
        "keywords": escaped(listed("keywords", paper.keywords, ", ", "; ")),
        "area": escaped(paper.area or ""),
        "status": escaped(paper.status or ""),
        "paperid": escaped(paper.paper_id),
        "abstract": escaped(paper.text),
    }


def _authors(names: Sequence[str]) -> str:
    alone = len(names) == 1
    return " and ".join(_author(name, alone) for name in names)


def _author(name: str, alone: bool) -> str:
    """A name; one with an "and" in it, which would end it, is held together, and so is one that
    stands alone and would be taken for several."""
    held = re.search(r"\band\b", name, re.I) or (alone and not is_exact("authors", name, [name]))
    return f"{{{escaped(name)}}}" if held else escaped(name)


def _url(url: str) -> str:
    """An address of the web with percent signs for what could end the field; the rest is left as
    it is. Nothing for what is no such address: some programs open whatever stands there."""
    if not url.lower().startswith(("http://", "https://")):
        return ""
    return _NOT_IN_URL.sub(lambda found: "".join(f"%{b:02X}" for b in found[0].encode()), url)


def _keys(papers: Sequence[Paper]) -> Iterator[str]:
    taken: set[str] = set()
    for paper in papers:
        key = _unused(_key(paper), taken)
        taken.add(key)
        yield key


def _key(paper: Paper) -> str:
    """Such as sutton1988learning: first author, year, first word of the title."""
    author = paper.authors[0] if paper.authors else ""
    family = author.split(",")[0] if "," in author else author.rpartition(" ")[2]
    words = re.findall(r"\w+", paper.title or paper.handle)
    telling = next((word for word in words if word.lower() not in _NOT_TELLING), "")
    return _ascii(f"{family}{paper.year or ''}{telling}") or "paper"


def _ascii(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]", "", plain)


def _unused(key: str, taken: Collection[str]) -> str:
    numbered = (f"{key}-{n}" for n in range(2, len(taken) + 3))
    return key if key not in taken else next(name for name in numbered if name not in taken)
