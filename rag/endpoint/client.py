"""The way to a server: an HTTP client that holds the key, and the models it finds there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from rag.endpoint.address import DEFAULT_MODEL, OPENAI_URL, Endpoint
from rag.endpoint.failures import (
    CONNECT_SECONDS,
    ENDLESS,
    WHOLE,
    cause_of,
    key_fix,
    late,
    model_fix,
    nonsense,
    refusal,
    unreachable,
)
from rag.errors import (
    ConfigError,
    EndpointError,
    EndpointUnreachable,
    KeyRefused,
    ModelUnknown,
)

if TYPE_CHECKING:
    import httpx

NO_KEY = "none"
"""What the libraries hold for a key."""

MOST_BYTES = 64 * 2**20
"""Of an answer. The largest that is asked for, vectors of 256 texts, has a tenth of it."""

MOST_TOKENS = 10**8
"""That a server can say it has counted for one request."""

LIST_SECONDS = 5.0
"""Time to list a server's models: asked for in passing, so it must not hold anything up."""

UNREADABLE = (
    ValueError,
    TypeError,
    AttributeError,
    LookupError,
    ArithmeticError,
    RecursionError,
)
"""What libraries stumble with over an answer that is not in the protocol."""


def client_options(endpoint: Endpoint) -> dict[str, Any]:
    """What LlamaIndex's OpenAI classes need to reach the endpoint, and nothing else.

    The key is put in by the HTTP client, request by request, so that no object of a library
    can show it. The base is always given, so that no variable of the environment decides where
    texts go. Raises KeyRefused where no request could succeed.
    """
    check_key(endpoint)
    url = urlsplit(endpoint.base_url or OPENAI_URL)
    return {
        "api_key": NO_KEY,
        "api_base": urlunsplit((url.scheme, url.netloc, url.path.rstrip("/"), "", "")),
        "timeout": endpoint.timeout,
        "max_retries": 0,
        "http_client": _http_client(endpoint),
    }


def check_key(endpoint: Endpoint) -> None:
    """Raise KeyRefused where no request could succeed."""
    if endpoint.key is None:
        if endpoint.base_url is None:
            message = f"OpenAI needs a key for {endpoint.model!r}, and none is set."
            raise KeyRefused(message, key_fix(endpoint))
        return
    key = endpoint.key.reveal()
    if not key or not key.isascii() or not key.isprintable() or " " in key:
        message = f"The key for {endpoint.place} is empty or holds a character that no key has."
        raise KeyRefused(message, key_fix(endpoint))


def _http_client(endpoint: Endpoint) -> httpx.Client:
    """A client that follows no redirect: it would take the key and the texts elsewhere."""
    from ssl import PROTOCOL_TLS_CLIENT, SSLContext

    import httpx

    url = urlsplit(endpoint.base_url or OPENAI_URL)
    # Reading all certificates takes longer than asking a server on this machine.
    trusted = True if url.scheme == "https" else SSLContext(PROTOCOL_TLS_CLIENT)
    try:
        return httpx.Client(
            verify=trusted,
            params=dict(parse_qsl(url.query)),
            trust_env=not endpoint.local,
            event_hooks={"request": [_prepared(endpoint)], "response": [_bounded(endpoint)]},
        )
    except (ImportError, ValueError):
        raise ConfigError(
            "The proxy that the environment names cannot be used.",
            "correct HTTPS_PROXY, HTTP_PROXY and ALL_PROXY, or unset them",
        ) from None


def _prepared(endpoint: Endpoint) -> Callable[[httpx.Request], None]:
    """A last look at each request: our key or none, and no long wait for a connection."""
    host = urlsplit(endpoint.base_url or OPENAI_URL).hostname or ""

    def prepare(request: httpx.Request) -> None:
        waits = request.extensions["timeout"]
        waits["connect"] = min(waits["connect"] or CONNECT_SECONDS, CONNECT_SECONDS)
        if request.headers.get("Authorization") == f"Bearer {NO_KEY}":
            del request.headers["Authorization"]
        if endpoint.key:
            request.headers["Authorization"] = f"Bearer {endpoint.key.reveal()}"
            if host.endswith(".azure.com"):
                request.headers["api-key"] = endpoint.key.reveal()
        if endpoint.base_url:  # who pays at OpenAI is no business of another server
            for header in ("OpenAI-Organization", "OpenAI-Project"):
                request.headers.pop(header, None)

    return prepare


def _bounded(endpoint: Endpoint) -> Callable[[httpx.Response], None]:
    """An end to each answer, in time and size: the library only limits the pauses in it, and a
    server may send a word, or a sign of life, for ever."""
    import httpx

    class Bounded(httpx.SyncByteStream):
        def __init__(self, response: httpx.Response) -> None:
            self._stream = response.stream
            self._request = response.request
            self._until = monotonic() + WHOLE * endpoint.timeout

        def __iter__(self) -> Iterator[bytes]:
            room = MOST_BYTES
            for data in self._stream:  # type: ignore[union-attr]  # a sync client's
                if monotonic() > self._until:
                    raise httpx.ReadTimeout(ENDLESS, request=self._request)
                room -= len(data)
                if room < 0:
                    raise httpx.DecodingError("too large", request=self._request)
                yield data

        def close(self) -> None:
            self._stream.close()  # type: ignore[union-attr]

    def bound(response: httpx.Response) -> None:
        response.stream = Bounded(response)

    return bound


@contextmanager
def translated(endpoint: Endpoint) -> Iterator[None]:
    """Turn the client library's errors into EndpointError's kinds; no key is in any of them.

    Also takes what LlamaIndex stumbles over when a server answers something else than the
    protocol says, so keep nothing inside but the request.
    """
    import httpx
    import openai

    try:
        yield
    except (openai.APITimeoutError, httpx.TimeoutException) as error:
        raise late(endpoint, error) from None
    except (openai.APIConnectionError, httpx.RequestError) as error:
        garbled = isinstance(cause_of(error), httpx.DecodingError)
        raise (nonsense(endpoint) if garbled else unreachable(endpoint, error)) from None
    except openai.APIResponseValidationError:
        raise nonsense(endpoint) from None
    except openai.APIError as error:
        raise _with_names(endpoint, refusal(endpoint, error)) from None
    except (openai.OpenAIError, *UNREADABLE):
        raise nonsense(endpoint) from None


def believable(count: object) -> int:
    """A number of tokens as a server tells it; 0 for what cannot be one."""
    number = isinstance(count, int) and not isinstance(count, bool)
    return count if number and 0 < count <= MOST_TOKENS else 0  # type: ignore[operator,return-value]


def served(endpoint: Endpoint) -> list[dict[str, Any]]:
    """What the server says of each of its models, at the least an ``id``, which is text.

    Raises EndpointError's kinds.
    """
    found = look_up(endpoint, "models").get("data")
    entries = found if isinstance(found, list) else []
    return [e for e in entries if isinstance(e, dict) and e.get("id") and isinstance(e["id"], str)]


class _Refused(Exception):
    """An answer with a status that is none, in the form of the client library's errors."""

    def __init__(self, response: httpx.Response) -> None:
        super().__init__(response.status_code)
        self.response = response
        self.status_code = response.status_code
        answer = _read(response)
        self.body = answer.get("error", answer)


def look_up(endpoint: Endpoint, path: str) -> dict[str, Any]:
    """What the server answers at a path below its base URL, or from its root with a leading
    slash; {} if that is no JSON object. Quick or not at all; raises EndpointError's kinds.

    Made without the client library, which takes longer to load than this to ask.
    """
    import httpx

    quick = replace(endpoint, timeout=min(endpoint.timeout, LIST_SECONDS))
    try:
        response = _got(quick, path)
    except httpx.TimeoutException as error:
        raise late(quick, error) from None
    except httpx.RequestError as error:
        raise unreachable(quick, error) from None
    except (httpx.InvalidURL, *UNREADABLE):
        raise nonsense(quick) from None
    if not response.is_success:
        raise refusal(quick, _Refused(response))
    return _read(response)


def reached(endpoint: Endpoint) -> str:
    """What to say of a server that answers, with how long that took; no text goes there.

    Raises EndpointError's kinds for one that does not within seconds, or that refuses the key.
    One that lists no models is there all the same.
    """
    begin = monotonic()
    found = ""
    try:
        names = list_models(endpoint)
        found = f", {len(names):,} models"
        if names and endpoint.model and endpoint.model not in names:
            found += f", {endpoint.model!r} is not among them"
    except (EndpointUnreachable, KeyRefused):
        raise
    except EndpointError:
        found = ", lists no models"
    return f"{endpoint.place} answers in {1000 * (monotonic() - begin):,.0f} ms{found}"


def knock(endpoint: Endpoint) -> None:
    """Raise EndpointUnreachable if nobody takes a connection; any answer is somebody."""
    import httpx

    try:
        _got(replace(endpoint, timeout=min(endpoint.timeout, LIST_SECONDS)), "models")
    except httpx.ConnectError as error:
        raise unreachable(endpoint, error) from None
    except (httpx.HTTPError, httpx.InvalidURL, *UNREADABLE):
        return


def _got(endpoint: Endpoint, path: str) -> httpx.Response:
    """The answer to a look at a path; raises the HTTP library's errors."""
    options = client_options(endpoint)
    url = urlsplit(options["api_base"])
    under = path if path[0] == "/" else f"{url.path}/{path}"
    with options["http_client"] as client:
        where = urlunsplit((url.scheme, url.netloc, under, "", ""))
        response: httpx.Response = client.get(where, timeout=endpoint.timeout)
    return response


def _read(response: httpx.Response) -> dict[str, Any]:
    try:
        answer = response.json()
    except (ValueError, RecursionError):
        return {}
    return answer if isinstance(answer, dict) else {}


def list_models(endpoint: Endpoint) -> list[str]:
    """Names of the server's models, sorted. Raises EndpointError's kinds."""
    return sorted({entry["id"] for entry in served(endpoint)})


def resolve_model(endpoint: Endpoint) -> Endpoint:
    """The endpoint with its model named: OpenAI's default, or the only one that is served.

    Raises ModelUnknown if a server offers none or several, and EndpointError's other kinds.
    """
    if endpoint.model:
        return endpoint
    if endpoint.base_url is None:
        return replace(endpoint, model=DEFAULT_MODEL)
    names = list_models(endpoint)
    if len(names) != 1:
        message = f"{endpoint.place} has {len(names)} models, and none is named."
        raise ModelUnknown(message, model_fix(endpoint, names))
    return replace(endpoint, model=names[0])


def unknown_model(endpoint: Endpoint, names: list[str]) -> ModelUnknown:
    """The error for a name that is not among those of a server."""
    message = f"{endpoint.place} has no model {endpoint.model!r}."
    return ModelUnknown(message, model_fix(endpoint, names))


def _with_names(endpoint: Endpoint, error: EndpointError) -> EndpointError:
    """An unknown model's error, told which ones there are if the server says so."""
    if isinstance(error, ModelUnknown):
        with suppress(EndpointError):
            error.fix = model_fix(endpoint, list_models(endpoint))
    return error
