"""What an explanation consists of. Values alone: how they are put is for ``telling`` to know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

SEARCH = "search"
"""The kind of what is no question."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question, or words that stand for one term: ``read_as`` what was searched, as
    papers write it; ``papers`` of them have it."""

    asked: str
    read_as: str
    papers: int

    @property
    def repaired(self) -> bool:
        return self.read_as != self.asked


@dataclass(frozen=True, slots=True)
class Understood:
    """A question as it was taken: ``passed`` of ``population`` papers were left by the filters."""

    kind: str
    asked: str
    standalone: str
    words: tuple[Word, ...]
    population: int
    passed: int
    also: tuple[str, ...] = ()
    """What a model would search for in the question's place."""


@dataclass(frozen=True, slots=True)
class FoundPaper:
    """Why a paper: it is the ``rank``-th of those that passed, from 1.

    ``has`` maps the question's words to how the paper writes them. ``abstract_nearer`` and
    ``sentence_nearer`` are shares, in [0, 1], of the other papers to which the question is less
    near by meaning, by the whole abstract and by the best sentence. ``said`` if a list has it
    for its words, ``meant`` if for its meaning. One that is ``like`` another is near to that, and
    ``has`` the words that are most that one's own.
    """

    paper_id: str
    name: str
    rank: int
    named: bool
    has: Mapping[str, str]
    lacks: tuple[str, ...]
    abstract_nearer: float
    sentence_nearer: float
    said: bool = False
    meant: bool = False
    like: str = ""


@dataclass(frozen=True, slots=True)
class Gain:
    """What a feature adds to the score of a sentence over the mean of the paper's others; ``more``
    if the sentence has more of it than they."""

    feature: str
    gain: float
    more: bool


@dataclass(frozen=True, slots=True)
class FoundSentence:
    """Why a sentence of a paper, which stands at ``start`` to ``end``: ``words`` of the question
    that it has, the largest gain first; ``introduces`` if it says what the paper's system is and
    that was looked for."""

    paper_id: str
    start: int
    end: int
    text: str
    words: tuple[str, ...]
    gains: tuple[Gain, ...]
    introduces: bool


@dataclass(frozen=True, slots=True)
class Matched:
    """What a list was matched by: ``forms`` of its notions as papers write them, each with how
    many papers have it, and ``without`` the notions that papers must lack. ``said`` papers say
    it, ``meant`` mean it, ``beside`` only stand out."""

    forms: tuple[tuple[tuple[str, int], ...], ...]
    without: tuple[str, ...]
    said: int
    meant: int
    beside: int


@dataclass(frozen=True, slots=True)
class Indicated:
    """An indication for or against an answer: how much it ``adds`` to the doubt, in log-odds, over
    a value that would say nothing; negative if it speaks for an answer."""

    name: str
    value: float
    adds: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """Why an answer or a refusal: the ``indications``, most telling first, and the ``doubt``, in
    [0, 1], that they amount to; ``absent`` if a list looked through all papers and found nothing
    near."""

    outcome: str
    doubt: float
    indications: tuple[Indicated, ...]
    absent: bool
    unasked: bool
    declined: bool
    """Whether a model that was asked found no answer in what it was shown."""


@dataclass(frozen=True, slots=True)
class Shown:
    """How many sentences of a paper a model was shown."""

    paper_id: str
    name: str
    sentences: int


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why an answer, or the result of a search, is what it is. A search has no ``verdict``; only
    lists have ``matched``, and only answers of a model what it was ``shown``. ``more`` papers are
    not gone into."""

    understood: Understood
    papers: tuple[FoundPaper, ...]
    more: int = 0
    sentences: tuple[FoundSentence, ...] = ()
    matched: Matched | None = None
    verdict: Verdict | None = None
    shown: tuple[Shown, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return asdict(self)
