"""Any of LlamaIndex's language models as one of ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from rag.endpoint import Endpoint
from rag.errors import EndpointError, RagError
from rag.models import Message, OnText, Reply
from rag.models.tokens import count_messages, counter
from rag.types import Usage

if TYPE_CHECKING:
    from llama_index.core.base.llms.types import ChatMessage, ChatResponse
    from llama_index.core.llms import LLM

Result = TypeVar("Result")
Opened = tuple["list[ChatResponse]", "Iterator[ChatResponse]"]


class LlamaIndexModel:
    """A Model that writes through a LlamaIndex ``LLM``.

    ``window`` is in tokens, its own word by default; ``limit_name`` is what its chat methods
    call the most tokens to write, None if they take no such thing. ``note`` is told once that
    its tokens are estimated.
    """

    thinking = 0
    """Tokens that it may spend on thinking, on top of a reply's limit."""

    def __init__(
        self,
        llm: LLM,
        *,
        name: str | None = None,
        window: int | None = None,
        limit_name: str | None = "max_tokens",
        note: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._llm = llm
        self._name = name or llm.metadata.model_name
        self._window = window or llm.metadata.context_window
        self._limit_name = limit_name
        self._note = note

    @property
    def name(self) -> str:
        return self._name

    @property
    def window(self) -> int:
        return self._window

    def count(self, text: str) -> int:
        """Tokens of a text, by the model's own encoding or a common one."""
        return self._counter(text)

    @cached_property
    def _counter(self) -> Callable[[str], int]:
        count, exact = counter(self._name)
        if not exact:
            self._note(f"tokens of {self._name} are estimated: its encoding is not known")
        return count

    def reply(
        self, messages: Sequence[Message], limit: int, on_text: OnText | None = None
    ) -> Reply:
        """The reply; see Model. Raises EndpointError's kinds."""
        chat, heard = _chat(messages), _Heard()
        if on_text is None:
            answer = self._patiently(lambda: self._llm.chat(chat, **self._arguments(limit, False)))
            heard.add(answer, answer.message.content)
        else:
            self._stream(chat, limit, on_text, heard)
        tokens_in = heard.input_tokens or count_messages(self.count, messages)
        tokens_out = heard.output_tokens or self.count(heard.text)
        return Reply(heard.text, Usage(tokens_in, tokens_out), heard.finished)

    def _stream(self, chat: list[ChatMessage], limit: int, on_text: OnText, heard: _Heard) -> None:
        """Hand each piece on. The connection is closed however this ends."""

        def opened() -> Opened:
            stream = self._llm.stream_chat(chat, **self._arguments(limit, True))
            try:
                return _until_text(stream), stream
            except BaseException:
                stream.close()
                raise

        first, stream = self._patiently(opened)
        with closing(stream):  # type: ignore[type-var]  # it is a generator
            for piece in chain(first, self._rest(stream)):
                heard.add(piece, piece.delta)
                if piece.delta:
                    on_text(piece.delta)

    def _rest(self, stream: Iterator[ChatResponse]) -> Iterator[ChatResponse]:
        while True:
            with self._translated():
                piece = next(stream, None)
            if piece is None:
                return
            yield piece

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
    """A reply as it comes together."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._reason: str | None = None
        self._tells_reason = False
        self.input_tokens = 0
        self.output_tokens = 0

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    @property
    def finished(self) -> bool:
        """Whether it came to its own end: one that was cut off by a limit did not, nor one that
        says nothing of its end though its protocol has a place for it."""
        return self._reason not in ("length", "max_tokens") and (
            self._reason is not None or not self._tells_reason
        )

    def add(self, answer: ChatResponse, text: str | None) -> None:
        self._pieces.append(text or "")
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
    """The first of some attributes that is a number; 0 if none is."""
    values = (getattr(holder, name, None) for name in names)
    return next((value for value in values if isinstance(value, int)), 0)


def _chat(messages: Sequence[Message]) -> list[ChatMessage]:
    """The messages in LlamaIndex's form; what is no character of UTF-8 cannot be sent."""
    from llama_index.core.base.llms.types import ChatMessage

    return [
        ChatMessage(role=message.role, content=message.text.encode("utf-8", "replace").decode())
        for message in messages
    ]


def _until_text(stream: Iterator[ChatResponse]) -> list[ChatResponse]:
    """The first pieces, as far as one with text: up to there, nobody has seen anything."""
    pieces = []
    for piece in stream:
        pieces.append(piece)
        if piece.delta:
            return pieces
    if not pieces:
        raise ValueError("an empty stream")
    return pieces
