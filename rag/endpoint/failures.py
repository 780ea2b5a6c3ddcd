"""What a failed request means: one of EndpointError's kinds, with what to do next.

Knows the client library's errors only by what they carry: a status, a body, a cause.
"""

from __future__ import annotations

import re

from rag.endpoint.address import Endpoint
from rag.errors import (
    ContextOverflow,
    EndpointError,
    EndpointUnreachable,
    KeyRefused,
    ModelUnknown,
    QuotaExhausted,
    RateLimited,
)

CONNECT_SECONDS = 10.0
"""Time to get a connection; what the server then needs for its answer is another matter."""

ENDLESS = "the answer has no end"
"""What an httpx.ReadTimeout says where it was not one pause that was too long, but all of it."""
WHOLE = 5
"""Times the timeout that an answer may take as a whole."""

DAY = 86_400.0
LISTED = 8
"""Models named in an error."""

NO_QUOTA = re.compile("insufficient_quota|billing_hard_limit|billing_not_active", re.I)
NO_ROOM = re.compile(
    "context_length_exceeded|exceed_context_size|(maximum|model's|available) context"
    "|context (length|size|window)|prompt is too long|too large to process|too many inputs"
    "|tokens_per_request|tokens per request|maximum allowed batch size",
    re.I,
)
NO_CHAT = re.compile("v1/responses|not a chat model", re.I)
NO_MODEL = re.compile(
    "model_not_found|invalid_model|DeploymentNotFound|unknown model"
    r"|\bmodel\b.{0,80}\b(not found|not exist|doesn't exist|unknown)",
    re.I | re.S,
)


def status_of(error: BaseException) -> int:
    """The HTTP status that the error came with, also where a gateway hides it in an answer that
    pretends to be fine; 0 without one."""
    body = getattr(error, "body", None)
    hidden = body.get("code") if isinstance(body, dict) else None
    status = getattr(error, "status_code", hidden)
    return status if isinstance(status, int) else 0


def cause_of(error: BaseException) -> BaseException:
    """The HTTP library's error, which the client library wraps until a stream has begun."""
    import httpx

    return error if isinstance(error, httpx.HTTPError) else error.__cause__ or error


def begun(error: BaseException) -> bool:
    """Whether the server had the request when its answer was lost; it may bill it."""
    import httpx

    lost = (httpx.ReadTimeout, httpx.ReadError, httpx.RemoteProtocolError)
    return isinstance(cause_of(error), lost)


def all_said(error: BaseException) -> str:
    """What the server says about an error: its code, its type, its message."""
    body = getattr(error, "body", None)
    if not isinstance(body, dict):
        return str(body or getattr(error, "message", ""))
    return " ".join(str(body.get(name) or "") for name in ("code", "type", "message", "detail"))


def error_in_answer(body: object) -> Exception:
    """The client library's error for one that came in place of an answer, with status 200."""
    import httpx
    from openai import APIError

    request = httpx.Request("POST", "http://gateway")
    return APIError("an error in place of an answer", request, body=body)


def hopeless(error: BaseException) -> bool:
    """Whether the server says that the same request can never succeed."""
    said = all_said(error)
    return bool(NO_QUOTA.search(said) or NO_ROOM.search(said))


def asked_wait(error: BaseException | None) -> float | None:
    """Seconds in the answer's Retry-After, which may also be a date; None without one."""
    response = getattr(error, "response", None)
    text = response.headers.get("retry-after", "").strip() if response is not None else ""
    if re.fullmatch(r"\d+(\.\d+)?", text):
        return float(text)
    from datetime import datetime, timezone
    from email.utils import parsedate_to_datetime

    try:
        until = parsedate_to_datetime(text)
        return max((until - datetime.now(timezone.utc)).total_seconds(), 0.0)
    except (TypeError, ValueError, OverflowError):
        return None


def late(endpoint: Endpoint, error: Exception) -> EndpointUnreachable:
    """The error for a server that lets us wait for too long."""
    import httpx

    if isinstance(cause_of(error), (httpx.ConnectTimeout, httpx.PoolTimeout)):
        message = f"{endpoint.place} takes no connection within {CONNECT_SECONDS:g} seconds."
        return EndpointUnreachable(message, _address_fix(endpoint))
    if str(cause_of(error)) == ENDLESS:
        did = f"was not done with {endpoint.model!r} after {WHOLE * endpoint.timeout:g} seconds"
    else:
        did = f"did not answer {endpoint.model!r} within {endpoint.timeout:g} seconds"
    fix = f"raise RAG_TIMEOUT (now {endpoint.timeout:g}), or use a quicker model"
    return EndpointUnreachable(f"{endpoint.place} {did}.", fix)


def unreachable(endpoint: Endpoint, error: Exception) -> EndpointUnreachable:
    """The error for a connection that cannot be made, or breaks."""
    import httpx

    cause = cause_of(error)
    if not isinstance(cause, httpx.ConnectError):
        message = f"{endpoint.place} broke off while {endpoint.model!r} was answering."
        return EndpointUnreachable(message, "look at the server's log, then run it again")
    refused = "refused" in str(cause)
    why = "nobody answers there." if refused else endpoint.shown(str(cause))
    asked = f" for {endpoint.model!r}" if endpoint.model else ""
    message = f"{endpoint.place} cannot be reached{asked}: {why}"
    return EndpointUnreachable(message, _address_fix(endpoint))


def refusal(endpoint: Endpoint, error: Exception) -> EndpointError:
    """The error for an answer that is one, by what the server says, else by its status."""
    said, status = all_said(error), status_of(error)
    words, place, model = _words(endpoint, error), endpoint.place, endpoint.model
    if status == 402 or NO_QUOTA.search(said):
        fix = f"add credit to the account, or name another server in {endpoint.settings}_BASE_URL"
        return QuotaExhausted(f"The account at {place} has nothing left for {model!r}{words}", fix)
    if status == 413 or (status not in (401, 403, 429) and NO_ROOM.search(said)):
        fix = "ask about fewer papers, or use a model with a larger window"
        return ContextOverflow(
            f"This does not fit into the window of {model!r} at {place}{words}", fix
        )
    if NO_CHAT.search(said):
        fix = f"set {endpoint.settings}_MODEL to a model that chats"
        return EndpointError(f"{model!r} at {place} is no model to chat with{words}", fix)
    if NO_MODEL.search(said) or (status == 404 and "model" in said):
        return ModelUnknown(f"{place} has no model {model!r}{words}", model_fix(endpoint, []))
    if status in (401, 403):
        return KeyRefused(f"{place} refuses the key for {model!r}{words}", key_fix(endpoint))
    if status == 429:
        asked = asked_wait(error)
        told = asked is not None and 0 < asked <= DAY
        fix = f"wait {asked:.0f} seconds" if told else "wait a while"
        message = f"{place} takes no more requests for {model!r} now{words}"
        return RateLimited(message, f"{fix}, then run it again")
    return _other(endpoint, status, words)


def _other(endpoint: Endpoint, status: int, words: str) -> EndpointError:
    place, model, setting = endpoint.place, endpoint.model, f"{endpoint.settings}_BASE_URL"
    if 300 <= status < 400:
        message = f"{place} sends the request for {model!r} elsewhere; a key does not follow."
        return EndpointError(message, f"set {setting} to the new address")
    if status == 404:
        message = f"{place} answers, but has nothing for {model!r} under this path{words}"
        return EndpointError(message, f"correct the path in {setting}; most end in /v1")
    if status >= 500 or not status:
        message = f"{place} failed with {model!r}{words}"
        return EndpointError(message, "look at the server's log, or try again later")
    message = f"{place} does not take the request for {model!r}{words}"
    return EndpointError(message, f"check {endpoint.settings}_MODEL and what the server supports")


def nonsense(endpoint: Endpoint) -> EndpointError:
    """The error for an answer that is not in the protocol."""
    message = f"{endpoint.place} answered for {endpoint.model!r} with what no client can read."
    fix = f"does {endpoint.settings}_BASE_URL point to an OpenAI-compatible API?"
    return EndpointError(message, fix)


def key_fix(endpoint: Endpoint) -> str:
    """What to do about a key."""
    setting = f"{endpoint.settings}_API_KEY"
    if endpoint.base_url:
        return f"set {setting} to a key of this server, in the environment or in .env"
    return (
        f"set OPENAI_API_KEY (or {setting}) in the environment or in .env, "
        f"or name another server in {endpoint.settings}_BASE_URL"
    )


def model_fix(endpoint: Endpoint, names: list[str]) -> str:
    """What to do about a model's name, where the server has these."""
    setting = f"{endpoint.settings}_MODEL"
    if not names:
        return f"name a model that the server has in {setting}"
    more = ", …" if len(names) > LISTED else ""
    return f"set {setting} to one of: {', '.join(map(endpoint.shown, names[:LISTED]))}{more}"


def _words(endpoint: Endpoint, error: Exception) -> str:
    """The server's own message, to end a sentence with."""
    body = getattr(error, "body", None)
    if isinstance(body, dict):
        body = body.get("message") or body.get("detail") or body.get("error")
    words = endpoint.shown(str(body or ""))
    return f": {words}" if words else "."


def _address_fix(endpoint: Endpoint) -> str:
    if endpoint.base_url is None:
        return "check the network, and HTTPS_PROXY if you need one"
    return f"is the server running? Start it, or correct {endpoint.settings}_BASE_URL"
