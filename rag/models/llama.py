"""Any of LlamaIndex's language models as one of ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from rag.endpoint import Endpoint
from rag.endpoint.client import believable
from rag.endpoint.failures import begun
from rag.errors import EndpointError, RagError
from rag.models import Message, OnText, Reply
from rag.models.tokens import count_messages, counter
from rag.types import Usage

if TYPE_CHECKING:
    from llama_index.core.base.llms.types import ChatMessage, ChatResponse
    from llama_index.core.llms import LLM

Result = TypeVar("Result")

Opened = tuple["_Heard", "Iterator[ChatResponse]"]

CHARS_A_TOKEN = 40
"""No text has more of them on average. A server that does not stop by then never will."""


class LlamaIndexModel:
    """A Model that writes through a LlamaIndex ``LLM``, or through one that is made for the first
    request, since LlamaIndex takes seconds to load; that needs a name and a window.

    ``window`` is in tokens, its own word by default; ``limit_name`` is what its chat methods
    call the most tokens to write, None if they take no such thing.
    """

    thinking = 0
    """Tokens that it may spend on thinking, on top of a reply's limit."""

    def __init__(
        self,
        llm: LLM | Callable[[], LLM],
        *,
        name: str | None = None,
        window: int | None = None,
        limit_name: str | None = "max_tokens",
    ) -> None:
        self._given = llm
        self._name = name or self._llm.metadata.model_name
        self._window = window or self._llm.metadata.context_window
        self._limit_name = limit_name
        self.on_lost: Callable[[Usage], None] = lambda usage: None
        """Is told what a request may have taken at most whose answer never came: the server had
        begun with it, and may bill it. Raises what forbids to try again."""

    @property
    def name(self) -> str:
        return self._name

    @property
    def window(self) -> int:
        return self._window

    @property
    def exact(self) -> bool:
        """Whether ``count`` knows the model's own encoding; else it guesses, and rather high."""
        return self._counter[1]

    def count(self, text: str) -> int:
        """Tokens of a text, by the model's own encoding or a common one."""
        return self._counter[0](text)

    @cached_property
    def _counter(self) -> tuple[Callable[[str], int], bool]:
        return counter(self._name)

    @cached_property
    def _llm(self) -> LLM:
        return self._given() if callable(self._given) else self._given

    def reply(
        self, messages: Sequence[Message], limit: int, on_text: OnText | None = None
    ) -> Reply:
        """The reply; see Model. Raises EndpointError's kinds."""
        _ = self._llm  # made here, where its own failures are not taken for the server's
        chat, most = _chat(messages), limit + self.thinking
        make = self._whole if on_text is None else self._opened
        heard, rest = self._patiently(
            self._counted(lambda: make(chat, limit), Usage(self._asked(messages), most))
        )
        if on_text:
            self._hand_on(heard, rest, on_text)
        tokens_in = heard.input_tokens or self._asked(messages)
        # Of a reply that was cut off nobody knows how much was thought before.
        tokens_out = heard.output_tokens or (self.count(heard.text) if heard.finished else most)
        return Reply(heard.text, Usage(tokens_in, tokens_out), heard.finished)

    def _asked(self, messages: Sequence[Message]) -> int:
        return count_messages(self.count, messages)

    def _counted(self, request: Callable[[], Result], most: Usage) -> Callable[[], Result]:
        """The request; what gets lost of it is told."""

        def counted() -> Result:
            try:
                return request()
            except Exception as error:
                if begun(error):
                    self.on_lost(most)
                raise

        return counted

    def _whole(self, chat: list[ChatMessage], limit: int) -> Opened:
        """A reply that comes in one piece."""
        heard = _Heard(limit + self.thinking)
        answer = self._llm.chat(chat, **self._arguments(limit, False))
        heard.add(answer, answer.message.content)
        return heard, iter(())

    def _opened(self, chat: list[ChatMessage], limit: int) -> Opened:
        """A stream, read as far as its first text: up to there, nobody has seen anything."""
        stream = self._llm.stream_chat(chat, **self._arguments(limit, True))
        heard = _Heard(limit + self.thinking)
        try:
            for piece in stream:
                heard.add(piece, piece.delta)
                if heard.text or heard.full:
                    break
        except BaseException:
            stream.close()
            raise
        if heard.empty:
            raise ValueError("an empty stream")
        return heard, stream

    def _hand_on(self, heard: _Heard, stream: Iterator[ChatResponse], on_text: OnText) -> None:
        """Hand each piece on. The connection is closed however this ends."""
        with closing(stream):  # type: ignore[type-var]  # it is a generator
            if heard.text:
                on_text(heard.text)
            while not heard.full and (piece := self._next(stream)):
                heard.add(piece, piece.delta)
                if piece.delta:
                    on_text(piece.delta)

    def _next(self, stream: Iterator[ChatResponse]) -> ChatResponse | None:
        with self._translated():
            return next(stream, None)

    def _arguments(self, limit: int, stream: bool) -> dict[str, Any]:
        """What a request says beside its messages."""
        return {self._limit_name: limit} if self._limit_name else {}

    def _patiently(self, request: Callable[[], Result]) -> Result:
        """Make the request; another way to a model may try it more than once."""
        with self._translated():
            return request()

    def _translated(self) -> AbstractContextManager[None]:
        """Turns what the library raises into EndpointError's kinds."""
        return _translated(self._name)


@contextmanager
def _translated(name: str) -> Iterator[None]:
    try:
        yield
    except RagError:
        raise
    except Exception as error:
        said = Endpoint(name).shown(str(error))
        message = f"{name} failed: {type(error).__name__}: {said}"
        raise EndpointError(message, "look at what its library says") from error


class _Heard:
    """A reply as it comes together, of at most ``tokens``."""

    def __init__(self, tokens: int) -> None:
        self._pieces: list[str] = []
        self._reason: str | None = None
        self._tells_reason = False
        self._room = CHARS_A_TOKEN * tokens
        self.empty = True
        self.input_tokens = 0
        self.output_tokens = 0

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    @property
    def full(self) -> bool:
        """Whether it is longer than so many tokens can be; a piece without text counts, too."""
        return self._room < 0

    @property
    def finished(self) -> bool:
        """Whether it came to its own end: one that was cut off by a limit did not, nor one that
        says nothing of its end though its protocol has a place for it."""
        cut = self.full or self._reason in ("length", "max_tokens")
        return not cut and (self._reason is not None or not self._tells_reason)

    def add(self, answer: ChatResponse, text: str | None) -> None:
        self.empty = False
        self._room -= len(text or "") or 1
        if text:
            self._pieces.append(text)
        raw = answer.raw
        self._tells_reason |= hasattr(raw, "choices")
        for choice in getattr(raw, "choices", None) or ():
            self._reason = choice.finish_reason or self._reason
        usage = getattr(raw, "usage", None)
        self.input_tokens = _first(usage, "prompt_tokens", "input_tokens") or self.input_tokens
        self.output_tokens = (
            _first(usage, "completion_tokens", "output_tokens") or self.output_tokens
        )


def _first(holder: Any, *names: str) -> int:
    """The first of some attributes that can be a count of tokens; 0 if none is."""
    counts = (believable(getattr(holder, name, None)) for name in names)
    return next(filter(None, counts), 0)


def _chat(messages: Sequence[Message]) -> list[ChatMessage]:
    """The messages in LlamaIndex's form; what is no character of UTF-8 cannot be sent."""
    from llama_index.core.base.llms.types import ChatMessage

    return [
        ChatMessage(role=message.role, content=message.text.encode("utf-8", "replace").decode())
        for message in messages
    ]
