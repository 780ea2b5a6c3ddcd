"""Drafts of where papers differ: what kind of thing they bring, and what they do, side by side."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, combinations, zip_longest

from rag.digest.clauses import Clause, any_clause, called, clause
from rag.digest.drafts import EXAMPLES, Draft, Papers, capital, listed

COMPARED = 24
"""Entries whose lines are looked at for a contrast."""
HANDFUL = 6
"""Papers up to which any of their sentences may serve, not their lines alone."""
FEWEST_KINDS = 5
"""Papers from which on it is worth saying what kinds of things they bring."""
PLACE, REPEATED, LONG = 0.03, 3.0, 26
"""What a place further down costs a contrast, a paper that is told already, and the words from
which on each costs a tenth; a word that both clauses share costs 1."""

_KIND = re.compile(
    r"^is (?:an?|the|our) (?:[\w’'+/-]+,? ){0,7}?(?P<kind>benchmark|dataset|corpus|test suite|"
    r"framework|method|algorithm|architecture|pipeline)\b"
)
_YARDSTICKS = frozenset(("benchmark", "dataset", "corpus", "test suite"))


def kinds(papers: Papers, _: Sequence[Draft]) -> Iterator[Draft]:
    """Who brings a yardstick and who a method, of those that say so in their lines."""
    if len(papers) < FEWEST_KINDS:
        return
    found: defaultdict[str, list[int]] = defaultdict(list)
    for i, entry in enumerate(papers.entries):
        handle = entry.paper.handle
        kind = _KIND.match(entry.line.removeprefix(f"{handle} "))
        if kind and called(entry) == handle and entry.citations and entry.supported:
            found[kind["kind"]].append(i)
    order = sorted(found, key=lambda kind: (-len(found[kind]), kind))
    yardstick = next((kind for kind in order if kind in _YARDSTICKS), None)
    method = next((kind for kind in order if kind not in _YARDSTICKS), None)
    if yardstick and method:
        one, other = found[yardstick][:EXAMPLES], found[method][:EXAMPLES]
        text = f"{_are(papers, one, yardstick)}, whereas {_are(papers, other, method)}."
        quotes = [papers.entries[i].citations[0] for i in (*one, *other)]
        yield Draft(text, tuple(quotes), classed=frozenset((*one, *other)))


def side_by_side(papers: Papers, told: Sequence[Draft]) -> Iterator[Draft]:
    """Two lines in one sentence, the most unlike and the shortest first; of groups, not of one."""
    classed = frozenset[int]().union(*(draft.classed for draft in told))
    contrasted = frozenset[int]().union(*(draft.contrasted for draft in told))
    made = {
        i: found for i in _compared(papers) if i not in contrasted and (found := _clause(papers, i))
    }
    costs = {i: PLACE * rank + REPEATED * (i in classed) for rank, i in enumerate(made)}
    group_of = {i: g for g, members in enumerate(papers.members) for i in members}
    pairs = [
        (_cost_of(made[i], made[j]) + costs[i] + costs[j], i, j)
        for i, j in combinations(made, 2)
        if (not papers.groups or group_of.get(i) != group_of.get(j))
        and not (made[i].classifies and made[j].classifies and classed >= {i, j})
    ]
    joined = "whereas" if contrasted else "while"
    for _, i, j in sorted(pairs):
        one, other = made[i], made[j]
        unnamed = "one paper" if one.subject else "another"
        text = capital(f"{one.said()}, {joined} {other.said(unnamed)}.")
        yield Draft(text, (*one.citations, *other.citations), contrasted=frozenset((i, j)))


def _clause(papers: Papers, i: int) -> Clause | None:
    entry = papers.entries[i]
    if len(papers) > HANDFUL:
        return clause(entry)
    return any_clause(entry, papers.spans.get(entry.paper.paper_id, ()))


def _compared(papers: Papers) -> list[int]:
    """The most relevant papers; of groups the most central ones, each group in turn."""
    if not papers.groups:
        order = sorted(range(len(papers)), key=lambda i: -papers.entries[i].relevance)
        return order[:COMPARED]
    turns = chain.from_iterable(zip_longest(*papers.members))
    return [i for i in dict.fromkeys(turns) if i is not None][:COMPARED]


def _cost_of(one: Clause, other: Clause) -> float:
    """The less, the better two clauses stand beside each other."""
    length = len(one.said().split()) + len(other.said().split())
    return len(one.terms & other.terms) + one.cost + other.cost + 0.1 * max(0, length - LONG)


def _are(papers: Papers, members: Sequence[int], kind: str) -> str:
    names = papers.names(members)
    if len(names) == 1:
        return f"{names[0]} is a {kind}"
    plural = "corpora" if kind == "corpus" else f"{kind}s"
    return f"{listed(names)} are {plural}"
