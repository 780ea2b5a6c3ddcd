"""What to say of a file that holds no abstract: what it has instead, and what might help."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from rag.corpus.fields import knows
from rag.corpus.naming import Fields
from rag.errors import NoAbstracts
from rag.types import Rejection

EXPECTED = (
    "give abstracts as paragraphs parted by blank lines, as a table or a reference manager's "
    'export that has them, or as JSON objects with an "abstract" key'
)
SHOWN, SHOWN_CHARS = 30, 100
"""Names that are told in one line, and characters of one."""


def no_abstract(path: str, rejected: Sequence[Rejection], fields: Fields) -> NoAbstracts:
    """The error for a file none of whose records was taken."""
    message = f"{path} holds no abstract{_why(rejected, fields)}"
    return NoAbstracts(message, _mapped(fields) or EXPECTED)


def counted(count: int, noun: str) -> str:
    """``1 record``, ``2,000 records``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def listed(names: Sequence[str]) -> str:
    """Names in a row, as many as can be read."""
    shown = ", ".join(name[:SHOWN_CHARS] for name in names[:SHOWN])
    return f"{shown} and {len(names) - SHOWN} more" if len(names) > SHOWN else shown


def _why(rejected: Sequence[Rejection], fields: Fields) -> str:
    if not rejected:
        return ", only a heading"
    first = rejected[0]
    records = counted(len(rejected), "record")
    why = f": {records} rejected, the first in line {first.line}: {first.reason}"
    alike = len({rejection.reason for rejection in rejected}) == 1
    return why if alike or not fields.names else f"{why}; its fields: {listed(fields.names)}"


def _mapped(fields: Fields) -> str:
    """The option that takes a field that looks like prose for the abstract."""
    names = [name for name in fields.prose if not knows(name)][:3]
    options = " or ".join(f"--map abstract={shlex.quote(name)}" for name in names)
    return f"if it is the abstract: {options}" if options else ""
