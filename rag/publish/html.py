"""Digests and the pictures of an atlas as one HTML page that needs nothing else.

The page asks for nothing from anywhere: style, script and pictures are in it, and its policy
lets only that one script run. Jinja escapes every text; this is the only module that knows it.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from rag.publish import charts, content
from rag.publish.assets import asset
from rag.publish.svg import inline
from rag.publish.topic_map import topic_map
from rag.types import Atlas, Citation, Digest, Entry, Paper

if TYPE_CHECKING:
    from jinja2 import Environment

OPEN_ENTRIES = 50
"""How many entries of a digest are open at first; the others are one click away."""
NESTED_CONTENTS = 3
"""Up to how many digests the table of contents goes into."""
OPEN_ROWS = 20
"""How many rows a table or list may have to be open at first."""
TITLE = "What the papers say"


@dataclass(frozen=True, slots=True)
class Place:
    """An entry and its anchor on the page."""

    anchor: str
    entry: Entry


@dataclass(frozen=True, slots=True)
class Abstract:
    """A paper's text, once on the page: the spans quoted of it and where it has an entry."""

    anchor: str
    spans: tuple[tuple[int, int], ...]
    places: tuple[Place, ...]

    @property
    def paper(self) -> Paper:
        return self.places[0].entry.paper


@dataclass(frozen=True, slots=True)
class Cite:
    """A marker: all that a sentence quotes of one paper. ``anchor`` is that of its abstract."""

    number: int
    anchor: str | None
    spans: str
    quotes: tuple[str, ...]


class Page:
    """Where on a page everything stands. Anchors are counted, never made of texts."""

    def __init__(self, digests: Sequence[Digest]) -> None:
        self.digests = digests
        self.names = content.names(digests)
        self.places: dict[str, dict[int, Place]] = {}
        for d, digest in enumerate(digests, start=1):
            for n, entry in enumerate(digest.entries, start=1):
                self.places.setdefault(entry.paper.paper_id, {})[d] = Place(f"d{d}-{n}", entry)
        quoted = [content.cited(digest) for digest in digests]
        self.abstracts = {
            id: Abstract(f"p{n}", _spans(id, quoted), tuple(places.values()))
            for n, (id, places) in enumerate(self.places.items(), start=1)
        }

    @property
    def links(self) -> dict[str, str]:
        """Where on the page the first entry of each paper stands, by its id."""
        return {id: f"#{next(iter(places.values())).anchor}" for id, places in self.places.items()}

    def place(self, paper_id: str, d: int) -> Place | None:
        """A paper's entry in the digest at place ``d``, counted from 1, or else in another one."""
        places = self.places.get(paper_id, {})
        return places.get(d) or next(iter(places.values()), None)

    def cites(self, citations: Iterable[Citation]) -> list[Cite]:
        """A marker for each paper, in the order in which the papers are cited first."""
        order: dict[str, list[Citation]] = {}
        for citation in citations:
            order.setdefault(citation.paper_id, []).append(citation)
        return [self._cite(id, found) for id, found in order.items()]

    def _cite(self, paper_id: str, citations: Sequence[Citation]) -> Cite:
        known = self.abstracts.get(paper_id)
        return Cite(
            citations[0].number,
            known.anchor if known else None,
            " ".join(f"{citation.start}-{citation.end}" for citation in citations),
            tuple(dict.fromkeys(citation.quote for citation in citations)),
        )


def digest_page(
    digests: Sequence[Digest], atlas: Atlas, title: str = TITLE, remark: str = ""
) -> str:
    """The page: pictures, then a section a digest, then every abstract once, its quotes marked.
    ``remark`` stands under the title: what readers should know of all of it."""
    page = Page(digests)
    return rendered(
        "page.html",
        title=title,
        remark=remark,
        page=page,
        papers=len(page.places),
        figures=_figures(atlas, page),
        style=asset("page.css") + asset("figures.css"),
        script=asset("page.js"),
    )


def rendered(template: str, *, script: str, **values: Any) -> str:
    """A template with its values, and with the hash by which its policy knows its one script."""
    script_hash = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    page = _environment().get_template(template)
    text: str = page.render(script=script, script_hash=script_hash, **values)
    return text


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(asset),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalized,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals |= {
        "content": content,
        "headings": headings,
        "pieces": pieces,
        "OPEN_ENTRIES": OPEN_ENTRIES,
        "OPEN_ROWS": OPEN_ROWS,
        "NESTED_CONTENTS": NESTED_CONTENTS,
    }
    environment.filters["count"] = content.count
    return environment


def _finalized(value: Any) -> Any:
    """What is put on the page: no text from outside keeps a character that steers a browser."""
    trusted = hasattr(value, "__html__")
    return content.shown(value) if isinstance(value, str) and not trusted else value


def _figures(atlas: Atlas, page: Page) -> list[tuple[str, str]]:
    """The pictures that there is something to draw in, each with the class of its frame."""
    if not atlas.points:
        return []
    found = [("half", chart) for chart in charts.drawn(atlas)]
    if len(atlas.topics) > 1:  # one topic's papers, all alike, would say nothing
        found.insert(0, ("wide", topic_map(atlas, page.links)))
    return [(frame, inline(svg)) for frame, svg in found]


def _spans(
    paper_id: str, quoted: Iterable[dict[str, list[Citation]]]
) -> tuple[tuple[int, int], ...]:
    """All that any digest quotes of a paper, in the order of its text."""
    return tuple(sorted({(c.start, c.end) for found in quoted for c in found.get(paper_id, ())}))


def pieces(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[str, bool]]:
    """The text in pieces, each with whether a span covers it. Spans may overlap."""
    bounds = sorted({0, len(text), *(bound for span in spans for bound in span)})
    return [
        (text[start:end], any(s <= start and end <= e for s, e in spans))
        for start, end in pairwise(bounds)
    ]


def headings(digest: Digest, d: int) -> list[tuple[str, str]]:
    """Anchors and texts of the headings within the digest at place ``d``."""
    numbered = enumerate(content.shelves(digest), start=1)
    return [
        *([(f"d{d}-changes", "Since the last digest")] if digest.changes is not None else []),
        *((f"d{d}-g{n}", shelf.name) for n, shelf in numbered),
        *([(f"d{d}-numbers", "Numbers")] if digest.findings else []),
        *([(f"d{d}-open", "Not stated")] if digest.open_ends else []),
        *([(f"d{d}-omitted", "Left out")] if digest.omitted else []),
    ]
