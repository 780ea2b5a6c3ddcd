"""The words of the domain. Plain frozen data; knows no library, no file, no store."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

OnConflict = Literal["keep", "replace", "both"]
"""Which text of a paper counts when another version of it is read: the one that was there, the
one that is read, or each as a paper of its own."""
Outcome = Literal["answered", "partial", "not_in_abstracts", "not_in_corpus"]


class Secret:
    """A key that shows itself to nobody by accident: as text it is its last four characters."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The key itself, for the one request that needs it."""
        return self._value

    def __repr__(self) -> str:
        tail = self._value[-4:] if len(self._value) >= 12 else ""
        return f"…{tail}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._value == other._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __reduce__(self) -> str:
        raise TypeError("a secret is not stored")


@dataclass(frozen=True, slots=True)
class Source:
    """Where a record stood: ``ordinal`` counts records of the file from 1, ``line`` lines."""

    path: str
    ordinal: int
    line: int
    file: str = field(default="", compare=False)
    """Absolute path, kept in the store to recognise the same file; never shown."""
    weight: int = 0
    """Of versions of a paper, the text of the heaviest counts, of equal ones the longest; never
    shown."""
    apart: bool = False
    """Whether the record is kept beside other versions of its paper; never shown."""

    @property
    def place(self) -> tuple[str, int, int]:
        """What tells it from other places; equal paths below two folders are two."""
        return self.file or self.path, self.ordinal, self.line

    def to_json(self) -> dict[str, Any]:
        return {"path": self.path, "ordinal": self.ordinal, "line": self.line}


@dataclass(frozen=True, slots=True)
class Paper:
    """One paper: what is known about it and its abstract.

    ``text`` is the clean abstract, the only thing that is quoted: every offset in the
    product counts characters of it. ``raw`` is the abstract as it stood in the source.
    ``doi`` is in lower case and without a prefix, ``arxiv`` without one and without a version.
    """

    paper_id: str
    handle: str
    text: str
    raw: str
    sources: tuple[Source, ...]
    title: str | None = None
    url: str | None = None
    doi: str | None = None
    arxiv: str | None = None
    authors: tuple[str, ...] = ()
    venue: str | None = None
    year: int | None = None
    status: str | None = None
    area: str | None = None
    keywords: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What to call the paper: its title or, without one, its handle."""
        return self.title or self.handle

    @property
    def indexed_text(self) -> str:
        """What is embedded and searched: the title, where there is one, before the abstract."""
        return self.prefix + self.text

    @property
    def prefix(self) -> str:
        """The part of ``indexed_text`` before the abstract."""
        return f"{self.title}. " if self.title else ""

    @property
    def text_hash(self) -> str:
        """Hex digest of what decides the vectors; an equal hash means nothing to embed."""
        return hashlib.sha256(self.indexed_text.encode()).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """The public paper object, without its text."""
        data = asdict(self)
        del data["text"], data["raw"], data["sources"]
        places = [source.to_json() for source in self.sources]
        return {**data, "source": places[0], "sources": places}


@dataclass(frozen=True, slots=True)
class Rejection:
    """A file or record that was not taken; ``line`` is None when it is the whole file."""

    path: str
    line: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of one paper's text: ``text == paper.text[start:end]``."""

    text: str
    start: int
    end: int
    score: float


@dataclass(frozen=True, slots=True)
class Hit:
    """A retrieved paper with its best passages, best first; ``rank`` counts from 1."""

    paper: Paper
    rank: int
    score: float
    passages: tuple[Passage, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            **self.paper.to_json(),
            "rank": self.rank,
            "score": self.score,
            "passages": [asdict(passage) for passage in self.passages],
        }


@dataclass(frozen=True, slots=True)
class Citation:
    """An exact quote: ``quote == text[start:end]`` of the paper's text."""

    number: int
    paper_id: str
    quote: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence of an answer, without markers, and what it rests on.

    ``support`` is in [0, 1]: how well the quotes carry the sentence.
    """

    text: str
    citations: tuple[Citation, ...]
    supported: bool
    support: float


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and money spent with a model; zero for the extractive engine."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cost_usd + other.cost_usd,
        )


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a question. ``sources[i]`` is the paper cited as ``[i + 1]``."""

    question: str
    standalone_question: str
    outcome: Outcome
    kind: str
    text: str
    statements: tuple[Statement, ...]
    sources: tuple[Paper, ...]
    engine: str
    model: str | None = None
    prompt: str | None = None
    usage: Usage = Usage()
    timings_ms: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    """What a reader should know of how the answer came about, a sentence each."""

    def to_json(self) -> dict[str, Any]:
        data = asdict(replace(self, sources=()))
        numbered = enumerate(self.sources, start=1)
        data["sources"] = [{**paper.to_json(), "number": number} for number, paper in numbered]
        return data


@dataclass(frozen=True, slots=True)
class Summary:
    """A paper in one sentence, and the quotes it rests on, all with number 1."""

    paper: Paper
    text: str
    citations: tuple[Citation, ...]
    supported: bool
    support: float
    engine: str = "extractive"
    model: str | None = None
    prompt: str | None = None
    usage: Usage = Usage()
    notes: tuple[str, ...] = ()

    @property
    def words(self) -> int:
        """How many words the sentence has, as a person counts them."""
        return len(self.text.split())

    def to_json(self) -> dict[str, Any]:
        return {
            **self.paper.to_json(),
            "summary": self.text,
            "words": self.words,
            "citations": [asdict(citation) for citation in self.citations],
            "supported": self.supported,
            "support": self.support,
            "engine": self.engine,
            "model": self.model,
            "prompt": self.prompt,
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class Entry:
    """A paper in a digest. ``number`` counts from 1 and is that of all its citations there;
    ``relevance`` is how surely the paper is about the topic, in [0, 1]."""

    number: int
    paper: Paper
    line: str
    citations: tuple[Citation, ...]
    supported: bool
    relevance: float

    def to_json(self) -> dict[str, Any]:
        known = self.paper.to_json()
        kept = ("paper_id", "title", "handle", "url", "venue", "year", "status", "area")
        return {
            "number": self.number,
            **{name: known[name] for name in kept},
            "line": self.line,
            "citations": [asdict(citation) for citation in self.citations],
            "supported": self.supported,
            "relevance": self.relevance,
            "text_hash": self.paper.text_hash,
        }


@dataclass(frozen=True, slots=True)
class Group:
    """Papers of a digest that belong together. ``terms`` are what sets them apart, most telling
    first; ``central`` the ids of at most three papers nearest to the middle."""

    name: str
    paper_ids: tuple[str, ...]
    terms: tuple[str, ...] = ()
    central: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """A figure that an abstract gives: ``figure`` is its exact characters, such as "38 %",
    ``claim`` what it is about; both stand in the citation's quote."""

    paper_id: str
    claim: str
    figure: str
    citation: Citation


@dataclass(frozen=True, slots=True)
class OpenEnd:
    """Something that a reader may look for and that these papers' abstracts do not state."""

    text: str
    paper_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Omission:
    """A paper that matched a topic and is left out of its digest, and why."""

    paper_id: str
    title: str
    reason: str
    relevance: float


@dataclass(frozen=True, slots=True)
class Coverage:
    """Of ``population`` papers that passed the filters, how many matched and how many of these
    are listed; ``omitted`` counts what matched in part, also where not all of it is named.
    ``left_out`` are others that were not looked at because they were not accepted."""

    matched: int
    listed: int
    population: int
    omitted: int
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class MadeFrom:
    """What a digest depends on: equal values, equal digest. No clock."""

    corpus: str
    engine: str
    model: str | None
    prompts: tuple[str, ...]
    settings: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Change:
    """How a paper of a digest differs from its entry in an earlier one: ``kind`` is new, gone,
    changed or moved, ``detail`` says what was and what is."""

    paper_id: str
    title: str
    kind: Literal["new", "gone", "changed", "moved"]
    detail: str


@dataclass(frozen=True, slots=True)
class Digest:
    """What the papers on one topic say. ``changes`` is None without an earlier digest."""

    topic: str
    overview: tuple[Statement, ...]
    entries: tuple[Entry, ...]
    groups: tuple[Group, ...]
    findings: tuple[Finding, ...]
    open_ends: tuple[OpenEnd, ...]
    omitted: tuple[Omission, ...]
    coverage: Coverage
    made_from: MadeFrom
    changes: tuple[Change, ...] | None = None
    usage: Usage = Usage()
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        data = asdict(replace(self, entries=()))
        data["entries"] = [entry.to_json() for entry in self.entries]
        return data


@dataclass(frozen=True, slots=True)
class Point:
    """Where a paper lies on a map, both coordinates in [0, 1], and the index of its topic."""

    paper_id: str
    name: str
    line: str
    topic: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Trend:
    """In how many papers a term stands, by year or venue: ``counts`` has (value, papers with the
    term, all papers) in the order of the values."""

    term: str
    counts: tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, slots=True)
class Atlas:
    """What pictures are drawn from: papers on a map by topic, and trends of terms by ``trend_by``
    ("year" or "venue"; no trends where the papers have only one). ``sizes`` has the papers of
    each topic; on the map, a paper on several is drawn once."""

    topics: tuple[str, ...]
    points: tuple[Point, ...]
    trend_by: str = "year"
    trends: tuple[Trend, ...] = ()
    sizes: tuple[int, ...] = ()
