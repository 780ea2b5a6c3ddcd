"""Values of a BibTeX entry without what is there for LaTeX and BibTeX alone.

Macros within prose stay: cleaning resolves them, as it does in any abstract.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from rag.corpus.tex_escapes import unescaped, with_named

_LITERAL = frozenset({"doi", "url", "link", "eprint", "paperid", "keywords"})
"""What is no prose: a backslash before a sign is the work of whoever wrote the entry for LaTeX."""
_BRACE_OR_AND = re.compile(r"[{}]|\s+and\s+", re.IGNORECASE)


def plain(fields: Mapping[str, object]) -> dict[str, object]:
    """Fields by name; a ``link`` is an address as it is, where ``url`` had to be changed."""
    known = {name.casefold() for name in fields}
    return {
        name: _plain(name.casefold(), value) if isinstance(value, str) else value
        for name, value in fields.items()
        if name.casefold() != "url" or "link" not in known
    }


def _plain(name: str, value: str) -> object:
    if name in _LITERAL:
        return unescaped(_unbraced(value))
    return _people(value) if name == "author" else with_named(_unbraced(value))


def _people(value: str) -> object:
    """The names that an "and" outside of braces parts; one alone may be a list of another kind.
    The library's own function for it loses letters of a name that begins with a command."""
    names, depth, begin = [], 0, 0
    for found in _BRACE_OR_AND.finditer(value):
        depth += (found[0] == "{") - (found[0] == "}")
        if found[0] not in "{}" and not depth:
            names.append(value[begin : found.start()])
            begin = found.end()
    names.append(value[begin:])
    shown = [with_named(_unbraced(name)) for name in names]
    return shown if len(names) > 1 or shown != list(map(with_named, names)) else with_named(value)


def _unbraced(value: str) -> str:
    """A value without the braces that hold all of it together."""
    depth = 0
    for at, character in enumerate(value):
        depth += (character == "{") - (character == "}")
        if not depth:
            return value[1:-1] if at and at == len(value) - 1 else value
    return value
