"""Asking a public server politely: in its own time, again after a fault, never twice for the same.

``Polite`` is a transport that the sessions of client libraries take in the place of their own. It
knows HTTP, and of papers nothing.
"""

from __future__ import annotations

import time
from io import BytesIO
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

import requests
from requests.adapters import BaseAdapter, HTTPAdapter
from urllib3.exceptions import HTTPError, NewConnectionError, ReadTimeoutError

from rag import __version__
from rag.corpus.online.access import Access, Service, printable
from rag.corpus.online.answers import Answers
from rag.endpoint.failures import CONNECT_SECONDS, WHOLE, asked_wait
from rag.endpoint.patience import ATTEMPTS, FIRST_WAIT, LONGEST_WAIT
from rag.errors import OnlineError

if TYPE_CHECKING:
    from tenacity import RetryCallState

MAX_BYTES = 64 << 20
"""Of one answer; a page of 1,000 submissions with their abstracts has about 5 MB."""


class _Passing(Exception):
    """A failure that may pass; ``response`` has the Retry-After, if there was an answer."""

    def __init__(self, why: str, response: requests.Response | None = None) -> None:
        super().__init__(why)
        self.response = response


class Polite(BaseAdapter):
    """The transport to one service; ``last`` is the body of the last answer.

    Raises OnlineError for all that is no answer. Answers are kept only when they are whole, and
    in one step, so that a run broken off at any moment leaves none that is not.
    """

    def __init__(self, service: Service, access: Access) -> None:
        super().__init__()
        self._service = service
        self._access = access
        self._inner = HTTPAdapter(max_retries=0)
        self._free = 0.0
        self._told = False
        self._answers = Answers(access.cache, access.note)
        self.last = b""

    def mount(self, session: requests.Session) -> requests.Session:
        """The session, which from now on asks through this."""
        for scheme in ("https://", "http://"):
            session.mount(scheme, self)
        return session

    def close(self) -> None:
        self._inner.close()

    def send(self, request: requests.PreparedRequest, *args: Any, **how: Any) -> requests.Response:
        """The answer to a request, from the folder or from the service."""
        key, asks = _key(request), request.method == "GET"
        kept = self._answers.get(key) if asks and not self._access.refresh else None
        if kept and not self._service.flaw(kept[0]):
            self._tell(kept[1])
            response = _response(request, 200, {}, kept[0])
        else:
            response = self._patiently(request, how)
            if asks and response.status_code == 200:
                self._answers.keep(key, response.content)
        self.last = response.content
        return response

    def _patiently(self, request: requests.PreparedRequest, how: Any) -> requests.Response:
        from tenacity import Retrying, retry_if_exception_type, stop_after_attempt

        retrying = Retrying(
            stop=stop_after_attempt(ATTEMPTS),
            retry=retry_if_exception_type(_Passing),
            wait=_wait,
            sleep=lambda seconds: time.sleep(seconds * self._access.pace),
            before_sleep=self._say,
            reraise=True,
        )
        try:
            return retrying(self._once, request, how)
        except _Passing as error:
            raise self._failed(error) from error

    def _once(self, request: requests.PreparedRequest, how: Any) -> requests.Response:
        """One request, at its time. Raises _Passing or OnlineError."""
        agent = f"rag/{__version__}" + (f" (mailto:{m})" if (m := self._access.mailto) else "")
        request = request.copy()
        request.headers["User-Agent"] = agent
        time.sleep(max(self._free - time.monotonic(), 0.0))
        try:
            limits = (min(CONNECT_SECONDS, self._access.timeout), self._access.timeout)
            raw = self._inner.send(request, **{**how, "stream": True, "timeout": limits})
            with raw:
                body = self._body(raw)
        except (requests.RequestException, HTTPError) as error:
            raise self._lost(error) from error
        finally:
            self._free = time.monotonic() + self._service.interval * self._access.pace
        return self._judged(_response(request, raw.status_code, dict(raw.headers), body))

    def _body(self, response: requests.Response) -> bytes:
        """All of an answer, decoded, if it is neither endless nor too long."""
        body, end = bytearray(), time.monotonic() + WHOLE * self._access.timeout
        while part := response.raw.read1(1 << 16, decode_content=True):
            body += part
            if len(body) > MAX_BYTES:
                message = f"{self._service.place} sends more than {MAX_BYTES >> 20} MB at once."
                raise OnlineError(message, "ask for less with --limit, or try again later")
            if time.monotonic() > end:
                raise self._late()
        return bytes(body)

    def _judged(self, response: requests.Response) -> requests.Response:
        """The answer, if it is one."""
        service, status = self._service, response.status_code
        if 300 <= status < 400:
            return self._stays(response)
        if status == 429 or status >= 500 or status == 408:
            if (asked_wait(_Passing("", response)) or 0.0) > LONGEST_WAIT:
                raise self._failed(_Passing("", response))
            why = "too many requests" if status == 429 else f"failed with status {status}"
            raise _Passing(why, response)
        words = printable(service.complaint(response.content))
        if response.request.method != "GET":
            words = ""  # a password that is refused may stand in them
        if status in service.telling:
            return response
        if status in (401, 403):
            message = f"{service.place} does not let this be read{_colon(words)}"
            raise OnlineError(message, service.signed)
        if status != 200 or words:
            message = f"{service.place} does not take the request{_colon(words)}"
            raise OnlineError(message, "check what stands after its colon")
        if flaw := service.flaw(response.content):
            raise _Passing(flaw)
        return response

    def _stays(self, response: requests.Response) -> requests.Response:
        """An answer that sends us on, if it does so on the same server."""
        here = urlsplit(str(response.url))
        there = urlsplit(urljoin(str(response.url), response.headers.get("Location", "")))
        if there.netloc == here.netloc and there.scheme in (here.scheme, "https"):
            return response
        message = f"{self._service.place} sends the request to {printable(there.netloc)!r}."
        fix = f"is a sign-in page of the network in the way? Else {self._service.instead}"
        raise OnlineError(message, fix)

    def _lost(self, error: Exception) -> Exception:
        """What a connection's failure means."""
        if isinstance(error, (requests.ReadTimeout, ReadTimeoutError)):
            return self._late()
        if isinstance(error, requests.ConnectTimeout):
            return _Passing("no connection in time")
        cause = error.args[0] if error.args else None
        never = isinstance(getattr(cause, "reason", cause), NewConnectionError)
        if never or isinstance(
            error, (requests.exceptions.SSLError, requests.exceptions.ProxyError)
        ):
            message = f"There is no connection to {self._service.place}."
            fix = f"check the network, and HTTPS_PROXY if you need one; or {self._service.instead}"
            return OnlineError(message, fix)
        return _Passing("the connection was lost")

    def _late(self) -> OnlineError:
        message = f"{self._service.place} does not answer within {self._access.timeout:g} seconds."
        return OnlineError(message, "raise RAG_TIMEOUT, or try again later: what came is kept")

    def _failed(self, error: _Passing) -> OnlineError:
        """The error for a failure that did not pass."""
        status = error.response.status_code if error.response is not None else 0
        kept = "what has come so far is kept"
        if status == 429:
            seconds = asked_wait(error)
            wait = f"wait {seconds:.0f} seconds" if seconds else "wait some minutes"
            message = f"{self._service.place} takes no more requests now."
            return OnlineError(message, f"{wait}, then run it again: {kept}")
        message = f"{self._service.place}: {error}, also when asked {ATTEMPTS} times."
        if not str(error):
            message = f"{self._service.place} failed with status {status}."
        return OnlineError(message, f"try again later: {kept}; or {self._service.instead}")

    def _tell(self, when: float) -> None:
        """Note once that what is told may have changed since."""
        if not self._told:
            self._told = True
            since = time.strftime("%Y-%m-%d %H:%M", time.localtime(when))
            self._access.note(f"{self._service.name}: with answers of {since}; --refresh asks anew")

    def _say(self, state: RetryCallState) -> None:
        seconds = state.next_action.sleep if state.next_action else 0.0
        error = state.outcome.exception() if state.outcome else ""
        turn = f"{state.attempt_number + 1} of {ATTEMPTS}"
        self._access.note(f"{self._service.name}: {error}; again in {seconds:.0f} s ({turn})")


def _wait(state: RetryCallState) -> float:
    """What the server asks for, else anything up to a limit that doubles."""
    from tenacity import wait_random_exponential

    asked = asked_wait(state.outcome.exception() if state.outcome else None)
    return wait_random_exponential(FIRST_WAIT)(state) if asked is None else asked


def _key(request: requests.PreparedRequest) -> str:
    """What an answer is kept under: who is signed in may be shown more."""
    signed = "Authorization" in request.headers
    return f"{signed} {request.method} {request.url}"


def _response(
    request: requests.PreparedRequest, status: int, headers: dict[str, str], body: bytes
) -> requests.Response:
    """An answer whose body is here already."""
    response = requests.Response()
    response.status_code, response.url, response.request = status, str(request.url), request
    kept = ("content-type", "location", "retry-after")
    response.headers.update({k: v for k, v in headers.items() if k.lower() in kept})
    response.raw = BytesIO(body)
    return response


def _colon(words: str) -> str:
    return f": {words}" if words else "."
