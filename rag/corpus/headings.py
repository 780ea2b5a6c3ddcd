"""The headings inside a structured abstract: Background, Methods, Results, Conclusions.

Knows which words are headings and how exports mangle them; knows nothing about other markup.
A heading stays, as "Methods: …", because readers look for it.
"""

from __future__ import annotations

import re

from rag.corpus.sentences import HEADING, OPENERS

_MARKS = r"[ \t#*_>]*"
_OPENING = "|".join(sorted(OPENERS))

_HEADINGS: tuple[tuple[re.Pattern[str], str], ...] = (
    # alone on its line, maybe dressed in Markdown
    (
        re.compile(
            rf"^{_MARKS}(?=[A-Z])({HEADING}|(?i:abstract))[ \t]*[*_:.]*[ \t]*\r?\n\s*(?=\S)",
            re.MULTILINE,
        ),
        r"\1: ",
    ),
    (re.compile(rf"#{{2,6}} (?=[A-Z])({HEADING}):? (?=[A-Z])"), r"\1: "),  # no longer on a line
    # run together with what follows: "METHODSWomen were asked", "MethodsWe asked"
    (re.compile(rf"(?<![A-Za-z-])(?=[A-Z]{{7}})({HEADING})(?=[A-Z][a-z])"), r"\1: "),
    (re.compile(rf"(?<![\w-])(?=[A-Z])({HEADING})(?=(?:{_OPENING})\s)"), r"\1: "),
    # and with what precedes: "is safe.Methods: we asked"
    (re.compile(rf"(?<=[a-z)\]%\d][.?!])(?=[A-Z])(?={HEADING}:\s)"), " "),
)


def part_headings(text: str) -> str:
    """``text`` with each heading parted from the prose around it by a colon and a space."""
    for pattern, replacement in _HEADINGS:
        text = pattern.sub(replacement, text)
    return text
