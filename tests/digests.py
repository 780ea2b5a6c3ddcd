"""Digests and an atlas of the eight invented papers, and papers that try to break a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rag.types import (
    Atlas,
    Change,
    Citation,
    Coverage,
    Digest,
    Entry,
    Finding,
    Group,
    MadeFrom,
    Omission,
    OpenEnd,
    Paper,
    Point,
    Statement,
    Trend,
)
from tests.corpus import PAPERS
from tests.fakes import paper

BY_ID = {known.paper_id: known for known in PAPERS}
MADE_FROM = MadeFrom("c0ffee12", "extractive", None, ("line@1a2b3c4d",), {"floor": 0.4, "seed": 7})
EVIL = [
    "<script>window.pwned = 1</script></style></script><img src=x onerror=window.pwned=1>",
    "![look](https://evil.example/a.png) [click](javascript:window.pwned=1) <https://evil.example>",
    "a | b || c `code` **bold** _it_ ~~no~~ # tag %%gone%% ==mark== [[wiki]] [^1] $x$ :smile:",
    "- item\n\n# heading\n\n| a | b |\n|---|---|\n> quote\n```\nfence\n```\n---\n1. one",
    "\u202eright to left\u202c \x1b[31mred\x1b[0m \x00\x07\r\n bell &amp; \ud800 \U0001f44d",
    "[1]: https://evil.example www.evil.example mail@evil.example https://evil.example/x?a=1&b=2",
    "'\"><svg onload=window.pwned=1> {{ 7 * 7 }} {% raw %} ]]> --> <!-- ",
]
"""Texts that mean something in HTML, Markdown, a template or a terminal."""


def cite(found: Paper, quote: str, number: int) -> Citation:
    """A quote that stands in the paper's text."""
    start = found.text.index(quote)
    return Citation(number, found.paper_id, quote, start, start + len(quote))


def entry(number: int, found: Paper, line: str, quote: str, supported: bool = True) -> Entry:
    """A line about a paper and its quote; nearer papers have lower numbers."""
    cited = (cite(found, quote, number),) if quote else ()
    return Entry(number, found, line, cited, supported, round(1 - number / 20, 2))


def machines() -> Digest:
    """A digest with something in each of its parts."""
    tide, prune, proof, leak = (BY_ID[id] for id in ("tide", "prune", "proof", "leak"))
    closed, lowered = "It closes 38 % of the goals", "the error of the water level from 9.4 cm to"
    quotes = (cite(prune, "attention heads that do nothing", 1), cite(leak, "lose their worth", 2))
    return Digest(
        topic="Waste and trust in language models",
        overview=(
            Statement("Both look for what a model does not need.", quotes, True, 0.9),
            Statement("All of them are cheap.", quotes[:1], False, 0.2),
        ),
        entries=(
            entry(1, prune, "Removes attention heads one by one.", "We remove heads one at a time"),
            entry(2, leak, "Hidden marks betray what models saw.", "We hide harmless marks"),
            entry(3, proof, "LemmaLoom never fails.", closed, supported=False),
            entry(4, tide, "TideNet fills gaps from neighbours.", "a graph network that fills"),
        ),
        groups=(
            Group("Language models", ("prune", "leak"), ("heads", "test set"), ("prune",)),
            Group("Structure", ("proof", "tide"), ("graph", "lemma"), ("tide",)),
        ),
        findings=(
            Finding("tide", "error of the water level", "9.4 cm", cite(tide, lowered, 4)),
            Finding("proof", "goals closed", "38 %", cite(proof, closed, 3)),
        ),
        open_ends=(OpenEnd("Whether code is public", ("prune", "leak", "tide")),),
        omitted=(Omission("grid", BY_ID["grid"].name, "only near the topic", 0.31),),
        coverage=Coverage(4, 4, 8, 3),
        made_from=MADE_FROM,
        changes=(
            Change("proof", "LemmaLoom", "new", "new here"),
            Change("bees", BY_ID["bees"].name, "gone", "no longer in the index"),
            Change("tide", BY_ID["tide"].name, "moved", "from Weather to Structure"),
            Change("leak", BY_ID["leak"].name, "changed", "status: submitted, now accepted"),
        ),
        notes=("One line was written anew.",),
    )


def living() -> Digest:
    """A second topic, without groups, that shares a paper with the first."""
    bees, grip, tide = (BY_ID[id] for id in ("bees", "grip", "tide"))
    entries = (
        entry(1, bees, "Reads the dances of honeybees with a camera.", "read 1,240 dances"),
        entry(2, grip, "Robots hear soft fruit slip.", "listen for slipping"),
        entry(3, tide, "TideNet watches storms.", "Coastal gauges fail during storms"),
    )
    return Digest("Sensing", (), entries, (), (), (), (), Coverage(3, 3, 8, 0), MADE_FROM)


def empty() -> Digest:
    """A topic that no paper is about."""
    return Digest("Medieval pottery", (), (), (), (), (), (), Coverage(0, 0, 8, 0), MADE_FROM)


def large(papers: int) -> Digest:
    """A digest of many papers. Their texts begin with letters that take two units in UTF-16."""
    found = [
        paper(f"n{n}", f"\U0001f41d\U0001d4dd Study {n} counts bees. It finds {n + 2} of them.")
        for n in range(papers)
    ]
    entries = [entry(n, p, f"Counts {n + 1} bees.", f"{n + 1} of") for n, p in enumerate(found, 1)]
    coverage = Coverage(papers, papers, papers, 0)
    return Digest("Bees", (), tuple(entries), (), (), (), (), coverage, MADE_FROM)


def hostile(url: str = "javascript:window.pwned=1") -> Digest:
    """A digest whose every text is out to be more than text."""
    papers = [
        paper(f"evil{n} \"'><b>", text, title=text, url=url, venue=text, area=text, handle="x")
        for n, text in enumerate(EVIL)
    ]
    cites = [Citation(n, p.paper_id, p.text, 0, len(p.text)) for n, p in enumerate(papers, 1)]
    entries = tuple(
        Entry(n, p, p.text, (c,), n % 2 == 0, 0.5)
        for n, (p, c) in enumerate(zip(papers, cites, strict=True), 1)
    )
    ids = tuple(p.paper_id for p in papers)
    return Digest(
        topic=" ".join(EVIL),
        overview=tuple(Statement(text, tuple(cites), True, 1.0) for text in EVIL),
        entries=entries,
        groups=tuple(Group(t, (i,), (t,)) for t, i in zip(EVIL, ids, strict=True)),
        findings=tuple(Finding(c.paper_id, c.quote, c.quote[:5], c) for c in cites),
        open_ends=tuple(OpenEnd(text, ids) for text in EVIL),
        omitted=tuple(Omission(f"o{n}", text, text, 0.1) for n, text in enumerate(EVIL)),
        coverage=Coverage(7, 7, 7, 9),
        made_from=replace(MADE_FROM, corpus=EVIL[0], settings={EVIL[2]: EVIL[6]}),
        changes=tuple(Change(id, t, "changed", t) for id, t in zip(ids, EVIL, strict=True)),
        notes=tuple(EVIL),
    )


def atlas(digests: Sequence[Digest] = (), trend_by: str = "year") -> Atlas:
    """Each digest is a topic, its papers on a small circle; and two trends."""
    digests = digests or (machines(), living())
    points = {
        e.paper.paper_id: Point(
            e.paper.paper_id,
            e.paper.name,
            e.line,
            topic,
            (0.2 + 0.6 * (topic % 2) + 0.03 * (e.number % 5)) % 1,
            (0.3 + 0.1 * e.number + 0.2 * topic) % 1,
        )
        for topic, digest in enumerate(digests)
        for e in digest.entries
    }
    values = ("2029", "2030", "2031") if trend_by == "year" else ("Toy Conference", "Toy Workshop")
    counts = [(value, n + 1, 10 * (n + 1)) for n, value in enumerate(values)]
    return Atlas(
        topics=tuple(digest.topic for digest in digests),
        points=tuple(points.values()),
        trend_by=trend_by,
        trends=(Trend("language models", tuple(counts)), Trend("bees", tuple(counts[::-1]))),
    )
