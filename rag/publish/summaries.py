"""Summaries in the formats that people use. Returns strings; knows no file and no terminal.

What stands in a title or an abstract stays text, whatever reads the format.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from rag.corpus.formulas import guarded
from rag.corpus.writers.bibtex import bibtex
from rag.publish.content import link
from rag.publish.escaping import escaped
from rag.render import Style, fill, place, safe
from rag.types import Summary

UNSUPPORTED = "(not supported)"
"""Marks a line that its quotes do not carry."""

_COLUMNS = (
    "paper_id name url authors venue year status area summary words supported support quotes "
    "engine model"
).split()


def summary_text(summary: Summary, style: Style) -> str:
    """One paper in full: its name, its line, where it stands and the quotes."""
    name = style.bold(safe(summary.paper.name))
    quotes = [fill(f"“{safe(quote)}”", indent="    ") for quote in _quotes(summary)]
    where = style.dim(f"    {place(summary.paper)}")
    return "\n".join([name, fill(safe(_marked(summary))), where, *quotes])


def summary_line(summary: Summary, style: Style) -> str:
    """One paper in one line."""
    return f"{style.bold(safe(_flat(summary.paper.name)))}: {safe(_marked(summary))}"


def as_markdown(summaries: Sequence[Summary]) -> str:
    """A list of the papers, each with its line and under it the quotes."""
    return "\n".join(["# Papers in a line each", "", *map(_item, summaries)]) + "\n"


def as_csv(summaries: Sequence[Summary]) -> str:
    """A table with a row a paper, for spreadsheets too; no cell has a line break."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(_COLUMNS)
    rows.writerows(_row(summary) for summary in summaries)
    return out.getvalue()


def as_bibtex(summaries: Sequence[Summary]) -> str:
    """An entry a paper, with its line as the note."""
    return bibtex([s.paper for s in summaries], [_marked(s) for s in summaries])


def _item(summary: Summary) -> str:
    paper = summary.paper
    url = f", <{paper.url}>" if link(paper.url) else ""
    line = f"- **{escaped(paper.name)}**{url}: {escaped(_marked(summary))}"
    quotes = "\n  >\n".join(f"  > {escaped(quote)}" for quote in _quotes(summary))
    return f"{line}\n{quotes}" if quotes else line


def _row(summary: Summary) -> list[object]:
    paper = summary.paper
    known = {
        **summary.to_json(),
        "name": paper.name,
        "authors": "; ".join(paper.authors),
        "quotes": " … ".join(_quotes(summary)),
    }
    return [_cell(known[column]) for column in _COLUMNS]


def _cell(value: object) -> object:
    """A text on one line, and none that a spreadsheet would calculate; the rest as it is."""
    return guarded(_flat(value)) if isinstance(value, str) else value


def _flat(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _marked(summary: Summary) -> str:
    return summary.text if summary.supported else f"{summary.text} {UNSUPPORTED}"


def _quotes(summary: Summary) -> list[str]:
    return list(dict.fromkeys(citation.quote for citation in summary.citations))
