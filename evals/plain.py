"""Askers to compare ours with: the papers, and the sentences of the best ones, by a plain score.

They are given what is not theirs: our reading of the question, follow-ups made to stand alone and
the kind among them, and our terms. A sentence's vector is that of the sentence alone: the
late-chunked one finds much less by its cosine. They know no name, no side and no list, and never
refuse: only how papers and sentences are ranked is plain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import bm25s
import numpy as np
from search import Scores, plain_bm25, rank_fusion
from sentences import Example, by_bm25

from rag.embed import Document
from rag.embed.minilm import MiniLM
from rag.engine.answer import Asker, clean
from rag.engine.evidence import asked_of
from rag.engine.question import Question, Turn
from rag.retrieve.hybrid import Signals
from rag.retrieve.terms import terms
from rag.types import Answer, Citation, Paper, Statement

SHOWN = 3
"""Sentences of an answer; of a list, count or comparison one of each of as many papers."""
SEVERAL = ("list", "count", "compare")

Mix = Callable[[Scores, Scores], Scores]
"""Scores by BM25 and by cosine, of papers or of sentences, to those that rank."""
WAYS: dict[str, Mix] = {
    "BM25": lambda bm25, cosine: bm25,
    "MiniLM": lambda bm25, cosine: cosine,
    "rank fusion": lambda bm25, cosine: rank_fusion([bm25, cosine]),
}


@cache
def _embedder() -> MiniLM:
    return MiniLM()


@cache
def _alone(texts: tuple[str, ...]) -> Scores:
    """The vectors of texts without what stands around them, shape (texts, dimensions)."""
    found = dict(_embedder().documents([Document(text, ()) for text in texts]))
    return np.array([found[i][0] for i in range(len(texts))])


def by_minilm(example: Example) -> Scores:
    """Cosines of the sentences with what was asked."""
    cosines: Scores = _alone(tuple(example.texts)) @ _embedder().query(example.asked.wording)
    return cosines


@dataclass(frozen=True)
class PlainAsker(Asker):
    """Answers with the best sentences of the best papers, as ``way`` has them."""

    way: str = "BM25"

    @cached_property
    def index(self) -> bm25s.BM25:
        return plain_bm25(self.retriever)

    def ask(self, question: str, history: Sequence[Turn] = (), *_: object) -> Answer:
        asked, _focus = self.understood(clean(question), history)
        signals = self.retriever.signals(asked.text)
        papers = self._papers(signals, asked)
        shares = [(row, 1) for row in papers[:SHOWN]]
        if asked.kind not in SEVERAL:
            shares = [(papers[0], SHOWN)]
        quotes = [each for row, n in shares for each in self._quotes(signals, asked, row)[:n]]
        return _answer(asked, quotes)

    def rank(self, question: str, history: Sequence[Turn] = ()) -> Sequence[int]:
        asked, _focus = self.understood(clean(question), history)
        return self._papers(self.retriever.signals(asked.text), asked)

    def _papers(self, signals: Signals, asked: Question) -> list[int]:
        """The rows of all papers, best first."""
        known = [term for term in terms(asked.text) if term in self.index.vocab_dict]
        bm25 = self.index.get_scores(known) if known else np.zeros_like(signals.whole)
        return best_first(WAYS[self.way](bm25, signals.whole))

    def _quotes(self, signals: Signals, asked: Question, row: int) -> list[tuple[Paper, int, int]]:
        """The places of a paper's sentences, best first."""
        snapshot = self.retriever.snapshot
        paper, spans = snapshot.paper(row), snapshot.spans(row)
        example = Example(
            "",
            paper.paper_id,
            [paper.text[start:end] for start, end in spans],
            signals.sentence[snapshot.sentence_rows(row)],
            asked_of(self.retriever, signals, asked, paper),
        )
        order = best_first(WAYS[self.way](by_bm25(example), by_minilm(example)))
        return [(paper, *spans[i]) for i in order]


def best_first(scores: Scores) -> list[int]:
    """Places by score, equal ones in their order. Rank fusion tells papers apart by less than
    one in ten thousand."""
    order: list[int] = np.argsort(-np.asarray(scores, np.float64).round(6), kind="stable").tolist()
    return order


def _answer(asked: Question, quotes: Sequence[tuple[Paper, int, int]]) -> Answer:
    papers = list({paper.paper_id: paper for paper, _, _ in quotes}.values())
    statements = []
    for paper, start, end in quotes:
        quote, number = paper.text[start:end], papers.index(paper) + 1
        citation = Citation(number, paper.paper_id, quote, start, end)
        statements.append(Statement(quote, (citation,), supported=True, support=1.0))
    text = " ".join(f"{s.text} [{s.citations[0].number}]" for s in statements)
    return Answer(
        question=asked.asked,
        standalone_question=asked.standalone,
        outcome="answered",
        kind=asked.kind,
        text=text,
        statements=tuple(statements),
        sources=tuple(papers),
        engine="extractive",
    )
