"""The way to a server: an HTTP client that holds the key, and the models it finds there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from rag.endpoint.address import DEFAULT_MODEL, OPENAI_URL, Endpoint
from rag.endpoint.failures import (
    CONNECT_SECONDS,
    key_fix,
    late,
    model_fix,
    nonsense,
    refusal,
    unreachable,
)
from rag.errors import ConfigError, EndpointError, KeyRefused, ModelUnknown

if TYPE_CHECKING:
    import httpx

NO_KEY = "none"
"""What the libraries hold for a key."""

LIST_SECONDS = 5.0
"""Time to list a server's models: asked for in passing, so it must not hold anything up."""


def client_options(endpoint: Endpoint) -> dict[str, Any]:
    """What LlamaIndex's OpenAI classes need to reach the endpoint, and nothing else.

    The key is put in by the HTTP client, request by request, so that no object of a library
    can show it. The base is always given, so that no variable of the environment decides where
    texts go. Raises KeyRefused where no request could succeed.
    """
    _check_key(endpoint)
    url = urlsplit(endpoint.base_url or OPENAI_URL)
    return {
        "api_key": NO_KEY,
        "api_base": urlunsplit((url.scheme, url.netloc, url.path.rstrip("/"), "", "")),
        "timeout": endpoint.timeout,
        "max_retries": 0,
        "http_client": _http_client(endpoint),
    }


def _check_key(endpoint: Endpoint) -> None:
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
            event_hooks={"request": [_prepared(endpoint)]},
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
    except (openai.APIConnectionError, httpx.TransportError) as error:
        raise unreachable(endpoint, error) from None
    except openai.APIResponseValidationError:
        raise nonsense(endpoint) from None
    except openai.APIError as error:
        raise _with_names(endpoint, refusal(endpoint, error)) from None
    except (openai.OpenAIError, ValueError, TypeError, AttributeError, LookupError):
        raise nonsense(endpoint) from None


def served(endpoint: Endpoint) -> list[dict[str, Any]]:
    """What the server says of each of its models, at the least an ``id``.

    Raises EndpointError's kinds.
    """
    found = look_up(endpoint, "models").get("data") or []
    return [entry for entry in found if isinstance(entry, dict) and entry.get("id")]


def look_up(endpoint: Endpoint, path: str) -> dict[str, Any]:
    """What the server answers at a path below its base URL, or from its root with a leading
    slash. Quick or not at all; raises EndpointError's kinds."""
    import openai

    quick = replace(endpoint, timeout=min(endpoint.timeout, LIST_SECONDS))
    options = client_options(quick)
    base = options.pop("api_base")
    url = urlsplit(base)
    where = urlunsplit((url.scheme, url.netloc, path, "", "")) if path[0] == "/" else path
    with translated(quick), openai.OpenAI(base_url=base, **options) as client:
        answer = client.get(where, cast_to=object)
    return answer if isinstance(answer, dict) else {}


def list_models(endpoint: Endpoint) -> list[str]:
    """Names of the server's models, sorted. Raises EndpointError's kinds."""
    return sorted({str(entry["id"]) for entry in served(endpoint)})


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
