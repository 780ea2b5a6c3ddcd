"""Trying again: what may pass is waited for, what cannot is told at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from rag.endpoint.address import Endpoint
from rag.endpoint.client import translated
from rag.endpoint.failures import asked_wait, cause_of, hopeless, status_of

if TYPE_CHECKING:
    from tenacity import RetryCallState

Result = TypeVar("Result")
ATTEMPTS = 6
"""Requests at most for one answer; the waits between them add up to about a minute."""

FIRST_WAIT = 2.0
"""Seconds that the first wait lasts at most; each further one up to twice as long."""

LONGEST_WAIT = 60.0
"""Seconds that a server may ask us to wait; if it asks for more, the user should know."""


def patiently(
    endpoint: Endpoint, request: Callable[[], Result], note: Callable[[str], None]
) -> Result:
    """Make a request, again after a growing random wait where that can help.

    ``request`` raises the library's own errors; what comes out is EndpointError's kinds. Each
    wait is noted.
    """
    from tenacity import Retrying, retry_if_exception, stop_after_attempt

    def say(state: RetryCallState) -> None:
        seconds = state.next_action.sleep if state.next_action else 0.0
        turn = f"{state.attempt_number + 1} of {ATTEMPTS}"
        note(f"{endpoint.place}: {_briefly(state)}; again in {seconds:.0f} s ({turn})")

    retrying = Retrying(
        stop=stop_after_attempt(ATTEMPTS),
        retry=retry_if_exception(_passing),
        wait=_wait,
        before_sleep=say,
        reraise=True,
    )
    with translated(endpoint):
        return retrying(request)


def _passing(error: BaseException) -> bool:
    """Whether what went wrong may pass: not a wrong key, an empty account or a server that is
    not there, nor an answer that takes too long, which would only take as long again."""
    import httpx

    status = status_of(error)
    if status >= 500 or status in (408, 409, 429):
        return not hopeless(error) and (asked_wait(error) or 0.0) <= LONGEST_WAIT
    dropped = (httpx.ConnectTimeout, httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError)
    return not status and isinstance(cause_of(error), dropped)


def _wait(state: RetryCallState) -> float:
    """What the server asks for, else full jitter: anything up to a limit that doubles.

    https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
    """
    from tenacity import wait_random_exponential

    asked = asked_wait(_error(state))
    return wait_random_exponential(FIRST_WAIT)(state) if asked is None else asked


def _briefly(state: RetryCallState) -> str:
    error = _error(state)
    status = status_of(error) if error else 0
    if status == 429:
        return "too many requests"
    return f"failed with status {status}" if status else "the connection was lost"


def _error(state: RetryCallState) -> BaseException | None:
    return state.outcome.exception() if state.outcome else None
