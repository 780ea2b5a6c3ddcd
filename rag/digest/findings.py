"""The figures that abstracts give for what they found, each with a claim in the quote's own words.

Knows which sentences are of a paper's own work, and which figures in them are worth a line; how a
claim is found is not known here. Knows no model, no store.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rag.digest.claims import RESULT, claim_of
from rag.digest.figures import Figure, figures
from rag.types import Citation, Entry, Finding, Paper

A_PAPER = 3
"""Findings of one paper, at most."""
TRIED = 12
"""Figures of a paper that a claim is looked for."""
MAX_SENTENCES = 200
"""Of a text that are read; an abstract has about ten."""
_OWN = re.compile(
    r"\b(?:we|our|ours|the authors|this (?:paper|work|study|article)|experiments?|experimental|"
    r"evaluations?|results|here)\b",
    re.I,
)
_DATA = re.compile(
    r"\b(?:data ?sets?|benchmarks?|corpus|corpora|suite|collection|compris|contain|consist|collect|"
    r"curat|annotat|train|cover|span|releas|includ|construct|evaluat)\w*",
    re.I,
)
_BASELINE = re.compile(
    r"\b(?:baselines?|vs|versus|compared|than|surpass\w*|exceed\w*|outperform\w*|over|best)\b", re.I
)
_LAST = re.compile(r"[^(),;]*$")
_WORTH = {"change": 4.0, "gain": 3.0, "score": 2.0, "size": 0.0}
_OTHER = re.compile(
    r"(?:\bvs\.?|\bversus|\bcompared (?:to|with)|\bthan|"
    r"\b(?:train|tun|test)ed (?:on|with|using))\s*$",
    re.I,
)
"""What comes before a figure that is a rival's, or of what something was made from."""


def findings(
    entries: Sequence[Entry], spans: Mapping[str, Sequence[tuple[int, int]]]
) -> tuple[Finding, ...]:
    """At most A_PAPER figures of each paper, the most telling first, in the entries' order.

    ``spans``: start and end of the sentences of each paper's text, by paper_id.
    """
    seen: dict[str, Entry] = {}
    for entry in entries:
        seen.setdefault(entry.paper.paper_id, entry)
    return tuple(
        finding
        for entry in seen.values()
        for finding in _of_paper(entry, spans.get(entry.paper.paper_id, ()))
    )


def _of_paper(entry: Entry, spans: Sequence[tuple[int, int]]) -> list[Finding]:
    """The figures of one paper, the worthiest first; no two from one stretch of its text."""
    ranked = sorted(_figures(entry.paper, spans), key=lambda found: -found.worth)
    chosen: list[tuple[tuple[int, int], Finding]] = []
    for found in ranked[:TRIED]:
        if len(chosen) == A_PAPER:
            break
        place = claim_of(found.sentence, found.figure, found.others, entry.paper.handle)
        if not place:
            continue
        start, end = (found.start + offset for offset in place)
        if all(end <= begin or stop <= start for (begin, stop), _ in chosen):
            chosen.append(((start, end), found.finding(entry, place)))
    return [finding for _, finding in chosen]


@dataclass(frozen=True, slots=True)
class _Told:
    """A figure in its sentence, which begins at ``start``; ``others`` are told there as well."""

    sentence: str
    start: int
    figure: Figure
    others: Sequence[Figure]
    worth: float

    def finding(self, entry: Entry, place: tuple[int, int]) -> Finding:
        paper_id, end = entry.paper.paper_id, self.start + len(self.sentence)
        citation = Citation(entry.number, paper_id, self.sentence, self.start, end)
        shown = self.sentence[self.figure.start : self.figure.end]
        return Finding(paper_id, self.sentence[slice(*place)], shown, citation)


def _figures(paper: Paper, spans: Sequence[tuple[int, int]]) -> Iterator[_Told]:
    """Figures from where the paper's own work begins: those before are of others."""
    own = False
    for start, end in spans[:MAX_SENTENCES]:
        sentence = paper.text[start:end]
        own = own or bool(_OWN.search(sentence)) or bool(paper.handle and paper.handle in sentence)
        told = figures(sentence) if own else []
        for figure in told:
            if worth := _worth(sentence, figure):
                others = [other for other in told if other is not figure]
                yield _Told(sentence, start, figure, others, worth)


def _worth(sentence: str, figure: Figure) -> float:
    """How likely a figure is what a paper found, or how large what it made is."""
    if _of_a_rival(sentence, figure) or _OTHER.search(sentence[: figure.start]):
        return 0.0
    if figure.kind == "size":
        return 1.0 if _DATA.search(sentence) else 0.0
    return _WORTH[figure.kind] + bool(RESULT.search(sentence))


def _of_a_rival(sentence: str, figure: Figure) -> bool:
    """Whether a figure in brackets is that of what the paper compares itself with."""
    if not sentence[: figure.start].endswith("("):
        return False
    clause = (
        sentence[: figure.start]
        if figure.kind == "score"
        else _LAST.findall(sentence[: figure.start - 1])[-1]
    )
    return bool(_BASELINE.search(clause))
