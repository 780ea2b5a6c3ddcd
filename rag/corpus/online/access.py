"""How a public server may be asked, and what each of them is like.

Loads no library: whoever names papers online can say how before any is needed.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

WORDS = 300
"""Characters of a server's own words that an error shows."""


@dataclass(frozen=True, slots=True)
class Access:
    """How the network may be used: answers are kept in ``cache``, at most ``limit`` papers asked
    for, None being all or what a loader thinks bearable.

    ``urls`` names servers in the place of the public ones, by loader. All waits are multiplied
    by ``pace``. ``progress`` is told how many papers of how many have come.
    """

    cache: Path
    limit: int | None = None
    refresh: bool = False
    mailto: str | None = None
    timeout: float = 60.0
    urls: dict[str, str] = field(default_factory=dict)
    pace: float = 1.0
    note: Callable[[str], None] = lambda text: None
    progress: Callable[[int, int], None] = lambda done, total: None


@dataclass(frozen=True, slots=True)
class Service:
    """A public server and its ways.

    ``interval`` are the seconds that it wants between two requests. ``flaw`` says why a body is
    no answer, or not all of one, ``complaint`` what the server says is wrong, both "" for nothing.
    What comes with a status in ``telling`` is no failure, but an answer. ``signed`` is what to do
    where it refuses, ``instead`` where it cannot be reached.
    """

    name: str
    url: str
    interval: float
    flaw: Callable[[bytes], str]
    complaint: Callable[[bytes], str]
    signed: str
    instead: str
    telling: frozenset[int] = frozenset()

    @property
    def place(self) -> str:
        return f"{self.name} ({urlsplit(self.url).netloc})"


def json_flaw(body: bytes) -> str:
    """Why a body is no JSON object, "" for one."""
    try:
        return "" if isinstance(json.loads(body), dict) else "an answer of another form"
    except (ValueError, RecursionError):
        return "an answer that is no JSON, or breaks off"


def printable(words: str) -> str:
    """A server's own words, as an error can show them."""
    text = "".join(c if c.isprintable() else " " for c in words[: 4 * WORDS])
    return " ".join(text.split())[:WORDS]
