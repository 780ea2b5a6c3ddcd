"""What goes over the wire, as the API's documents show it: the objects of ``--json``.

More fields may come with time, so each object may have others.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, model_validator
from pydantic_core import PydanticCustomError

from rag.corpus.suspicion import suspicions
from rag.retrieve.filters import Filters
from rag.types import Outcome, Paper

MAX_QUESTION = 4_000
"""Characters; the command line takes more, but here strangers may ask."""
YEARS = r"^(?:\d{4}|\d{4}-\d{4}|\d{4}-|-\d{4})$"
MAX_HISTORY = 50
"""Turns that a request may bring along; a follow-up looks at the last few."""

Years = Annotated[StrictInt | Annotated[str, Field(pattern=YEARS)], Field(examples=["2029-2031"])]
Text = Annotated[str, Field(min_length=1, max_length=MAX_QUESTION)]


class Object(BaseModel):
    model_config = ConfigDict(extra="allow")


class Given(BaseModel):
    """What a request brings. A field that is misspelt is refused, lest it be ignored."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _all_known(cls, given: Any) -> Any:
        unknown = sorted(map(str, set(given) - set(cls.model_fields))) if _is_object(given) else []
        if unknown:
            told = {"name": repr(unknown[0][:80]), "known": ", ".join(cls.model_fields)}
            raise PydanticCustomError("unknown", "there is no {name}, only {known}", told)
        return given


def _is_object(given: Any) -> bool:
    return isinstance(given, dict)


class Place(Object):
    path: str
    ordinal: int
    line: int


class PaperObject(Object):
    paper_id: str
    title: str | None
    handle: str
    url: str | None
    authors: list[str]
    venue: str | None
    year: int | None
    status: str | None
    area: str | None
    keywords: list[str]
    source: Place
    sources: list[Place]


class SuspicionObject(Object):
    kind: str
    passage: str


class WholePaper(PaperObject):
    """``suspicious`` are passages that speak to whoever reads by machine; nothing obeys them."""

    text: str
    raw: str
    suspicious: list[SuspicionObject] = []


def whole(paper: Paper) -> dict[str, Any]:
    """``WholePaper``: a paper with its abstract."""
    marks = [asdict(suspicion) for suspicion in suspicions(paper)]
    return {**paper.to_json(), "text": paper.text, "raw": paper.raw, "suspicious": marks}


class CitationObject(Object):
    number: int
    paper_id: str
    quote: str
    start: int
    end: int


class StatementObject(Object):
    text: str
    citations: list[CitationObject]
    supported: bool
    support: float


class PassageObject(Object):
    text: str
    start: int
    end: int
    score: float


class HitObject(PaperObject):
    rank: int
    score: float
    passages: list[PassageObject]


class NumberedPaper(PaperObject):
    number: int


class UsageObject(Object):
    input_tokens: int
    output_tokens: int
    cost_usd: float


class AnswerObject(Object):
    question: str
    standalone_question: str
    outcome: Outcome
    kind: str
    text: str
    statements: list[StatementObject]
    sources: list[NumberedPaper]
    engine: str
    model: str | None
    prompt: str | None
    usage: UsageObject
    timings_ms: dict[str, int]
    notes: list[str]


class SummaryObject(PaperObject):
    summary: str
    words: int
    citations: list[CitationObject]
    supported: bool


class EntryObject(Object):
    paper_id: str
    title: str | None
    line: str
    citations: list[CitationObject]
    supported: bool


class GroupObject(Object):
    name: str
    paper_ids: list[str]


class OmissionObject(Object):
    paper_id: str
    reason: str


class CoverageObject(Object):
    matched: int
    listed: int


class MadeFromObject(Object):
    corpus: str
    engine: str
    model: str | None
    prompts: list[str]


class DigestObject(Object):
    topic: str
    overview: list[StatementObject]
    entries: list[EntryObject]
    groups: list[GroupObject]
    omitted: list[OmissionObject]
    coverage: CoverageObject
    made_from: MadeFromObject


class Papers(BaseModel):
    """Some of the papers that match; ``matched`` counts all that do, ``population`` all there
    are."""

    matched: int
    population: int
    papers: list[PaperObject]


class Similar(BaseModel):
    papers: list[PaperObject]


class Summaries(BaseModel):
    summaries: list[SummaryObject]


class TopicSize(BaseModel):
    name: str
    papers: int


class Map(BaseModel):
    """A picture as SVG, whose marks are links to the papers."""

    svg: str
    topics: list[TopicSize]


class Named(Given):
    """Papers by id, name or title."""

    paper_ids: list[Annotated[str, Field(max_length=500)]] = Field(max_length=100)


class Hits(BaseModel):
    results: list[HitObject]
    note: str | None = None


class Narrowing(Given):
    """The filters of the command line."""

    area: str | None = Field(default=None, max_length=200)
    venue: str | None = Field(default=None, max_length=200)
    status: str | None = Field(default=None, max_length=200)
    year: Years | None = None
    papers: list[str] = Field(default=[], max_length=1_000)
    author: str | None = Field(default=None, max_length=200)

    @property
    def filters(self) -> Filters:
        papers = tuple(self.papers)
        return Filters(self.area, self.venue, self.status, self.year, papers, self.author)


class Asked(Given):
    """A question, the questions and answers before it, and what to look through."""

    question: Text
    history: list[tuple[str, str]] = Field(default=[], max_length=MAX_HISTORY)
    filters: Narrowing = Narrowing()


class Topic(Given):
    """A topic in the reader's words."""

    topic: Annotated[str, Field(min_length=1, max_length=500)]


class Verdict(Given):
    """What a reader thinks of the answer to a question, put as ``Asked`` has it."""

    asked: Asked
    good: StrictBool
    remark: str = Field(default="", max_length=2_000)


class Fault(BaseModel):
    type: str
    message: str
    fix: str


class Failed(BaseModel):
    """What is sent instead of all else, with a status from 400 on."""

    error: Fault


class Health(BaseModel):
    status: Literal["ok"] = "ok"


class Readiness(BaseModel):
    """``corpus`` is the fingerprint of the papers; equal ones answer alike."""

    papers: int
    corpus: str
    engine: str
