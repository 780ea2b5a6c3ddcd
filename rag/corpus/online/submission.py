"""A submission to a venue on OpenReview, as either version of its API gives it, becomes a record.

Version 2 wraps every field as {"value": …} and moves a submission to another venueid once its fate
is known; version 1 moves it to another invitation, or has the decision in a reply to it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

from rag.corpus.fields import record_from
from rag.corpus.online.access import printable
from rag.corpus.record import NO_ABSTRACT, RawRecord, reject
from rag.corpus.status import status_of
from rag.types import Rejection

FORUM = "https://openreview.net/forum?id="

_DECIDES = re.compile(r"(?:decision|acceptance|meta_?review)$", re.IGNORECASE)
"""The end of an invitation to say what becomes of a submission."""
_AREAS = ("primary_area", "area", "track", "subject_area", "subject_areas", "primary_subject_area")
_CLOSEST = "please_choose_the_closest_area"
"""What the name of a venue's own question for the area begins with."""
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d{2}(?!\d)")
_LEFT = ("withdrawn", "desk-reject")
"""What happens whatever reviewers decided."""


def submission(note: Any, venue: str, line: int) -> RawRecord | Rejection:
    """The record of the library's note; ``venue`` is its venue's id, "" where only the note
    tells."""
    try:
        return _record(note, venue, line)
    except (ValueError, KeyError, TypeError, AttributeError):
        return reject(line, f"a note of a form that nobody can read: {printable(str(note.id))}")


def _record(note: Any, venue: str, line: int) -> RawRecord | Rejection:
    content = note.content if isinstance(note.content, Mapping) else {}
    invitation = _invitation(note)
    venue = venue or getattr(note, "domain", None) or invitation.partition("/-/")[0]
    forum = note.forum or note.id
    record = record_from(
        {
            "id": forum,
            "title": value(content, "title"),
            "abstract": value(content, "abstract"),
            "url": f"{FORUM}{forum}",
            "authors": _authors(value(content, "authors")),
            "venue": _text(content, "venue") or _named(venue),
            "year": _year(note, f"{_text(content, 'venue')} {venue}"),
            "status": _fate(note, venue, invitation),
            "area": _area(content),
            "keywords": value(content, "keywords"),
        },
        line,
    )
    if isinstance(record, RawRecord):
        return record
    title = _text(content, "title")
    return reject(line, f"{NO_ABSTRACT}: {forum}" + (f" ({title})" if title else ""))


def value(content: Any, name: str) -> Any:
    """A field in either version."""
    held = content.get(name) if isinstance(content, Mapping) else None
    return held.get("value") if isinstance(held, Mapping) else held


def _text(content: Any, name: str) -> str:
    text = value(content, name)
    return text if isinstance(text, str) else ""


def _fate(note: Any, venue: str, invitation: str) -> str:
    """What became of a submission, in some words of its venue's; what stands beside the venue's
    name, such as that it is an oral, is left for whoever parts the two."""
    venueid = _text(note.content, "venueid")
    moved = venueid.removeprefix(f"{venue}/") if venueid.startswith(f"{venue}/") else ""
    for place in (moved, invitation.rpartition("/")[2]):
        if status_of(place) in _LEFT:
            return place
    accepted = bool(venue) and venueid == venue
    return _decision(note) or moved or ("accepted" if accepted else "")


def _named(venue: str) -> str:
    """A venue in words, made of its id: TOY.cc/2031/Workshop/Big_Toys → TOY 2031 Workshop Big
    Toys."""
    first, *parts = venue.split("/")
    parts = [part.replace("_", " ") for part in parts if part.lower() != "conference"]
    return " ".join([first.partition(".")[0], *parts])


def _authors(given: Any) -> Any:
    """Names; newer venues have an object for each author."""
    if not isinstance(given, list):
        return given
    return [each.get("fullname") or each if isinstance(each, dict) else each for each in given]


def _area(content: Mapping[str, Any]) -> Any:
    own = [name for name in content if name.lower().startswith(_CLOSEST)]
    return next((v for name in (*_AREAS, *own) if (v := value(content, name))), None)


def _invitation(note: Any) -> str:
    """The invitation that a note answered first: its list is in the order of its changes."""
    several = getattr(note, "invitations", None) or []
    return str(getattr(note, "invitation", None) or (several[0] if several else ""))


def _decision(note: Any) -> str:
    """The decision in the replies that version 1 gives with a note, "" without one."""
    replies = (note.details or {}).get("directReplies") or []
    for reply in replies:
        if _DECIDES.search(str(reply.get("invitation", ""))):
            found = _text(reply.get("content"), "decision")
            return found or _text(reply.get("content"), "recommendation")
    return ""


def _year(note: Any, venue: str) -> int | str | None:
    """The year that a venue names, else that of publication or creation, in milliseconds."""
    if found := _YEAR.search(venue):
        return found[0]
    when = getattr(note, "pdate", None) or note.cdate
    if not isinstance(when, int | float) or not 0 < when < 4e12:
        return None
    return datetime.fromtimestamp(when / 1000, tz=timezone.utc).year
