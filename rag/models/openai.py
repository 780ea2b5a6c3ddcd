"""Models at OpenAI and at any server with the same protocol, through LlamaIndex."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from rag.endpoint import Endpoint
from rag.endpoint.client import check_key, client_options, knock, resolve_model, translated
from rag.endpoint.failures import error_in_answer
from rag.endpoint.patience import patiently
from rag.errors import EndpointError
from rag.models.llama import LlamaIndexModel
from rag.models.parameters import Parameters
from rag.models.window import describe, find_window, short_name

if TYPE_CHECKING:
    from llama_index.core.llms import LLM

Result = TypeVar("Result")
SEED = 1


def connect(
    endpoint: Endpoint,
    *,
    window: int | None = None,
    seed: int = SEED,
    note: Callable[[str], None] = lambda text: None,
) -> LlamaIndexModel:
    """The model of an endpoint, ready to write; without a name, the one that it serves.

    ``window`` in tokens goes before what the server or a table says. ``note`` is told of waits
    and of what the server does not take. Raises KeyRefused and ModelUnknown.
    """
    endpoint = resolve_model(endpoint)
    check_key(endpoint)
    entry = describe(endpoint)
    window = window or find_window(endpoint, entry)
    make = partial(_llm, endpoint, window, silent=bool(endpoint.base_url) and not entry)
    return _OpenAIModel(endpoint, make, window, Parameters(endpoint.model, seed), note)


class _OpenAIModel(LlamaIndexModel):
    """A LlamaIndexModel that is patient, and adapts to what its server takes."""

    def __init__(
        self,
        endpoint: Endpoint,
        make: Callable[[], LLM],
        window: int,
        parameters: Parameters,
        note: Callable[[str], None],
    ) -> None:
        super().__init__(make, name=short_name(endpoint.model), window=window)
        self._endpoint = endpoint
        self._note = note
        self._parameters = parameters
        self.thinking = parameters.thinking

    def _arguments(self, limit: int, stream: bool) -> dict[str, Any]:
        return self._parameters.values(limit, stream)

    def _patiently(self, request: Callable[[], Result]) -> Result:
        return patiently(self._endpoint, lambda: self._adapting(request), self._note)

    def _adapting(self, request: Callable[[], Result]) -> Result:
        """Make the request, again without what the server refuses, as often as it is new."""
        from openai import APIStatusError

        while True:
            try:
                return request()
            except APIStatusError as error:
                learned = self._parameters.learn(error)
                if not learned:
                    raise
                self._note(f"{self._name} {learned}")

    def _translated(self) -> AbstractContextManager[None]:
        return translated(self._endpoint)


def _llm(endpoint: Endpoint, window: int, *, silent: bool) -> LLM:
    """LlamaIndex's own class for OpenAI's chat models that it knows, else the one for any.

    Where a server was ``silent`` about its models there may be none, which is quicker to find
    out than the libraries are to load.
    """
    if silent:
        knock(endpoint)
    from llama_index.llms.openai import OpenAI
    from llama_index.llms.openai.utils import CHAT_MODELS, RESPONSES_API_ONLY_MODELS
    from llama_index.llms.openai_like import OpenAILike

    if endpoint.model in RESPONSES_API_ONLY_MODELS:
        message = f"{endpoint.model!r} is served by the Responses API only, which is not used here."
        raise EndpointError(message, f"set {endpoint.settings}_MODEL to a model that chats")
    options = client_options(endpoint)
    options["openai_client"] = _client(options)
    if endpoint.base_url is None and endpoint.model in CHAT_MODELS:
        return OpenAI(model=endpoint.model, **options)
    return OpenAILike(model=endpoint.model, is_chat_model=True, context_window=window, **options)


def _client(options: dict[str, Any]) -> Any:
    """OpenAI's client, whose answers are put right before LlamaIndex sees them."""
    from openai import OpenAI

    own = dict(options)
    client = OpenAI(base_url=own.pop("api_base"), **own)
    create: Callable[..., Any] = client.chat.completions.create

    def tolerant(**arguments: Any) -> Any:
        answer = create(**arguments)
        return _each(answer) if arguments.get("stream") else _plain(answer)

    client.chat.completions.create = tolerant  # type: ignore[method-assign]
    return client


def _each(stream: Any) -> Iterator[Any]:
    with stream:  # its connection is closed with this generator
        for chunk in stream:
            yield _plain(chunk)


def _plain(answer: Any) -> Any:
    """An answer with its text as one string, where a server sends a list of parts.

    An error that comes with status 200, as gateways send it, is raised.
    """
    error = getattr(answer, "error", None)
    if error:
        raise error_in_answer(error)
    answer.choices = answer.choices or []
    for choice in answer.choices:
        part = getattr(choice, "message", None) or getattr(choice, "delta", None)
        if part and isinstance(part.content, list):
            part.content = "".join(piece.get("text") or "" for piece in part.content)
    return answer
