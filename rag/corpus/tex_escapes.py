r"""Characters that LaTeX takes for commands, and how they are written where they are none.

Knows single characters; what macros around prose mean is for ``rag.corpus.latex``.
"""

from __future__ import annotations

import re

_NAMED = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    # Not \{ and \}: BibTeX counts braces without regard to backslashes.
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
}
_ESCAPES = {**{character: f"\\{character}" for character in "#$%&_"}, **_NAMED}
_CHARACTERS = {written: character for character, written in _ESCAPES.items()}
_NAME = re.compile("|".join(map(re.escape, _NAMED.values())))
_ANY = re.compile("|".join(map(re.escape, _ESCAPES.values())))


def escaped(text: str) -> str:
    """A text in which LaTeX finds no command."""
    return "".join(_ESCAPES.get(c, c) for c in text)


def unescaped(text: str) -> str:
    """The text that was escaped; of prose, commands would be lost."""
    return _ANY.sub(lambda found: _CHARACTERS[found[0]], text)


def with_named(text: str) -> str:
    r"""Only what is written by a name as its character: ``\%`` and its like are left to cleaning,
    for which a lone ``$`` may begin a formula."""
    return _NAME.sub(lambda found: _CHARACTERS[found[0]], text)
