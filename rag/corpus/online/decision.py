"""What became of a submission, from the many places in which OpenReview's venues say so.

Knows words alone, no note and no API.
"""

from __future__ import annotations

import re

_OUT = (
    (re.compile(r"desk.?reject", re.IGNORECASE), "Desk Reject"),
    (re.compile(r"withdr", re.IGNORECASE), "Withdrawn"),
)
"""These happen whatever reviewers decided."""

_DECIDED = (
    (re.compile(r"reject", re.IGNORECASE), "Reject"),
    (re.compile(r"\boral|\btalk\b|top.5%", re.IGNORECASE), "Oral"),
    (re.compile(r"spotlight|top.25%", re.IGNORECASE), "Spotlight"),
    (re.compile(r"poster", re.IGNORECASE), "Poster"),
    (re.compile(r"accept", re.IGNORECASE), "Accept"),
)
"""Words of a decision; where several are in it the first counts, as oral does before accept."""

_PENDING = re.compile(r"submi|under.?review|pending", re.IGNORECASE)
_BEFORE = re.compile(
    r"^(?:submitted to|under review for|decision pending for|accepted (?:by|at)|rejected by"
    r"|withdrawn (?:by authors )?from)\s+",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"[\s,:(-]+(?:conference\s+)?(?:\w*oral|\w*spotlight|\w*poster|notable\b.*|submitted"
    r"|submission|(?:desk[ -])?reject(?:ed)?\b.*|withdrawn\b.*|accept(?:ed)?)\)?$",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d{2}(?!\d)")


def status_of(venue: str, venueid: str, shown: str, invitation: str, decision: str) -> str:
    """One of the words above, "Under review", or the decision as it stands where it has none.

    ``venueid`` is where a submission has been moved to: ``venue`` itself once it is accepted.
    ``shown`` is the venue in words, such as "ICLR 2026 Oral"; any may be "".
    """
    moved = venueid.removeprefix(venue)
    places = f"{moved} {invitation.rpartition('/')[2]} {shown}"
    said = f"{decision} {moved}" if decision or _DECIDED[0][0].search(moved) else shown
    for words, text in ((_OUT, places), (_DECIDED, said), (_DECIDED, shown)):
        for pattern, status in words:
            if pattern.search(text):
                return status
    if decision:
        return decision
    if _PENDING.search(f"{moved} {shown}"):
        return "Under review"
    return "Accept" if venueid and venueid == venue else ""


def venue_of(venue: str, shown: str) -> str:
    """A venue in words, without what it says of the one paper; made of its id without any."""
    if name := _AFTER.sub("", _BEFORE.sub("", shown.strip())).strip():
        return name
    first, *parts = venue.split("/")
    parts = [part.replace("_", " ") for part in parts if part != "Conference"]
    return " ".join([first.partition(".")[0], *parts])


def year_of(*texts: str) -> int | None:
    """The first year that is named."""
    found = _YEAR.search(" ".join(texts))
    return int(found[0]) if found else None
