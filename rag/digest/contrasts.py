"""Drafts of where papers differ: what kind of thing they bring, and what they do, side by side."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, combinations, product, zip_longest

from rag.digest.clauses import Clause, any_clause, called, clause, titled
from rag.digest.drafts import Draft, Papers, capital, listed
from rag.digest.kinds import PLURALS, Kind, a
from rag.digest.phrases import key
from rag.types import Citation

COMPARED = 24
"""Entries whose lines are looked at for a contrast."""
HANDFUL = 6
"""Papers up to which any of their sentences may serve, not their lines alone."""
FEWEST_KINDS = 3
"""Papers from which on it is worth saying what kinds of things they bring."""
STUDIES = 2
"""Titles of studies that it names."""
WAYS = ((3, True), (3, False), (2, False))
"""How many of a kind a sentence names, and whether it has titles: what is tried in turn."""
KINDS = 4
"""Kinds that a sentence tells, at most."""
PLACE, LONG = 0.03, 26
"""What a place further down costs a contrast, and the words from which on each costs a tenth."""
MEANS = frozenset(map(key, ("large language models", "language models", "vision-language models")))
"""Themes that are what papers work with and no aim that two approaches could have in common."""
ALIKE = 0.4
"""Share of their words from which on two clauses say much the same."""


def kinds(papers: Papers, _: Sequence[Draft]) -> Iterator[Draft]:
    """Who brings a benchmark, who a method, who theory, the commonest first; where that is all the
    same, what most bring."""
    if len(papers) < FEWEST_KINDS:
        return
    found: defaultdict[str, list[int]] = defaultdict(list)
    for i, kind in enumerate(papers.kinds):
        if kind and (
            not kind.is_made or called(papers.entries[i]) == papers.entries[i].paper.handle
        ):
            found[kind.name].append(i)
    order = sorted(found, key=lambda name: (name in ("theory", "study"), -len(found[name]), name))
    for count in range(min(len(order), KINDS), 1, -1):
        for chosen, (most, titles) in product(combinations(order, count), WAYS):
            told = [_of_kind(papers, found[name], name, most, titles) for name in chosen]
            quotes = tuple(chain(*(quotes for _, quotes in told)))
            if len(quotes) >= FEWEST_KINDS or 2 * len(quotes) >= len(papers) - 1:
                yield Draft(capital(f"{against([text for text, _ in told])}."), quotes)
    if len(order) == 1 and 2 * len(found[order[0]]) > len(papers):
        yield from _of_one_kind(papers, found[order[0]], order[0])


def _of_one_kind(papers: Papers, members: Sequence[int], name: str) -> Iterator[Draft]:
    """What most papers bring."""
    shown = papers.examples(members)
    names = papers.names(shown, titles=False)
    if len(members) >= FEWEST_KINDS and names:
        quotes = tuple(kind.citation for i in shown if (kind := papers.kinds[i]))
        yield Draft(
            f"Most of these papers present {PLURALS[name]}, among them {listed(names)}.", quotes
        )


def _of_kind(
    papers: Papers, members: Sequence[int], name: str, most: int, titles: bool
) -> tuple[str, tuple[Citation, ...]]:
    """That X and Y are benchmarks, by name; of papers without a name, that others are."""
    shown = papers.examples(members, most)
    if name in ("theory", "study"):
        names = {i: titled(papers.entries[i]) if titles else "" for i in shown[:STUDIES]}
    else:
        names = {i: called(papers.entries[i]) for i in shown}
    named = [i for i in names if names[i]] or shown
    one = len(named) == 1
    unnamed = "another paper" if one else "others"
    subject = listed([names[i] for i in named if names.get(i)]) or unnamed
    quotes = tuple(kind.citation for i in named if (kind := papers.kinds[i]))
    return f"{subject} is {a(name)}" if one else f"{subject} are {PLURALS[name]}", quotes


def against(clauses: Sequence[str]) -> str:
    """Two clauses against each other, or several in a row."""
    if len(clauses) == 2:
        return f"{clauses[0]}, whereas {clauses[1]}"
    return f"{', '.join(clauses[:-1])}, and {clauses[-1]}"


def side_by_side(papers: Papers, told: Sequence[Draft]) -> Iterator[Draft]:
    """What two papers do that can be compared, in one sentence: they bring the same kind of thing
    and share a theme, which is said, or, of a few, the digest's topic; where nothing else could be
    told, a group will do."""
    made = {i: found for i in _compared(papers) if (found := _clause(papers, i))}
    place = {i: rank for rank, i in enumerate(made)}
    pairs = [
        (_cost_of(made[i], made[j]) + PLACE * (place[i] + place[j]), i, j)
        for i, j in combinations(made, 2)
        if _comparable(papers, made[i], made[j], papers.kinds[i], papers.kinds[j])
    ]
    few = len(papers) <= HANDFUL
    source, topic = (papers.mentioned, "") if few else (papers.themes, papers.topic)
    themes = [
        theme for theme in source.ranked(range(len(papers)), topic) if few or theme.key not in MEANS
    ]
    for _cost, i, j in sorted(pairs):
        one, other = made[i], made[j]
        joined = "whereas" if " while " in one.does else "while"
        text = f"{one.said()}, {joined} {other.said()}."
        quotes = (*one.citations, *other.citations)
        theme = next((theme for theme in themes if {i, j} <= set(theme.members)), None)
        grouped = not told and any({i, j} <= set(members) for members in papers.members)
        if (few and (theme or _on_topic(papers.topic, one, other))) or grouped:
            yield Draft(capital(text), quotes)
        elif theme:
            shared = (papers.themes.evidence(theme, k) for k in (i, j))
            text = f"Of those on {theme.name}, {text}"
            yield Draft(text, tuple(dict.fromkeys((*quotes, *shared))))


def _on_topic(topic: str, one: Clause, other: Clause) -> bool:
    """Whether one of two clauses says a topic, which is then what the other can be compared in."""
    return bool(key(topic)) and any(key(topic) in key(clause.does) for clause in (one, other))


def _comparable(
    papers: Papers, one: Clause, other: Clause, kind: Kind | None, another: Kind | None
) -> bool:
    """Whether both say what they do, of things of one kind, and not much the same."""
    if any(clause.boasts or clause.tells_little for clause in (one, other)):
        return False
    if not (one.subject and other.subject):
        return False
    if kind and another and kind.name != another.name:
        return False
    both = one.terms & other.terms
    return len(both) < ALIKE * min(len(one.terms), len(other.terms))


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
    return one.cost + other.cost + 0.1 * max(0, length - LONG)
