"""Topics that have a name in their field, and which texts are about one without saying it.

Knows texts and the table of kin; knows nothing of groups.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cache

from rag.retrieve.content import content_terms
from rag.retrieve.kin import Kin, named_topics

WIDE = frozenset(
    "acceleration classification decision deep diversity efficiency generation inference model"
    " modeling optimization sampling scaling security training unified".split()
)
"""Words that say too little by themselves, or that add nothing to a name."""

NOUNS = ("ing", "tion", "ity", "ness")


@cache
def known() -> Mapping[str, Kin]:
    """Topics that may name papers, by their names: of one word only what is surely a noun."""
    return {
        topic.name: topic
        for topic in named_topics()
        if (" " in topic.name or topic.name.endswith(NOUNS))
        and not WIDE.intersection(topic.name.split()[:1])
    }


@cache
def small_words() -> frozenset[str]:
    """Words that names of topics have in small letters, and so no names of people."""
    words = (word for topic in named_topics() for word in topic.name.split())
    return frozenset(
        form for word in words if word.islower() for form in (word, word.removesuffix("s"))
    )


def nearness(texts: Sequence[str]) -> dict[str, dict[int, float]]:
    """For each known name, the indices of the texts that have most of its words, above all the
    most telling one, with how far each stands from texts on other topics (0) towards those on
    this one (1), by the words that go with it."""
    holders = defaultdict[str, list[int]](list)
    for index, text in enumerate(texts):
        for term in set(content_terms(text)):
            holders[term].append(index)
    found = {}
    for name, topic in known().items():
        scores = [0.0] * len(texts)
        for term, weight in topic.terms.items():
            for index in holders.get(term, ()):
                scores[index] += weight
        own = list(dict.fromkeys(content_terms(name)))
        own.sort(key=lambda term: -topic.terms.get(term, 0.0))
        said = Counter(index for term in own for index in holders.get(term, ()))
        span = max(topic.inside - topic.outside, 1.0)
        found[name] = {
            index: (scores[index] - topic.outside) / span
            for index in holders.get(own[0], ())
            if 2 * said[index] >= len(own)
        }
    return found
