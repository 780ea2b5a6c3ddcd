"""The API's document as a page that can be read: what can be asked, with what, and what comes.

Made here because the usual pages load their script from elsewhere, which the server's policy
forbids and a machine without a network cannot do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Document = Mapping[str, Any]
_LIMITS = {
    "minimum": "at least {:,}",
    "maximum": "at most {:,}",
    "maxLength": "at most {:,} characters",
    "maxItems": "at most {:,}",
}


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter or a part of an object; ``types`` are the objects that may stand there."""

    name: str
    kind: str
    types: tuple[str, ...]
    required: bool


@dataclass(frozen=True, slots=True)
class Operation:
    """What can be asked for; ``body`` and ``gives`` name objects, or a media type."""

    method: str
    path: str
    text: str
    parameters: tuple[Field, ...]
    body: str
    gives: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Kind:
    """An object that is sent or given."""

    name: str
    text: str
    fields: tuple[Field, ...]


def operations(document: Document) -> dict[str, list[Operation]]:
    """All that can be asked for, by what it is about."""
    found: dict[str, list[Operation]] = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            tag = operation.get("tags", [""])[0]
            found.setdefault(tag, []).append(_operation(method, path, operation))
    return found


def kinds(document: Document) -> list[Kind]:
    """All objects, by name."""
    return [
        Kind(name, schema.get("description", ""), tuple(_fields(schema)))
        for name, schema in sorted(document["components"]["schemas"].items())
    ]


def _operation(method: str, path: str, operation: Document) -> Operation:
    parameters = tuple(
        _field(each["name"], each["schema"], each["required"])
        for each in operation.get("parameters", ())
    )
    body = operation.get("requestBody", {}).get("content", {})
    sent = next((_types(each["schema"])[0] for each in body.values()), "")
    good = next(each for status, each in operation["responses"].items() if status < "300")
    return Operation(
        method.upper(),
        path,
        operation.get("description", ""),
        parameters,
        sent,
        tuple(_given(good.get("content", {}))),
    )


def _given(content: Document) -> Iterator[str]:
    for media, each in content.items():
        yield next(iter(_types(each.get("schema", {}))), media)


def _fields(schema: Document) -> Iterator[Field]:
    for name, part in schema.get("properties", {}).items():
        yield _field(name, part, name in schema.get("required", ()))


def _field(name: str, schema: Document, required: bool) -> Field:
    default = schema.get("default")
    shown = f", else {default}" if default not in (None, "", [], {}) else ""
    told = _kind(schema) + ("" if isinstance(default, dict) else shown)
    return Field(name, told, _types(schema), required)


def _kind(schema: Document) -> str:
    """A schema in words; an object of ours is named beside it."""
    if "anyOf" in schema:
        told = [_kind(part) for part in schema["anyOf"] if part.get("type") != "null"]
        return " or ".join(filter(None, told))
    if "enum" in schema:
        return " | ".join(repr(value) for value in schema["enum"])
    if "const" in schema:
        return repr(schema["const"])
    limits = [form.format(schema[name]) for name, form in _LIMITS.items() if name in schema]
    name = schema.get("type", "")
    if name == "array":
        name = f"array of {_kind(schema.get('items', {}))}".removesuffix(" of ")
    return ", ".join([name, *limits]) if name else ""


def _types(schema: Document) -> tuple[str, ...]:
    if "$ref" in schema:
        return (schema["$ref"].rpartition("/")[2],)
    parts = [*schema.get("anyOf", ()), schema.get("items") or {}]
    return tuple(name for part in parts if part for name in _types(part))
