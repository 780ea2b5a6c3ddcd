"""What may stand in a row of a suite: one table, for the parser, for editors and for docs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from rag.evaluate.types import OUTCOMES, SUITES, SuiteName

Shape = Literal["line", "text", "lines", "facts", "alternatives", "history", "outcome"]

LINE = r"^[^\s\x00-\x1f\x7f-\x9f]([^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f])?$"
"""A line with something on it and no blanks around it; control characters are for no report."""
_LINE: dict[str, Any] = {"type": "string", "pattern": LINE}
_TEXT: dict[str, Any] = {"type": "string", "pattern": r"\S"}
_TURN = {
    "type": "array",
    "prefixItems": [{"type": "string"}, {"type": "string"}, {"type": "array", "items": _LINE}],
    "minItems": 2,
    "maxItems": 3,
}
_SHAPES: Mapping[Shape, dict[str, Any]] = {
    "line": _LINE,
    "text": _TEXT,
    "lines": {"type": "array", "items": _LINE},
    "facts": {
        "type": "array",
        "items": {"anyOf": [_TEXT, {"type": "array", "items": _TEXT, "minItems": 1}]},
    },
    "alternatives": {"type": "array", "items": _TEXT},
    "history": {"type": "array", "items": _TURN},
    "outcome": {"enum": list(OUTCOMES)},
}


@dataclass(frozen=True, slots=True)
class Field:
    """A field of rows: which suites know it, which demand it, and what it says."""

    name: str
    shape: Shape
    suites: tuple[SuiteName, ...]
    required: tuple[SuiteName, ...]
    text: str


_WRITTEN: tuple[SuiteName, ...] = ("ask", "summarize", "digest")
FIELDS = (
    Field("id", "line", SUITES, SUITES, "A name for the case, which no other of its suite has."),
    Field(
        "question",
        "text",
        ("retrieval", "ask"),
        ("retrieval", "ask"),
        "What is asked, as a person would.",
    ),
    Field(
        "paper",
        "line",
        ("summarize",),
        ("summarize",),
        "The paper to summarize: its id, handle or title, FILE#ORDINAL, or a key of papers.jsonl.",
    ),
    Field("topic", "text", ("digest",), ("digest",), "What the digest is to be about."),
    Field(
        "history",
        "history",
        ("retrieval", "ask"),
        (),
        "Earlier turns, oldest first: [question, answer] or [question, answer, [papers shown]].",
    ),
    Field(
        "gold",
        "lines",
        ("retrieval", "ask", "digest"),
        ("retrieval", "digest"),
        "Papers that belong to a full answer. Empty in a digest: nothing is to be listed.",
    ),
    Field("maybe", "lines", ("ask", "digest"), (), "Papers that do no harm, and are not missed."),
    Field(
        "facts",
        "facts",
        _WRITTEN,
        (),
        "What has to be said: text, /a regular expression/, or a list of which one is enough.",
    ),
    Field(
        "forbidden",
        "alternatives",
        _WRITTEN,
        (),
        "What may not be said: text, or /a regular expression/.",
    ),
    Field(
        "outcome",
        "outcome",
        ("ask", "digest"),
        (),
        "What has to come of it; answered, if left out where gold or facts are given.",
    ),
    Field("reference", "text", _WRITTEN, (), "A right answer in your own words."),
    Field("rubric", "text", _WRITTEN, (), "What a good answer does, for a judge to decide."),
    Field("kind", "line", SUITES, (), "The sort of question; reports are broken down by it."),
    Field("tags", "lines", SUITES, (), "Words to choose cases by."),
)

EXPECTATIONS = ("gold", "facts", "forbidden", "outcome", "reference", "rubric")
"""Fields of which a question has to have one, or nothing about its answer could be wrong."""


def fields_of(suite: SuiteName) -> dict[str, Field]:
    """The fields of a suite's rows by name, in the order of the table."""
    return {field.name: field for field in FIELDS if suite in field.suites}


def schema(suite: SuiteName | None = None) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a row of one suite, or of any.

    What it cannot say is left to ``rag eval lint``: that a pattern compiles, that an id is new.
    """
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    if suite is None:
        return {**head, "title": "A case of any suite", "anyOf": [_row(one) for one in SUITES]}
    return {**head, **_row(suite)}


def _row(suite: SuiteName) -> dict[str, Any]:
    fields = fields_of(suite).values()
    row: dict[str, Any] = {
        "title": f"A case of {suite}",
        "type": "object",
        "properties": {f.name: {"description": f.text, **_SHAPES[f.shape]} for f in fields},
        "required": [f.name for f in fields if suite in f.required],
        "additionalProperties": False,
    }
    if suite == "retrieval":
        row["properties"]["gold"]["minItems"] = 1
    if suite == "ask":
        row["anyOf"] = [_given(f) for f in fields if f.name in EXPECTATIONS]
    return row


def _given(field: Field) -> dict[str, Any]:
    """That a field is there, and says something."""
    is_list = _SHAPES[field.shape].get("type") == "array"
    says = {"properties": {field.name: {"minItems": 1}}} if is_list else {}
    return {"required": [field.name], **says}
