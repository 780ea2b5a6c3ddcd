"""Papers as BibTeX, with what is known of them and nothing made up."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from rag.retrieve.terms import STOP_WORDS
from rag.types import Paper

_ESCAPES = {
    **{character: f"\\{character}" for character in "#$%&_"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    # Not \{ and \}: BibTeX counts braces without regard to backslashes.
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
}
_NOT_IN_URL = re.compile(r"[^\x21-\x7e]|[{}\\\"]|%(?![0-9A-Fa-f]{2})")


def bibtex(papers: Sequence[Paper], notes: Sequence[str] | None = None) -> str:
    """One entry for each paper, its key unique among them, with its note where ``notes`` has one
    for each; the same papers and notes, the same text."""
    keys: list[str] = []
    for paper in papers:
        keys.append(_unused(_key(paper), keys))
    noted = zip(keys, papers, notes or [""] * len(papers), strict=True)
    return "\n".join(_entry(*each) for each in noted)


def _entry(key: str, paper: Paper, note: str) -> str:
    """An @inproceedings where the venue is known; a paper without a title goes by its handle."""
    source = paper.sources[0]
    untitled = "" if paper.title else f"No title is known; from {source.path}, line {source.line}"
    fields = {
        "author": " and ".join(map(_author, paper.authors)),
        "title": f"{{{escaped(paper.name)}}}",
        "booktitle": escaped(paper.venue or ""),
        "year": str(paper.year or ""),
        "url": _url(paper.url or ""),
        "note": escaped(" ".join(filter(None, [note, untitled]))),
    }
    kind = "inproceedings" if paper.venue else "misc"
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@{kind}{{{key},", *lines, "}", ""])


def escaped(text: str) -> str:
    """A text on one line in which LaTeX finds no command."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return "".join(_ESCAPES.get(c, c) for c in line)


def _author(name: str) -> str:
    """A name; one with an "and" in it, which would end it, is held together."""
    text = escaped(name)
    return f"{{{text}}}" if re.search(r"\band\b", text, re.I) else text


def _url(url: str) -> str:
    """An address of the web with percent signs for what could end the field; the rest is left as
    it is. Nothing for what is no such address: some programs open whatever stands there."""
    if not url.lower().startswith(("http://", "https://")):
        return ""
    return _NOT_IN_URL.sub(lambda found: "".join(f"%{b:02X}" for b in found[0].encode()), url)


def _key(paper: Paper) -> str:
    """Such as sutton1988learning: first author, year, first word of the title."""
    author = paper.authors[0] if paper.authors else ""
    family = author.split(",")[0] if "," in author else author.rpartition(" ")[2]
    words = re.findall(r"\w+", paper.title or paper.handle)
    telling = next((word for word in words if word.lower() not in STOP_WORDS), "")
    return _ascii(f"{family}{paper.year or ''}{telling}") or "paper"


def _ascii(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]", "", plain)


def _unused(key: str, taken: Sequence[str]) -> str:
    numbered = (f"{key}-{n}" for n in range(2, len(taken) + 3))
    return key if key not in taken else next(name for name in numbered if name not in taken)
