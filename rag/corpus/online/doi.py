"""``doi:10.…``: one paper or several, from Crossref's REST API.

Only what its publisher deposited there has an abstract; the others are told as refusals.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import requests

from rag.corpus.fields import record_from
from rag.corpus.online.access import Access, Service, json_flaw
from rag.corpus.online.polite import Polite
from rag.corpus.record import NO_ABSTRACT, RawRecord, reject
from rag.errors import OnlineError
from rag.types import Rejection

URL = "https://api.crossref.org"
INTERVAL = 0.2
"""Seconds: five requests a second are open to all."""

_NEXT = re.compile(r",\s*(?=(?:doi:|https?://(?:dx\.)?doi\.org/)?10\.\d{4,9}/)", re.IGNORECASE)
"""A comma between two DOIs; inside of one it is a letter as any other."""
_PREFIX = re.compile(r"^(?:doi:\s*|https?://(?:dx\.)?doi\.org/)", re.IGNORECASE)
_DOI = re.compile(r"10\.\d{4,9}/\S+")
_OF_ARXIV = re.compile(r"10\.48550/arxiv\.(.+)", re.IGNORECASE)


def load(query: str, access: Access) -> Iterator[RawRecord | Rejection]:
    """The record of each DOI in ``query``, in this order."""
    dois = list(dict.fromkeys(_doi(part) for part in _NEXT.split(query)))[: access.limit]
    url = access.urls.get("doi", URL)
    service = Service(
        "Crossref",
        url,
        INTERVAL,
        flaw=json_flaw,
        complaint=_complaint,
        signed="try again later; set RAG_MAILTO to an address at which you can be reached",
        instead="export the paper from its publisher's page as RIS or BibTeX and ingest the file",
        telling=frozenset({404}),
    )
    session = Polite(service, access).mount(requests.Session())
    for count, doi in enumerate(dois, start=1):
        answer = session.get(f"{url}/works/{quote(doi, safe='')}")
        yield _record(doi, answer, count)
        access.progress(count, len(dois))


def _doi(text: str) -> str:
    doi = _PREFIX.sub("", text.strip())
    if not _DOI.fullmatch(doi):
        raise OnlineError(f"{text!r} is no DOI.", "give it as doi:10.1000/182")
    return doi


def _record(doi: str, answer: requests.Response, line: int) -> RawRecord | Rejection:
    if answer.status_code == 404:
        arxiv = _OF_ARXIV.fullmatch(doi)
        fix = f"; it is arXiv's: arxiv:{arxiv[1]}" if arxiv else ""
        return reject(line, f"not registered with Crossref: {doi}{fix}")
    work = answer.json().get("message")
    if not isinstance(work, dict):
        return reject(line, f"Crossref's answer describes no work: {doi}")
    if not work.get("abstract"):
        return reject(line, f"{NO_ABSTRACT} at Crossref: {doi}{_title(work)}")
    return record_from({"doi": doi, "url": f"https://doi.org/{doi}", **work}, line)


def _title(work: dict[str, Any]) -> str:
    title = work.get("title")
    first = title[0] if isinstance(title, list) and title else title
    return f" ({first})" if isinstance(first, str) and first else ""


def _complaint(body: bytes) -> str:
    """Crossref lists what is wrong as its message: [{"message": …}]."""
    try:
        told = json.loads(body)["message"] if b'"failed"' in body else []
        return "; ".join(str(each["message"]) for each in told)
    except (ValueError, TypeError, KeyError):
        return ""
