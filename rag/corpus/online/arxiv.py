"""``arxiv:cat:cs.LG+AND+all:plasticity`` and ``arxiv:2401.01234``: what arXiv's API finds."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from html import unescape
from typing import Any
from urllib.parse import unquote_plus

import requests

from rag.corpus.fields import record_from
from rag.corpus.online.access import Access, Service, printable
from rag.corpus.online.polite import Polite
from rag.corpus.record import RawRecord, reject
from rag.errors import OnlineError
from rag.types import Rejection

URL = "https://export.arxiv.org"
INTERVAL = 3.0
"""Seconds between requests that arXiv's terms of use ask for."""
PAGE = 200
"""Papers in one answer: arXiv gives up to 2,000, slowly."""
IDS = 50
"""Ids in one request: they all stand in its address."""
LIMIT = 1_000
"""Papers of a query at most unless ``limit`` says more."""

logging.getLogger("arxiv").addHandler(logging.NullHandler())
"""What the library warns of is an entry left out; here they are counted instead."""

_ID = re.compile(r"(?:arxiv:)?(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})(v\d+)?", re.IGNORECASE)
_TOTAL = re.compile(rb"<(?:\w+:)?totalResults[^>]*>\s*(\d+)\s*<")
_ENTRY = re.compile(rb"<(?:\w+:)?entry\b")
_ERROR = re.compile(rb"<id>[^<]*/api/errors.*?<summary[^>]*>(.*?)</summary>", re.DOTALL)


def load(query: str, access: Access) -> Iterator[RawRecord | Rejection]:
    """The record of each paper: of a query the newest first, of ids in the order of arXiv."""
    url = access.urls.get("arxiv", URL)
    ids = [_ID.fullmatch(part.strip()) for part in query.split(",")]
    if all(ids):
        asked = [f"{each[1]}{each[2] or ''}" for each in ids if each]
        polite = Polite(_service(url, _broken), access)
        return _papers(list(dict.fromkeys(asked))[: access.limit], polite, access, url)
    polite = Polite(_service(url, _empty), access)
    return _found(unquote_plus(query), polite, access, url)


def _papers(
    ids: list[str], polite: Polite, access: Access, url: str
) -> Iterator[RawRecord | Rejection]:
    from arxiv import Search

    done = 0
    for start in range(0, len(ids), IDS):
        part = ids[start : start + IDS]
        missing = {_plain(each): each for each in part}
        for paper in _results(polite, url, IDS, Search(id_list=part, max_results=IDS)):
            done += 1
            missing.pop(_plain(paper.get_short_id()), None)
            yield _record(paper, done)
        access.progress(done, len(ids))
        for each in missing.values():
            yield reject(done + 1, f"arXiv has no such paper: {each}")


def _plain(name: str) -> str:
    """An id without its version and the subclass that old ones were given with, as math.GT/…"""
    return re.sub(r"v\d+$|\.[a-z]{2}(?=/)", "", name.lower())


def _found(query: str, polite: Polite, access: Access, url: str) -> Iterator[RawRecord | Rejection]:
    from arxiv import Search, SortCriterion

    limit = access.limit or LIMIT
    search = Search(query, max_results=limit, sort_by=SortCriterion.SubmittedDate)
    page, total, count = min(PAGE, limit), 0, 0
    for count, paper in enumerate(_results(polite, url, page, search), start=1):
        if count == 1:
            total = _total(polite.last)
        yield _record(paper, count)
        if count % page == 0 or count == min(limit, total):
            access.progress(count, min(limit, total))
    if total > limit:
        access.note(f"arXiv has {total:,} papers for this; the newest {count:,} are read: --limit")
    elif count < total:
        access.note(f"arXiv has {total:,} papers for this, but gave {count:,}")


def _results(polite: Polite, url: str, page: int, search: Any) -> Iterator[Any]:
    """What the library's client finds on our transport, which keeps the pace and asks again
    itself."""
    from arxiv import ArxivError, Client

    client = Client(page_size=page, delay_seconds=0.0, num_retries=0)
    client.query_url_format = f"{url.replace('{', '{{').replace('}', '}}')}/api/query?{{}}"
    client._session = polite.mount(requests.Session())  # no other way in
    try:
        yield from client.results(search)
    except (ArxivError, ValueError, TypeError, AttributeError) as error:
        message = f"arXiv answered with what nobody can read: {printable(str(error))}"
        raise OnlineError(message, "try again later, or look for a newer arxiv") from error


def _service(url: str, flaw: Callable[[bytes], str]) -> Service:
    return Service(
        "arXiv",
        url,
        INTERVAL,
        flaw=flaw,
        complaint=_complaint,
        signed="arXiv blocks who asks too fast: wait an hour, or use another network",
        instead="save the feed as papers.atom in a browser and ingest the file",
    )


def _record(paper: Any, line: int) -> RawRecord | Rejection:
    return record_from(
        {
            "title": paper.title,
            "abstract": paper.summary,
            "url": paper.entry_id.replace("http://", "https://", 1),
            "doi": paper.doi or "",
            "authors": [author.name for author in paper.authors],
            "year": paper.published.year,
            "venue": paper.journal_ref or "",
            "area": paper.primary_category,
        },
        line,
    )


def _broken(body: bytes) -> str:
    """The library would read what it can of such a feed, and be silent about the rest."""
    from lxml import etree

    try:
        etree.fromstring(body, etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError:
        return "an answer that is no feed, or breaks off"
    return ""


def _empty(body: bytes) -> str:
    """The same of a query's: arXiv sometimes sends a page without the papers that it counts."""
    missing = _total(body) and not _ENTRY.search(body)
    return _broken(body) or ("a page without the papers that it counts" if missing else "")


def _total(body: bytes) -> int:
    found = _TOTAL.search(body)
    return int(found[1]) if found else 0


def _complaint(body: bytes) -> str:
    """An error is a feed whose one entry tells it."""
    found = _ERROR.search(body)
    return unescape(found[1].decode("utf-8", "replace")) if found else ""
