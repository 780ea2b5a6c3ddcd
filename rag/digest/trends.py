"""Which terms come and go: the share of papers that have them, by year or by venue.

Counts papers, not mentions. Knows abstracts and titles, no vectors.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from math import sqrt

from rag.digest.phrases import phrases, spelling, whole
from rag.digest.subjects import may_be_subject
from rag.types import Paper, Trend

SHOWN = 8
LEAST_PAPERS = 5
"""Papers of a year or venue that is looked at."""
EXPECTED = 2.5
"""Papers with a term that the smallest of them would have if all had the same share."""
SURE = 4.0
"""Standard errors by which the shares of two years or venues must differ: among some thousand
terms a difference of three is chance."""


def trends(papers: Sequence[Paper]) -> tuple[str, tuple[Trend, ...]]:
    """("year" or "venue", the terms whose share differs most between those, the surest first).

    No terms where the papers have only one value, or too few papers to tell. A paper that is
    given twice counts once.
    """
    unique = [*{paper.paper_id: paper for paper in papers}.values()]
    by_year = _grouped(unique, "year")
    by, groups = ("year", by_year) if len(by_year) > 1 else ("venue", _grouped(unique, "venue"))
    return by, _trends(groups) if len(groups) > 1 else ()


def _grouped(papers: Sequence[Paper], field: str) -> dict[str, list[Paper]]:
    """The papers by value, in the order of the values; only those with enough papers."""
    groups: defaultdict[str, list[Paper]] = defaultdict(list)
    for paper in papers:
        value = getattr(paper, field)
        if value:
            groups[str(value)].append(paper)
    return {v: groups[v] for v in sorted(groups) if len(groups[v]) >= LEAST_PAPERS}


def _trends(groups: dict[str, list[Paper]]) -> tuple[Trend, ...]:
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    spelt: defaultdict[str, list[str]] = defaultdict(list)
    for value, papers in groups.items():
        for paper in papers:
            told = dict(phrases(f"{paper.title or ''}.\n{paper.text}"))
            for key, surface in told.items():
                if may_be_subject(key, surface):
                    counts[key][value] += 1
                    spelt[key].append(surface)
    totals = {value: len(papers) for value, papers in groups.items()}
    fewest = EXPECTED * sum(totals.values()) / min(totals.values())
    common = {key: found.total() for key, found in counts.items() if found.total() >= fewest}
    scored = [(_sureness(counts[key], totals), key) for key in whole(common)]
    ranked = sorted((pair for pair in scored if pair[0] >= SURE), key=lambda s: (-s[0], s[1]))
    kept: list[str] = []
    for _, key in ranked:
        if len(kept) < SHOWN and not any(_same(key, other) for other in kept):
            kept.append(key)
    return tuple(
        Trend(spelling(key, spelt[key]), tuple((v, counts[key][v], n) for v, n in totals.items()))
        for key in kept
    )


def _sureness(found: Counter[str], totals: dict[str, int]) -> float:
    """By how many standard errors the largest share differs from the smallest."""
    shares = {value: found[value] / total for value, total in totals.items()}
    most = max(shares, key=lambda value: shares[value])
    least = min(shares, key=lambda value: shares[value])
    pooled = (found[most] + found[least]) / (totals[most] + totals[least])
    error = sqrt(pooled * (1 - pooled) * (1 / totals[most] + 1 / totals[least]))
    return round((shares[most] - shares[least]) / error, 6) if error else 0.0


def _same(key: str, other: str) -> bool:
    """Whether one of two phrases holds the other: they rise and fall together."""
    return f" {key} " in f" {other} " or f" {other} " in f" {key} "
