"""Whether an author is meant by a name: "Kim", "J. Kim" and "Kim, Jane" all mean Jane Kim.

Knows names as papers print them, in any case and without regard to accents. Knows no paper.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

_PART = re.compile(r"\w+(?:'\w+)*")


def wrote(wanted: str, authors: Iterable[str]) -> bool:
    """Whether one of the authors can be meant by a name."""
    return any(is_called(wanted, author) for author in authors)


def is_called(wanted: str, author: str) -> bool:
    """Whether each part of a name is one of the author's, in any order: an initial on either side
    is that of a first name. Initials alone mean nobody."""
    asked, own = _parts(wanted), list(_parts(author))
    if not any(len(part) > 1 for part in asked):
        return False
    for part in sorted(asked, key=len, reverse=True):
        other = next((name for name in own if name == part), None)
        other = other or next((name for name in own if _initial(part, name)), None)
        if other is None:
            return False
        own.remove(other)
    return True


def _initial(one: str, other: str) -> bool:
    return 1 in (len(one), len(other)) and one[0] == other[0]


@lru_cache(maxsize=65_536)
def _parts(name: str) -> tuple[str, ...]:
    """The parts of a name without case and accents."""
    plain = unicodedata.normalize("NFKD", name.casefold().replace("’", "'"))
    return tuple(_PART.findall("".join(c for c in plain if not unicodedata.combining(c))))
