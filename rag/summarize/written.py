"""A paper in a sentence of a model's, held to its abstract; in the offline line where nothing that
the model wrote can stand.

Knows neither files nor what was written before.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rag.corpus.clean import clean_text
from rag.corpus.sentences import sentence_spans
from rag.engine.check import Checker
from rag.engine.context import Context, Shown, pack
from rag.engine.grounding import Grounded, Grounder, Quote
from rag.engine.reply import Said, read_reply
from rag.engine.writer import CONTEXT_TOKENS, MESSAGE_TOKENS
from rag.models import Message, Model
from rag.prompts import Task
from rag.summarize import MAX_WORDS, Summarizer
from rag.types import Citation, Paper, Summary, Usage

REPLY_TOKENS = 400
"""Of a reply at most. A line takes some fifty; a model that thinks aloud first needs the rest."""
SENTENCES = 100
"""Of an abstract that the model is shown; one with more is something else."""
LONGEST = 600
"""Characters of a line that the model is shown again."""
INSTEAD = "The model's line could not stand, so this one is quoted"

_MARKUP = re.compile(r"\\|\$[^\s\d]|\*\*|[`{}]|^\s*[#>|]|\]\(|</?\w+>")
"""What is no plain text and could not be made one."""
_AUTHORS = re.compile(r"\b(?:[Ww]e|[Oo]urs?)\b")


@dataclass(frozen=True, slots=True)
class Line:
    """What a model made of a paper, and all that is wrong with it."""

    grounded: Grounded
    faults: tuple[str, ...]
    usage: Usage


class Written:
    """Asks ``model`` for each paper's line, and once more for one with faults.

    ``place`` is where the model is served: the same name may be another model elsewhere.
    """

    def __init__(
        self, model: Model, task: Task, checker: Checker, fallback: Summarizer, place: str = ""
    ) -> None:
        self.model = model
        self._task = task
        self._checker = checker
        self._fallback = fallback
        # A hash: a URL may be nobody's business.
        served = hashlib.sha256(place.encode("utf-8", "replace")).hexdigest()[:8]
        self.identity = f"{task.identity} {model.name}@{served} {fallback.identity}"

    def summarize(self, paper: Paper, spans: Sequence[tuple[int, int]]) -> Summary:
        """The paper in a sentence. Raises EndpointError's kinds and BudgetError."""
        context = self._context(paper, spans)
        if not context.text:
            fault = f"no sentence of the abstract fits into {self.model.window:,} tokens"
            return self._instead(paper, spans, fault, Usage())
        grounder = Grounder(context, self._checker)
        line = self._line(grounder, self._asked("paper", abstract=context.text))
        if line.faults:
            line = self._rewritten(grounder, line)
        if line.faults:
            return self._instead(paper, spans, line.faults[0], line.usage)
        return Summary(
            paper,
            line.grounded.text,
            tuple(map(_citation, line.grounded.quotes)),
            supported=True,
            support=line.grounded.verdict.support,
            engine="llm",
            model=self.model.name,
            prompt=self._task.identity,
            usage=line.usage,
        )

    def messages(self, paper: Paper, spans: Sequence[tuple[int, int]]) -> list[Message]:
        """What the model is asked first of a paper; empty if it is not asked."""
        context = self._context(paper, spans)
        return self._asked("paper", abstract=context.text) if context.text else []

    @property
    def limit(self) -> int:
        """Tokens of a reply at most."""
        return min(REPLY_TOKENS, self.model.window // 4)

    def _context(self, paper: Paper, spans: Sequence[tuple[int, int]]) -> Context:
        room = min(CONTEXT_TOKENS, self._room(self._asked("paper", abstract="")))
        return pack([Shown(0, paper, tuple(spans[:SENTENCES]))], room, self.model.count)

    def _room(self, messages: Sequence[Message]) -> int:
        """Tokens that the window has left beside these messages and a reply; may be negative."""
        taken = sum(self.model.count(message.text) + MESSAGE_TOKENS for message in messages)
        return self.model.window - self.limit - taken

    def _asked(self, part: str, **values: str) -> list[Message]:
        system = Message("system", self._task["system"].text)
        return [system, Message("user", self._task[part].render(**values))]

    def _line(self, grounder: Grounder, messages: Sequence[Message]) -> Line:
        """Ask, and look closely at what comes."""
        reply = self.model.reply(messages, self.limit)
        said, _ = read_reply(reply.text, reply.finished)
        ids = tuple(dict.fromkeys(id for sentence in said for id in sentence.ids))
        text = _ended(clean_text(" ".join(sentence.text for sentence in said)))
        grounded = grounder.ground(Said(text, ids))
        carried = () if grounded.verdict.supported else grounded.verdict.faults
        return Line(grounded, (*_misshapen(text, len(said)), *carried), reply.usage)

    def _rewritten(self, grounder: Grounder, line: Line) -> Line:
        """The line as the model writes it anew, told what is wrong; the same one if it wrote
        none, or if there is no room to ask again."""
        told = line.grounded.text[:LONGEST]
        abstract, faults = grounder.context.text, "; ".join(line.faults)
        asked = self._asked("rewrite", abstract=abstract, statement=told, faults=faults)
        if not told or self._room(asked) < 0:
            return line
        again = self._line(grounder, asked)
        return replace(again, usage=line.usage + again.usage)

    def _instead(
        self, paper: Paper, spans: Sequence[tuple[int, int]], fault: str, usage: Usage
    ) -> Summary:
        """The offline line, and why it is shown."""
        offline = self._fallback.summarize(paper, spans)
        return replace(
            offline,
            model=self.model.name,
            prompt=self._task.identity,
            usage=usage,
            notes=(*offline.notes, f"{INSTEAD}: {fault}."),
        )


def _misshapen(text: str, sentences: int) -> Iterator[str]:
    """What is wrong with a line whatever its paper says."""
    words = len(text.split())
    if not words:
        yield "it says nothing"
    if words > MAX_WORDS:
        yield f"it has {words} words, and {MAX_WORDS} are the most"
    if max(sentences, len(sentence_spans(text))) > 1:
        yield "it is more than one sentence"
    if _MARKUP.search(text):
        yield "it has marks of LaTeX or Markdown in it"
    if _AUTHORS.search(text):
        yield "it speaks as if you were the authors"


def _ended(text: str) -> str:
    """The text with a full stop, unless it is empty or ends a sentence otherwise."""
    bare = text.rstrip(" ,;:–—-")
    return f"{bare}." if bare and bare[-1] not in ".!?…。！？" else bare


def _citation(quote: Quote) -> Citation:
    return Citation(1, quote.paper.paper_id, quote.text, quote.start, quote.end)
