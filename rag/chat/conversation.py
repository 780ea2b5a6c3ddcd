"""Questions and answers in turn. A follow-up is given the last turns only, cut to a bound, so
that the two-hundredth question costs what the tenth did; the answers are all kept to be saved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from rag.chat.feedback import feedback, store_feedback
from rag.chat.log import log_turn
from rag.chat.markdown import markdown
from rag.corpus.writers.bibtex import bibtex
from rag.engine.question import Turn
from rag.errors import QuestionError
from rag.evaluate.said import remember, row_of
from rag.models import OnText
from rag.types import Answer, Paper

if TYPE_CHECKING:
    from rag.engine.answer import Asker
    from rag.engine.explaining import Explanation
    from rag.engine.quoting import Considered
    from rag.retrieve.filters import Filters

TURNS = 8
"""Turns that a follow-up is given."""
QUESTION_CHARS, ANSWER_CHARS = 1_000, 2_000
"""Of each of them."""
PAPERS = 20
"""Papers shown that each of them knows by number."""


class Conversation:
    """A conversation over one index; ``answers`` are those since it began, the latest last.

    ``log`` is the folder in which its turns are kept for the evals; None keeps nothing.
    ``asker`` may be set anew between questions, once the index has changed.
    """

    def __init__(
        self, asker: Asker, filters: Filters | None = None, log: Path | None = None
    ) -> None:
        self.answers: list[Answer] = []
        self.asker = asker
        self._filters = filters
        self._log = log
        self._id = uuid4().hex
        self._given: Sequence[Turn] = ()
        self._considered: Considered | None = None
        self._explaining = asker

    def ask(
        self,
        question: str,
        on_text: OnText | None = None,
        on_question: Callable[[str], None] | None = None,
    ) -> Answer:
        """The answer, which is kept. ``on_question`` gets the question as it was understood, if
        that is not how it was put, and then ``on_text`` the pieces of the answer's text.

        Raises what Asker.ask raises; then, or interrupted, the conversation is as it was.
        """
        history = tuple(turn_of(answer) for answer in self.answers[-TURNS:])
        heard: list[Considered] = []
        answer = self.asker.ask(
            question, history, self._filters, on_text, on_question, heard.append
        )
        self.answers.append(answer)
        self._considered = heard[-1] if heard else None
        self._explaining = self.asker
        self._given = history
        self._keep(answer)
        return answer

    def _keep(self, answer: Answer) -> None:
        """Log a turn. What it was given need not be: those are the turns before it."""
        if self._log:
            row = row_of(answer, self._given, filtered=bool(self._filters))
            remember(self._log, row)
            cut = {"history": [], "answer": answer.text[:ANSWER_CHARS]}
            log_turn(self._log, {"chat": self._id, **row, **cut})

    def new(self) -> None:
        """Begin another conversation: nothing said so far counts."""
        self.answers, self._given, self._id = [], (), uuid4().hex

    def last(self) -> Answer:
        """The latest answer; raises QuestionError before the first."""
        if not self.answers:
            raise QuestionError("Nothing has been asked yet.", "ask something first")
        return self.answers[-1]

    def why(self) -> Explanation:
        """Why the latest answer is what it is; raises QuestionError before the first."""
        answer = self.last()
        if not self._considered:
            raise QuestionError("There was nothing to choose from.", "rag ingest adds papers")
        return self._explaining.explain(self._considered, answer)

    def sourced(self) -> Answer:
        """The latest answer that has sources; raises QuestionError if none has."""
        for answer in reversed(self.answers):
            if answer.sources:
                return answer
        raise QuestionError("No answer has sources yet.", "ask something first")

    def paper(self, number: int) -> Paper:
        """The paper that the latest sources have under a number; raises QuestionError."""
        papers = self.sourced().sources
        if not 1 <= number <= len(papers):
            fix = "/sources lists what there is"
            raise QuestionError(f"There is no source {number}, only 1 to {len(papers)}.", fix)
        return papers[number - 1]

    def markdown(self) -> str:
        """All of the conversation as Markdown."""
        return markdown(self.answers)

    def bibtex(self) -> str:
        """The papers that the answers cite as BibTeX; "" if they cite none."""
        return bibtex(cited_papers(self.answers))

    def judge(self, good: bool, remark: str = "") -> None:
        """Store the latest answer with a verdict in the index's ``feedback.jsonl``, and what the
        reader says to it.

        Raises QuestionError before the first answer, and StoreUnwritable.
        """
        row = feedback(self.last(), self._given, good, remark)
        store_feedback(self.asker.retriever.snapshot.store, row)


def cited_papers(answers: Sequence[Answer]) -> list[Paper]:
    """The papers that answers cite, in the order in which they are first cited."""
    found: dict[str, Paper] = {}
    for answer in answers:
        papers = {paper.paper_id: paper for paper in answer.sources}
        for statement in answer.statements:
            for citation in statement.citations:
                found.setdefault(citation.paper_id, papers[citation.paper_id])
    return list(found.values())


def turn_of(answer: Answer) -> Turn:
    """An answer as the questions after it look back on it."""
    return Turn(
        answer.standalone_question[:QUESTION_CHARS],
        answer.text[:ANSWER_CHARS],
        tuple(paper.paper_id for paper in answer.sources[:PAPERS]),
        refused=not answer.statements,
    )
