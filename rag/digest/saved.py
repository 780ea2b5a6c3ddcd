"""Answers, summaries and digests as they were saved, read back from their JSON.

Knows the shape that ``to_json`` gives them, also in files of older versions, which lack some
fields. Does not know whether what a file says is true; that is for ``verify``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from rag.digest.parts import FIX, Part, parts
from rag.digest.wording import Made
from rag.errors import SourceError
from rag.types import Citation, Group

FACTS = ("title", "status", "venue", "year", "area", "url")
"""What is known of a paper besides its text."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of a saved file and the quotes that it is said to rest on.

    ``paper_id`` is the only paper that it may be about, where there is just one; ``figure`` what
    else has to stand in its quote. ``supported`` is what the file says of it, ``made`` how it
    says that it was made. ``shown`` is False for a statement that its answer's text, which is
    what people read, does not have.
    """

    where: str
    text: str
    citations: tuple[Citation, ...]
    supported: bool
    paper_id: str | None = None
    figure: str | None = None
    made: Made = "freely"
    shown: bool = True


@dataclass(frozen=True, slots=True)
class SavedEntry:
    """A paper in a saved digest. ``facts`` are those of FACTS that the file gives; an older one
    may give none, and no ``text_hash``."""

    paper_id: str
    name: str
    facts: Mapping[str, str | None]
    text_hash: str | None
    quotes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SavedDigest:
    """What a later digest is compared with. ``omitted`` has reasons by paper_id; ``made_from``
    has canonical JSON by name, each setting under its own."""

    topic: str
    entries: tuple[SavedEntry, ...] = ()
    groups: tuple[Group, ...] = ()
    omitted: Mapping[str, str] = field(default_factory=dict)
    made_from: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Saved:
    """What a file holds: its digests and all its claims, in its order. ``failed`` counts rows of
    a batch that have an error in the place of an answer."""

    path: str
    digests: tuple[SavedDigest, ...]
    claims: tuple[Claim, ...]
    failed: int = 0

    @property
    def marked(self) -> int:
        """How many claims the file itself marks as unsupported."""
        return sum(not claim.supported for claim in self.claims)


def read_saved(path: str) -> Saved:
    """The answers, summaries or digests that a file holds, or stdin for "-"; raises SourceError."""
    digests: list[SavedDigest] = []
    claims: list[Claim] = []
    failed = 0
    for part in parts(path):
        if part.has("digests"):
            found = list(part.each("digests", "digest"))
            digests += map(_digest, found)
            claims += (claim for digest in found for claim in _digest_claims(digest))
        elif part.has("entries"):
            digests.append(_digest(part))
            claims += _digest_claims(part)
        elif part.has("statements"):
            claims += _answer_claims(part)
        elif part.has("summary"):
            made = _made(part, "of a quote")
            claims.append(_claim(part, "summary", made, part.text("paper_id")))
        elif part.has("error"):
            failed += 1
        else:
            raise part.wrong("this is no answer, summary or digest")
    if failed and not claims:
        raise SourceError(f"{path} holds an error in the place of what was asked for.", FIX)
    return Saved(path, tuple(digests), tuple(claims), failed)


def read_digests(path: str) -> Saved:
    """A file that holds digests; raises SourceError for any other."""
    saved = read_saved(path)
    if not saved.digests:
        raise SourceError(f"{path} holds no digest.", "give what rag digest prints with --json")
    return saved


def _digest(part: Part) -> SavedDigest:
    return SavedDigest(
        topic=part.text("topic"),
        entries=tuple(map(_entry, part.each("entries", "entry"))),
        groups=tuple(
            Group(group.text("name"), group.texts("paper_ids"))
            for group in part.each("groups", "group")
        ),
        omitted={
            omission.text("paper_id"): omission.text("reason")
            for omission in part.each("omitted", "omission")
        },
        made_from=_made_from(part.inner("made_from")),
    )


def _entry(part: Part) -> SavedEntry:
    facts = {name: _fact(part, name) for name in FACTS if name in part.data}
    paper_id = part.text("paper_id")
    name = facts.get("title") or part.optional("handle") or paper_id
    quotes = tuple(citation.text("quote") for citation in part.each("citations", "citation"))
    return SavedEntry(paper_id, name, facts, part.optional("text_hash"), quotes)


def _fact(part: Part, name: str) -> str | None:
    if name == "year" and part.has(name):
        return str(part.whole(name))
    return part.optional(name)


def _made_from(part: Part) -> dict[str, str]:
    """Compared, never used: so the values stay JSON."""
    given = {name: value for name, value in part.data.items() if name != "settings"}
    try:
        return canonical({**part.inner("settings").data, **given})
    except RecursionError as error:
        raise part.wrong("too deeply nested") from error


def canonical(values: Mapping[str, Any]) -> dict[str, str]:
    """Each value as JSON that is the same for equal values."""
    return {name: json.dumps(value, sort_keys=True) for name, value in sorted(values.items())}


def _answer_claims(part: Part) -> Iterator[Claim]:
    told, made = part.optional("text"), _made(part, "of a quote")
    for statement in part.each("statements", "statement"):
        claim = _claim(statement, "text", made)
        yield replace(claim, shown=told is None or claim.text in told)


def _digest_claims(part: Part) -> Iterator[Claim]:
    made_from = part.inner("made_from")
    lines = {entry.text("line") for entry in part.each("entries", "entry")}
    for statement in part.each("overview", "overview"):
        # Where papers share too little, an overview has the lines of single ones.
        by_quoting: Made = "of a quote" if statement.text("text") in lines else "of quotes"
        yield _claim(statement, "text", _made(made_from, by_quoting))
    for entry in part.each("entries", "entry"):
        yield _claim(entry, "line", _made(made_from, "of a quote"), entry.text("paper_id"))
    for finding in part.each("findings", "finding"):
        cited = (_citation(finding.inner("citation")),)
        paper_id, figure = finding.text("paper_id"), finding.text("figure")
        yield Claim(finding.where, finding.text("claim"), cited, True, paper_id, figure)


def _made(part: Part, by_quoting: Made) -> Made:
    """How the sentences of a part were made, by what it says of its engine."""
    return by_quoting if part.data.get("engine") == "extractive" else "freely"


def _claim(part: Part, text: str, made: Made, paper_id: str | None = None) -> Claim:
    citations = tuple(map(_citation, part.each("citations", "citation")))
    where = part.where or text
    supported = part.flag("supported")
    return Claim(where, part.text(text), citations, supported, paper_id, made=made)


def _citation(part: Part) -> Citation:
    paper_id, quote = part.text("paper_id"), part.text("quote")
    number = part.whole("number") if part.has("number") else 0
    return Citation(number, paper_id, quote, part.whole("start"), part.whole("end"))
