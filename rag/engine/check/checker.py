"""The verdict on a statement and its quotes.

Whatever wrote the sentence: its numbers and names have to stand in its quotes and in their
places there, its meaning has to align with them, and it may not deny what they affirm.
``evals/planted.py`` measures how far that can be trusted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, groupby
from math import exp
from typing import TYPE_CHECKING

import numpy as np

from rag.corpus.sentences import sentence_spans
from rag.engine.check.attribution import misattributed
from rag.engine.check.contests import reversed_contest
from rag.engine.check.figures import missing_numbers
from rag.engine.check.naming import Known, leading, names
from rag.engine.check.numbers import numbers
from rag.engine.check.opposites import opposites
from rag.engine.check.places import Mention, displaced
from rag.engine.check.polarity import contradictions
from rag.engine.check.reading import REMEMBERED, Reading, Word, read, same

if TYPE_CHECKING:
    from rag.embed import Embedder, Matrix

COVERAGE, SIMILARITY, BIAS = 11.1, 6.2, -9.2
"""Logistic weights of the share of the statement's words that are in the quotes, and of their
cosine, fitted by ``evals/planted.py --fit``. The bias is 0.9 above the fitted one: that keeps
true statements in quite other words at the cost of some wrong papers on the same subject."""
STRANGE = 5
"""Words of content in a row, none of them in the quotes, that are a claim of their own."""
FAULTY = 0.4
"""Support of a statement with a fault whose words are all in its quotes."""
LOOKED_AT = 4
"""Sentences whose vectors ``align`` looks at, the likeliest by their words."""
CLAIM, UNLIKE = 2, 0.2
"""Words of content of a clause, none of them in the quotes, that are a claim of their own if its
cosine to the quotes is below the second."""
MAX_CHARS = 3_000
"""Of a statement, and of a quote when its vector is taken; a sentence has some hundred."""
FRAME = frozenset(
    map(
        same,
        "able according answer approach authors become find found get give help idea introduce "
        "largely make many method mostly new novel often paper present propose question result "
        "show still study take use various way well work".split(),
    )
)
"""Words about papers at large, which say nothing about this one."""
MAX_SHOWN = 80
"""Characters of a statement that a fault quotes."""
MOST = 100
"""Mentions that are looked at to see if they are in their places."""
NUMBER_MARGIN, NAME_MARGIN, OPPOSITE_MARGIN = 0.4, 0.6, 0.45
"""See ``displaced``: what keeps all true statements of the development half."""


@dataclass(frozen=True, slots=True)
class Quoted:
    """One piece of evidence: exact words of an abstract.

    ``names`` is what its paper goes by, handle first: a statement may use these where the
    quote says "we" or "our method".
    """

    text: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether quotes carry a statement; ``support`` is in [0, 1], 1.0 for a verbatim one.

    ``faults`` say what is wrong, to a reader and to the model that rewrites the sentence.
    """

    supported: bool
    support: float
    faults: tuple[str, ...]


class Checker:
    """Checks statements against quotes. Same input, same verdict."""

    def __init__(self, embedder: Embedder) -> None:
        self._vector = lru_cache(maxsize=REMEMBERED)(embedder.query)

    def likeness(self, one: str, other: str) -> float:
        """Cosine of two texts."""
        return float(self._vector(one) @ self._vector(other))

    def check(self, statement: str, quotes: Sequence[Quoted]) -> Verdict:
        """Whether the quotes, taken together, carry the statement. No text makes it raise."""
        if _verbatim(statement, quotes):
            return Verdict(True, 1.0, ())
        said = read(statement[:MAX_CHARS])
        refusal = _refusal(statement, said, quotes)
        if refusal:
            return Verdict(False, 0.0, (refusal,))
        faults = tuple(dict.fromkeys(_faults(said, quotes)))
        if faults:
            return Verdict(False, round(FAULTY * _coverage(said, quotes), 4), faults)
        added = self._added(said, quotes)
        if added:
            fault = f'nothing in the quotes is about "{added}"'
            return Verdict(False, round(FAULTY * _coverage(said, quotes), 4), (fault,))
        support = round(_logistic(*self._meaning(statement, said, quotes)), 4)
        if support < 0.5:
            return Verdict(False, support, ("the quotes hardly say it",))
        return Verdict(True, support, ())

    def align(self, statement: str, sentences: Sequence[Quoted]) -> list[float]:
        """How well each sentence by itself carries the statement, in [0, 1].

        Only the likeliest by their words are looked at closely; the others get what their
        words alone are worth.
        """
        said = read(statement[:MAX_CHARS])
        if not any(word.content for word in said.words):
            return [0.0] * len(sentences)
        held = [_share_held(said, sentence) for sentence in sentences]
        covered = [_coverage(said, [sentence]) for sentence in sentences]
        order = sorted(range(len(sentences)), key=lambda i: -covered[i] * held[i])
        cosines = dict.fromkeys(range(len(sentences)), 0.0)
        for i in order[:LOOKED_AT]:
            cosines[i] = self.features(statement, [sentences[i]])[1]
        return [
            round(_logistic(covered[i], cosines[i]) * held[i], 4) for i in range(len(sentences))
        ]

    def _added(self, said: Reading, quotes: Sequence[Quoted]) -> str:
        """A clause that was glued to a statement: no word and no meaning of the quotes in it."""
        texts, titles = _readings(quotes)
        known = _known(texts + titles).stems
        clauses = [clause for clause in _clauses(said) if clause]
        for clause in clauses if len(clauses) > 1 else ():
            if len(clause) >= CLAIM and known.isdisjoint(word.stem for word in clause):
                text = said.text[clause[0].start : clause[-1].end]
                if max(float(self._vector(text) @ self._quoted(q)) for q in quotes) < UNLIKE:
                    return _short(text)
        return ""

    def _meaning(
        self, statement: str, said: Reading, quotes: Sequence[Quoted]
    ) -> tuple[float, float]:
        """The features, without vectors where the quotes have all words: no cosine that such
        texts can have would refuse the statement."""
        if _coverage(said, quotes) == 1.0:
            return 1.0, 1.0
        return self.features(statement, quotes)

    def _quoted(self, quote: Quoted) -> Matrix:
        return self._vector(read(quote.text).text[:MAX_CHARS])

    def features(self, statement: str, quotes: Sequence[Quoted]) -> tuple[float, float]:
        """What the meaning is judged by: the share of the statement's words that the quotes
        have, and its cosine to the nearest quote, or to all together if that is nearer."""
        said = read(statement[:MAX_CHARS])
        vectors = np.stack([self._quoted(quote) for quote in quotes])
        together = vectors.sum(axis=0)
        vectors = np.vstack([vectors, together / (np.linalg.norm(together) or 1.0)])
        return _coverage(said, quotes), float((vectors @ self._vector(said.text)).max())


def _logistic(coverage: float, cosine: float) -> float:
    return 1 / (1 + exp(-(COVERAGE * coverage + SIMILARITY * cosine + BIAS)))


def _verbatim(statement: str, quotes: Sequence[Quoted]) -> bool:
    """Whether a statement is a quote, all of them in order, or a whole sentence of one."""
    said = _bare(statement)
    texts = [quote.text for quote in quotes]
    sentences = (text[start:end] for text in texts for start, end in sentence_spans(text))
    verbatim = map(_bare, chain(texts, [" ".join(texts)], sentences))
    return any(map(str.isalpha, said)) and said in verbatim


def _bare(text: str) -> str:
    return " ".join(text.split()).rstrip(". ")


def _refusal(statement: str, said: Reading, quotes: Sequence[Quoted]) -> str:
    """Why a statement cannot be checked; empty if it can."""
    if not any(word.text.isalpha() for word in said.words):
        return "it has no words"
    if _only_names(said, quotes):
        return "it says nothing of what it names"
    if len(statement) > MAX_CHARS:
        return f"it has more than {MAX_CHARS:,} characters"
    return "" if quotes else "it has no quotes"


def _only_names(said: Reading, quotes: Sequence[Quoted]) -> bool:
    """Whether all that a statement says is what papers go by."""
    handles = frozenset().union(*(read(quote.names[0]).stems for quote in quotes if quote.names))
    return bool(quotes) and all(word.stem in handles for word in said.words if word.content)


def _faults(said: Reading, quotes: Sequence[Quoted]) -> Iterator[str]:
    """All that is wrong with a statement but its meaning."""
    texts, titles = _readings(quotes)
    known = _known(texts + titles)
    for name in chain(leading(said), names(said)):
        if not known.holds(said, name):
            yield f"the name {_short(name.shown)} is not in the quotes"
    for number in missing_numbers(said, texts, titles):
        yield f"the number {_short(number)} is not in the quotes"
    yield from _misplaced(said, quotes)
    for paper in misattributed(said, _by_paper(quotes)):
        yield f"what it says of {paper} is in the quotes of another paper"
    if reversed_contest(said, [(read(q.text), q.names[0] if q.names else "") for q in quotes]):
        yield "the quotes say the reverse of who is better"
    yield from contradictions(said, texts)
    yield from _strange(said, known.stems)
    told = " ".join(quote.text for quote in quotes)
    for url in _URL.findall(said.text):
        if url.rstrip(".,;:)") not in told:
            yield f"{_short(url)} is not in the quotes"


def _readings(quotes: Sequence[Quoted]) -> tuple[tuple[Reading, ...], tuple[Reading, ...]]:
    """The quotes, and all that their papers go by."""
    named = dict.fromkeys(name for quote in quotes for name in quote.names)
    return tuple(read(quote.text) for quote in quotes), tuple(map(read, named))


@lru_cache(maxsize=REMEMBERED)
def _known(readings: tuple[Reading, ...]) -> Known:
    return Known(readings)


def _by_paper(quotes: Sequence[Quoted]) -> dict[str, list[Reading]]:
    papers: dict[str, list[Reading]] = {}
    for quote in quotes:
        papers.setdefault(quote.names[0] if quote.names else "", []).append(read(quote.text))
    return papers


def _misplaced(said: Reading, quotes: Sequence[Quoted]) -> Iterator[str]:
    """Numbers, names and opposites that stand where the quotes have another."""
    for find, margin in _CONFUSABLE:
        quoted = [mention for quote in quotes for mention in find(read(quote.text), quote.names)]
        for mention, other in displaced([*find(said, ())][:MOST], quoted[:MOST], margin):
            yield f"where it says {_short(mention.shown)}, the quotes say {_short(other.shown)}"


def _number_mentions(reading: Reading, _: Sequence[str]) -> Iterator[Mention]:
    for number in numbers(reading):
        if not number.name:
            last = max(reading.index(number.end), number.word + 1)
            yield Mention(number.value, number.item, reading, number.word, last)


def _name_mentions(reading: Reading, own: Sequence[str]) -> Iterator[Mention]:
    """Names, and the words by which authors mean their own system."""
    for name in names(reading):
        if name.distinct:
            yield Mention(
                _squashed(reading, name.first, name.last), "name", reading, name.first, name.last
            )
    for index, word in enumerate(reading.words):
        if own and word.low in ("we", "our"):
            title = read(own[0])
            key = _squashed(title, 0, len(title.words))
            yield Mention(key, "authors", reading, index, index + 1)


def _squashed(reading: Reading, first: int, last: int) -> str:
    return "".join(word.low for word in reading.words[first:last]).removesuffix("s")


def _opposite_mentions(reading: Reading, _: Sequence[str]) -> Iterator[Mention]:
    return opposites(reading)


_URL = re.compile(r"\b(?:https?://|www\.)\S+", re.I)
_CONFUSABLE = (
    (_number_mentions, NUMBER_MARGIN),
    (_name_mentions, NAME_MARGIN),
    (_opposite_mentions, OPPOSITE_MARGIN),
)


def _coverage(said: Reading, quotes: Sequence[Quoted]) -> float:
    """Share of a statement's words of content that its quotes or the papers' names have."""
    texts, titles = _readings(quotes)
    stems = _known(texts + titles).stems
    content = [word.stem for word in said.words if word.content and word.stem not in FRAME]
    return sum(stem in stems for stem in content) / len(content) if content else 0.0


def _share_held(said: Reading, sentence: Quoted) -> float:
    """Share of a statement's numbers and names that a sentence holds."""
    texts, titles = _readings([sentence])
    known = _known(texts + titles)
    found = names(said)
    counted = sum(not number.name for number in numbers(said))
    missing = sum(not known.holds(said, name) for name in found)
    missing += len([*missing_numbers(said, texts, titles)])
    return 1 - missing / max(1, len(found) + counted)


def _strange(said: Reading, known: Set[str]) -> Iterator[str]:
    """Stretches of a statement of which no word is in the quotes."""
    content = [word for word in said.words if word.content]
    for held, run in groupby(content, key=lambda word: word.stem in known):
        strange = [*run]
        if not held and len(strange) >= STRANGE:
            yield f'nothing in the quotes is about "{_span(said, strange)}"'


def _clauses(said: Reading) -> Iterator[list[Word]]:
    """Words of content by the clauses that they stand in."""
    placed = ((word.place - index, word) for index, word in enumerate(said.words))
    for _, clause in groupby(placed, lambda found: found[0]):
        yield [word for _, word in clause if word.content]


def _span(said: Reading, words: Sequence[Word]) -> str:
    return _short(said.text[words[0].start : words[-1].end])


def _short(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…"
