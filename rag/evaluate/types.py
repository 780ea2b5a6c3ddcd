"""The words of an evaluation: what is asked for, what came of it, what differs from before.

A Case is what a person wrote. A Sample is one case put to the product once. A Run is all samples
of one time, with what they were made from. A Comparison sets two runs side by side.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

from rag.types import Outcome, Usage

if TYPE_CHECKING:
    from rag.engine.question import Turn

SuiteName = Literal["retrieval", "ask", "summarize", "digest"]
SUITES: tuple[SuiteName, ...] = ("retrieval", "ask", "summarize", "digest")

SUBJECTS: Mapping[SuiteName, str] = {
    "retrieval": "question",
    "ask": "question",
    "summarize": "paper",
    "digest": "topic",
}
"""What a case of each suite is about: the field of its row that becomes ``subject``."""

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
REFUSED: tuple[Outcome, ...] = ("not_in_abstracts", "not_in_corpus")
"""Outcomes of a question that is not answered."""


@dataclass(frozen=True, slots=True)
class Case:
    """What to ask, and what has to be true of what comes.

    ``subject`` is a question, the name of a paper, or a topic, by suite. Of each group of
    ``facts`` one alternative has to be found, of ``forbidden`` none; an alternative is text, or
    a regular expression between slashes. ``gold`` names the papers that belong to a full answer,
    ``maybe`` those that do no harm there. None, "" and () expect nothing.
    """

    id: str
    suite: SuiteName
    subject: str
    history: tuple[Turn, ...] = ()
    gold: tuple[str, ...] = ()
    maybe: tuple[str, ...] = ()
    facts: tuple[tuple[str, ...], ...] = ()
    forbidden: tuple[str, ...] = ()
    outcome: Outcome | None = None
    reference: str = ""
    """A right answer in somebody's own words: for ROUGE, and for judges."""
    rubric: str = ""
    """What a good answer to an open question has to do, for a judge to decide."""
    kind: str = ""
    """The sort of question, by which reports are broken down."""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Quote:
    """Words that a sample rests on, and the name of their paper."""

    paper: str
    text: str


@dataclass(frozen=True, slots=True)
class Judged:
    """A judge's verdict: ``score`` in [0, 1]; None is unscored, and ``reason`` says why."""

    score: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Sample:
    """What came of a case. ``scores`` has the metrics that apply to it and no others; ``error``
    is "" or what was raised, and then there are no scores but ``completed``, which is 0.

    ``outcome`` is the answer's, or "listed" or "empty" of a digest, else "". ``papers`` are at
    most ten names: the first ranked of a question, the entries of a digest.
    """

    case: str
    suite: SuiteName
    subject: str
    kind: str
    tags: tuple[str, ...]
    repeat: int
    scores: Mapping[str, float]
    expected: str = ""
    outcome: str = ""
    text: str = ""
    quotes: tuple[Quote, ...] = ()
    papers: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    """What is wrong with it, a plain sentence each: which fact is missing, which quote is not."""
    judged: Mapping[str, Judged] = field(default_factory=dict)
    usage: Usage = Usage()
    ms: int = 0
    """Milliseconds of the product's own work; 0 is not known, as in a baseline."""
    error: str = ""
    words: str = ""
    """Hash of what came: outcome, text, quotes and papers. Equal for equal words."""
    expects: str = ""
    """Hash of what the case expects: samples with another are not compared, and "" is unknown."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """What a run was made from. Equal values and no model: equal samples, times aside."""

    corpus: str
    """Fingerprint of the papers; ``papers`` is how many."""
    papers: int
    embedder: str
    engine: str
    model: str | None
    judge: str | None
    prompts: tuple[str, ...]
    """``name@hash`` of every prompt that a model was given."""
    settings: Mapping[str, Any]
    """What is set otherwise than by default and bears on answers: no paths, no keys."""
    packages: Mapping[str, str]
    """Versions of what answers depend on, ours and Python's among them."""
    commit: str | None
    """Of the code, with "+" where files were changed since; None outside a checkout."""


@dataclass(frozen=True, slots=True)
class Run:
    """All samples of one time, in the order of the cases, repeats of a case together.

    ``suites`` maps each suite to the ids of all its cases, those too that a filter left out.
    ``selection`` says what was run of them: ``filter``, ``limit``, ``repeat``.
    """

    id: str
    """When it began, as in 20260131T094512; runs sort by it."""
    made_from: Provenance
    suites: Mapping[SuiteName, tuple[str, ...]]
    selection: Mapping[str, Any]
    samples: tuple[Sample, ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """A metric over the cases that it applies to: its mean and the bounds of its 95 % interval.
    ``spread`` is the standard deviation of the repeats' means, None of a single one."""

    value: float
    cases: int
    low: float
    high: float
    spread: float | None = None


Verdict = Literal[
    "better",
    "worse",
    "no difference",
    "too few cases to tell",
    "corpus changed, not the code",
    "not compared",
]


@dataclass(frozen=True, slots=True)
class Difference:
    """A metric in two runs, over the cases that both have. ``change`` is after minus before and
    ``low`` and ``high`` bound it; None where there is nothing to subtract."""

    suite: SuiteName
    metric: str
    before: Figure | None
    after: Figure | None
    change: float | None
    low: float | None
    high: float | None
    paired: int
    """Cases that it was compared over; ``differing``, of these, those whose score is another."""
    differing: int
    verdict: Verdict
    gates: bool
    """Whether the gate looks at it at all."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A case whose sample is another than before: one of the two is None if it was not run."""

    before: Sample | None
    after: Sample | None
    better: tuple[str, ...]
    """Metrics that rose for it, and fell; both empty where only the words differ."""
    worse: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a gate is shut: ``kind`` is one word for programs, ``text`` what a person reads."""

    kind: str
    text: str
    suite: str = ""
    metric: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs side by side. ``causes`` are what they were made from that differs, a sentence
    each; ``failures`` are empty where the gate is open."""

    before: Run
    after: Run
    differences: tuple[Difference, ...]
    changed: tuple[Changed, ...]
    causes: tuple[str, ...]
    failures: tuple[Failure, ...]
