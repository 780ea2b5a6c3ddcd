"""Drafts of what papers have in common: the themes of most, of some, of their groups.

The checker cannot see how many papers "all", "most" and "several" are: it is counted here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from rag.digest.drafts import EXAMPLES, Draft, Papers, capital, listed
from rag.digest.phrases import key
from rag.digest.shared import Theme, Themes
from rag.types import Citation

TOPIC_WORDS = 5
"""Of a topic that is short enough to be repeated in a sentence."""
HANDFUL = 6
"""Papers up to which it is worth saying what two of them share, or most of them mention."""
SEVERAL, FEW = 3, 0.2
"""Papers with a theme, and their share of all, below which it says nothing of the whole."""
SHOWN = 5
"""Papers that are named and quoted for what most have in common, so that it can be checked."""
TYPICAL = 0.2
"""Share of a group's papers that must be about what it is said to lean towards."""
STRANDS = 3
"""Groups that a sentence names, at most."""


def widest(papers: Papers, _: Sequence[Draft]) -> Iterator[Draft]:
    """What most papers are about beyond the topic; of a few papers without such a thing, what
    most of them mention."""
    everyone = range(len(papers))
    for theme in papers.themes.ranked(everyone, avoid=papers.topic):
        for draft in _shared(papers, papers.themes, theme, "deal with"):
            if _is_phrase_of(papers.topic, draft):
                text = f"Beyond {_inside(papers.topic)}, {draft.text}"
                yield Draft(text, draft.citations, draft.words)
            yield _begun(draft)
    for theme in papers.mentioned.ranked(everyone, avoid=papers.topic):
        if 2 * len(theme.members) > len(papers):
            yield from map(_begun, _shared(papers, papers.mentioned, theme, "touch on"))


def another(papers: Papers, told: Sequence[Draft]) -> Iterator[Draft]:
    """What the groups lean towards or, without groups, one more theme than is told."""
    words = frozenset[str]().union(*(draft.words for draft in told))
    if papers.groups:
        yield from _groups(papers, words)
    elif len(papers) > 2:
        for theme in papers.themes.ranked(range(len(papers)), avoid=papers.topic):
            if words.isdisjoint(theme.key.split()):
                yield from map(_begun, _shared(papers, papers.themes, theme, "also deal with"))


def _shared(papers: Papers, themes: Themes, theme: Theme, deal: str) -> Iterator[Draft]:
    """The draft that says who is about a theme, if they are enough."""
    shown = papers.examples(theme.members, SHOWN)
    text = _subject(papers, theme, shown, also="also" in deal)
    if text:
        subject, among = text
        quotes = tuple(themes.evidence(theme, i) for i in shown)
        words = frozenset(theme.key.split())
        yield Draft(f"{subject} {deal} {theme.name}{among}.", quotes, words)


def _subject(
    papers: Papers, theme: Theme, shown: Sequence[int], also: bool
) -> tuple[str, str] | None:
    """Whom a theme belongs to, counted, and examples; None where they are too few."""
    count, total = len(theme.members), len(papers)
    systems = papers.names(shown, titles=False)
    names = systems if len(systems) >= EXAMPLES else papers.names(shown)[:EXAMPLES]
    among = f", among them {listed(names)}" if names else ""
    if count == len(names) and (count == total or (count == 2 and total <= HANDFUL)):
        both = "both" if count == 2 else "all"
        return (listed(names) if also else f"{listed(names)} {both}"), ""
    if count == total:
        return ("both papers" if total == 2 else "all of these papers"), ""
    if count > total / 2 and count >= SEVERAL:
        return "most of these papers", among
    if count >= max(SEVERAL, FEW * total):
        return "several of these papers", among
    return None


def _groups(papers: Papers, taken: frozenset[str]) -> Iterator[Draft]:
    """What two or three of the largest groups are about more than the others, each by the names
    of papers in it."""
    parts: list[tuple[str, str]] = []
    quotes: list[tuple[Citation, ...]] = []
    for g in sorted(range(len(papers.groups)), key=lambda g: -len(papers.members[g])):
        for theme in _strand(papers, g, taken):
            shown = [i for i in papers.examples(theme.members)[:2] if papers.names([i], False)]
            if shown:
                taken |= frozenset(theme.key.split())
                parts.append((listed(papers.names(shown)), theme.name))
                quotes.append(tuple(papers.themes.evidence(theme, i) for i in shown))
    for count in range(min(len(parts), STRANDS), 1, -1):
        (names, theme_name), *others = parts[:count]
        first = f"the papers around {names} lean towards {theme_name}"
        rest = [f"those around {names} towards {theme_name}" for names, theme_name in others]
        yield Draft(capital(f"{'; '.join((first, *rest))}."), tuple(chain(*quotes[:count])))


def _strand(papers: Papers, g: int, taken: frozenset[str]) -> list[Theme]:
    """The theme that sets a group apart, without words that are taken: one of the group's terms,
    if enough of its papers are about it."""
    members, group = papers.members[g], papers.groups[g]
    least = max(min(float(SEVERAL), len(members) / 2), TYPICAL * len(members))
    themes = [
        theme
        for theme in papers.themes.ranked(members, avoid=papers.topic)
        if len(theme.members) >= least and taken.isdisjoint(theme.key.split())
    ]
    terms = [key(term) for term in (group.name, *group.terms)]
    named = [theme for theme in themes if theme.key in terms]
    return sorted(named, key=lambda theme: terms.index(theme.key))[:1] or themes[:1]


def _is_phrase_of(topic: str, draft: Draft) -> bool:
    """Whether a quote has the topic as it is asked for: then it reads well in a sentence."""
    asked = key(topic)
    if not asked or len(topic.split()) > TOPIC_WORDS:
        return False
    return any(f" {asked} " in f" {key(quote.quote)} " for quote in draft.citations)


def _begun(draft: Draft) -> Draft:
    return Draft(capital(draft.text), draft.citations, draft.words)


def _inside(topic: str) -> str:
    """A topic within a sentence: without a capital that only begins it."""
    first, space, rest = topic.partition(" ")
    return first.lower() + space + rest if first.istitle() else topic
