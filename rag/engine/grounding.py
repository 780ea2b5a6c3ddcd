"""Binds a model's sentence to exact quotes, and checks that they carry it.

The ids that a model cites are a proposal. What they quote has to carry the sentence; if it does
not, or if there are no ids, the sentences that the model was shown are searched for some that do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from rag.engine.check import Checker, Quoted, Verdict
from rag.engine.context import Context
from rag.engine.reply import Said
from rag.types import Paper

QUOTES = 3
"""Sentences at most that a statement is bound to when we choose them."""
LIKELY = 0.3
"""Alignment from which on a sentence is tried as a quote for a statement."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence of an abstract: ``paper.text[start:end]``."""

    paper: Paper
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.paper.text[self.start : self.end]

    @property
    def evidence(self) -> Quoted:
        """As the checker wants it."""
        title = (self.paper.title,) if self.paper.title else ()
        return Quoted(self.text, (self.paper.handle, *title))


@dataclass(frozen=True, slots=True)
class Grounded:
    """A sentence with the quotes it rests on, and whether they carry it."""

    text: str
    quotes: tuple[Quote, ...]
    verdict: Verdict


@dataclass(frozen=True)
class Grounder:
    """Grounds sentences on what one prompt showed."""

    context: Context
    checker: Checker

    def ground(self, said: Said) -> Grounded:
        """The sentence on its own citations if they carry it, else on the best others that do,
        else unsupported on what it cited or is most like."""
        first = self.on(said.text, self._cited(said))
        if first.verdict.supported:
            return self._needed(first)
        others = [self.on(said.text, quotes) for quotes in self._likely(said.text)]
        carried = (other for other in others if other.verdict.supported)
        return next(carried, first if first.quotes else (others or [first])[0])

    def on(self, text: str, quotes: Sequence[Quote]) -> Grounded:
        """A sentence on just these quotes."""
        verdict = self.checker.check(text, [quote.evidence for quote in quotes])
        return Grounded(text, tuple(quotes), verdict)

    def _cited(self, said: Said) -> list[Quote]:
        """What the known ids stand for; one that names only a paper, its likeliest sentence."""
        quotes = []
        for paper, sentence in said.ids:
            if sentence is None:
                quotes += self._best([q for q in self._shown if q[0] == paper], said.text)[:1]
            else:
                found = self.context.sentence(paper, sentence)
                quotes += [Quote(*found)] if found else []
        return list(dict.fromkeys(quotes))

    def _needed(self, grounded: Grounded) -> Grounded:
        """Without the quotes that the sentence does as well without."""
        for quote in reversed(grounded.quotes[1:]):
            rest = [other for other in grounded.quotes if other is not quote]
            fewer = self.on(grounded.text, rest)
            if fewer.verdict.supported and fewer.verdict.support >= grounded.verdict.support:
                grounded = fewer
        return grounded

    def _likely(self, text: str) -> list[list[Quote]]:
        """Quotes worth trying: the best sentence, then with the next best of its paper."""
        ranked = self._best(self._shown, text)
        if not ranked:
            return []
        same = [quote for quote in ranked if quote.paper is ranked[0].paper][:QUOTES]
        return [same[:size] for size in range(1, len(same) + 1)]

    def _best(self, shown: Sequence[tuple[int, Quote]], text: str) -> list[Quote]:
        """The quotes that may carry a text, best first; ties in the order shown."""
        quotes = [quote for _, quote in shown]
        aligned = self.checker.align(text, [quote.evidence for quote in quotes])
        order = sorted(range(len(quotes)), key=lambda i: -aligned[i])
        return [quotes[i] for i in order if aligned[i] >= LIKELY]

    @cached_property
    def _shown(self) -> list[tuple[int, Quote]]:
        """Every sentence of the prompt with the number of its paper."""
        return [
            (number, Quote(shown.paper, start, end))
            for number, shown in enumerate(self.context.papers, start=1)
            for start, end in shown.spans
        ]
