"""Errors as responses: a status, and the JSON that the command line gives."""

from __future__ import annotations

from typing import Any, NamedTuple

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

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

STATUS: dict[type[RagError], int] = {
    PaperNotFound: 404,
    DigestNotFound: 404,
    QuestionError: 422,
    SourceError: 422,
    BudgetError: 503,
    EndpointError: 502,
}
"""Of an error or the nearest of its bases; 503 for all else: the index, its settings."""


class Failure(NamedTuple):
    status: int
    content: dict[str, Any]
    headers: dict[str, str] = {}


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
        told = _told("HTTPError", f"{error.detail}.".replace("..", "."), fix)
        return Failure(error.status_code, told, dict(error.headers or {}))
    return Failure(500, _told("Unexpected", "Something went wrong.", "see the server's log"))


def _reasons(error: RequestValidationError) -> str:
    """What is wrong, place by place, without what was sent."""
    found = [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()[:5]]
    return "; ".join(found)


def _told(type: str, message: str, fix: str) -> dict[str, Any]:
    return {"error": {"type": type, "message": message, "fix": fix}}
