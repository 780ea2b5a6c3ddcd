"""Who may ask the server, and what a browser may do with what it gets.

Against pages elsewhere that reach for a server on this machine (DNS rebinding, cross-site
requests), strangers where the server is open to a network, and requests without end.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import re
import time
from collections.abc import Callable, Collection, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rag.serve.failures import Failure, in_openai_form
from rag.types import Secret

COOKIE = "rag_token"
COOKIE_AGE = 30 * 86_400
"""Seconds."""
MAX_BODY = 256 * 1024
"""Bytes of a request: a question with its history has a few thousand."""
A_SECOND, AT_ONCE = 30.0, 120.0
"""Requests that an address may make a second in the long run, and in one go."""
ADDRESSES = 10_000
"""Addresses that are remembered."""

POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "font-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    ]
)
"""Nothing is loaded from or sent to anywhere else, whatever an abstract or a model wrote."""

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


class Refusal(NamedTuple):
    """Why a request goes no further."""

    status: int
    type: str
    message: str
    fix: str


class TooLarge(HTTPException):
    """A request's body does not end where it should."""

    def __init__(self) -> None:
        super().__init__(_TOO_LARGE.status, _TOO_LARGE.message)


class Guard:
    """Lets requests through to ``app`` that may be answered, and seals what is answered.

    ``hosts`` are the names under which the server may be asked, without ports. With a ``token``
    nobody is served without it: as a bearer token, or as the cookie that a page's first visit
    with ``?token=`` leaves. ``open_paths`` are free of it. ``unexpected`` is told of each error
    that ``app`` lets go, and where; it goes no further.
    """

    def __init__(
        self,
        app: ASGIApp,
        hosts: Collection[str],
        token: Secret | None = None,
        open_paths: Collection[str] = (),
        unexpected: Callable[[Exception, str], None] = lambda error, place: None,
    ) -> None:
        self._app = app
        self._hosts = frozenset(hosts)
        self._token = token
        self._open_paths = frozenset(open_paths)
        self._unexpected = unexpected
        self._rates = Rates(A_SECOND, AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is _NO_TOKEN and self._introduced(scope):
            await _welcome(scope, self._token, sealed(send))
            return
        if refusal:
            await _refuse(scope, refusal, sealed(send))
            return
        await self._answer(scope, receive, sealed(send))

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = ended = False

        async def sending(message: Message) -> None:
            nonlocal begun, ended
            begun = True
            ended = message["type"] == "http.response.body" and not message.get("more_body")
            await send(message)

        try:
            await self._app(scope, bounded(receive, MAX_BODY), sending)
        except TooLarge:
            if not begun:
                await _refuse(scope, _TOO_LARGE, send)
        except asyncio.CancelledError:  # the server stops, and has waited for long enough
            if not begun:
                await _refuse(scope, _STOPPING, send)
        except Exception as error:  # the app has told the client, or the stream has
            self._unexpected(error, f"{scope['method']} {scope['path']!r}")
            if begun and not ended:
                await send({"type": "http.response.body", "body": b""})

    def _refusal(self, scope: Scope) -> Refusal | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if _name(host) not in self._hosts:
            return _unknown_host(_name(host))
        if _from_elsewhere(headers, host):
            return _ELSEWHERE
        client = scope.get("client")
        if not self._rates.take(client[0] if client else "", time.monotonic()):
            return _TOO_MANY
        if self._token and scope["path"] not in self._open_paths and not self._knows(headers):
            return _NO_TOKEN
        length = headers.get("content-length", "0")
        return (
            _TOO_LARGE if not re.fullmatch(r"\d{1,9}", length) or int(length) > MAX_BODY else None
        )

    def _introduced(self, scope: Scope) -> bool:
        """Whether a browser brings the token in the address of its first visit."""
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        first = scope["method"] == "GET" and scope["path"] == "/"
        return first and self._token is not None and same(given, self._token)

    def _knows(self, headers: Headers) -> bool:
        """Whether a request has the token; the time that this takes tells nothing about it."""
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        given = bearer if scheme.lower() == "bearer" else _cookie(headers)
        return self._token is not None and same(given, self._token)


class Rates:
    """A bucket for each address, filled with ``a_second`` up to ``at_once``; each request takes
    one out."""

    def __init__(self, a_second: float, at_once: float) -> None:
        self._a_second = a_second
        self._at_once = at_once
        self._left: MutableMapping[str, tuple[float, float]] = {}

    def take(self, address: str, now: float) -> bool:
        left, since = self._left.pop(address, (self._at_once, now))
        left = min(self._at_once, left + (now - since) * self._a_second)
        enough = left >= 1
        self._left[address] = (left - enough, now)
        if len(self._left) > ADDRESSES:  # the first is the one that was away longest
            del self._left[next(iter(self._left))]
        return enough


def same(given: str, token: Secret) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), token.reveal().encode())


def bounded(receive: Receive, most: int) -> Receive:
    """The body of a request up to ``most`` bytes; raises TooLarge."""
    taken = 0

    async def receiving() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > most:
            raise TooLarge
        return message

    return receiving


def sealed(send: Send) -> Send:
    """Responses with the headers that bind a browser."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.setdefault("Content-Security-Policy", POLICY)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending


def _name(host: str) -> str:
    """A Host header without its port; "" for what is none."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def _from_elsewhere(headers: Headers, host: str) -> bool:
    """Whether the page of another site sends a request. A link to here may be followed from
    anywhere; that is a navigation, which brings no Origin."""
    origin = headers.get("origin")
    if origin is not None:
        return origin.lower().partition("://")[2] != host.lower()
    site, mode = headers.get("sec-fetch-site"), headers.get("sec-fetch-mode")
    return site in ("cross-site", "same-site") and mode != "navigate"


def _cookie(headers: Headers) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""


async def _welcome(scope: Scope, token: Secret | None, send: Send) -> None:
    """Give a browser the token to keep, and an address without it."""
    assert token
    cookie = f"{COOKIE}={token.reveal()}; Path=/; HttpOnly; SameSite=Strict; Max-Age={COOKIE_AGE}"
    headers = [(b"location", b"/"), (b"set-cookie", cookie.encode()), (b"content-length", b"0")]
    await send({"type": "http.response.start", "status": 303, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


async def _refuse(scope: Scope, refusal: Refusal, send: Send) -> None:
    error = {name: getattr(refusal, name) for name in ("type", "message", "fix")}
    failure = Failure(refusal.status, {"error": error})
    told = in_openai_form(failure) if scope["path"].startswith("/v1/") else failure
    body = json.dumps(told.content).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    if refusal.status == 429:
        headers.append((b"retry-after", b"1"))
    if refusal.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _unknown_host(name: str) -> Refusal:
    fix = "start it with --allow-host and this name" if name else "send a Host header"
    return Refusal(421, "UnknownHost", f"The server does not answer as {name!r}.", fix)


_ELSEWHERE = Refusal(
    403, "CrossSite", "A page of another site may not ask this server.", "open the server's own"
)
_NO_TOKEN = Refusal(
    401,
    "TokenMissing",
    "This server wants its token.",
    "send it as a bearer token, or open the address that the server printed at its start",
)
_TOO_MANY = Refusal(429, "TooManyRequests", "Too many requests.", "wait a second")
_STOPPING = Refusal(503, "Stopping", "The server stops.", "ask again when it is back")
_TOO_LARGE = Refusal(
    413, "TooLarge", f"A request may have {MAX_BODY:,} bytes.", "shorten the question or history"
)
