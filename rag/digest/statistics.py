"""What a corpus consists of, in numbers: values of its fields, keywords, lengths, sources.

Counts papers, not mentions. Equal papers in any order give equal statistics.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from rag.digest.phrases import key, phrases, spelling, whole
from rag.digest.subjects import may_be_subject
from rag.types import Paper

FIELDS = ("area", "status", "year", "venue")
OWNED = ("title", "url", "doi", "authors", "keywords")
SHOWN_KEYWORDS = 20
BARS = 12
"""Of a histogram, at most."""
_WIDTHS = (5, 10, 20, 25, 50, 100, 200, 250, 500, 1_000)


@dataclass(frozen=True, slots=True)
class Count:
    """How many papers have a value; ``value`` is None for those that have none."""

    value: str | int | None
    papers: int


@dataclass(frozen=True, slots=True)
class Bar:
    """How many abstracts have at least ``start`` words and fewer than ``end``."""

    start: int
    end: int
    papers: int


@dataclass(frozen=True, slots=True)
class Lengths:
    """Words of the abstracts: the middle, the extremes with the papers that have them."""

    median: float
    shortest: int
    shortest_id: str
    longest: int
    longest_id: str
    histogram: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class Statistics:
    """``having`` counts the papers that have a title, a url, … at all. ``keywords`` are the
    authors' own in small letters; where no paper has any, ``keywords_from`` is "abstracts" and
    they are phrases of these. ``lengths`` is None without papers."""

    papers: int
    sentences: int
    having: dict[str, int]
    fields: dict[str, tuple[Count, ...]]
    keywords_from: str
    keywords: tuple[Count, ...]
    lengths: Lengths | None
    sources: tuple[Count, ...]


def statistics(papers: Sequence[Paper], sentences: int) -> Statistics:
    """The statistics of some papers that have so many sentences together."""
    words = _keywords(papers)
    return Statistics(
        papers=len(papers),
        sentences=sentences,
        having={name: sum(bool(getattr(p, name)) for p in papers) for name in OWNED},
        fields={name: _counts(getattr(paper, name) for paper in papers) for name in FIELDS},
        keywords_from="keywords" if words else "abstracts",
        keywords=_top(words or _phrases(papers)),
        lengths=_lengths(papers) if papers else None,
        sources=_counts(path for paper in papers for path in {s.path for s in paper.sources}),
    )


def _counts(values: Iterable[str | int | None]) -> tuple[Count, ...]:
    """The most frequent value first, those without one last."""
    found = Counter(values).items()
    ranked = sorted(found, key=lambda item: (item[0] is None, -item[1], str(item[0])))
    return tuple(Count(value, papers) for value, papers in ranked)


def _top(found: Counter[str]) -> tuple[Count, ...]:
    ranked = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Count(value, papers) for value, papers in ranked[:SHOWN_KEYWORDS])


def _keywords(papers: Sequence[Paper]) -> Counter[str]:
    """Keywords in small letters, singular and plural as the one that most write."""
    having: Counter[str] = Counter()
    forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for paper in papers:
        written = {key(word) or word: word.casefold() for word in paper.keywords}
        having.update(written.keys())
        for one, form in written.items():
            forms[one][form] += 1
    best = {one: min(found, key=lambda form: (-found[form], form)) for one, found in forms.items()}
    return Counter({best[one]: papers for one, papers in having.items()})


def _phrases(papers: Sequence[Paper]) -> Counter[str]:
    """The subjects that most abstracts name; one that a single paper names tells nothing."""
    spelt: defaultdict[str, list[str]] = defaultdict(list)
    for paper in papers:
        for one, surface in dict(phrases(f"{paper.title or ''}.\n{paper.text}")).items():
            if may_be_subject(one, surface):
                spelt[one].append(surface)
    common = {one: len(forms) for one, forms in spelt.items() if len(forms) > 1}
    return Counter({spelling(one, spelt[one]): common[one] for one in whole(common)})


def _lengths(papers: Sequence[Paper]) -> Lengths:
    sizes = sorted((len(paper.text.split()), paper.paper_id) for paper in papers)
    counts = [size for size, _ in sizes]
    (shortest, shortest_id), (longest, longest_id) = sizes[0], sizes[-1]
    bars = _histogram(counts)
    return Lengths(median(counts), shortest, shortest_id, longest, longest_id, bars)


def _histogram(sizes: Sequence[int]) -> tuple[Bar, ...]:
    """Bars of one round width from the least of ascending sizes to the greatest."""
    span = sizes[-1] - sizes[0]
    width = next((width for width in _WIDTHS if span < width * (BARS - 1)), span)
    found = Counter(size // width for size in sizes)
    places = range(sizes[0] // width, sizes[-1] // width + 1)
    return tuple(Bar(n * width, (n + 1) * width, found[n]) for n in places)
