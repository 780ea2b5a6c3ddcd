"""How the values of fields are written: text, lists, names, years and prose of any shape.

Knows the shapes that exports give to one value; knows no field and no file format.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress

from rag.corpus.naming import squashed

_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
_AND = re.compile(r"\s*,\s*(?:and|&)\s+|\s+(?:and|&)\s+", re.IGNORECASE)
_COMMA = re.compile(r"\s*[,，、]\s*(?![^()]*\))")
"""A comma that parts: none inside parentheses."""
_INITIALS = re.compile(r"(?:[A-ZÀ-ÖØ-Þ]\.?[ -]?){1,4}(?:,? (?:Jr|Sr|I{2,3})\.?)?")
_ARRAY = re.compile(r"""\[\s*(?:'[^']*'|"[^"]*")(?:\s*,\s*(?:'[^']*'|"[^"]*"))*\s*\]""")
"""A list of texts as a program prints it, in one cell of a table."""
_MEMBER = re.compile(r"""'([^']*)'|"([^"]*)\"""")
_NOTHING = re.compile(
    r"\W*(?:(?:there is )?no abstract(?: (?:is |was )?(?:available|provided|found|given|text))?"
    r"|abstract (?:is )?(?:not available|unavailable|not provided|missing)|not available|n/?a|nan"
    r"|none|null|nil|undefined|tb[ad]|unknown|missing)?\W*",
    re.IGNORECASE,
)
"""What stands for a missing abstract, as databases and programs write it."""
_DEEPEST = 6
"""Levels of objects and lists that one value may have: more is no value of a field."""

_WRAPPERS = tuple(
    "value text name displayname fullname literal title p term label url content en".split()
)
"""Keys under which an object holds what it stands for, the plainest first."""
_GIVEN = "given first firstname forename forenames givenname givennames initials".split()
_FAMILY = "family last lastname surname familyname keyname".split()


def is_empty(value: object) -> bool:
    return not value.strip() if isinstance(value, str) else value in (None, [], {})


def text_of(value: object, depth: int = 0) -> str | None:
    """Text and numbers as text; lists joined; what has no readable form is no text."""
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, list) and depth < _DEEPEST:
        return ", ".join(filter(None, (text_of(part, depth + 1) for part in value))) or None
    if isinstance(value, Mapping) and depth < _DEEPEST:
        return text_of(_unwrapped(value), depth + 1)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, int | float) and not isinstance(value, bool) and value == value:
        return str(value)
    return None


def prose_of(value: object, depth: int = 0) -> str | None:
    """An abstract: text, its sentences or parts in a list, or parts by name in an object."""
    if isinstance(value, str):
        return None if _NOTHING.fullmatch(value[:200]) else value
    if depth >= _DEEPEST:
        return None
    if isinstance(value, list):
        if not all(isinstance(part, str | list | Mapping) for part in value):
            return None
        parts = (part if isinstance(part, str) else prose_of(part, depth + 1) for part in value)
        joined = " ".join(filter(None, parts)).strip()
        return None if _NOTHING.fullmatch(joined[:200]) else joined
    if not isinstance(value, Mapping):
        return None
    held = _unwrapped(value)
    if held is None:
        return _labelled(value, depth)
    label, text = _member(value, ("label",)), prose_of(held, depth + 1)
    return f"{label}: {text}" if text and isinstance(label, str) and held != label else text


def _labelled(value: Mapping[str, object], depth: int) -> str | None:
    """The parts of a structured abstract with their names: {"Methods": "…", "Results": "…"}."""
    texts = {name: prose_of(part, depth + 1) for name, part in value.items()}
    if len(texts) == 1:
        return next(iter(texts.values()))
    return " ".join(f"{name}: {text}" for name, text in texts.items() if text) or None


def words_in_order(index: object) -> str | None:
    """The text of an inverted index, {"word": [places]}, as OpenAlex has it."""
    if not isinstance(index, Mapping):
        return None
    places = {
        place: str(word)
        for word, at in index.items()
        if isinstance(at, list)
        for place in at
        if isinstance(place, int)
    }
    return " ".join(places[place] for place in sorted(places)) or None


def names_of(value: object) -> tuple[str, ...]:
    """The people of a list. Where one text holds several, a family name keeps its initials."""
    if isinstance(value, str) and _array(value.strip()) is None:
        return _stripped(_split_names(value))
    return list_of(value)


def list_of(value: object) -> tuple[str, ...]:
    """The members of a list, also of one written as text or wrapped in an object."""
    if isinstance(value, Mapping):
        inner = next((part for part in value.values() if isinstance(part, list)), None)
        value = [value] if inner is None else inner
    if isinstance(value, list):
        return _stripped(
            piece for part in value for piece in re.split(r"[;；\n]", _name(part) or "")
        )
    text = text_of(value)
    if not text:
        return ()
    array = _array(text)
    return _stripped(_split(text)) if array is None else array


def _array(text: str) -> tuple[str, ...] | None:
    """The members of an array as JSON or a program prints it; None for what is none."""
    if text.startswith('["'):
        with suppress(ValueError, RecursionError):
            value = json.loads(text)
            return tuple(filter(None, map(text_of, value)))
    if not _ARRAY.fullmatch(text):
        return None
    return tuple(one or other for one, other in _MEMBER.findall(text))


def _stripped(pieces: Iterable[str]) -> tuple[str, ...]:
    return tuple(part for piece in pieces if (part := " ".join(piece.split())))


def year_of(value: object, depth: int = 0) -> int | None:
    """The first year in a date of any form: "2014//", {"date-parts": [[2020, 5]]}."""
    if isinstance(value, Mapping | list) and depth < _DEEPEST:
        parts = value.values() if isinstance(value, Mapping) else value
        return next(filter(None, (year_of(part, depth + 1) for part in parts)), None)
    found = _YEAR.search(text_of(value) or "")
    return int(found[0]) if found else None


def _unwrapped(value: Mapping[str, object]) -> object:
    return _member(value, _WRAPPERS)


def _member(value: Mapping[str, object], names: Iterable[str]) -> object:
    """What stands under the first of these names that is there and not empty."""
    named = {squashed(str(name)): part for name, part in value.items()}
    return next((named[name] for name in names if not is_empty(named.get(name))), None)


def _name(value: object) -> str | None:
    """A name, also in its parts, {"given": …, "family": …}, or one level down."""
    if isinstance(value, list):  # ["Family", "Given", ""]
        family, *given = [text_of(part) or "" for part in value[:2]] or [""]
        return " ".join([*given, family]).strip() or None
    if not isinstance(value, Mapping):
        return text_of(value)
    family = text_of(_member(value, _FAMILY)) or ""
    parts = [text_of(_member(value, _GIVEN)), family] if family else [text_of(value)]
    inner = (_name(part) for part in value.values() if isinstance(part, Mapping))
    return " ".join(filter(None, parts)) or next(filter(None, inner), None) or _only_text(value)


def _only_text(value: Mapping[str, object]) -> str | None:
    """The one text in an object that has no other: {"creator": "…"}."""
    return text_of(next(iter(value.values()))) if len(value) == 1 else None


def _split(text: str) -> list[str]:
    """Parts of a written list: at semicolons, bars or lines if there are any, else at commas."""
    mark = next((mark for mark in ("[;；]", r"\|", "\n") if re.search(mark, text)), None)
    return re.split(mark, text) if mark else _COMMA.split(text)


def _split_names(text: str) -> list[str]:
    """Where semicolons or "and" part names, commas may be inside."""
    if mark := re.search(r"[;；|]|\s[·•]\s", text):
        return text.split(mark[0])
    parts = _AND.split(text)
    if len(parts) > 1 and all(part.count(",") == 1 for part in parts):
        return parts
    if len(parts) == 1 and "\n" in text and "," not in text.replace(",\n", "\n"):
        return text.split("\n")
    pieces = [piece for part in parts for piece in _COMMA.split(part)]
    if len(pieces) == 2 and len(parts) == 1 and _is_one_name(*pieces):
        return [text]
    if len(pieces) % 2 == 0 and all(map(_INITIALS.fullmatch, pieces[1::2])):
        return [", ".join(pair) for pair in zip(pieces[::2], pieces[1::2], strict=True)]
    return pieces


def _is_one_name(before: str, after: str) -> bool:
    """Whether a comma parts the family name from the others: "Bee, Ann"."""
    return len(before.split()) == 1 and 0 < len(after.split()) <= 2
