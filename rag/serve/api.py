"""The HTTP API: what the command line prints as JSON, for programs and for the pages."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse

from rag.chat.bibtex import bibtex
from rag.chat.feedback import feedback, store_feedback
from rag.errors import RagError
from rag.serve.desk import Desk
from rag.serve.failures import failure
from rag.serve.schema import (
    AnswerObject,
    Asked,
    DigestObject,
    Failed,
    Health,
    Hits,
    Narrowing,
    Papers,
    Readiness,
    SummaryObject,
    Topic,
    Verdict,
    WholePaper,
)
from rag.serve.work import Busy, Done, TooLong
from rag.types import Answer

FAILURES: dict[int | str, dict[str, Any]] = {
    status: {"model": Failed} for status in (401, 403, 404, 413, 421, 422, 429, 502, 503, 504)
}
PAGE, MOST = 50, 500
"""Papers in an answer of ``/papers``: by default and at most."""

router = APIRouter(prefix="/api", responses=FAILURES)


def desk_of(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk


AtDesk = Annotated[Desk, Depends(desk_of)]


def narrowing(
    area: Annotated[str | None, Query(max_length=200)] = None,
    venue: Annotated[str | None, Query(max_length=200)] = None,
    status: Annotated[str | None, Query(max_length=200)] = None,
    year: int | None = None,
) -> Narrowing:
    return Narrowing(area=area, venue=venue, status=status, year=year)


Narrowed = Annotated[Narrowing, Depends(narrowing)]
Words = Annotated[str, Query(min_length=1, max_length=4_000)]


@router.get("/health", response_model=Health, tags=["state"])
async def health() -> dict[str, str]:
    """Whether the server runs."""
    return {"status": "ok"}


@router.get("/ready", response_model=Readiness, tags=["state"])
async def ready(desk: AtDesk) -> dict[str, Any]:
    """Whether questions can be answered, and over what."""

    def state() -> dict[str, Any]:
        manifest = desk.corpus.snapshot.manifest
        engine = desk.corpus.host.settings.engine
        return {"papers": manifest.papers, "corpus": manifest.corpus, "engine": engine}

    return await desk.quick.run(state)


@router.get("/search", response_model=Hits, tags=["papers"])
async def search(
    desk: AtDesk, q: Words, where: Narrowed, k: Annotated[int, Query(ge=1, le=100)] = 10
) -> Response:
    """The papers nearest to a query, each with its best passages."""
    return JSONResponse(await desk.search(q, k, where.filters))


@router.get("/papers", response_model=Papers, tags=["papers"])
async def papers(
    desk: AtDesk,
    where: Narrowed,
    match: Annotated[str | None, Query(max_length=200)] = None,
    offset: Annotated[int, Query(ge=0)] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST)] = PAGE,
) -> Response:
    """The papers in the order of the index, or those that mention a word or phrase."""
    return JSONResponse(await desk.papers(where.filters, match, offset, limit))


@router.get("/papers/{paper_id:path}/summary", response_model=SummaryObject, tags=["papers"])
async def summary(desk: AtDesk, paper_id: str) -> Response:
    """A paper in one sentence, with the quotes that it rests on."""
    return JSONResponse((await desk.summary(paper_id)).to_json())


@router.get("/papers/{paper_id:path}/bibtex", response_class=PlainTextResponse, tags=["papers"])
async def paper_bibtex(desk: AtDesk, paper_id: str) -> Response:
    """A paper as BibTeX."""
    return PlainTextResponse(bibtex([await desk.paper(paper_id)]))


@router.get("/papers/{paper_id:path}", response_model=WholePaper, tags=["papers"])
async def paper(desk: AtDesk, paper_id: str) -> Response:
    """A paper with its abstract, in whose ``text`` every citation's offsets count."""
    found = await desk.paper(paper_id)
    return JSONResponse({**found.to_json(), "text": found.text, "raw": found.raw})


@router.post("/digests", response_model=DigestObject, tags=["answers"])
async def digest(desk: AtDesk, wanted: Topic) -> Response:
    """What the papers on a topic say."""
    return JSONResponse((await desk.digest(wanted.topic)).to_json())


@router.post("/ask", response_model=AnswerObject, tags=["answers"])
async def ask(desk: AtDesk, asked: Asked) -> Response:
    """The answer to a question, with exact quotes, or that the abstracts do not give one."""
    return JSONResponse((await desk.answer(asked)).to_json())


@router.post(
    "/ask/stream",
    tags=["answers"],
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}}},
)
async def ask_stream(desk: AtDesk, asked: Asked) -> StreamingResponse:
    """The answer while it is written, as server-sent events: ``text`` with a piece of it, at last
    ``answer`` with the whole as ``/ask`` gives it, or ``error``."""
    return StreamingResponse(
        events(desk.streamed(asked), Answer.to_json, "answer"),
        media_type="text/event-stream",
        headers=NO_BUFFER,
    )


@router.post("/feedback", status_code=201, tags=["answers"])
async def judge(desk: AtDesk, verdict: Verdict) -> dict[str, str]:
    """Note a verdict on an answer down, as a case for the evals to be."""

    answer = await desk.answer(verdict.asked)

    def noted() -> str:
        row = feedback(answer, desk.turns(verdict.asked), verdict.good, verdict.remark)
        store_feedback(desk.corpus.host.settings.store, row)
        return str(row["id"])

    return {"id": await desk.quick.run(noted)}


NO_BUFFER = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


async def events(
    pieces: AsyncIterator[str | Done[Any]], to_json: Callable[[Any], Any], last: str
) -> AsyncIterator[str]:
    """A stream as server-sent events; what goes wrong is its last one."""
    try:
        async for piece in pieces:
            if isinstance(piece, Done):
                yield event(last, to_json(piece.value))
            else:
                yield event("text", {"text": piece})
    except (RagError, Busy, TooLong) as error:
        yield event("error", failure(error).content)


def event(name: str, data: Mapping[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"
