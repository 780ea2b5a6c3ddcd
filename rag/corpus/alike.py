"""Whether two records are of one paper, by their ids, titles and texts.

Knows nothing of how records are found that might be, or of what becomes of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from rag.corpus.copies import same_runs, same_words
from rag.corpus.identity import identifiers, text_key
from rag.types import Paper

OVERLAP = 0.3
"""Least Jaccard overlap of the words of two texts with one id or title that are one paper:
revisions of an abstract lie far above it; no two of 240,000 pairs of one field reach .31."""
OVERLAP_OF_OTHERS = 0.5
"""The same where their DOIs differ, as those of a preprint and its published version do."""
COPY = 0.5
"""Least overlap of runs of words of two texts that nothing else says to be one paper's. No two of
4,302 papers of one conference have .04, those that begin alike among them."""
EXACT_COPY = 0.7
"""The same where their titles differ."""
TITLE_LETTERS = 20
"""From which on a title is a paper's own: many are called "Introduction"."""
TEXT_LETTERS = 200
"""From which on a text is a paper's own: many have "No abstract available." """
AKIN = 0.7
"""Least overlap of the words of two titles that may be of one paper."""
COMPARED = 8
"""Records of one paper that are compared with each other to say why they are one."""

_ORDINAL = re.compile(r"\d{1,5}")
_LETTERS = re.compile(r"[^\W_]+")
_NOTICE = re.compile(
    r"(?:^|[:([–—-])\W*(?:authors?\W{0,2}s?\s+|publishers?\W{0,2}s?\s+|a\s+|the\s+)?"
    r"(correct(?:ion|ed)|corrigend|errat|addend|retract|withdrawal|expression of concern|reply"
    r"|replies|response to|rejoinder|comment|discussion o[fn]|letter to|supplement)"
)
"""What the title of a paper begins with that is about another, or a part of it does."""
_PART = re.compile(
    r"\b(?:part|vol(?:ume)?|chapter|phase|series|episode|lecture|paper|no)\b\W*"
    r"(\d+|[ivx]+|one|two|three|four|five)\b|\b(\d+|[ivx]+)\s*(?:$|[:.(–—])"
)
_REASONS = {
    "doi": "same DOI",
    "arxiv": "same arXiv number",
    "openreview": "same OpenReview page",
    "id": "same id",
    "title": "same title",
    "text": "same text",
}
ALMOST = "almost the same text"


@dataclass(frozen=True)
class Record:
    """A record as it is compared; ``title`` and ``text`` are keys, equal for equal letters."""

    paper: Paper

    @cached_property
    def ids(self) -> frozenset[tuple[str, str]]:
        return frozenset(identifiers(self.paper))

    @cached_property
    def text(self) -> str:
        return text_key(self.paper.text)

    @cached_property
    def title(self) -> str:
        return text_key(self.paper.title) if self.paper.title else ""

    @property
    def look(self) -> Hashable:
        """What two records share that are compared alike."""
        return self.text, self.title, self.apart

    @property
    def apart(self) -> bool:
        """Whether somebody wants it kept beside other versions."""
        return any(source.apart for source in self.paper.sources)

    @property
    def own_id(self) -> bool:
        """Whether the id is more than a number that a record of any file has."""
        return not _ORDINAL.fullmatch(self.paper.paper_id)

    @property
    def own_title(self) -> bool:
        """Whether the title is so long that no other paper has it by chance."""
        return _letters(self.paper.title or "") >= TITLE_LETTERS

    @property
    def own_text(self) -> bool:
        return _letters(self.paper.text) >= TEXT_LETTERS


def one_paper(one: Record, other: Record) -> bool:
    """Whether two records are of one paper, by what they are themselves."""
    if one.apart or other.apart:
        return one.text == other.text
    shared = {scheme for scheme, _ in one.ids & other.ids}
    if shared - {"doi"}:
        return True
    if _told_apart(one, other):
        return False
    if shared:  # a book's DOI is given to all that is in it
        return (
            not _titled_otherwise(one, other)
            or _akin_titles(one, other)
            or _overlap(one, other) >= OVERLAP
        )
    if one.text == other.text:
        return _same_by_text(one, other)
    if one.paper.paper_id == other.paper.paper_id and one.own_id:
        return _same_by_id(one, other)
    return _same_by_words(one, other)


def _same_by_id(one: Record, other: Record) -> bool:
    """For records with one id of their own, which may be a page on which all papers are."""
    if _titled_otherwise(one, other) and not _akin_titles(one, other):
        return same_runs(one.paper.text, other.paper.text) >= COPY
    return _same_title(one, other) or _overlap(one, other) >= OVERLAP


def _same_by_text(one: Record, other: Record) -> bool:
    """For records with one text, which may be nobody's own, or a publisher's for all papers."""
    conflict = _conflict(one, other)
    if not _titled_otherwise(one, other):
        return one.own_text or not conflict
    one_file = one.paper.sources[0].file == other.paper.sources[0].file
    return one.own_text and (_akin_titles(one, other) or not (conflict or one_file))


def _same_by_words(one: Record, other: Record) -> bool:
    """For records that share neither an id nor the whole text."""
    conflict = _conflict(one, other)
    if _same_title(one, other) and one.own_title:
        return _overlap(one, other) >= (OVERLAP_OF_OTHERS if conflict else OVERLAP)
    least = EXACT_COPY if _titled_otherwise(one, other) else COPY
    return not conflict and same_runs(one.paper.text, other.paper.text) >= least


def compatible(one: Record, other: Record) -> bool:
    """Whether two records can be of one paper if a third one is of both's."""
    if one_paper(one, other):
        return True
    if one.apart or other.apart or _told_apart(one, other) or _titled_otherwise(one, other):
        return False
    return _overlap(one, other) >= OVERLAP


def reasons(papers: Sequence[Paper]) -> list[str]:
    """In plain words what the records of one paper have in common."""
    records = list(map(Record, papers))
    held = Counter(key for record in records for key in set(_keys(record)))
    shared = {kind for (kind, _), times in held.items() if times > 1}
    found = [told for kind, told in _REASONS.items() if kind in shared]
    pairs = combinations(records[:COMPARED], 2)
    if "text" not in shared and any(_copies(one, other) for one, other in pairs):
        found.append(ALMOST)
    return found


def _copies(one: Record, other: Record) -> bool:
    return same_runs(one.paper.text, other.paper.text) >= COPY


def _keys(record: Record) -> Iterator[tuple[str, str]]:
    yield from record.ids
    if record.paper.paper_id not in {id for _, id in record.ids}:
        yield "id", record.paper.paper_id
    if record.title:
        yield "title", record.title
    yield "text", record.text


def _same_title(one: Record, other: Record) -> bool:
    return bool(one.title) and one.title == other.title


def _titled_otherwise(one: Record, other: Record) -> bool:
    return bool(one.title and other.title) and one.title != other.title


def _told_apart(one: Record, other: Record) -> bool:
    """Whether titles say that there are two: one is a correction of or a reply to the other, or
    they are parts of a series, or reports of two years."""
    if not _titled_otherwise(one, other):
        return False
    ours, theirs = _plain(one), _plain(other)
    if set(_NOTICE.findall(ours)) != set(_NOTICE.findall(theirs)):
        return True
    if _PART.findall(ours) != _PART.findall(theirs):
        return True
    return re.sub(r"\d+", "", ours) == re.sub(r"\d+", "", theirs)


def _conflict(one: Record, other: Record) -> bool:
    """Whether both have an id of one kind, which is not the same."""
    return not {scheme for scheme, _ in one.ids}.isdisjoint(scheme for scheme, _ in other.ids)


def _akin_titles(one: Record, other: Record) -> bool:
    return same_words(one.paper.title or "", other.paper.title or "") >= AKIN


def _overlap(one: Record, other: Record) -> float:
    return same_words(one.paper.text, other.paper.text)


def _plain(record: Record) -> str:
    return (record.paper.title or "").casefold()


def _letters(text: str) -> int:
    """Letters by their bytes: where each is a word or syllable, fewer say as much."""
    return len("".join(_LETTERS.findall(text)).encode("utf-8", "replace"))
