"""What became of a paper, in one vocabulary, and its venue without that.

Knows how conferences and their exports write decisions: in a field of its own or, as OpenReview
does, beside the name of the venue.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

STATUSES = {
    "desk-reject": r"desk[\s-]*reject",
    "withdrawn": r"\bwithdr[ae]w",
    "reject": r"\breject|\bnot accepted|\bdeclined",
    "submitted": r"\bsubmi(?:tted|ssion)\b|\bunder review\b|\bpending\b|^active$",
    "workshop": r"\bworkshop",
    "oral": r"(?:\b|conditional)oral\b|\btop[\s-]*5\s*%",
    "spotlight": r"\bspotlight|\btop[\s-]*25\s*%",
    "poster": r"(?:\b|conditional)poster",
    "accepted": r"\baccept",
}
"""Each status and how it is written, those first whose words also have another in them."""
NOT_ACCEPTED = frozenset({"desk-reject", "withdrawn", "reject", "submitted"})

_PATTERNS = [(name, re.compile(how, re.IGNORECASE)) for name, how in STATUSES.items()]
_LONGEST = 80
"""Characters: more is somebody's reasons, in which any word may stand."""
_VENUE_ID = re.compile(r"[\w.-]+\.(?:cc|org|net)/.*")
"""OpenReview's own name of a venue, "ICLR.cc/2026/Conference", which may end with a status."""
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d{2}(?!\d)")
_DECISION = (
    r"(?:conditional)?\s*(?:oral|spotlight|poster|notable\s+top[\s-]*\d+\s*%|accept(?:ed)?"
    r"|(?:desk[\s-]*)?reject(?:ed)?|withdrawn)(?:\s+(?:paper|presentation))?"
)
_SUBMISSION = r"(?:conference\s+)?(?:(?:desk[\s-]*)?rejected\s+|withdrawn\s+)?submission"
_BEHIND = re.compile(
    rf"(?P<venue>[^\n]*?\b(?:19|20)\d\d\b[^\n]*?)[\s,:(–—-]+(?P<status>{_DECISION}|{_SUBMISSION})\)?",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"(?P<status>submitted\s+to|under\s+review\s+(?:for|at)|(?:accepted|rejected)\s+(?:by|at|to))"
    r"\s+(?P<venue>.+)",
    re.IGNORECASE,
)
_LONGEST_VENUE = 300


def status_of(written: str | None) -> str | None:
    """A status by its name in ``STATUSES``; what is none of them stays as it is written."""
    if not written or len(written) > _LONGEST:
        return written or None
    text = written.replace("_", " ")
    known = next((name for name, pattern in _PATTERNS if pattern.search(text)), None)
    return known or (None if _VENUE_ID.fullmatch(written) else written)


def parted(
    venue: str | None, status: str | None, year: int | None
) -> tuple[str | None, str | None, int | None]:
    """Venue, status and year of a record whose venue may hold all three: "ICLR 2026 Oral".

    What the status says by itself counts first, unless it is only "accepted".
    """
    status = status_of(status)
    short = venue if venue and len(venue) <= _LONGEST_VENUE else ""
    if hidden := _BEFORE.fullmatch(short) or _BEHIND.fullmatch(short):
        venue = hidden["venue"]
        if status in (None, "accepted"):
            status = status_of(hidden["status"])
    if year is None and len(years := set(_YEAR.findall(short))) == 1:
        year = int(years.pop())
    return venue, status, year


def unaccepted(statuses: Sequence[str | None]) -> list[int]:
    """Places of the papers that were not accepted. What has no status counts as accepted; where
    nothing else is there, such as while a conference decides, none is left out."""
    found = [place for place, status in enumerate(statuses) if status in NOT_ACCEPTED]
    return found if len(found) < len(statuses) else []
