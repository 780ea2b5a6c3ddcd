"""``openreview:ICLR.cc/2026/Conference`` and ``openreview:FORUM``: submissions, by both APIs.

A venue is served by version 2 of the API, whose notes wrap every field as {"value": …}, where its
group names a domain, else by version 1. Who has OPENREVIEW_USERNAME and OPENREVIEW_PASSWORD in the
environment is signed in; they go to OpenReview alone, and are kept nowhere.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from rag.corpus.online.access import Access, Service, json_flaw, printable
from rag.corpus.online.polite import Polite
from rag.corpus.online.submission import submission, value
from rag.corpus.record import RawRecord, reject
from rag.endpoint.address import LOOPBACK
from rag.errors import OnlineError
from rag.types import Rejection

URL, URL_V1 = "https://api2.openreview.net", "https://api.openreview.net"
INTERVAL = 0.5
"""Seconds between two requests."""
PAGE, PAGE_V1 = 1_000, 200
"""Submissions in one answer; those of version 1 come with their reviews, for the decision."""
USERNAME, PASSWORD = "OPENREVIEW_USERNAME", "OPENREVIEW_PASSWORD"

_FORUM = re.compile(r"[A-Za-z0-9_-]{5,40}")
_WORD = re.compile(r"[a-z]+|\d+")
_ID_FIX = (
    "copy the id from the venue's page: https://openreview.net/group?id=ICLR.cc/2026/Conference"
)
_SHORT = 10_000
"""Bytes above which an answer is no complaint."""

Found = Iterator["RawRecord | Rejection"]
Filters = dict[str, Any]


def load(query: str, access: Access) -> Found:
    """The records of a venue's submissions, by number, or of the papers with these forum ids."""
    forums = [part.strip() for part in query.split(",")]
    openreview = _OpenReview(access)
    if all(map(_FORUM.fullmatch, forums)):
        return _papers(openreview, list(dict.fromkeys(forums))[: access.limit], access)
    return _submissions(openreview, query.strip("/"), access)


def _papers(openreview: _OpenReview, forums: list[str], access: Access) -> Found:
    for count, forum in enumerate(forums, start=1):
        note = openreview.note(forum)
        missing = reject(count, f"OpenReview has no such paper: {forum}")
        yield submission(note, "", count) if note else missing
        access.progress(count, len(forums))


def _submissions(openreview: _OpenReview, venue: str, access: Access) -> Found:
    group = openreview.group(venue)
    if group is None:
        raise _no_venue(openreview, venue)
    count = 0
    for note, total in openreview.submissions(venue, group):
        count += 1
        yield submission(note, venue, count)
        access.progress(count, min(total, access.limit or total))
        if count == access.limit:
            if count < total:
                access.note(f"{venue} has {total:,} submissions; {count:,} are read: --limit")
            return
    if not count:
        raise _no_venue(openreview, venue)


def _no_venue(openreview: _OpenReview, venue: str) -> OnlineError:
    """The error for an id that names no venue, with those that it may be meant for: the ones
    whose ids have all its words."""
    venues = openreview.group("venues")
    words = _words(venue)
    members = venues.members if venues and isinstance(venues.members, list) else []
    near = [name for name in map(str, members) if words and words <= _words(name)]
    near.sort(key=lambda each: (not each.endswith("/Conference"), len(each), each))
    likely = " or ".join(f"openreview:{each}" for each in near[:3])
    said = f": {openreview.told}" if openreview.told else "."
    message = f"OpenReview has no submissions to {venue!r} that can be read{said}"
    return OnlineError(message, f"did you mean {likely}?" if likely else _ID_FIX)


def _words(venue: str) -> set[str]:
    return set(_WORD.findall(venue.lower()))


class _OpenReview:
    """Both versions of the API, each client made when it is first needed.

    ``told`` are the server's words where it last said that there is no such thing.
    """

    def __init__(self, access: Access) -> None:
        self._access = access
        self.told = ""

    @cached_property
    def _v2(self) -> Any:
        from openreview.api import OpenReviewClient

        url = self._access.urls.get("openreview", URL)
        client = self._client(OpenReviewClient, url)
        _sign_in(client, url)
        return client

    @cached_property
    def _v1(self) -> Any:
        from openreview import Client

        url = self._access.urls.get("openreview_v1", URL_V1)
        client = self._client(Client, url)
        if signed := self._v2.headers.get("Authorization"):
            _check_whose(url)
            client.headers["Authorization"] = signed
        return client

    def group(self, name: str) -> Any:
        """The group of that name; None without one."""
        return self._asked(self._v2.get_group, id=name)

    def note(self, forum: str) -> Any:
        """The note with that id in either version; None without one."""
        notes = self._asked(self._v2.get_notes, id=forum)
        notes = notes or self._asked(self._v1.get_notes, id=forum, details="directReplies")
        return notes[0] if notes else None

    def submissions(self, venue: str, group: Any) -> Iterator[tuple[Any, int]]:
        """Every submission that can be read, with the number of them so far as it is known."""
        before = 0
        listings = _listings(venue, group) if group.domain else _listings_v1(venue)
        for alternatives in listings:
            for filters in alternatives:
                found = 0
                for note, total in self._listed(filters, first_version=not group.domain):
                    found += 1
                    yield note, before + total
                before += found
                if found:
                    break

    def _listed(self, filters: Filters, first_version: bool) -> Iterator[tuple[Any, int]]:
        """The notes that a listing has, page by page, each with their number."""
        client, page = (self._v1, PAGE_V1) if first_version else (self._v2, PAGE)
        page = min(page, self._access.limit or page)
        filters = {**filters, "limit": page, "sort": "number:asc"}
        filters |= {"details": "directReplies"} if first_version else {}
        first = self._asked(client.get_notes, with_count=True, **filters)
        notes, counted = first or ([], 0)
        total, done = counted if isinstance(counted, int) else 0, 0
        while notes:
            yield from ((note, max(total, done + len(notes))) for note in notes)
            done += len(notes)
            if len(notes) < page and done >= total:
                return
            last = notes[-1].id
            notes = self._asked(client.get_notes, after=last, **filters)
            if notes is None or (notes and notes[-1].id == last):
                raise _nonsense(self.told)
        if done < total:
            self._access.note(f"OpenReview has {total:,} of these, but shows {done:,}")

    def _asked(self, function: Any, **how: Any) -> Any:
        """What the library makes of an answer; None where there is no such thing."""
        from openreview import OpenReviewException

        try:
            return function(**how)
        except IndexError:
            return None
        except OpenReviewException as error:
            said = error.args[0] if error.args else ""
            self.told = printable(str(said.get("message", "") if isinstance(said, dict) else said))
            return None
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise _nonsense() from error

    def _client(self, kind: Any, url: str) -> Any:
        """The library's client on our transport, signed in nowhere."""
        # With a token it does not sign in by itself, which it would do before it is on it.
        client = kind(baseurl=url, token="none")
        client.token = None
        del client.headers["Authorization"]
        Polite(_service(url), self._access).mount(client.session)
        return client


def _sign_in(client: Any, url: str) -> None:
    """Sign in with what the environment has, if it has anything."""
    from openreview import OpenReviewException

    username, password = os.environ.get(USERNAME), os.environ.get(PASSWORD)
    if not username and not password:
        return
    _check_whose(url)
    try:
        with redirect_stdout(sys.stderr):  # the library talks, and asks for second factors
            client.login_user(username, password)
    except (OpenReviewException, ValueError, KeyError, TypeError) as error:
        message = f"OpenReview ({urlsplit(url).netloc}) does not let you sign in."
        fix = f"check {USERNAME} and {PASSWORD}, or unset them to read as a guest"
        raise OnlineError(message, fix) from error


def _check_whose(url: str) -> None:
    """Raise OnlineError where what signs in would go to anybody but OpenReview or this machine."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    theirs = parts.scheme == "https" and f".{host}".endswith(".openreview.net")
    if not theirs and host not in LOOPBACK:
        message = f"{host} is not OpenReview, and would be sent {PASSWORD}."
        raise OnlineError(message, f"unset {PASSWORD}, or correct RAG_OPENREVIEW_URL")


def _nonsense(words: str = "") -> OnlineError:
    said = f": {words}" if words else "."
    message = f"OpenReview answered with what nobody can read{said}"
    return OnlineError(message, "try again later, or look for a newer openreview-py")


def _service(url: str) -> Service:
    return Service(
        "OpenReview",
        url,
        INTERVAL,
        flaw=json_flaw,
        complaint=_complaint,
        signed=f"OpenReview shows most only to who is signed in: set {USERNAME} and {PASSWORD}"
        " in the environment, or correct them",
        instead="export the list from the venue's page as CSV or JSON and ingest the file",
        telling=frozenset({400, 404}),
    )


def _complaint(body: bytes) -> str:
    if len(body) > _SHORT:
        return ""
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    return str(told.get("message") or "") if isinstance(told, dict) else ""


def _listings(venue: str, group: Any) -> list[list[Filters]]:
    """What to list of a venue of version 2: each the first of its alternatives that has any."""
    invitation = value(group.content, "submission_id") or f"{venue}/-/Submission"
    return [[{"invitation": invitation}, {"content": {"venueid": venue}}]]


def _listings_v1(venue: str) -> list[list[Filters]]:
    """The same of version 1, which takes withdrawn and desk-rejected ones out of their list."""
    blind, open, withdrawn, desk = (
        {"invitation": f"{venue}/-/{name}"}
        for name in (
            "Blind_Submission",
            "Submission",
            "Withdrawn_Submission",
            "Desk_Rejected_Submission",
        )
    )
    return [[blind, open, {"content": {"venueid": venue}}], [withdrawn], [desk]]
