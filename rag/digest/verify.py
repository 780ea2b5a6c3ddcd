"""Does what was saved still stand? Every quote is looked up in today's index, and every sentence
is checked against its quotes by the checker that let it pass when it was written; where the file
says that it was made of them, word by word.

Does not check what no quote is given for: groups, open ends, what was left out, and what an
answer's text has between its statements.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from rag.corpus.sentences import sentence_spans
from rag.digest.saved import Claim, Saved
from rag.digest.wording import not_quoted
from rag.engine.check import Checker
from rag.engine.grounding import Quote
from rag.store.snapshot import Snapshot
from rag.types import Citation, Paper

Status = Literal["ok", "moved", "gone", "unsupported"]

ALIKE = 80
"""How alike, of 100, words have to be to be shown as what a quote has become."""
LONGEST = 2_000
"""Characters of a quote up to which words like it are looked for, in a text ten times as long."""

_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Recheck:
    """What has become of one citation, or of a sentence that has none, whose ``quote`` is None.

    ``start`` and ``end`` are the file's; ``now`` is where a quote that moved stands today.
    """

    status: Status
    where: str
    paper_id: str | None
    text: str
    detail: str = ""
    quote: str | None = None
    start: int | None = None
    end: int | None = None
    now: tuple[int, int] | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "status": self.status,
            "where": self.where,
            "paper_id": self.paper_id,
            "text": self.text,
            "quote": self.quote,
            "start": self.start,
            "end": self.end,
            "now": {"start": self.now[0], "end": self.now[1]} if self.now else None,
            "detail": self.detail,
        }


def verify(saved: Saved, snapshot: Snapshot, checker: Checker) -> Iterator[Recheck]:
    """What has become of each citation, in the file's order; may raise StoreDamaged.

    A sentence that the file itself marks as unsupported is held to its quotes' standing only.
    """
    library = _Library(snapshot)
    for claim in saved.claims:
        yield from _recheck(claim, library, checker)


@dataclass(frozen=True)
class _Library:
    """Today's papers by id, and by what stands in them."""

    snapshot: Snapshot

    def paper(self, paper_id: str) -> Paper | None:
        row = self.snapshot.row_of.get(paper_id)
        return None if row is None else self.snapshot.paper(row)

    def holders(self, quote: str) -> list[str]:
        """The ids of the papers in which words stand, however they are spaced."""
        plain = _plain(quote)
        return [paper_id for paper_id, text in self._texts if plain and plain in text]

    @cached_property
    def _texts(self) -> list[tuple[str, str]]:
        return [(paper.paper_id, _plain(paper.text)) for paper in self.snapshot.papers()]


@dataclass(frozen=True, slots=True)
class _Found:
    """A citation as it stands today; ``quote`` is None if it does not."""

    status: Status
    detail: str = ""
    quote: Quote | None = None


def _recheck(claim: Claim, library: _Library, checker: Checker) -> Iterator[Recheck]:
    found = [_look_up(citation, library) for citation in claim.citations]
    standing = [each.quote for each in found if each.quote]
    fault = _fault(claim, standing, checker)
    if fault and len(standing) < len(found):
        fault = f"without the quotes that are gone, {fault}"
    if claim.supported and not claim.citations:
        yield Recheck("unsupported", claim.where, claim.paper_id, claim.text, "it has no quotes")
    for citation, each in zip(claim.citations, found, strict=True):
        status, detail = each.status, each.detail
        if fault and each.quote:
            status, detail = "unsupported", fault
        moved = each.quote if each.status == "moved" else None
        yield Recheck(
            status=status,
            where=claim.where,
            paper_id=citation.paper_id,
            text=claim.text,
            detail=detail,
            quote=citation.quote,
            start=citation.start,
            end=citation.end,
            now=(moved.start, moved.end) if moved else None,
        )


def _look_up(citation: Citation, library: _Library) -> _Found:
    """Where a quote stands in its paper today; the place nearest to the old one if it moved."""
    paper, quote = library.paper(citation.paper_id), citation.quote
    if not quote.strip():
        return _Found("gone", "the quote is empty")
    if paper is None:
        return _Found("gone", f"the paper is not in the index{_elsewhere(citation, library)}")
    start = _nearest(quote, paper.text, citation.start)
    if start is not None:
        end = start + len(quote)
        here = Quote(paper, start, end)
        if (start, end) == (citation.start, citation.end):
            return _Found("ok", "", here)
        return _Found("moved", f"it stands at {start}–{end} now", here)
    reworded = _reworded(quote, paper.text) or _elsewhere(citation, library)
    return _Found("gone", f"the paper no longer says this{reworded}")


def _nearest(quote: str, text: str, place: int) -> int | None:
    """Where a quote stands, as near as can be to a place."""
    ends = place + len(quote)
    starts = [
        start for start in (text.rfind(quote, 0, ends), text.find(quote, place)) if start >= 0
    ]
    return min(starts, key=lambda start: abs(start - place), default=None)


def _elsewhere(citation: Citation, library: _Library) -> str:
    others = [each for each in library.holders(citation.quote) if each != citation.paper_id]
    return f"; the words stand in {', '.join(others[:3])}" if others else ""


def _reworded(quote: str, text: str) -> str:
    """What a text has in the place of a quote, if it has something like it."""
    from rapidfuzz import fuzz

    if _plain(quote) in _plain(text):
        return "; its words are spaced otherwise"
    if len(quote) > LONGEST:
        return ""
    found = fuzz.partial_ratio_alignment(quote, text[: 10 * LONGEST], score_cutoff=ALIKE)
    return f"; it says “{_rounded(text, found.dest_start, found.dest_end)}”" if found else ""


def _rounded(text: str, start: int, end: int) -> str:
    """About this part of a text, as whole sentences, or as whole words where it is less."""
    spans = [span for span in sentence_spans(text) if _shared(span, (start, end)) > 0]
    whole = [span for span in spans if 2 * _shared(span, (start, end)) > span[1] - span[0]]
    if not whole and spans:
        first, last = max(spans, key=lambda span: _shared(span, (start, end)))
        part = max(start, first), min(end, last)
        words = [found.span() for found in _WORD.finditer(text, first, last)]
        whole = [word for word in words if _shared(word, part) > 0]
    return text[whole[0][0] : whole[-1][1]] if whole else ""


def _shared(one: tuple[int, int], other: tuple[int, int]) -> int:
    """How many characters two parts of a text have in common; not above 0 for none."""
    return min(one[1], other[1]) - max(one[0], other[0])


def _fault(claim: Claim, quotes: Sequence[Quote], checker: Checker) -> str:
    """Why quotes do not carry a sentence that is said to be carried; empty if they do."""
    if not (claim.supported and quotes):
        return ""
    if not claim.shown:
        return "the text of the answer does not say it"
    foreign = [q.paper.paper_id for q in quotes if claim.paper_id not in (None, q.paper.paper_id)]
    if foreign:
        return f"it is about {claim.paper_id}, and its quote from {foreign[0]}"
    if claim.figure is not None:
        return _figure_fault(claim, quotes[0])
    evidence = [quote.evidence for quote in quotes]
    verdict = checker.check(claim.text, evidence)
    if not verdict.supported:
        return "; ".join(verdict.faults)
    return "" if claim.made == "freely" else not_quoted(claim.text, evidence, claim.made)


def _figure_fault(claim: Claim, quote: Quote) -> str:
    """What of a finding does not stand in its quote: the figure, or the words that it is of."""
    figure, said, quoted = claim.figure or "", _plain(claim.text), _plain(quote.text)
    if not _plain(figure):
        return "it has no figure"
    if not _holds(quoted, figure):
        return f"the figure {figure} is not in the quote"
    if not _holds(said, figure):
        return f"the quote has the figure {figure}, and the claim does not"
    return "" if said in quoted else "the quote has other words for the figure than the claim"


def _holds(text: str, figure: str) -> bool:
    """Whether a figure stands in a text by itself: 8 % does not in 38 %."""
    alone = rf"(?<!\d)(?<!\d[.,]){re.escape(_plain(figure))}(?![.,]?\d)"
    return re.search(alone, text) is not None


def _plain(text: str) -> str:
    return " ".join(text.split())
