"""Questions that a model proposes of an abstract, as far as the abstract bears them out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rag.engine.check import Checker, Quoted
from rag.engine.context import Shown, cleaned, pack
from rag.engine.writer import CONTEXT_TOKENS, MESSAGE_TOKENS
from rag.evaluate.draft import TAGS, Draft, Named
from rag.models import Message, Model
from rag.prompts import Task
from rag.retrieve.terms import terms

REPLY_TOKENS = 300
"""Of a reply at most; three lines take a third of it."""
ANSWER_WORDS, QUESTION_WORDS = 12, 40
"""Of what is kept, at most."""
ABOUT = 0.5
"""Share of a question's stems that the statement which answers it has to have."""
PAPERS_A_DRAFT = 3
"""Papers that a model is asked about for each proposal wanted: its replies may not hold."""

_LINE = re.compile(r"^\W*(question|answer|statement)\W*?:\W*?(\S.*)$", re.I | re.M)
_ENDS = " \t\"'“”‘’*_.`"


@dataclass(frozen=True)
class ModelDrafter:
    """Asks ``model`` for one case of each paper. Raises EndpointError's kinds and BudgetError."""

    model: Model
    task: Task
    checker: Checker

    def __call__(self, one: Named) -> Iterator[Draft]:
        messages = self.messages(one)
        if messages:
            reply = self.model.reply(messages, self.limit)
            draft = self._draft(one, reply.text)
            if draft:
                yield draft

    @property
    def limit(self) -> int:
        """Tokens of a reply at most."""
        return min(REPLY_TOKENS, self.model.window // 4)

    def messages(self, one: Named) -> list[Message]:
        """What the model is asked; empty where no sentence of the abstract fits its window."""
        bare = self._asked("", one.label)
        taken = sum(self.model.count(message.text) + MESSAGE_TOKENS for message in bare)
        room = min(CONTEXT_TOKENS, self.model.window - self.limit - taken)
        text = pack([Shown(0, one.paper, tuple(one.spans))], room, self.model.count).text
        return self._asked(text, one.label) if text else []

    def _asked(self, abstract: str, name: str) -> list[Message]:
        asked = self.task["paper"].render(abstract=abstract, name=cleaned(name))
        return [Message("system", self.task["system"].text), Message("user", asked)]

    def _draft(self, one: Named, reply: str) -> Draft | None:
        """The case that a reply proposes; None if the abstract does not bear it out."""
        lines: dict[str, str] = {}
        for found in _LINE.finditer(reply):
            lines.setdefault(found[1].lower(), " ".join(found[2].split()))
        question, statement = lines.get("question", "").strip('"*_ '), lines.get("statement", "")
        answer = lines.get("answer", "").strip(_ENDS)
        sentence = next((each for each in one.sentences() if answer and answer in each), "")
        quoted = Quoted(sentence, (one.name, one.label))
        if not (sentence and answer in statement and self._holds(quoted, question, statement)):
            return None
        if len(answer.split()) > ANSWER_WORDS or len(question.split()) > QUESTION_WORDS:
            return None
        why = f"proposed by {self.model.name}, {self.task.identity}"
        return Draft(question, (one.paper.paper_id,), ((answer,),), "fact", sentence, why, TAGS)

    def _holds(self, quoted: Quoted, question: str, statement: str) -> bool:
        """Whether the quote carries the statement, and the statement answers the question."""
        asked = set(terms(question))
        said = set(terms(" ".join([statement, *quoted.names])))
        about = question.endswith("?") and len(asked & said) >= ABOUT * len(asked)
        return about and self.checker.check(statement, [quoted]).supported
