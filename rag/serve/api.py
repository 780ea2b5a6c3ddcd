"""The HTTP API: what the command line prints as JSON, for programs and for the pages."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse

from rag.chat.feedback import feedback, store_feedback
from rag.corpus.writers.bibtex import bibtex
from rag.serve.desk import Desk, Progress, Sort
from rag.serve.failures import ANTICIPATED, failure
from rag.serve.measured import RunLines, RunObject, run_json, run_lines
from rag.serve.schema import (
    AnswerObject,
    Asked,
    DigestObject,
    Failed,
    Health,
    Hits,
    Map,
    Named,
    Narrowing,
    Papers,
    Readiness,
    Similar,
    Summaries,
    SummaryObject,
    Topic,
    Verdict,
    WholePaper,
    Years,
    whole,
)
from rag.serve.work import Done
from rag.types import Answer

REFUSED = (400, 401, 403, 404, 413, 421, 422, 429, 500, 502, 503, 504)
FAILURES: dict[int | str, dict[str, Any]] = {status: {"model": Failed} for status in REFUSED}
STREAM: dict[int | str, dict[str, Any]] = {200: {"content": {"text/event-stream": {}}}}
PAGE, MOST = 50, 500
"""Papers in an answer of ``/papers``: by default and at most."""


def known_parameters(request: Request) -> None:
    """Refuse a parameter that the document does not name: it was meant to have an effect."""
    operations = request.app.openapi()["paths"][request.scope["route"].path_format]
    parameters = operations[request.method.lower()].get("parameters", ())
    known = [each["name"] for each in parameters if each["in"] == "query"]
    unknown = sorted(set(request.query_params) - set(known))
    if unknown:
        told = ", ".join(known) or "none"
        raise HTTPException(422, f"There is no parameter {unknown[0][:80]!r}, only {told}")


router = APIRouter(prefix="/api", responses=FAILURES, dependencies=[Depends(known_parameters)])


def desk_of(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk


AtDesk = Annotated[Desk, Depends(desk_of)]


def narrowing(
    area: Annotated[str | None, Query(max_length=200)] = None,
    venue: Annotated[str | None, Query(max_length=200)] = None,
    status: Annotated[str | None, Query(max_length=200)] = None,
    year: Years | None = None,
    author: Annotated[str | None, Query(max_length=200)] = None,
) -> Narrowing:
    return Narrowing(area=area, venue=venue, status=status, year=year, author=author)


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
    sort: Sort = "",
    offset: Annotated[int, Query(ge=0)] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST)] = PAGE,
) -> Response:
    """The papers in the order of the index, or those that mention a word or phrase."""
    return JSONResponse(await desk.papers(where.filters, match, offset, limit, sort))


@router.get("/papers/{paper_id:path}/summary", response_model=SummaryObject, tags=["papers"])
async def summary(desk: AtDesk, paper_id: str) -> Response:
    """A paper in one sentence, with the quotes that it rests on."""
    return JSONResponse((await desk.summary(paper_id)).to_json())


@router.get("/papers/{paper_id:path}/similar", response_model=Similar, tags=["papers"])
async def similar(desk: AtDesk, paper_id: str) -> Response:
    """The papers most like one, best first."""
    found = await desk.similar(paper_id)
    return JSONResponse({"papers": [other.to_json() for other in found]})


@router.get(
    "/papers/{paper_id:path}/bibtex",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
    tags=["papers"],
)
async def paper_bibtex(desk: AtDesk, paper_id: str) -> Response:
    """A paper as BibTeX."""
    return PlainTextResponse(bibtex([await desk.paper(paper_id)]))


@router.get("/papers/{paper_id:path}", response_model=WholePaper, tags=["papers"])
async def paper(desk: AtDesk, paper_id: str) -> Response:
    """A paper with its abstract, in whose ``text`` every citation's offsets count."""
    found = await desk.paper(paper_id)
    return JSONResponse(whole(found))


@router.post("/summaries", response_model=Summaries, tags=["papers"])
async def summaries(desk: AtDesk, wanted: Named) -> Response:
    """Some papers in one sentence each, in the order asked for."""
    made = await desk.summaries(wanted.paper_ids)
    return JSONResponse({"summaries": [each.to_json() for each in made]})


@router.get("/map", response_model=Map, tags=["papers"])
async def topic_map(desk: AtDesk) -> Response:
    """All papers as a picture, by topic. The first time it takes seconds."""
    return JSONResponse(await desk.map())


@router.post(
    "/digests/stream", tags=["answers"], response_class=StreamingResponse, responses=STREAM
)
async def digest_stream(desk: AtDesk, wanted: Topic) -> StreamingResponse:
    """A digest while it is made, as server-sent events: ``progress`` with ``what`` is done how
    often, at last ``digest`` with the ``id`` under which it is kept, or ``error``."""
    told = events(desk.digesting(wanted.topic), lambda id: {"id": id}, "digest")
    return StreamingResponse(told, media_type="text/event-stream", headers=NO_BUFFER)


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
    responses=STREAM,
)
async def ask_stream(desk: AtDesk, asked: Asked) -> StreamingResponse:
    """The answer while it is written, as server-sent events: ``text`` with a piece of it, at last
    ``answer`` with the whole as ``/ask`` gives it, or ``error``."""
    return StreamingResponse(
        events(desk.streamed(asked), Answer.to_json, "answer"),
        media_type="text/event-stream",
        headers=NO_BUFFER,
    )


@router.get("/evals", response_model=RunLines, tags=["evals"])
async def evals(desk: AtDesk) -> RunLines:
    """What was measured of the answers: the runs that are kept, the newest first."""
    folder = desk.corpus.host.settings.evals
    return await desk.quick.run(lambda: run_lines(folder))


@router.get("/evals/{name}", response_model=RunObject, tags=["evals"])
async def run(desk: AtDesk, name: str) -> Response:
    """A run with each case's answer and scores."""
    folder = desk.corpus.host.settings.evals
    found = await desk.quick.run(lambda: run_json(folder, name))
    return Response(json.dumps(found), media_type="application/json")  # it may hold any character


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
    pieces: AsyncIterator[Any], to_json: Callable[[Any], Any], last: str
) -> AsyncIterator[str]:
    """A stream as server-sent events; what goes wrong is its last one."""
    try:
        async for piece in pieces:
            if isinstance(piece, Done):
                yield event(last, to_json(piece.value))
            elif isinstance(piece, Progress):
                yield event("progress", piece._asdict())
            else:
                yield event("text", {"text": piece})
    except Exception as error:
        yield event("error", failure(error).content)
        if not isinstance(error, ANTICIPATED):
            raise


def event(name: str, data: Mapping[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"
