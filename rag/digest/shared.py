"""What papers have in common: the phrases that several of them are about, with their evidence.

A paper is about what its title or keywords name, or its line's quotes, or several sentences:
to mention something once is not enough.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rag.digest.phrases import LONELY, SPELT_OUT, abbreviates, key, phrases, spelling, whole
from rag.digest.subjects import known, may_be_subject, stands_as_noun
from rag.types import Citation, Entry

MAX_SENTENCES = 200
"""Of a text; an abstract has about ten."""
LENGTH_WEIGHTS = (0.6, 1.0, 1.2)
"""Of phrases of one, two and more words: the longer, the more they say."""
_LONELY_KEYS = frozenset(map(key, LONELY))


@dataclass(frozen=True, slots=True)
class Theme:
    """A phrase, as it is mostly written, and the indices of the entries that are about it."""

    key: str
    name: str
    members: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Told:
    """The phrases of one paper: how each is written, and the sentence that shows it best."""

    spelt: dict[str, str]
    place: dict[str, tuple[int, int]]


class Themes:
    """The themes of some entries; indices count these. With ``mentioned`` a theme is also what a
    paper mentions once, if that is a topic with a name."""

    def __init__(
        self,
        entries: Sequence[Entry],
        spans: Mapping[str, Sequence[tuple[int, int]]],
        mentioned: bool = False,
    ) -> None:
        self._entries = entries
        self._told = [
            _told(entry, spans.get(entry.paper.paper_id, ()), mentioned) for entry in entries
        ]
        self._papers = Counter(phrase for told in self._told for phrase in told.place)

    def ranked(self, members: Sequence[int], avoid: str = "") -> list[Theme]:
        """Themes of at least two of ``members``, the widest first; longer phrases before shorter
        ones. None says what ``avoid`` says."""
        having: defaultdict[str, list[int]] = defaultdict(list)
        for index in members:
            for phrase in self._told[index].place:
                having[phrase].append(index)
        wide = {
            phrase: found
            for phrase, found in having.items()
            if len(found) > 1 and not _repeats(phrase, avoid)
        }
        kept = whole({phrase: len(found) for phrase, found in wide.items()})
        weights = {phrase: self._weight(phrase, wide[phrase], members) for phrase in kept}
        order = sorted(weights, key=lambda phrase: (-weights[phrase], phrase))
        return [Theme(p, self._named(p, wide[p]), tuple(wide[p])) for p in order]

    def _named(self, phrase: str, having: Sequence[int]) -> str:
        """As the field writes it or, if it has no name for it, as these papers do."""
        name = known().get(phrase, "")
        return name or spelling(phrase, [self._told[i].spelt[phrase] for i in having])

    def _weight(self, phrase: str, having: Sequence[int], members: Sequence[int]) -> float:
        """How well a phrase stands for ``members``: its share there less that elsewhere."""
        elsewhere = len(self._entries) - len(members)
        outside = (self._papers[phrase] - len(having)) / elsewhere if elsewhere else 0.0
        share = len(having) / len(members) - outside
        return round(share * LENGTH_WEIGHTS[min(phrase.count(" "), 2)], 6)

    def evidence(self, theme: Theme, index: int) -> Citation:
        """The sentence in which an entry's paper has a theme."""
        entry = self._entries[index]
        start, end = self._told[index].place[theme.key]
        quote = entry.paper.text[start:end]
        return Citation(entry.number, entry.paper.paper_id, quote, start, end)


def _told(entry: Entry, spans: Sequence[tuple[int, int]], mentioned: bool) -> _Told:
    paper = entry.paper
    keywords = frozenset(map(key, paper.keywords))
    places: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    spelt: dict[str, str] = {}
    spelt_out: dict[str, tuple[int, int]] = {}
    nouns = {*known(), *keywords}
    for start, end in spans[:MAX_SENTENCES]:
        sentence = paper.text[start:end]
        for phrase, surface in dict(phrases(sentence)).items():
            if not may_be_subject(phrase, surface):
                continue
            if phrase not in nouns and stands_as_noun(surface, sentence):
                nouns.add(phrase)
            places[phrase].append((start, end))
            spelt.setdefault(phrase, surface)
            if phrase in SPELT_OUT and not abbreviates(surface):
                spelt_out.setdefault(phrase, (start, end))
    named = {phrase for text in (paper.title or "", *paper.keywords) for phrase, _ in phrases(text)}
    cited = {(citation.start, citation.end) for citation in entry.citations}
    about = {
        phrase: spelt_out.get(phrase) or next((p for p in found if p in cited), found[0])
        for phrase, found in places.items()
        if phrase in nouns
        and (
            len(found) > 1
            or phrase in named
            or not cited.isdisjoint(found)
            or (mentioned and phrase in known())
        )
    }
    return _Told(spelt, about)


def _repeats(phrase: str, topic: str) -> bool:
    """Whether a theme's key says nothing beyond a topic: only its words, and lonely ones."""
    words, asked = set(phrase.split()), set(key(topic).split())
    telling = asked - _LONELY_KEYS or asked
    extended = not telling.isdisjoint(words) and words <= asked | _LONELY_KEYS
    return extended or words <= asked
