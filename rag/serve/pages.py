"""The pages that people read. What they show they get from the API, or it is on them already."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, Response

from rag.corpus.suspicion import suspicions
from rag.corpus.writers.bibtex import bibtex
from rag.errors import RagError
from rag.publish.html import pieces
from rag.serve.api import AtDesk
from rag.serve.desk import Desk
from rag.serve.docs import kinds, operations
from rag.serve.failures import Failure, failure
from rag.serve.measured import run_page, runs
from rag.serve.templating import page
from rag.types import Paper

VIEWS = [
    ("ask", "/"),
    ("papers", "/papers"),
    ("digests", "/digests"),
    ("map", "/map"),
    ("evals", "/evals"),
]
EXAMPLES = [
    "Which papers deal with reinforcement learning?",
    "What is the newest idea about memory?",
    "How many papers release code?",
]
ALONE = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""For pages that stand alone: their own policy, which counts as well, lets only the script run
that it names by its hash."""

router = APIRouter(default_response_class=HTMLResponse, include_in_schema=False)


@router.get("/")
async def ask(desk: AtDesk, request: Request) -> Response:
    return await _shown(desk, "ask", request, examples=EXAMPLES)


@router.get("/papers")
async def papers(desk: AtDesk, request: Request) -> Response:
    return await _shown(desk, "papers", request)


@router.get("/papers/{paper_id:path}")
async def paper(
    desk: AtDesk, paper_id: str, quotes: Annotated[str, Query(max_length=1_000)] = ""
) -> Response:
    """A paper with what is quoted of it: ``quotes`` as in 120-243,300-360."""
    try:
        found, similar = await desk.paper(paper_id), await desk.similar(paper_id)
        summary = (await desk.summary(paper_id)).text
    except RagError as error:
        return failed(failure(error))
    year = found.year if str(found.year) not in (found.venue or "") else None
    known = (", ".join(found.authors), found.venue, year, found.status, found.area)
    return HTMLResponse(
        page(
            "paper.html",
            **await _frame(desk, "papers"),
            paper=found,
            facts=" · ".join(str(fact) for fact in known if fact),
            summary=summary,
            pieces=pieces(found.text, _spans(quotes, found)),
            suspicious=suspicions(found),
            url=found.url if (found.url or "").startswith(("https://", "http://")) else None,
            bibtex=bibtex([found]),
            similar=similar,
        )
    )


@router.get("/digests")
async def digests(desk: AtDesk) -> Response:
    corpus = await desk.quick.run(lambda: desk.corpus.snapshot.manifest.corpus)
    kept = await desk.quick.run(desk.shelf.all)
    frame = await _frame(desk, "digests")
    return HTMLResponse(page("digests.html", **frame, digests=kept, corpus=corpus))


@router.get("/digests/compare")
async def compare(
    desk: AtDesk, id: Annotated[list[str], Query(min_length=2, max_length=2)]
) -> Response:
    """What two digests have in common, and what each has alone."""
    try:
        first, second = await desk.quick.run(lambda: [desk.shelf.get(one) for one in id])
    except RagError as error:
        return failed(failure(error))
    here = {line.paper_id for line in first.lines}
    there = {line.paper_id for line in second.lines}
    parts = [
        ("In the first alone", [line for line in first.lines if line.paper_id not in there]),
        ("In the second alone", [line for line in second.lines if line.paper_id not in here]),
        ("In both", [line for line in second.lines if line.paper_id in here]),
    ]
    frame = await _frame(desk, "digests")
    return HTMLResponse(page("compare.html", **frame, first=first, second=second, parts=parts))


@router.get("/digests/{id}")
async def digest(desk: AtDesk, id: str) -> Response:
    """A digest as ``rag digest -o`` writes it."""
    try:
        return _alone(await desk.quick.run(lambda: desk.shelf.page(id)))
    except RagError as error:
        return failed(failure(error))


@router.get("/map")
async def topic_map(desk: AtDesk) -> Response:
    return HTMLResponse(page("map.html", **await _frame(desk, "map")))


@router.get("/evals")
async def evals(desk: AtDesk) -> Response:
    """The runs that are kept, the newest first."""
    folder = desk.corpus.host.settings.evals
    kept = await desk.quick.run(lambda: runs(folder))
    return HTMLResponse(page("evals.html", **await _frame(desk, "evals"), runs=kept[::-1]))


@router.get("/evals/{name}")
async def run(desk: AtDesk, name: str) -> Response:
    """A run against the one before it, as ``rag eval -o`` writes it."""
    try:
        folder = desk.corpus.host.settings.evals
        return _alone(await desk.working.run(lambda: run_page(folder, name)))
    except RagError as error:
        return failed(failure(error))


@router.get("/docs")
async def docs(desk: AtDesk, request: Request) -> Response:
    """The API, as it is described to programs."""
    document = request.app.openapi()
    known = kinds(document)
    shown = {"kinds": known, "names": {kind.name for kind in known}}
    frame = await _frame(desk, "docs")
    return HTMLResponse(page("docs.html", **frame, **shown, operations=operations(document)))


async def _shown(desk: Desk, view: str, request: Request, **values: Any) -> Response:
    """A view of papers, narrowed down and filled in as its address says."""
    facets = await desk.facets()
    given = request.query_params
    chosen = {name: given.get(name, "")[:200] for name in ("sort", *(name for name, _ in facets))}
    chosen["q"] = given.get("q", "")[:4_000]
    narrowed = any(chosen[name] for name, _ in facets)
    frame = await _frame(desk, view)
    shown = page(f"{view}.html", **frame, **values, facets=facets, chosen=chosen, narrowed=narrowed)
    return HTMLResponse(shown)


async def _frame(desk: Desk, view: str) -> dict[str, Any]:
    papers = await desk.quick.run(lambda: len(desk.corpus))
    return {"view": view, "views": VIEWS, "papers": papers}


def failed(found: Failure) -> Response:
    """The page of an error; it must not need the index, which may be what is wrong."""
    error = found.content["error"]
    frame = {"view": "", "views": VIEWS, "papers": None}
    told = page("failure.html", **frame, message=error["message"], fix=error["fix"])
    return HTMLResponse(told, found.status, found.headers)


def _alone(html: str) -> Response:
    return HTMLResponse(html, headers={"Content-Security-Policy": ALONE})


def _spans(quotes: str, paper: Paper) -> list[tuple[int, int]]:
    """The spans of an address that lie in the paper's text; the rest is left out."""
    found = []
    for part in quotes.split(","):
        start, _, end = part.partition("-")
        if start.isdecimal() and end.isdecimal() and int(start) < int(end) <= len(paper.text):
            found.append((int(start), int(end)))
    return found
