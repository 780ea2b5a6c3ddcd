"""The engine that asks a model. What it writes is shown sentence by sentence, each as soon as it
has been checked against the words that it rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rag.engine.check import Checker
from rag.engine.context import Context, Shown, cleaned, pack
from rag.engine.grounding import Grounded, Grounder, Quote
from rag.engine.reply import ReplyReader, Said, read_reply
from rag.errors import BudgetError, ContextOverflow, EndpointError
from rag.models import Message, Model, OnText
from rag.prompts import Task
from rag.types import Citation, Paper, Statement, Usage

REPLY_TOKENS = 700
"""Of an answer at most; reasoning models spend theirs on thinking first."""
REWRITE_TOKENS = 400
"""Of all rewritten sentences of an answer together."""
MESSAGE_TOKENS = 16
"""What a message takes beside its text, at most: its role and the template's marks."""
CONTEXT_TOKENS = 8000
"""Of abstracts in one prompt, however large the window: more dilutes and costs."""
FEWEST = 2
"""Words of a statement: what a "Yes." says, the next sentence has to say."""
UNSUPPORTED = "(not supported)"
"""Marks a sentence that its quotes do not carry."""
REST = "The abstracts do not say the rest."


@dataclass(frozen=True, slots=True)
class Draft:
    """What came of asking a model. ``text`` has the markers; there is none without a supported
    statement. ``refused``: the model says that the abstracts do not answer; ``partly``: that
    they do not answer all of it."""

    text: str
    statements: tuple[Statement, ...]
    sources: tuple[Paper, ...]
    refused: bool
    partly: bool
    usage: Usage
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Writer:
    """Asks ``model`` with the prompts of ``task``; ``strict`` leaves out what is not supported."""

    model: Model
    task: Task
    checker: Checker
    strict: bool = False
    follow_ups: Task | None = None
    searches: Task | None = None
    """Asks for other words to search for; without it, none are."""

    def context(
        self,
        question: str,
        papers: Sequence[Shown],
        prefer: Mapping[int, Sequence[tuple[int, int]]],
    ) -> Context:
        """The papers as far as they fit into the model's window beside question and reply.

        Raises ContextOverflow if not a sentence of them does.
        """
        frame = self._messages(question, "")
        taken = sum(self.model.count(message.text) for message in frame) + self.limit
        room = min(CONTEXT_TOKENS, self.model.window - taken - len(frame) * MESSAGE_TOKENS)
        context = pack(papers, room, self.model.count, prefer)
        if not context.text:
            message = (
                f"Of {self.model.window:,} tokens that {self.model.name} reads and writes, the "
                "question leaves no room for an abstract."
            )
            raise ContextOverflow(message, "ask shorter, or name a model with a larger window")
        return context

    def messages(self, question: str, context: Context) -> list[Message]:
        """What the model is asked."""
        return self._messages(question, context.text)

    def write(
        self, question: str, context: Context, preface: str = "", on_text: OnText | None = None
    ) -> Draft:
        """Ask, and check what comes. ``on_text`` gets the pieces of the draft's text in order.

        Raises EndpointError's kinds, and BudgetError if not even the first request is allowed.
        """
        drafting = _Drafting(self, Grounder(context, self.checker), preface, on_text)
        return drafting.draft(self.messages(question, context))

    def rewrite_messages(self, grounded: Grounded) -> list[Message]:
        """What the model is asked about one sentence that its quotes do not carry."""
        quotes = "\n".join(f"- {cleaned(quote.text)}" for quote in grounded.quotes)
        faults = "; ".join(grounded.verdict.faults)
        rewrite = self.task["rewrite"].render(statement=grounded.text, faults=faults, quotes=quotes)
        return [Message("system", self.task["system"].text), Message("user", rewrite)]

    @property
    def limit(self) -> int:
        """Tokens of a reply at most."""
        return min(REPLY_TOKENS, self.model.window // 4)

    def _messages(self, question: str, abstracts: str) -> list[Message]:
        asked = self.task["question"].render(abstracts=abstracts, question=question)
        return [Message("system", self.task["system"].text), Message("user", asked)]


@dataclass
class _Drafting:
    """An answer in the making. Papers get their numbers when they are first shown, and keep them;
    what is not supported waits for a statement that is: nothing unfounded stands alone."""

    writer: Writer
    grounder: Grounder
    preface: str
    on_text: OnText | None
    statements: list[Statement] = field(default_factory=list)
    sources: list[Paper] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    waiting: list[Grounded] = field(default_factory=list)
    usage: Usage = Usage()
    rewriting: int = REWRITE_TOKENS
    dropped: int = 0
    notes: list[str] = field(default_factory=list)

    def draft(self, messages: Sequence[Message]) -> Draft:
        reader = ReplyReader()
        streamed = (lambda piece: self._take(reader.feed(piece))) if self.on_text else None
        reply = self.writer.model.reply(messages, self.writer.limit, streamed)
        self.usage += reply.usage
        if not streamed:
            self._take(reader.feed(reply.text))
        self._take(reader.close(reply.finished))
        if self.dropped:
            self.notes.append(f"{_counted(self.dropped)} left out, for want of support.")
        if reader.remarks and self.statements:
            self._show(REST)
        return Draft(
            text=" ".join(self.pieces),
            statements=tuple(self.statements),
            sources=tuple(self.sources),
            refused=reader.refused,
            partly=bool(reader.remarks),
            usage=self.usage,
            notes=tuple(self.notes),
        )

    def _take(self, sentences: Sequence[Said]) -> None:
        for said in sentences:
            if len(said.text.split()) < FEWEST or not any(map(str.isalpha, said.text)):
                continue
            grounded = self.grounder.ground(said)
            if not grounded.verdict.supported:
                grounded = self._rewritten(said, grounded)
            self._sort(grounded)

    def _sort(self, grounded: Grounded) -> None:
        """Show a sentence, keep it waiting, or leave it out."""
        if grounded.verdict.supported:
            for earlier in (*self.waiting, grounded):
                self._state(earlier)
            self.waiting.clear()
        elif self.writer.strict:
            self.dropped += 1
        elif self.statements:
            self._state(grounded)
        else:
            self.waiting.append(grounded)

    def _state(self, grounded: Grounded) -> None:
        """Make a sentence a statement of the answer, and show it. One that no quote carries has no
        citation, which would lend it the looks of one that is carried."""
        if any(grounded.text == statement.text for statement in self.statements):
            return  # rewritten, it may say what another one has said
        verdict = grounded.verdict
        quotes = grounded.quotes if verdict.supported else ()
        citations = tuple(self._citation(quote) for quote in quotes)
        text = grounded.text
        self.statements.append(Statement(text, citations, verdict.supported, verdict.support))
        marks = "".join(f"[{n}]" for n in dict.fromkeys(c.number for c in citations))
        self._show(" ".join(filter(None, [text, marks, "" if verdict.supported else UNSUPPORTED])))

    def _citation(self, quote: Quote) -> Citation:
        """The quote under its paper's number, a new one for a paper not cited before."""
        if quote.paper not in self.sources:
            self.sources.append(quote.paper)
        number = self.sources.index(quote.paper) + 1
        return Citation(number, quote.paper.paper_id, quote.text, quote.start, quote.end)

    def _show(self, piece: str) -> None:
        if self.preface and not self.pieces:
            preface, self.preface = self.preface, ""
            self._show(preface)
        if self.on_text:
            self.on_text(f" {piece}" if self.pieces else piece)
        self.pieces.append(piece)

    def _rewritten(self, said: Said, grounded: Grounded) -> Grounded:
        """The sentence as the model writes it anew with only its quotes before it, if they carry
        that; else as it was. Asked once a sentence, while the tokens for it last."""
        limit = 2 * self.writer.model.count(said.text) + MESSAGE_TOKENS
        if not grounded.quotes or limit > self.rewriting:
            return grounded
        self.rewriting -= limit
        asked = self.writer.rewrite_messages(grounded)
        try:
            reply = self.writer.model.reply(asked, limit)
        except (BudgetError, EndpointError) as error:
            # What has been written and paid for is not lost with it.
            self.notes.append(f"Not rewritten: {error.message}")
            self.rewriting = 0
            return grounded
        self.usage += reply.usage
        sentences, _ = read_reply(reply.text, reply.finished)
        if not sentences:
            return grounded
        again = self.grounder.on(sentences[0].text, grounded.quotes)
        return again if again.verdict.supported else grounded


def _counted(sentences: int) -> str:
    return "1 sentence was" if sentences == 1 else f"{sentences} sentences were"
