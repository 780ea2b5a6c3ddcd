"""An answer in the abstracts' own sentences, or a refusal that names the nearest papers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from rag.engine.evidence import Evidence
from rag.engine.listing import Listed
from rag.engine.outcome import Indications, by_chance, judge
from rag.engine.premise import CORRECTED
from rag.engine.question import Question
from rag.retrieve.hybrid import Retriever, Signals
from rag.types import Answer, Citation, Outcome, Paper, Statement

NEAREST = 3
"""Papers shown with a refusal."""

SHOWN = 20
"""Papers of a list in its text; the statements have all."""

OTHER_AREA = "no area"
"""Heads the papers that have none, where others do."""

REFUSALS = {
    "not_in_abstracts": "The abstracts here do not say.",
    "not_in_corpus": "Nothing here is about that.",
}

UNREAD = "No word of the question finds a paper here."
"""The answer to a question in a language that the embedder does not know."""


@dataclass(frozen=True)
class Considered:
    """A question on its way to an answer: what was found and what speaks for it.

    ``rows`` are all papers, best first; ``listed`` those that a list or count asks for; ``picked``
    the sentences that answer best; ``also`` is what else was searched for, in a model's words.
    """

    retriever: Retriever
    question: Question
    signals: Signals
    rows: Sequence[int]
    listed: Listed
    picked: Sequence[Evidence]
    indications: Indications
    missing: tuple[str, ...] = ()
    """Sides of a comparison that no paper here is."""
    also: tuple[str, ...] = ()
    population: str = "papers"
    """What ``rows`` are."""
    corrects: bool = False
    """Whether the first sentence denies what the question presupposes."""
    certain: bool | None = None
    """Whether the first sentence is of the form asked for, as one that spells out an abbreviation
    is; False where none is, None where forms do not tell."""

    def correcting(self, denial: Evidence, most: int) -> Considered:
        """The same, its answer beginning with a sentence that denies the question's premise."""
        others = [sentence for sentence in self.picked if sentence.start != denial.start]
        return replace(self, picked=[denial, *others][:most], corrects=True)

    def beginning(self, sentence: Evidence, most: int) -> Considered:
        """The same, its answer beginning with a sentence of the form asked for, with others of the
        same paper."""
        others = [s for s in self.picked if s.row == sentence.row and s.start != sentence.start]
        first = replace(sentence, score=self.picked[0].score)
        return replace(self, picked=[first, *others][:most], certain=True)

    def annotated(self, answer: Answer) -> Answer:
        """The answer with notes on what it leaves out, partial where that is a side; on what was
        not checked; and on the question's premise, where a sentence that it quotes denies that."""
        notes = [f"Nothing here is about this side: {side}." for side in self.missing]
        notes += [CORRECTED] if self.corrects and answer.statements else []
        notes += self.listed.notes if answer.statements else ()
        partial = self.missing and answer.outcome == "answered"
        return replace(
            answer,
            outcome="partial" if partial else answer.outcome,
            notes=(*notes, *answer.notes),
        )

    @property
    def judged(self) -> Outcome:
        """The outcome that the indications call for."""
        handle = self.retriever.snapshot.handles[self.picked[0].row]
        unmeant = by_chance(self.retriever, self.question.standalone, handle)
        return judge(self.indications, by_chance=unmeant)

    @property
    def literal(self) -> Sequence[int]:
        """The papers that a list or count asks for."""
        return self.listed.rows

    @property
    def ruled(self) -> Outcome | None:
        """The outcome that no indication changes, if there is one: what papers say is listed, what
        named ones are about is said, what they deny is denied, and where none of all papers is
        listed there is none."""
        asked = self.question
        said = asked.kind == "definition" or asked.introduces
        if self.certain is False:
            return self.judged if self.judged in REFUSALS else "not_in_abstracts"
        if said or self.listed.sure or self.corrects or self.certain:
            return "answered"
        if self.listed.absent:
            return "not_in_abstracts" if self.listed.among else "not_in_corpus"
        return None

    def papers(self, rows: Sequence[int]) -> list[Paper]:
        return [self.retriever.snapshot.paper(row) for row in rows]


def quoted(considered: Considered) -> Answer:
    """The answer of the extractive engine."""
    outcome = _outcome(considered)
    if outcome in REFUSALS:
        return declined(considered, outcome)
    rows = list(dict.fromkeys(sentence.row for sentence in considered.picked))
    papers = considered.papers(rows)
    number = {row: place for place, row in enumerate(rows, start=1)}
    statements = [_statement(s, number[s.row], papers) for s in considered.picked]
    return Answer(
        question=considered.question.asked,
        standalone_question=considered.question.standalone,
        outcome=outcome,
        kind=considered.question.kind,
        text=_text(considered, statements, papers),
        statements=tuple(statements),
        sources=tuple(papers),
        engine="extractive",
    )


def _text(considered: Considered, statements: Sequence[Statement], papers: Sequence[Paper]) -> str:
    """The sentences; of a list a line for each paper, and at its head how many there are."""
    if not considered.listed.rows:
        return " ".join(map(_marked, statements))
    said: dict[int, list[str]] = {}
    for statement in statements:
        said.setdefault(statement.citations[0].number, []).append(_marked(statement))
    lines = {papers[i - 1]: f"- {papers[i - 1].name}: {' '.join(t)}" for i, t in said.items()}
    return "\n".join([*count(considered, ":"), *capped(lines)])


def capped(lines: Mapping[Paper, str]) -> list[str]:
    """The lines of a list; of a long one some, by area where papers have areas, and where all
    are."""
    if len(lines) <= SHOWN:
        return [*lines.values()]
    all_of_them = f"All {len(lines)} papers, each with its sentence, are in --json."
    areas: dict[str, list[str]] = {}
    for paper, line in lines.items():
        areas.setdefault(paper.area or OTHER_AREA, []).append(line)
    if len(areas) < 2:
        more = f"and {len(lines) - SHOWN} more."
        return [*islice(lines.values(), SHOWN), more, all_of_them]
    shown: list[str] = []
    ranked = sorted(areas.items(), key=lambda area: (-len(area[1]), area[0]))
    for area, found in ranked[:SHOWN]:
        papers = "1 paper" if len(found) == 1 else f"{len(found)} papers"
        shown += [f"{area}, {papers}:", *found[: max(SHOWN // len(ranked), 1)]]
    return [*shown, all_of_them]


def declined(considered: Considered, outcome: Outcome) -> Answer:
    """The refusal with the papers nearest to the question; of a list or count it says of how
    many papers none was what is asked for."""
    nearest = considered.papers(considered.rows[:NEAREST])
    answer = refusal(considered.question, outcome, nearest)
    if considered.question.kind not in ("list", "count", "find") or considered.literal:
        return answer
    none = f"0 of {population(considered)} are about that."
    return replace(answer, text=answer.text.replace(REFUSALS[outcome], none, 1))


def refusal(asked: Question, outcome: Outcome, nearest: Sequence[Paper]) -> Answer:
    """A refusal; without any ``nearest`` paper the index is empty."""
    listed = "; ".join(f"{paper.name} [{i}]" for i, paper in enumerate(nearest, start=1))
    said = f"{REFUSALS[outcome]} Nearest to the question: {listed}."
    text = said if listed else "The index holds no papers."
    return Answer(
        question=asked.asked,
        standalone_question=asked.standalone,
        outcome=outcome,
        kind=asked.kind,
        text=text,
        statements=(),
        sources=tuple(nearest),
        engine="extractive",
    )


def unread(asked: Question, note: str) -> Answer:
    """The refusal of a question in a language that only words could have found something in;
    the ``note`` says what to do. No paper is near to it: that would be a guess."""
    return replace(refusal(asked, "not_in_corpus", ()), text=UNREAD, notes=(note,))


def count(considered: Considered, end: str) -> list[str]:
    """How many papers a list or count is about, and of how many; nothing for other questions."""
    if considered.question.kind not in ("list", "count") or not considered.literal:
        return []
    return [f"{len(considered.literal):,} of {population(considered)}{end}"]


def population(considered: Considered) -> str:
    """How many papers were looked through, and which if not all."""
    among = considered.listed.among
    return f"these {among} papers" if among else f"{len(considered.rows):,} {considered.population}"


def _outcome(considered: Considered) -> Outcome:
    return considered.ruled or considered.judged


def _statement(sentence: Evidence, number: int, papers: Sequence[Paper]) -> Statement:
    """A verbatim sentence, which its own quote supports in full."""
    paper = papers[number - 1]
    quote = paper.text[sentence.start : sentence.end]
    citation = Citation(number, paper.paper_id, quote, sentence.start, sentence.end)
    return Statement(quote, (citation,), supported=True, support=1.0)


def _marked(statement: Statement) -> str:
    return f"{statement.text} [{statement.citations[0].number}]"
