"""Does the evidence answer the question, or is an honest refusal due?

A logistic score over a few indications, with weights fitted by ``evals/calibrate.py`` on our
own questions: the real ones, the same with their papers taken out of the corpus, the same with
another paper's name put in, and requests for the papers about some of their words.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from math import exp
from pathlib import Path

from rag.engine.evidence import Evidence, residual
from rag.engine.expectations import lacks_figure, seldom_stated, unknown_name
from rag.engine.question import Question, kind_of
from rag.retrieve.hybrid import Retriever, Signals
from rag.retrieve.terms import terms, words
from rag.types import Outcome, Paper

SEVERAL = ("list", "count", "compare", "find")
"""Kinds of question whose evidence comes from several papers together."""


@dataclass(frozen=True, slots=True)
class Indications:
    """What speaks for an answer or against one."""

    covered: float
    """Share of what is asked, beyond the paper's name, that the paper's text mentions; by
    rarity in the corpus."""
    similarity: float
    """Best cosine of a sentence of the paper to the question."""
    evidence: float
    """Learned score of the best sentence (``rag.engine.sentences``), in log-odds."""
    named: float
    """1 if the question calls a paper by its name."""
    uncovered: float
    """Of a list or count the share of what is asked that no paper of the answer mentions; else 0.
    A few words say what such a question is about, so each of them weighs more."""
    continued: float
    """1 if the question continues a conversation, and so says little by itself."""
    unknown_name: float
    """1 if the question names something that the corpus lacks."""
    figure_missing: float
    """1 if a figure is asked for and the paper has none of that kind."""
    seldom_stated: float
    """1 if a detail is asked for that abstracts seldom give."""


TOO_MUCH = 0.6
"""Doubt from which on an answer is refused: about where questions by others are most often judged
right (``evals/calibrate.py`` shows the places around it)."""
WEIGHTS = Path(__file__).with_name("outcome.json")
ABOUT = 0.4
"""Similarity from which on a refusal says that the paper is here and does not say it. Chosen on our
questions: none of those on other matters reaches it, nor do 93 % of SciFact's and PubMedQA's."""


def judge(found: Indications, *, by_chance: bool) -> Outcome:
    """The outcome that the indications call for; what is called by its name is here, unless it is
    named ``by_chance``."""
    if doubt(found) < TOO_MUCH:
        return "answered"
    about = (found.named and not by_chance) or found.similarity >= ABOUT
    return "not_in_abstracts" if about else "not_in_corpus"


def by_chance(retriever: Retriever, question: str, handle: str) -> bool:
    """Whether a question has a paper's name as an everyday word: "a fire" is not FIRE. One who
    writes all names in lower case gets the other refusal then, and the same papers with it."""
    name = words(handle)
    if len(name) != 1 or handle == handle.lower() or handle in question:
        return False
    return name[0] in words(question) and retriever.lexical.is_real(name[0])


def doubt(found: Indications) -> float:
    """Probability, in [0, 1], that the evidence does not answer the question."""
    score = sum(weights()[name] * value for name, value in weighed(found).items())
    return 1 / (1 + exp(-score))


def weighed(found: Indications) -> dict[str, float]:
    """What is weighed: the indications, and two of them once more where a paper is named: then the
    search need not be right, and they say less about it."""
    return {
        **asdict(found),
        "covered, named": found.named * found.covered,
        "similarity, named": found.named * found.similarity,
        "always": 1.0,
    }


@cache
def weights() -> dict[str, float]:
    """In log-odds, as ``evals/calibrate.py --write`` fitted them."""
    found: dict[str, float] = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return found


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
    cited = rows if question.kind in SEVERAL else rows[:1]
    papers = [retriever.snapshot.paper(row) for row in cited]
    text = " ".join(paper.indexed_text for paper in papers)
    known = set(terms(text)).union(*(terms(paper.handle) for paper in papers))
    kind = kind_of(question.standalone) if question.kind == "find" else question.kind
    listed = kind in ("list", "count")
    wish = question.text if listed else question.asked
    cosines = signals.sentence[retriever.snapshot.sentence_rows(cited[0])]
    covered = _share(retriever, _asked(signals, papers), known)
    vocabulary = retriever.lexical.vocabulary
    return Indications(
        covered=covered,
        similarity=float(cosines.max()),
        evidence=picked[0].score,
        named=float(named),
        uncovered=1 - covered if listed else 0.0,
        continued=float(question.kind == "follow-up"),
        unknown_name=float(unknown_name(question.asked, signals.repairs, vocabulary)),
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
