"""Reads a reply as it comes: takes away what is wrapped around the answer, and reads that.

Feeding a text in any pieces gives the same sentences as feeding it whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rag.engine.reply.lines import Lines
from rag.engine.reply.markers import Id
from rag.engine.reply.sieve import Said, Sieve
from rag.engine.reply.tags import meaning
from rag.engine.reply.tokens import Token, Tokens, tokens_of
from rag.engine.reply.unjson import unjson

_ASKS = frozenset("user human system developer tool".split())
_THINKS = frozenset("analysis commentary".split())
_ANSWERS = ("assistant", "model", "final", "bot")
_UNMARKED_END = "assistantfinal"
"""What is left between thoughts and answer where a server strips the special tokens."""

LONGEST_REPLY = 20_000
"""Characters, without thoughts, that are read; models that write more run in circles."""


class ReplyReader:
    """Reads one reply."""

    def __init__(self) -> None:
        self._tokens = Tokens()
        self._sieve = Sieve()
        self._begin()

    def _begin(self) -> None:
        self._lines = Lines()
        self._json: list[str] | None = None  # a reply in JSON is read when it is complete
        self._beside: Sequence[Id] = ()  # ids that JSON gives to the text being read
        self._thinking = False
        self._turn = False  # the next word names a role or channel
        self._ended = False
        self._length = 0

    @property
    def refused(self) -> bool:
        """After ``close``: whether the model says no more than that the abstracts do not say it."""
        return self._sieve.refused

    @property
    def remarks(self) -> list[str]:
        """What the model says the abstracts lack, in its words: nothing to show as an answer."""
        return self._sieve.remarks

    def feed(self, piece: str) -> list[Said]:
        """The sentences that are complete now, and that no later piece can undo."""
        self._take(self._tokens.feed(piece))
        return self._sieve.taken()

    def close(self, finished: bool = True) -> list[Said]:
        """The rest. If it is not ``finished``, the reply was cut off, and its last sentence is
        dropped unless it is seen to be whole."""
        cut_off = (token for token in self._tokens.close() if finished or token.kind != "cut")
        self._take(cut_off)
        if self._json is None:
            self._finish(finished)
        else:
            self._unwrap(self._json, finished)
        self._sieve.settle()
        return self._sieve.taken()

    def _take(self, tokens: Iterable[Token]) -> None:
        for token in tokens:
            if token.kind == "tag":
                self._tag(token)
            elif self._ended or self._sieve.over:
                continue
            elif self._json is not None:
                self._json.append(token.raw)
                self._measure(token)
            elif self._turn:
                self._role(token)
            elif token.kind == "word" and _UNMARKED_END in token.raw:
                self._forget()
                self._say(Token("word", token.raw.rpartition(_UNMARKED_END)[2]))
            elif not self._thinking:
                self._say(token)

    def _tag(self, token: Token) -> None:
        stands_for = meaning(token.raw)
        if stands_for == "thought":
            if self._thinking:
                self._thinking = False
            else:
                self._forget()
        elif self._ended:
            return
        elif stands_for == "think":
            self._thinking = True
        elif stands_for == "turn":
            self._turn = True
        elif stands_for == "answers":
            self._thinking = False
        elif self._thinking:
            return
        elif stands_for in ("over", "asked"):
            self._ended = self._begun
            self._thinking = stands_for == "asked"
        elif self._json is not None:
            self._json.append(token.raw)
        elif stands_for == "line":
            self._say(Token("newline", "\n"))
        elif stands_for == "text":
            self._say(Token("word", token.raw))

    def _role(self, token: Token) -> None:
        """Whose words follow, or in which channel."""
        name = token.raw.lower()
        self._turn = token.kind == "space"
        if name in _ASKS:
            self._ended, self._thinking = self._begun, True
        elif name in _THINKS:
            self._thinking = True
        elif name.startswith(_ANSWERS):
            self._thinking = False
        elif token.kind == "word" and not self._thinking:
            self._say(token)

    def _say(self, token: Token) -> None:
        if token.kind == "json" and self._lines.open and not self._beside:
            quoted = self._lines.now.text == '"'  # JSON in a string of JSON
            if not quoted:
                self._finish(whole=True)
            self._lines = Lines()
            self._json = ['"' if quoted else "", token.raw]
            return
        for sentence in self._lines.take(token):
            self._sieve.put(sentence, self._beside)
        self._measure(token)

    def _measure(self, token: Token) -> None:
        self._length += len(token.raw)
        if self._length > LONGEST_REPLY:
            self._ended = True
            self._lines = Lines()

    def _finish(self, whole: bool) -> None:
        for sentence in self._lines.finish():
            self._sieve.put(sentence, self._beside, whole=whole or self._ended)

    def _unwrap(self, pieces: Sequence[str], finished: bool) -> None:
        """Read the texts in the JSON, then what follows it as far as that is no JSON again."""
        parts, rest = unjson("".join(pieces))
        ended, self._ended = self._ended, False
        for part in parts:
            self._json, self._beside = None, part.ids
            self._take(tokens_of(part.text))
            self._finish(part.whole)
        self._json, self._beside = None, ()
        self._take(tokens_of(rest))
        self._finish(finished or ended)

    def _forget(self) -> None:
        """What was read so far was thought, though nothing said so at its beginning."""
        self._sieve.forget()
        self._begin()

    @property
    def _begun(self) -> bool:
        return not self._sieve.empty or self._lines.now.begun or self._json is not None


def read_reply(text: str, finished: bool = True) -> tuple[list[Said], bool]:
    """The sentences of a whole reply, and whether it refuses to answer; see ReplyReader."""
    reader = ReplyReader()
    said = reader.feed(text)
    said += reader.close(finished)
    return said, reader.refused
