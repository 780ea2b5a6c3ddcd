"""An answer in a model's sentences, each held to the abstracts; in the abstracts' own where
nothing that the model wrote can stand."""

from __future__ import annotations

from dataclasses import replace

from rag.engine.context import Context, Shown
from rag.engine.evidence import CONTRIBUTION, evidence
from rag.engine.outcome import doubt
from rag.engine.quoting import REFUSALS, Considered, count, declined, quoted
from rag.engine.writer import Draft, Writer
from rag.models import OnText
from rag.types import Answer

READ, LISTED = 8, 20
"""Papers that a model is shown: the nearest, and those that hold every word of a list."""
PREFERRED = 3
"""Sentences of each of them that a model should see even where there is little room."""

HOPELESS = 0.9
"""Doubt from which on no model is asked. Of our development questions none that has an answer
raises so much, and more than half of the others do."""

NOT_ASKED = "The model was not asked: nothing in the abstracts comes near the question."
UNFOUNDED = "Nothing that the model wrote is supported by the abstracts."
INSTEAD = "From the abstracts:"


def written(writer: Writer, considered: Considered, on_text: OnText | None) -> Answer:
    """The answer of the engine that asks a model; ``on_text`` gets its text in pieces.

    Raises EndpointError's kinds and BudgetError.
    """
    answer = unasked(considered)
    shown = False
    if not answer:
        context = shown_to(writer, considered)
        preface = "".join(count(considered, "."))
        draft = writer.write(considered.question.standalone, context, preface, on_text)
        shown = bool(draft.statements)
        answer = replace(_composed(considered, draft), usage=draft.usage, notes=draft.notes)
    if on_text and not shown:
        on_text(answer.text)
    return replace(answer, model=writer.model.name, prompt=writer.task.identity)


def unasked(considered: Considered) -> Answer | None:
    """The refusal where a model could only make something up; None where it should be asked."""
    if considered.also or doubt(considered.indications) < HOPELESS:
        return None
    answer = quoted(considered)
    return None if answer.statements else replace(answer, engine="llm", notes=(NOT_ASKED,))


def shown_to(writer: Writer, considered: Considered) -> Context:
    """What a model is shown: the papers that would be quoted, those that hold every word of a
    list, and the nearest."""
    picked = [sentence.row for sentence in considered.picked]
    rows = dict.fromkeys([*picked, *considered.literal[:LISTED], *considered.rows[:READ]])
    snapshot = considered.retriever.snapshot
    shown = [Shown(row, snapshot.paper(row), tuple(snapshot.spans(row))) for row in rows]
    prefer = {row: _telling(considered, row) for row in rows}
    return writer.context(considered.question.standalone, shown, prefer)


def _telling(considered: Considered, row: int) -> list[tuple[int, int]]:
    """Where the sentences of a paper stand that say most about the question."""
    signals, question = considered.signals, considered.question
    found = evidence(considered.retriever, signals, question, row, favour=CONTRIBUTION)
    return [(sentence.start, sentence.end) for sentence in found[:PREFERRED]]


def _composed(considered: Considered, draft: Draft) -> Answer:
    if draft.refused:
        return _declined(considered)
    if not draft.statements:
        answer = quoted(considered)
        instead = [INSTEAD] if answer.statements else []
        return replace(answer, text=" ".join([UNFOUNDED, *instead, answer.text]))
    return Answer(
        question=considered.question.asked,
        standalone_question=considered.question.standalone,
        outcome="partial" if draft.partly else "answered",
        kind=considered.question.kind,
        text=draft.text,
        statements=draft.statements,
        sources=draft.sources,
        engine="llm",
    )


def _declined(considered: Considered) -> Answer:
    """The refusal of a model that finds no answer in what it was shown."""
    outcome = considered.judged
    said = declined(considered, outcome if outcome in REFUSALS else "not_in_abstracts")
    return replace(said, engine="llm")
