"""Answers, hits and papers as text for a terminal. Returns strings; prints nothing."""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass

from rag.types import Answer, Hit, Paper

WIDTH = 88
"""Columns at most; a narrower terminal has its own."""
MIN_WIDTH = 30
MANY_SOURCES = 20
"""Sources up to which all are shown."""
_MARKER = re.compile(r" \[(?=\d+\])")
"""A marker stays on the line of its sentence."""


@dataclass(frozen=True, slots=True)
class Style:
    """ANSI emphasis, or none where the output is not a terminal or NO_COLOR is set."""

    colour: bool

    def bold(self, text: str) -> str:
        return f"\x1b[1m{text}\x1b[0m" if self.colour else text

    def dim(self, text: str) -> str:
        return f"\x1b[2m{text}\x1b[0m" if self.colour else text


def answer_text(answer: Answer, style: Style) -> str:
    """The answer with its markers, then each source with where it stands and its quotes."""
    text = "\n".join(map(fill, _bound(answer.text).split("\n")))
    return f"{text}\n\n{sources_text(answer, style)}"


def sources_text(answer: Answer, style: Style, *, whole: bool = False) -> str:
    """Each source of an answer with where it stands and what is quoted of it; of a long list those
    that its text shows. A quote that is a sentence of the answer is not shown again, unless the
    ``whole`` is wanted."""
    lines = []
    said = () if whole else {statement.text for statement in answer.statements}
    for number, paper in enumerate(answer.sources, start=1):
        if len(answer.sources) > MANY_SOURCES and f"[{number}]" not in answer.text:
            continue
        lines += [f"[{number}] {safe(paper.name)}", style.dim(f"    {place(paper)}")]
        cited = [c.quote for s in answer.statements for c in s.citations if c.number == number]
        quotes = [quote for quote in dict.fromkeys(cited) if quote not in said]
        lines += [fill(f"“{safe(quote)}”", indent="    ") for quote in quotes]
    return "\n".join(lines)


def hits_text(hits: Iterable[Hit], style: Style) -> str:
    """Ranked papers, each with its best passage."""
    blocks = []
    for hit in hits:
        head = f"{hit.rank:>2}. {style.bold(safe(hit.paper.name))}  {hit.score:.2f}"
        passage = fill(safe(hit.passages[0].text), indent="    ")
        blocks.append("\n".join([head, style.dim(f"    {place(hit.paper)}"), passage]))
    return "\n".join(blocks)


def paper_text(paper: Paper, style: Style) -> str:
    """One paper in full."""
    facts = {
        "id": paper.paper_id,
        "handle": paper.handle,
        "url": paper.url,
        "doi": paper.doi,
        "arxiv": paper.arxiv,
        "authors": ", ".join(paper.authors),
        "venue": paper.venue,
        "year": paper.year,
        "status": paper.status,
        "area": paper.area,
        "keywords": ", ".join(paper.keywords),
        "source": "; ".join(f"{s.path}, line {s.line}" for s in paper.sources),
    }
    lines = [f"{name}: {safe(str(value))}" for name, value in facts.items() if value]
    title = style.bold(safe(paper.name))
    return "\n".join([title, *lines, "", fill(safe(paper.text))])


def explained(parts: Iterable[tuple[str, Iterable[str]]]) -> str:
    """An explanation: headings, each with its sentences under it."""
    blocks = []
    for heading, sentences in parts:
        lines = [fill(safe(sentence), indent="  ") for sentence in sentences]
        blocks.append("\n".join([fill(safe(heading)), *lines]))
    return "\n".join(blocks)


def list_line(paper: Paper) -> str:
    """One paper in one line: id, name, area."""
    area = f"  ({safe(paper.area)})" if paper.area else ""
    return f"{safe(paper.paper_id)}  {safe(paper.name)}{area}"


def merged_lines(paper: Paper, reasons: Iterable[str]) -> str:
    """One paper of several sources: below its line each place, and why they are of one paper."""
    places = [f"    {safe(source.path)}, line {source.line}" for source in paper.sources]
    return "\n".join([f"{list_line(paper)}: {', '.join(reasons)}", *places])


def place(paper: Paper) -> str:
    """Where a paper can be looked up: its file and line, and its URL if it has one."""
    source = paper.sources[0]
    where = f"{safe(source.path)}, line {source.line}"
    return f"{where} · {safe(paper.url)}" if paper.url else where


def safe(text: str) -> str:
    """Text from outside without control characters, which could steer a terminal."""
    return "".join(c if c.isprintable() or c == "\n" else "�" for c in text)


class Flow:
    """Wraps a text that comes in pieces as ``fill`` wraps the whole; a piece ends with a word."""

    def __init__(self) -> None:
        self._column = 0

    def add(self, piece: str) -> str:
        """The piece with its line breaks."""
        out = []
        for word in _bound(piece).split(" "):
            space = self._column > 0
            if space and self._column + 1 + len(word) > _width():
                self._column, space = 0, False
                out.append("\n")
            out.append(f" {word}" if space and word else word)
            self._column += len(word) + (space and bool(word))
            if "\n" in word:  # of a list, that has lines of its own
                self._column = len(word.rpartition("\n")[2])
        return "".join(out)


def _bound(text: str) -> str:
    """Text for a terminal in which a marker stays on the line of its sentence."""
    return _MARKER.sub("\u00a0[", safe(text))


def _width() -> int:
    return max(min(WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns), MIN_WIDTH)


def fill(text: str, indent: str = "") -> str:
    """Text wrapped to the width of the terminal, or of a page."""
    return textwrap.fill(
        text,
        _width(),
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
