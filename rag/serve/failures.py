"""Errors as responses: a status, and the JSON that the command line gives."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Collection
from typing import Any, NamedTuple

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from rag.endpoint.address import SECRET_LIKE
from rag.errors import (
    BudgetError,
    DigestNotFound,
    EndpointError,
    PaperNotFound,
    QuestionError,
    RagError,
    SourceError,
)
from rag.serve.work import RETRY_AFTER, Busy, TooLong
from rag.types import Secret

log = logging.getLogger("rag.serve")
SHOWN = 300
"""Characters of a reason that repeats what was sent."""

STATUS: dict[type[RagError], int] = {
    PaperNotFound: 404,
    DigestNotFound: 404,
    QuestionError: 422,
    SourceError: 422,
    BudgetError: 503,
    EndpointError: 502,
}
"""Of an error or the nearest of its bases; 503 for all else: the index, its settings."""


ANTICIPATED = (RagError, Busy, TooLong)


class Failure(NamedTuple):
    status: int
    content: dict[str, Any]
    headers: dict[str, str] = {}


class ModelNotFound(HTTPException):
    """OpenAI's protocol, and a model that is not here."""

    def __init__(self, name: str, here: str) -> None:
        super().__init__(404, f"There is no model {name[:80]!r}, only {here!r}")


def failure(error: Exception) -> Failure:
    """What a client is told of an error; of an unexpected one, nothing of its inside."""
    if isinstance(error, RagError):
        kinds = [kind for kind in type(error).__mro__ if kind in STATUS]
        return Failure(STATUS[kinds[0]] if kinds else 503, {"error": error.to_json()})
    if isinstance(error, Busy):
        told = _told("Busy", "The server has as much to do as it can.", "try again in a moment")
        return Failure(429, told, {"Retry-After": str(RETRY_AFTER)})
    if isinstance(error, TooLong):
        return Failure(504, _told("TooLong", "This takes too long.", "ask for less at once"))
    if isinstance(error, RequestValidationError):
        return Failure(422, _told("InvalidRequest", _reasons(error), "see /openapi.json"))
    if isinstance(error, HTTPException):
        fix = "see /openapi.json for the API, / for the pages"
        kind = "model_not_found" if isinstance(error, ModelNotFound) else "HTTPError"
        told = _told(kind, f"{error.detail}.".replace("..", "."), fix)
        return Failure(error.status_code, told, dict(error.headers or {}))
    return Failure(500, _told("Unexpected", "Something went wrong.", "see the server's log"))


def _reasons(error: RequestValidationError) -> str:
    """What is wrong, place by place, without what was sent."""
    found = [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()[:5]]
    return "; ".join(each[:SHOWN] for each in found)


def in_openai_form(failure: Failure) -> Failure:
    """The same as clients of OpenAI read it; most show the message alone."""
    error, status = failure.content["error"], failure.status
    kind = "server_error" if status >= 500 else _OPENAI.get(status, "invalid_request_error")
    message = f"{error['message']} ({error['fix']})"
    content = {"message": message, "type": kind, "param": None, "code": error["type"]}
    return failure._replace(content={"error": content})


_OPENAI = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}


def log_unexpected(error: Exception, place: str, secrets: Collection[Secret]) -> None:
    """Write an error of ours to the log, with all of its inside but what may be a key."""
    text = "".join(traceback.format_exception(error))
    for secret in secrets:
        text = text.replace(secret.reveal(), "…")
    log.error("%s: %s", place, SECRET_LIKE.sub("…", text))


def _told(type: str, message: str, fix: str) -> dict[str, Any]:
    readable = message.encode("utf-8", "replace").decode()
    return {"error": {"type": type, "message": readable, "fix": fix}}
