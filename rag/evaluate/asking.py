"""A question → what ``rag ask`` answers, or ``rag search`` finds, as a Sample."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag.digest.saved import Claim
from rag.digest.wording import Made
from rag.engine.answer import Asker, clean
from rag.engine.check import Checker
from rag.engine.question import Turn
from rag.engine.writing import NOT_ASKED
from rag.evaluate.papers import Names
from rag.evaluate.ranking import ranking_scores
from rag.evaluate.scoring import (
    PAPERS,
    Marks,
    Result,
    fact_marks,
    forbidden_marks,
    holds,
    mean,
    quote_marks,
    quotes_of,
    sampled,
    share,
    short,
    support_marks,
    texts_of,
    timed,
    written_marks,
)
from rag.evaluate.types import REFUSED, Case, Sample
from rag.types import Answer, Statement

_MARKERS = re.compile(r" ((?:\[\d{1,9}\])+)")
_MARKER = re.compile(r" ?\[\d+\]")


@dataclass(frozen=True)
class Asking:
    """Puts questions to an index: those of the suite ``retrieval`` are searched for, ``top_k``
    papers each; the others are answered. ``checker`` is one that the answers were not made with."""

    asker: Asker
    names: Names
    top_k: int = 10
    checker: Checker | None = None

    def sample(self, case: Case, repeat: int = 0) -> Sample:
        """What comes of a question; raises ``scoring.POINTLESS`` and nothing else."""
        if case.suite == "retrieval":
            return sampled(case, repeat, "", lambda: self._searched(case))
        return sampled(case, repeat, case.outcome or "", lambda: self._asked(case))

    def _searched(self, case: Case) -> Result:
        gold = self._ids(case.gold)
        ranked, ms = timed(lambda: self._search(case))
        faults = [f"does not find {name}" for name in self._called(gold, but=ranked)]
        marks = Marks(ranking_scores(ranked, gold), faults)
        return Result(ms, [marks], papers=self._called(ranked))

    def _search(self, case: Case) -> list[str]:
        """The papers that are shown, best first. A search knows no turns before it; with some,
        the papers are those that an answer is looked for in."""
        if case.history:
            return self._ranked(case)[: self.top_k]
        hits = self.asker.retriever.search(case.subject, self.top_k)
        return [hit.paper.paper_id for hit in hits]

    def _ranked(self, case: Case) -> list[str]:
        """All papers as the question finds them, best first."""
        ids = self.asker.retriever.snapshot.ids
        if not ids:
            return []
        return [ids[row] for row in self.asker.rank(clean(case.subject), self._history(case))]

    def _history(self, case: Case) -> list[Turn]:
        """The turns as a conversation has them, with ids for the names of papers."""
        return [turn._replace(papers=tuple(self._ids(turn.papers))) for turn in case.history]

    def _asked(self, case: Case) -> Result:
        gold, history = self._ids(case.gold), self._history(case)
        answer, ms = timed(lambda: self.asker.ask(case.subject, history))
        ranked = self._ranked(case)
        snapshot, claims = self.names.snapshot, claims_of(answer)
        marks = [
            outcome_marks(case, answer),
            *_said_marks(case, answer),
            self._citation_marks(case, answer, gold),
            quote_marks(claims, texts_of(snapshot)),
            marker_marks(answer),
            support_marks(claims, snapshot, self.checker),
            written_marks(answer.engine, answer.model, asked=NOT_ASKED not in answer.notes),
            Marks(ranking_scores(ranked, gold)),
        ]
        return Result(
            ms=ms,
            marks=marks,
            outcome=answer.outcome,
            text=answer.text,
            quotes=quotes_of(claims, self.names),
            papers=self._called(ranked[:PAPERS]),
            usage=answer.usage,
        )

    def _citation_marks(self, case: Case, answer: Answer, gold: Sequence[str]) -> Marks:
        """Whether the cited papers are those that belong there, where an answer is expected."""
        if not gold or case.outcome in REFUSED:
            return Marks({})
        maybe = self._ids(case.maybe)
        citations = [c for statement in answer.statements for c in statement.citations]
        cited = [c for c in dict.fromkeys(c.paper_id for c in citations) if c not in maybe]
        right = [paper_id for paper_id in gold if paper_id in cited]
        scores = {"citation recall": share(len(right), len(gold))}
        if cited:
            scores["citation precision"] = share(len(right), len(cited))
        if answer.outcome in REFUSED:
            return Marks(scores)
        wrong = [f"cites {name}, which is not gold" for name in self._called(cited, but=gold)]
        missed = [f"does not cite {name}" for name in self._called(gold, but=cited)]
        return Marks(scores, [*wrong, *missed])

    def _ids(self, names: Sequence[str]) -> list[str]:
        ids = self.names.snapshot.ids
        return list(dict.fromkeys(ids[row] for row in self.names.rows(names)))

    def _called(self, paper_ids: Sequence[str], but: Sequence[str] = ()) -> tuple[str, ...]:
        return tuple(self.names.name_of(each) for each in paper_ids if each not in but)


def claims_of(answer: Answer) -> list[Claim]:
    """The statements of an answer; those made by quoting are held to the words of their quotes."""
    made: Made = "of a quote" if answer.engine == "extractive" else "freely"
    return [
        Claim("", s.text, s.citations, s.supported, made=made, shown=s.text in answer.text)
        for s in answer.statements
    ]


def outcome_marks(case: Case, answer: Answer) -> Marks:
    """Whether it is refused what has no answer, and nothing else."""
    if not case.outcome:
        return Marks({})
    refused, hopeless = answer.outcome in REFUSED, case.outcome in REFUSED
    scores = {"outcome": float(refused == hopeless)}
    if refused:
        scores["refusal precision"] = float(hopeless)
    if hopeless:
        scores["refusal recall"] = float(refused)
    if refused == hopeless:
        return Marks(scores)
    fault = "answers what no abstract says" if hopeless else "refuses although there is an answer"
    return Marks(scores, [fault])


def _said_marks(case: Case, answer: Answer) -> Iterator[Marks]:
    """What the text has of what is expected, and the quotes. A refusal says nothing, though the
    names of papers near by may sound like it; that much is enough of a fault."""
    text = _MARKER.sub("", answer.text)  # or the number 2 would be found in [2]
    yield forbidden_marks(case, [text])
    if not case.facts:
        return
    if answer.outcome in REFUSED:
        yield Marks({"facts": 0.0, "all facts": 0.0, "quote recall": 0.0})
        return
    facts = fact_marks(case, [text])
    yield facts
    quotes = [c.quote for statement in answer.statements for c in statement.citations]
    telling = [any(holds([quote], fact) for fact in case.facts) for quote in quotes]
    scores = {"quote precision": mean(telling)} if quotes else {}
    yield Marks(
        {
            "all facts": float(facts.scores["facts"] == 1),
            "quote recall": mean(holds(quotes, fact) for fact in case.facts),
            **scores,
        }
    )


def marker_marks(answer: Answer) -> Marks:
    """Whether every number, in a citation and in the text, is that of the right paper among the
    sources; a refusal's stand behind the names of its papers."""
    numbered = {(i, paper.paper_id) for i, paper in enumerate(answer.sources, start=1)}
    checks, faults, begin = [], [], 0
    for statement in answer.statements:
        shown, begin = _shown(statement, answer.text, begin)
        cited = dict.fromkeys((c.number, c.paper_id) for c in statement.citations)
        checks.append(numbered.issuperset(cited) and shown == [number for number, _ in cited])
        if not checks[-1]:
            faults.append(f"has markers that point elsewhere: {short(statement.text)}")
    if not answer.statements:
        listed = [f"{p.name} [{i}]" for i, p in enumerate(answer.sources, start=1)]
        checks = [each in answer.text for each in listed]
        faults = [f"does not list {short(each)}" for each in listed if each not in answer.text]
    return Marks({"marker integrity": mean(checks)} if checks else {}, faults)


def _shown(statement: Statement, text: str, begin: int) -> tuple[list[int] | None, int]:
    """The numbers behind a statement in the text, looked for from ``begin``, and where they end;
    None if it does not stand there."""
    start = text.find(statement.text, begin)
    if start < 0:
        return None, begin
    end = start + len(statement.text)
    markers = _MARKERS.match(text, end)
    if not markers:
        return [], end
    return [int(number) for number in re.findall(r"\d+", markers[1])], markers.end()
