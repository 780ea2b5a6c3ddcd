"""Does the evidence answer the question, or is an honest refusal due?

A logistic score over a few indications, with weights fitted by ``evals/calibrate.py`` on our
own questions: the real ones, the same with their papers taken out of the corpus, the same with
another paper's name put in, and requests for the papers about some of their words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from math import exp

from rag.engine.evidence import Evidence, residual
from rag.engine.expectations import lacks_figure, seldom_stated, unknown_name, wanted
from rag.engine.question import Question
from rag.retrieve.hybrid import Retriever, Signals
from rag.retrieve.terms import stem, terms
from rag.types import Outcome, Paper

MULTIPLE = ("list", "count", "compare")
"""Kinds of question whose evidence comes from several papers together."""


@dataclass(frozen=True, slots=True)
class Indications:
    """What speaks for an answer (first four, in [0, 1] or cosines) and against one (0 or 1,
    ``uncovered`` and ``wanted_missing`` shares)."""

    covered: float
    """Share of what is asked, beyond the paper's name, that the paper's text mentions; by
    rarity in the corpus, as is the next."""
    quoted: float
    """The same share for the sentences of the answer."""
    similarity: float
    """Best cosine of a sentence of the paper to the question."""
    whole: float
    """Cosine of the whole abstract to the question."""
    named: float
    """1 if the question calls a paper by its name."""
    several: float
    """1 if the question is for several papers."""
    uncovered: float
    """Of a list or count the share of what is asked that no paper of the answer mentions; else 0.
    A few words say what such a question is about, so each of them weighs more."""
    continued: float
    """1 if the question continues a conversation, and so says little by itself."""
    wanted_missing: float
    """Share of the nouns after the question word that the paper lacks."""
    unknown_name: float
    """1 if the question names something that the corpus lacks."""
    figure_missing: float
    """1 if a figure is asked for and the paper has none of that kind."""
    seldom_stated: float
    """1 if a detail is asked for that abstracts seldom give."""


WEIGHTS = (-2.79, -1.89, -5.4, -3.03, 0.82, -0.8, 4.8, -4.3, 1.54, 3.19, 4.55, 5.45)
BIAS = 2.25
ABOUT = 0.3
"""Similarity from which on a refusal says that the papers are here and do not say it."""


def judge(found: Indications) -> Outcome:
    """The outcome that the indications call for."""
    if doubt(found) < 0.5:
        return "answered"
    about = found.named or found.whole >= ABOUT or found.covered >= 0.5
    return "not_in_abstracts" if about else "not_in_corpus"


def doubt(found: Indications) -> float:
    """Probability, in [0, 1], that the evidence does not answer the question."""
    score = BIAS + sum(w * x for w, x in zip(WEIGHTS, astuple(found), strict=True))
    return 1 / (1 + exp(-score))


def indications(
    retriever: Retriever,
    signals: Signals,
    question: Question,
    picked: Sequence[Evidence],
    *,
    named: bool,
) -> Indications:
    """What speaks for and against an answer from ``picked``, most telling first; ``named`` if
    the question calls a paper by its name."""
    rows = list(dict.fromkeys(sentence.row for sentence in picked))
    cited = rows if question.kind in MULTIPLE else rows[:1]
    papers = [retriever.snapshot.paper(row) for row in cited]
    text = " ".join(paper.indexed_text for paper in papers)
    known = set(terms(text)).union(*(terms(paper.handle) for paper in papers))
    quoted = set(terms(" ".join(sentence.text for sentence in picked)))
    asked = _asked(signals, papers)
    listed = question.kind in ("list", "count")
    wish = question.text if listed else question.asked
    nouns = [signals.repairs.get(word, stem(word)) for word in wanted(wish)]
    cosines = signals.sentence[retriever.snapshot.sentence_rows(cited[0])]
    covered = _share(retriever, asked, known)
    return Indications(
        covered=covered,
        quoted=_share(retriever, asked, quoted),
        similarity=float(cosines.max()),
        whole=float(signals.whole[cited[0]]),
        named=float(named),
        several=float(question.kind in MULTIPLE),
        uncovered=1 - covered if listed else 0.0,
        continued=float(question.kind == "follow-up"),
        wanted_missing=sum(noun not in known for noun in nouns) / max(len(nouns), 1),
        unknown_name=float(
            unknown_name(question.asked, signals.repairs, retriever.lexical.vocabulary)
        ),
        figure_missing=float(lacks_figure(wish, text)),
        seldom_stated=float(seldom_stated(question.asked, text)),
    )


def _asked(signals: Signals, papers: Sequence[Paper]) -> list[str]:
    """The terms of a question that no cited paper has for a name."""
    asked = signals.terms
    for paper in papers:
        asked = residual(asked, paper)
    return asked


def _share(retriever: Retriever, asked: Sequence[str], known: set[str]) -> float:
    """Share of terms that are known, weighed by rarity; 0 if nothing is asked."""
    rarity = {term: retriever.lexical.rarity(term) for term in asked}
    total = sum(rarity.values())
    return sum(rarity[term] for term in asked if term in known) / total if total else 0.0
