"""Servers on localhost that replay what OpenReview, arXiv and Crossref document, with invented
papers, and the faults that they are known for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

from rag.corpus.online.access import Access
from tests.servers import Exchange, Fault, Local

Json = dict[str, Any]
PACE = 0.001
"""Of the waits that the real servers ask for."""


class Replay(Local):
    """``faults`` answer the first requests, one each."""

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}"

    @property
    def paths(self) -> list[str]:
        return [request.path for request in self.asked]

    def answer(self, exchange: Exchange) -> None:
        if self.faults:
            return self.faults.pop(0)(exchange)
        return self.serve_next(exchange)

    def serve_next(self, exchange: Exchange) -> None:
        """The right answer, also in the place of a fault."""
        parts = urlsplit(exchange.request.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        return self.serve(exchange, parts.path, query)

    def serve(self, exchange: Exchange, path: str, query: dict[str, str]) -> None:
        raise NotImplementedError


def access(cache: Path, server: Replay | None = None, **how: Any) -> Access:
    """The three public servers are all ``server``; without one nothing listens there."""
    base = server.base if server else "http://127.0.0.1:9"
    urls = {
        "openreview": f"{base}/v2",
        "openreview_v1": f"{base}/v1",
        "arxiv": base,
        "doi": base,
    }
    return Access(cache, **{"urls": urls, "pace": PACE, "timeout": 5.0, **how})


class OpenReview(Replay):
    """Both versions of the API: groups by id, notes by invitation, venueid or id, in pages."""

    def __init__(
        self,
        v2: Sequence[Json] = (),
        v1: Sequence[Json] = (),
        groups: Iterable[Json] = (),
        faults: Sequence[Fault] = (),
    ) -> None:
        super().__init__(*faults)
        self.notes = {"v2": list(v2), "v1": list(v1)}
        self.groups = {group["id"]: group for group in groups}

    def serve(self, exchange: Exchange, path: str, query: dict[str, str]) -> None:
        version, _, what = path.strip("/").partition("/")
        if what == "login":
            user = {"profile": {"id": "~Ada_Test1"}}
            return exchange.send(200, {"token": "a-token", "user": user})
        if what == "groups":
            group = self.groups.get(query["id"])
            return exchange.send(200, {"groups": [group]}) if group else _not_found(exchange)
        found = [note for note in self.notes[version] if _asked_for(note, query)]
        if "id" in query and not found:
            return _not_found(exchange)
        after = [note["id"] for note in found].index(query["after"]) + 1 if "after" in query else 0
        start, limit = after + int(query.get("offset", 0)), int(query.get("limit", 1000))
        page = [_detailed(note, query) for note in found[start : start + limit]]
        return exchange.send(200, {"notes": page, "count": len(found)})


def _asked_for(note: Json, query: dict[str, str]) -> bool:
    content = note["content"]
    venueid = content.get("venueid") if isinstance(content, dict) else None
    tests = {
        "id": note["id"],
        "invitation": note.get("invitation") or f"{note['domain']}/-/Submission",
        "content.venueid": venueid["value"] if isinstance(venueid, dict) else venueid,
    }
    return all(query[name] == value for name, value in tests.items() if name in query)


def _detailed(note: Json, query: dict[str, str]) -> Json:
    return note if "details" in query else {k: v for k, v in note.items() if k != "details"}


def _not_found(exchange: Exchange) -> None:
    exchange.send(404, {"name": "NotFoundError", "message": "Not found", "status": 404})


def note_v2(number: int, venueid: str, shown: str, domain: str, **content: Any) -> Json:
    """A submission as version 2 has it: each field wrapped."""
    plain = {
        "title": f"Paper number {number}",
        "abstract": f"We measure thing {number} and find it {number} times as good.",
        "authors": ["Ada Test", "Bo Trial"],
        "keywords": ["things"],
        "primary_area": "optimization",
        "venue": shown,
        "venueid": venueid,
        **content,
    }
    wrapped = {name: {"value": value} for name, value in plain.items() if value is not None}
    return {
        "id": f"forum{number:05d}",
        "forum": f"forum{number:05d}",
        "number": number,
        "domain": domain,
        "cdate": 1_750_000_000_000,
        "invitations": [f"{domain}/-/Submission", f"{domain}/-/Edit"],
        "content": wrapped,
    }


def note_v1(
    number: int, invitation: str, decision: str = "", replies: Sequence[Json] = (), **content: Any
) -> Json:
    """A submission as version 1 has it: plain fields, and the decision in a reply."""
    plain = {
        "title": f"Old paper {number}",
        "abstract": f"We studied old thing {number} for {number} years.",
        "authors": ["Cy Probe"],
        "keywords": ["old things"],
        **content,
    }
    venue = invitation.partition("/-/")[0]
    reply = {"invitation": f"{venue}/Paper{number}/-/Decision", "content": {"decision": decision}}
    return {
        "id": f"old{number:05d}",
        "forum": f"old{number:05d}",
        "number": number,
        "cdate": 1_540_000_000_000,
        "invitation": invitation,
        "content": plain,
        "details": {"directReplies": [*replies, *([reply] if decision else [])]},
    }


class ArXiv(Replay):
    """The query interface: papers by id or all of them, in pages, with totals.

    ``counts`` is how many papers it says that there are, None for the truth.
    """

    def __init__(self, *ids: str, faults: Sequence[Fault] = (), counts: int | None = None) -> None:
        super().__init__(*faults)
        self.ids = ids
        self.counts = counts

    def serve(self, exchange: Exchange, path: str, query: dict[str, str]) -> None:
        assert path == "/api/query"
        asked = [each.split("v")[0] for each in query.get("id_list", "").split(",") if each]
        found = [each for each in self.ids if not asked or each in asked]
        start, size = int(query["start"]), int(query["max_results"])
        total = len(found) if self.counts is None else self.counts
        feed = atom(found[start : start + size], total, start)
        exchange.send(200, feed)


def atom(ids: Sequence[str], total: int, start: int = 0) -> str:
    """A page of arXiv's."""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<feed xmlns="http://www.w3.org/2005/Atom"'
        ' xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/"'
        ' xmlns:arxiv="http://arxiv.org/schemas/atom">\n'
        "<title>arXiv Query</title><id>http://arxiv.org/api/x</id>\n"
        f"<opensearch:totalResults>{total}</opensearch:totalResults>\n"
        f"<opensearch:startIndex>{start}</opensearch:startIndex>\n"
        + "".join(map(_entry, ids))
        + "</feed>\n"
    )


def _entry(name: str) -> str:
    return (
        f"<entry><id>http://arxiv.org/abs/{name}v1</id><updated>2024-01-03T00:00:00Z</updated>"
        f"<published>2024-01-02T00:00:00Z</published><title>On thing\n  {name}</title>"
        f"<summary>  We look at thing {name} with $\\alpha$ &lt; 2,\n  and it holds.\n</summary>"
        "<author><name>Ada Test</name></author><author><name>Bo Trial</name></author>"
        '<link href="http://arxiv.org/abs/x" rel="alternate" type="text/html"/>'
        '<arxiv:primary_category term="cs.LG"/><category term="cs.LG"/></entry>\n'
    )


def atom_error(message: str) -> str:
    """What arXiv answers a wrong request with: a feed whose entry is none."""
    return (
        '<feed xmlns="http://www.w3.org/2005/Atom"><entry>'
        "<id>http://arxiv.org/api/errors#wrong</id><title>Error</title>"
        f"<summary>{escape(message)}</summary><updated>2024-01-03T00:00:00Z</updated>"
        "</entry></feed>"
    )


class Crossref(Replay):
    """Works by DOI."""

    def __init__(self, *works: Json, faults: Sequence[Fault] = ()) -> None:
        super().__init__(*faults)
        self.works = {work["DOI"]: work for work in works}

    def serve(self, exchange: Exchange, path: str, query: dict[str, str]) -> None:
        work = self.works.get(unquote(path.removeprefix("/works/")))
        if work is None:
            return exchange.send(404, "Resource not found.")
        body = {"status": "ok", "message-type": "work", "message": work}
        return exchange.send(200, body)


def work(doi: str, **fields: Any) -> Json:
    """A work as Crossref has it; an abstract is JATS."""
    plain = {
        "DOI": doi,
        "title": ["A study of things"],
        "abstract": f"<jats:title>Abstract</jats:title><jats:p>Under {doi} we study"
        " H<jats:sub>2</jats:sub>O and find that it is wet.</jats:p>",
        "author": [{"given": "Ada", "family": "Test", "sequence": "first"}],
        "container-title": ["Journal of Things"],
        "issued": {"date-parts": [[2021, 5, 3]]},
        "URL": f"http://dx.doi.org/{doi}",
        "type": "journal-article",
        "reference": [{"key": "1", "unstructured": "Something else"}],
        **fields,
    }
    return {name: value for name, value in plain.items() if value is not None}


def redirects(target: str) -> Fault:
    return lambda exchange: exchange.send(302, "", Location=target)


def promises(exchange: Exchange, text: str, size: int) -> None:
    """Begin an answer of so many bytes with a text, and say nothing more."""
    exchange._begin(200, "application/json", {"Content-Length": str(size)})
    exchange._handler.wfile.write(text.encode())
    exchange._handler.wfile.flush()


def cut_body(exchange: Exchange) -> None:
    promises(exchange, '{"notes": [', 5_000)


def cut_chunks(exchange: Exchange) -> None:
    """Break off between two chunks."""
    exchange._begin(200, "application/json", {"Transfer-Encoding": "chunked"})
    exchange._chunk(b'{"notes": [')
    exchange.drop()


def half(text: str) -> Fault:
    """An answer that seems to be done in its middle."""
    return lambda exchange: exchange.send(200, text[: len(text) // 2])


def trickles(exchange: Exchange) -> None:
    """A byte now and then, for ever."""
    promises(exchange, " ", 1_000_000)
    while not exchange.server.ended.wait(0.05):
        exchange._handler.wfile.write(b" ")
        exchange._handler.wfile.flush()
