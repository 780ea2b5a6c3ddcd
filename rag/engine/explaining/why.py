"""A question, considered and answered → why so. Looks at what was found, and finds nothing anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from math import log
from typing import TYPE_CHECKING

import numpy as np

from rag.engine.evidence import asked_of, introduction
from rag.engine.explaining.matched import Listing, listing
from rag.engine.explaining.phrases import neutral
from rag.engine.explaining.values import (
    SEARCH,
    Explanation,
    FoundPaper,
    FoundSentence,
    Gain,
    Indicated,
    Shown,
    Understood,
    Verdict,
    Word,
)
from rag.engine.explaining.words import words_of, written_in
from rag.engine.listing.similar import shared_words
from rag.engine.names import Names
from rag.engine.outcome import Indications, doubt
from rag.engine.quoting import REFUSALS, Considered
from rag.engine.sentences import features, weights
from rag.retrieve.hybrid import Retriever, Signals
from rag.retrieve.terms import terms
from rag.types import Answer, Hit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rag.engine.context import Context

PAPERS, SENTENCES = 5, 6
"""Papers and sentences that are gone into, the first of an answer."""
CHOSEN_OTHERWISE = ("list", "count", "similar")
"""Kinds of question that want the sentence with the words or the likeness that a paper is listed
for, not the one that answers best."""
GAINS, LEAST = 4, 0.05
"""Features named of a sentence, and the gain that each must bring: a tenth of the margin within
which a second sentence is quoted."""


def explain(considered: Considered, answer: Answer, context: Context | None = None) -> Explanation:
    """Why the answer to a question is what it is; ``context`` is what a model was shown for it."""
    retriever, signals = considered.retriever, considered.signals
    question, found = considered.question, listing(considered)
    words = words_of(retriever, signals, question.text)
    rows = [retriever.snapshot.row_of[paper.paper_id] for paper in answer.sources]
    spots = _quoted(retriever, answer)[:SENTENCES]
    finding = _Finding(retriever, signals, words, considered.rows, question.standalone, found)
    to = _likened(considered)
    papers = (
        finding.paper(row) if to is None else _like(retriever, to, row, place)
        for place, row in enumerate(rows[:PAPERS], start=1)
    )
    return Explanation(
        _understood(considered, answer.question, words),
        tuple(papers),
        max(len(rows) - PAPERS, 0),
        tuple(_sentence(considered, words, found, *spot) for spot in spots),
        found.matched if found else None,
        _verdict(considered, answer, context),
        _shown(context) if context else (),
    )


def explain_search(
    retriever: Retriever, query: str, signals: Signals, hits: Sequence[Hit], passed: int
) -> Explanation:
    """Why a search found its hits among the ``passed`` papers that the filters left."""
    words = words_of(retriever, signals, query)
    rows = [retriever.snapshot.row_of[hit.paper.paper_id] for hit in hits]
    finding = _Finding(retriever, signals, words, rows, query, None)
    understood = Understood(
        SEARCH, query, query, tuple(words.values()), len(retriever.snapshot), passed
    )
    return Explanation(understood, tuple(map(finding.paper, rows)))


def _understood(considered: Considered, asked: str, words: Mapping[str, Word]) -> Understood:
    question = considered.question
    return Understood(
        question.kind,
        asked,
        question.standalone,
        tuple(words.values()),
        len(considered.retriever.snapshot),
        len(considered.rows),
        considered.also,
    )


def _shown(context: Context) -> tuple[Shown, ...]:
    papers = context.papers
    return tuple(Shown(one.paper.paper_id, one.paper.name, len(one.spans)) for one in papers)


class _Finding:
    """Tells of papers why they were found."""

    def __init__(
        self,
        retriever: Retriever,
        signals: Signals,
        words: Mapping[str, Word],
        rows: Sequence[int],
        question: str,
        found: Listing | None,
    ) -> None:
        self._retriever = retriever
        self._signals = signals
        self._words = words
        self._ranks = {row: rank for rank, row in enumerate(rows, start=1)}
        self._named = set(Names(retriever.snapshot.handles).rows(question))
        self._found = found

    def paper(self, row: int) -> FoundPaper:
        paper = self._retriever.snapshot.paper(row)
        written = {
            word.asked: written_in(paper, term, word.asked) for term, word in self._words.items()
        }
        return FoundPaper(
            paper.paper_id,
            paper.name,
            self._ranks[row],
            row in self._named,
            {asked: there for asked, there in written.items() if there},
            tuple(asked for asked, there in written.items() if not there),
            _nearer(self._signals.whole, row),
            _nearer(self._signals.best, row),
            bool(self._found and row in self._found.said),
            bool(self._found and row in self._found.meant),
        )


def _likened(considered: Considered) -> int | None:
    """The paper that others were looked for that are like it."""
    if considered.question.kind != "similar" or not considered.listed.rows:
        return None
    named = Names(considered.retriever.snapshot.handles).rows(considered.question.standalone)
    return next((row for row in named if row not in considered.listed.rows), None)


def _like(retriever: Retriever, to: int, row: int, rank: int) -> FoundPaper:
    """Why a paper is like another one."""
    snapshot, near = retriever.snapshot, retriever.likeness(to)
    shared = {
        term: written_in(snapshot.paper(row), term) for term in shared_words(retriever, to, row)
    }
    others = np.arange(len(snapshot)) != to
    place = row - (row > to)
    return FoundPaper(
        snapshot.paper(row).paper_id,
        snapshot.paper(row).name,
        rank,
        False,
        {term: written for term, written in shared.items() if written},
        (),
        _nearer(near.whole[others], place),
        _nearer(near.best[others], place),
        like=snapshot.handles[to],
    )


def _nearer(cosines: NDArray[np.float32], row: int) -> float:
    """Share of the other papers that are less near; 1 for the nearest, also of equals."""
    rounded = cosines.round(4)
    return 1 - float((rounded > rounded[row]).sum()) / max(len(rounded) - 1, 1)


def _quoted(retriever: Retriever, answer: Answer) -> list[tuple[int, int]]:
    """Row and start of each quote, in the order of the answer, without repeats."""
    quotes = (citation for statement in answer.statements for citation in statement.citations)
    rows = retriever.snapshot.row_of
    return list(dict.fromkeys((rows[quote.paper_id], quote.start) for quote in quotes))


def _sentence(
    considered: Considered,
    words: Mapping[str, Word],
    found: Listing | None,
    row: int,
    start: int,
) -> FoundSentence:
    snapshot, question = considered.retriever.snapshot, considered.question
    paper, spans = snapshot.paper(row), snapshot.spans(row)
    place = max(i for i, span in enumerate(spans) if span[0] <= start or not i)
    texts = [paper.text[slice(*span)] for span in spans]
    begin, end = spans[place]
    has = set(terms(texts[place]))
    spelt = [word.asked for term, word in words.items() if term in has]
    looked_for = question.introduces or question.kind in ("definition", "find")
    _, introduces = introduction(paper.handle)
    return FoundSentence(
        paper.paper_id,
        begin,
        end,
        texts[place],
        tuple(found.words_in(row, begin, end) if found else spelt),
        _gains(considered, row, texts, place) if question.kind not in CHOSEN_OTHERWISE else (),
        bool(looked_for and introduces.search(texts[place])),
    )


def _gains(considered: Considered, row: int, texts: Sequence[str], place: int) -> tuple[Gain, ...]:
    """What sets a sentence apart from the others of its paper, the largest gain first."""
    if len(texts) < 2:
        return ()
    retriever, signals = considered.retriever, considered.signals
    cosines = signals.sentence[retriever.snapshot.sentence_rows(row)]
    asked = asked_of(retriever, signals, considered.question, retriever.snapshot.paper(row))
    learned = weights()
    gains = []
    for name, column in features(texts, cosines, asked).items():
        more = float(column[place] - np.delete(column, place).mean())
        gains.append(Gain(name, round(learned[name] * more, 3), more > 0))
    gains.sort(key=lambda gain: (-gain.gain, gain.feature))
    return tuple(gain for gain in gains[:GAINS] if gain.gain >= LEAST)


def _verdict(considered: Considered, answer: Answer, context: Context | None) -> Verdict:
    refused = answer.outcome in REFUSALS
    likened = considered.question.kind == "similar" and considered.listed.sure
    return Verdict(
        answer.outcome,
        round(doubt(considered.indications), 4),
        () if likened else _indicated(considered.indications),
        considered.listed.absent,
        unasked=refused and answer.engine == "llm" and context is None,
        declined=refused and context is not None,
    )


def _indicated(found: Indications) -> tuple[Indicated, ...]:
    """The indications with what each does to the doubt, the most telling first."""
    total, each = _log_odds(found), []
    for field in fields(found):
        value = float(getattr(found, field.name))
        adds = total - _log_odds(replace(found, **{field.name: neutral(field.name)}))
        each.append(Indicated(field.name, round(value, 4), round(adds, 3)))
    return tuple(sorted(each, key=lambda one: (-abs(one.adds), one.name)))


def _log_odds(found: Indications) -> float:
    unsure = min(max(doubt(found), 1e-12), 1 - 1e-12)
    return log(unsure / (1 - unsure))
