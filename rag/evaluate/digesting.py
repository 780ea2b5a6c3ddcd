"""A topic → what ``rag digest`` says of it, as a Sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from rag.digest.editor import Editor
from rag.digest.saved import Claim
from rag.digest.select import on_topic
from rag.digest.wording import Made
from rag.engine.check import Checker
from rag.evaluate.papers import Names
from rag.evaluate.scoring import (
    Marks,
    Result,
    fact_marks,
    forbidden_marks,
    mean,
    quote_marks,
    quotes_of,
    sampled,
    share,
    short,
    support_marks,
    texts_of,
    timed,
)
from rag.evaluate.types import Case, Sample
from rag.retrieve.hybrid import Retriever
from rag.summarize import Summarizer
from rag.types import Citation, Digest, Paper, Summary, Usage

FOUND = ("answered", "partial")


@dataclass(frozen=True)
class Digesting:
    """Has digests made of the papers on a topic. The editor's summarizer must not keep lines from
    before, as for Summarizing; ``checker`` is as for Asking."""

    editor: Editor
    retriever: Retriever
    names: Names
    checker: Checker | None = None

    def sample(self, case: Case, repeat: int = 0) -> Sample:
        """What comes of a topic; raises ``scoring.POINTLESS`` and nothing else."""
        return sampled(case, repeat, _expected(case), lambda: self._digested(case))

    def _digested(self, case: Case) -> Result:
        digest, ms = timed(lambda: self._digest(case.subject))
        snapshot, claims = self.names.snapshot, claims_of(digest)
        listed = [snapshot.row_of[entry.paper.paper_id] for entry in digest.entries]
        texts = [claim.text for claim in claims]
        marks = [
            self._list_marks(case, listed),
            _coverage_marks(digest),
            fact_marks(case, texts),
            forbidden_marks(case, texts),
            quote_marks(claims, texts_of(snapshot)),
            number_marks(digest),
            support_marks(claims, snapshot, self.checker),
        ]
        return Result(
            ms=ms,
            marks=marks,
            outcome="listed" if listed else "empty",
            text=_text(digest),
            quotes=quotes_of(claims, self.names),
            papers=tuple(map(self.names.name, listed)),
            usage=digest.usage,
        )

    def _digest(self, topic: str) -> Digest:
        """The digest, with what its lines took as well: it tells only of its overview."""
        selection = on_topic(self.retriever, " ".join(topic.split()), None, None)
        lines = _Counted(self.editor.summarizer)
        [digest] = replace(self.editor, summarizer=lines).digests([selection], {})
        return replace(digest, usage=sum(lines.taken, digest.usage))

    def _list_marks(self, case: Case, listed: Sequence[int]) -> Marks:
        """Whether the listed papers are those that belong there."""
        gold = list(dict.fromkeys(self.names.rows(case.gold)))
        harmless = {*gold, *self.names.rows(case.maybe)}
        missed = [row for row in gold if row not in listed]
        wrong = [row for row in listed if row not in harmless]
        scores = {}
        if gold:
            scores["recall"] = share(len(gold) - len(missed), len(gold))
        if gold and listed:
            scores["off-topic"] = share(len(wrong), len(listed))
        if not gold and case.outcome not in FOUND:
            scores["empty"] = float(not wrong)
        faults = [f"misses {self.names.name(row)}" for row in missed]
        if scores:
            faults += [f"lists {self.names.name(row)}, off topic" for row in wrong]
        return Marks(scores, faults)


@dataclass(frozen=True)
class _Counted:
    """A Summarizer that notes down what each of its lines took."""

    summarizer: Summarizer
    taken: list[Usage] = field(default_factory=list)

    @property
    def identity(self) -> str:
        return self.summarizer.identity

    def summarize(self, paper: Paper, spans: Sequence[tuple[int, int]]) -> Summary:
        made = self.summarizer.summarize(paper, spans)
        self.taken.append(made.usage)
        return made


def claims_of(digest: Digest) -> list[Claim]:
    """The sentences of the overview, some of which may be lines of papers, then the lines."""
    quoted = digest.made_from.engine == "extractive"
    lines = {entry.line for entry in digest.entries}
    line: Made = "of a quote" if quoted else "freely"
    joined: Made = "of quotes" if quoted else "freely"
    overview = [
        Claim("", s.text, s.citations, s.supported, made=line if s.text in lines else joined)
        for s in digest.overview
    ]
    entries = [
        Claim("", e.line, e.citations, e.supported, e.paper.paper_id, made=line)
        for e in digest.entries
    ]
    return overview + entries


def _expected(case: Case) -> str:
    """What is to come of a topic; "" if that is a matter of taste."""
    if case.gold or case.outcome in FOUND:
        return "listed"
    return "" if case.maybe else "empty"


def _coverage_marks(digest: Digest) -> Marks:
    matched, listed = digest.coverage.matched, len(digest.entries)
    if not matched:
        return Marks({})
    left = matched - listed
    faults = [f"leaves out {left} of {matched} papers that matched"] if left else []
    return Marks({"coverage": share(listed, matched)}, faults)


def number_marks(digest: Digest) -> Marks:
    """Whether the entries are numbered in turn, and every citation has its entry's number."""
    places = [(i, entry.paper.paper_id) for i, entry in enumerate(digest.entries, start=1)]
    checks = [
        (entry.line, {(entry.number, entry.paper.paper_id), *_pairs(entry.citations)} == {place})
        for entry, place in zip(digest.entries, places, strict=True)
    ]
    checks += [(each.text, _pairs(each.citations) <= {*places}) for each in digest.overview]
    faults = [
        f"has numbers that point elsewhere: {short(text)}" for text, right in checks if not right
    ]
    return Marks({"marker integrity": mean(right for _, right in checks)} if checks else {}, faults)


def _pairs(citations: Sequence[Citation]) -> set[tuple[int, str]]:
    return {(citation.number, citation.paper_id) for citation in citations}


def _text(digest: Digest) -> str:
    """The overview in a paragraph, then a line for each paper."""
    overview = " ".join(statement.text for statement in digest.overview)
    lines = [f"[{entry.number}] {entry.line}" for entry in digest.entries]
    return "\n".join(filter(None, [overview, *lines]))
