"""Embeddings from OpenAI or any server that speaks its protocol.

A text and each of its sentences are embedded on their own: to pool sentences out of one pass,
as the built-in embedder does, takes token states, and no such server gives them away.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, wait
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain, islice
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING

import numpy as np

from rag.embed import Document, NoMeter
from rag.embed.batches import COMPATIBLE, OPENAI, batched, estimated_tokens, halves
from rag.endpoint import Endpoint
from rag.endpoint.client import resolve_model
from rag.endpoint.memory import forget_freed
from rag.endpoint.patience import patiently
from rag.errors import BudgetError, ContextOverflow, EndpointError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from rag.embed import Matrix, Meter
    from rag.embed.client import EndpointEmbedding

DEFAULT_MODEL = "text-embedding-3-small"
"""The model at OpenAI when none is named."""
DIMENSIONS = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}
"""Of OpenAI's models, if not told to shorten: known, so that nobody has to ask."""

REMEMBERED = 64
"""Vectors of questions that are kept: an answer looks at its question more than once."""
QUESTION_CHARS = 20_000
LAST_REPLIES = 30.0
"""Seconds to wait, after a failure, for what is under way: it is paid for and has to be entered."""
SHORTEST = 200
"""Characters below which no text is cut: where these do not fit, something else is wrong."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_IDENTITY = re.compile(r"(?P<model>.+)/(?P<dimensions>\d+)", re.DOTALL)


class RemoteEmbedder:
    """Unit vectors of a model at an endpoint, rounded to half precision's grid.

    ``dimensions`` asks the model to shorten its vectors, which few can. ``note`` is told of
    waits and of texts in parts, from any thread. All requests raise EndpointError's kinds; making
    the embedder is one only where no model is named and the server must say which it has.
    """

    meter: Meter
    """Passed by each request that embeds, by the server's own count where it gives one. May be
    set until the first of them: what that costs depends on the model's name."""

    def __init__(
        self,
        endpoint: Endpoint,
        dimensions: int | None = None,
        note: Callable[[str], None] = lambda text: None,
    ) -> None:
        forget_freed()  # before the first request with a key
        if not endpoint.model:
            default = replace(endpoint, model=DEFAULT_MODEL)
            endpoint = resolve_model(endpoint) if endpoint.base_url else default
        self.meter = NoMeter()
        self.first = "…"
        self._endpoint = endpoint
        self._asked = dimensions
        self._dimensions = dimensions or DIMENSIONS.get(endpoint.model)
        self._note = note
        self._limits = COMPATIBLE if endpoint.base_url else OPENAI
        self._busy = Lock()
        self._queries: dict[str, Future[Matrix]] = {}
        self._told_of_parts = False

    @property
    def model(self) -> str:
        """Its name at the endpoint."""
        return self._endpoint.model

    @property
    def identity(self) -> str:
        """``model/dimensions``. The address is left out: a model that has moved to another
        port or behind a gateway still gives the same vectors, and embedding anew costs money.
        A server that rounds its weights differently comes near enough to be searched."""
        return f"{self._endpoint.model}/{self.dimensions}"

    @property
    def dimensions(self) -> int:
        """Length of a vector. Unless it is known or was asked for, one request finds it out: a
        question's that is on its way, else that of the ``first``, whoever puts it."""
        if self._dimensions:
            return self._dimensions
        with self._busy:
            under_way = next(iter(self._queries.values()), None)
        return len(under_way.result() if under_way else self.query(self.first))

    def query(self, text: str) -> Matrix:
        """The question's vector, shape (dimensions,); what follows 20,000 characters is not read.

        The last questions' vectors are remembered. Threads that ask the same at the same time
        share one request and its outcome.
        """
        text = text[:QUESTION_CHARS]
        with self._busy:
            found = self._queries.pop(text, None)
            answer: Future[Matrix] = found or Future()
            self._queries[text] = answer  # as the latest
            if len(self._queries) > REMEMBERED:
                del self._queries[next(iter(self._queries))]
        if found is None:
            _settle(answer, lambda: self._vectors([_sendable(text)], Event())[0])
            if answer.exception():
                self._queries.pop(text, None)  # the next one may be luckier
        return answer.result()

    def documents(self, documents: Sequence[Document]) -> Iterator[tuple[int, Matrix]]:
        """Yield (index, vectors of shape (1 + spans, dimensions)) in order, each as soon as all
        of its texts are back, so that what came before a failure is not lost."""
        _ = self._client  # made here once, not by every thread
        stop = Event()
        texts = (_sendable(text) for document in documents for text in _texts(document))
        batches = batched(texts, self._limits)
        work = (partial(self._vectors, batch, stop) for batch in batches)
        rows = chain.from_iterable(_side_by_side(work, self._limits.at_once, stop))
        try:
            for i, document in enumerate(documents):
                yield i, np.stack(list(islice(rows, 1 + len(document.spans))))
        finally:
            stop.set()

    @cached_property
    def _client(self) -> EndpointEmbedding:
        from rag.embed.client import EndpointEmbedding

        return EndpointEmbedding(self._endpoint, self._asked, self.meter)

    def _vectors(self, texts: Sequence[str], stop: Event) -> Matrix:
        """Shape (texts, dimensions). What is too much for the server it gets in halves."""
        try:
            return self._units(self._reply(texts, stop), len(texts))
        except ContextOverflow:
            if len(texts) == 1 and len(texts[0]) <= SHORTEST:
                raise
        if len(texts) == 1:
            return self._averaged(halves(texts[0]), stop)
        middle = len(texts) // 2
        parts = (texts[:middle], texts[middle:])
        return np.vstack([self._vectors(part, stop) for part in parts])

    def _averaged(self, parts: Sequence[str], stop: Event) -> Matrix:
        """One vector for all parts of a text, each counting by its length, shape (1, dimensions).

        Cutting the text off instead would lose the results that abstracts end with.
        """
        if not self._told_of_parts:
            self._told_of_parts = True
            self._note(f"texts too long for {self._endpoint.model} are embedded in parts")
        weights = [estimated_tokens(part) for part in parts]
        mean = np.average(self._vectors(parts, stop), axis=0, weights=weights)
        return self._units([mean], 1)

    def _reply(self, texts: Sequence[str], stop: Event) -> ArrayLike:
        """What the server says, after as many attempts as make sense unless told to stop."""

        def request() -> ArrayLike:
            if stop.is_set():
                raise EndpointError("The embedding was given up.", "run it again")
            return self._client.get_text_embedding_batch(list(texts))

        try:
            return patiently(self._endpoint, request, self._note)
        except BudgetError:
            stop.set()  # a smaller batch behind this one would be paid for in vain
            raise

    def _units(self, reply: ArrayLike, count: int) -> Matrix:
        """``count`` rows of length 1; raises EndpointError for what cannot be made such."""
        try:
            vectors = np.asarray(reply, np.float64)
            with np.errstate(over="ignore"):
                lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        except (ValueError, TypeError, ArithmeticError):
            raise self._odd("vectors of mixed lengths, or not of numbers") from None
        if len(vectors) != count:
            raise self._odd(f"{len(vectors)} vectors for {count} texts")
        self._check_width(vectors.shape[1])
        if not (np.isfinite(lengths) & (lengths > 0)).all():
            raise self._odd("vectors without a direction: all zero, or not finite")
        unit: Matrix = (vectors / lengths).astype(np.float16).astype(np.float32)
        return unit

    def _check_width(self, width: int) -> None:
        with self._busy:
            self._dimensions = self._dimensions or width
        if width == self._dimensions:
            return
        if width == 0 or not self._asked:
            raise self._odd(f"vectors of {width} numbers, not {self._dimensions}")
        raise EndpointError(
            f"{self._endpoint.place} was asked for vectors of {self._asked} numbers with "
            f"{self._endpoint.model!r} and gives {width}.",
            f"unset {self._endpoint.settings}_DIMENSIONS: not every model can shorten its vectors",
        )

    def _odd(self, what: str) -> EndpointError:
        return EndpointError(
            f"{self._endpoint.place} answers with {what} for {self._endpoint.model!r}.",
            f"does {self._endpoint.settings}_MODEL name an embedding model? "
            "If so, look at the server's log",
        )


def settings_for(identity: str, present: str) -> str | None:
    """What to set to have the embedder ``identity`` instead of ``present``; None if both, or
    neither, could be had without a setting."""
    wanted, now = _IDENTITY.fullmatch(identity), _IDENTITY.fullmatch(present)
    if wanted is None:
        return "unset RAG_EMBED_MODEL and RAG_EMBED_BASE_URL" if now else None
    model, dimensions = wanted["model"], int(wanted["dimensions"])
    if now and now["model"] == model:
        return f"set RAG_EMBED_DIMENSIONS={dimensions}"
    settings = [f"RAG_EMBED_MODEL={model}"]
    if DIMENSIONS.get(model, dimensions) != dimensions:
        settings.append(f"RAG_EMBED_DIMENSIONS={dimensions}")
    if model not in DIMENSIONS:
        settings.append("RAG_EMBED_BASE_URL to where it is served")
    return f"set {' and '.join(settings)}"


def _texts(document: Document) -> Iterator[str]:
    yield document.text
    for start, end in document.spans:
        yield document.text[start:end]


def _sendable(text: str) -> str:
    """The text without what JSON cannot carry; never empty, which servers refuse."""
    return _SURROGATE.sub("?", text) if text.strip() else "."


def _side_by_side(
    work: Iterable[Callable[[], Matrix]], at_once: int, stop: Event
) -> Iterator[Matrix]:
    """The results in order, so many of them being worked for at once.

    After a failure ``stop`` is set, and what is under way is given some time. Not by an
    executor, whose threads are waited for at exit: Ctrl-C would hang on a server that does not
    answer.
    """
    ahead: deque[Future[Matrix]] = deque()
    try:
        for task in work:
            if len(ahead) == at_once:
                yield ahead.popleft().result()
            ahead.append(Future())
            Thread(target=_settle, args=(ahead[-1], task), daemon=True).start()
        while ahead:
            yield ahead.popleft().result()
    except Exception:
        stop.set()
        wait(ahead, LAST_REPLIES)
        raise


def _settle(future: Future[Matrix], task: Callable[[], Matrix]) -> None:
    """Give the future the task's outcome, whichever it is: somebody may be waiting for it."""
    try:
        future.set_result(task())
    except BaseException as error:
        future.set_exception(error)
