"""Text from outside in Markdown, on GitHub and in Obsidian: it shows as it is."""

from __future__ import annotations

import re

from rag.publish.content import shown

_SPECIAL = re.compile(
    r"""
      [\\`*_{}<>\#|~$&]              # CommonMark, tables, strikes, maths
    | %(?=%) | (?<=%)%               # Obsidian's comments
    | =(?==) | (?<==)=               # and its highlights
    | (?<=\s)\^ | ^\^ | \^$          # and its names of blocks
    | \[(?!\d{1,3}\](?![(:]))        # links, footnotes, wiki links; markers such as [1] stay
    | (?<!\[\d)(?<!\[\d\d)(?<!\[\d\d\d)\] | \](?=[(:])  # would end a link that this stands in
    | !(?=\[|$)                      # images; a marker may follow the text
    | (?<=http):|(?<=https):|(?<=ftp):|(?<=www)\.|(?<=\w)@(?=\w)  # what becomes a link by itself
    | :(?=[\w+-]+:)                  # emoji by name
    """,
    re.VERBOSE | re.IGNORECASE,
)
_OPENING = re.compile(r"^(\d+)(?=[.)](?:\s|$))|^(?=[-+])")
"""What would make a list or a rule of the beginning of a text."""


def escaped(text: str) -> str:
    """A text on one line in which no character has a meaning of its own."""
    line = " ".join(shown(text).split())
    return _OPENING.sub(r"\g<0>\\", _SPECIAL.sub(r"\\\g<0>", line))
