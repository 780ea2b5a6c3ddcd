"""What an abbreviation stands for, as a paper spells it out: "Long Form (LF)", "LF (long form)".

Of several meanings the one that most papers have counts, and of its papers the first found. Knows
the wording of questions for it; the long form is what ``rag.retrieve.acronyms`` takes for one.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence

from rag.engine.evidence import Evidence
from rag.retrieve.acronyms import BEFORE, long_form
from rag.retrieve.hybrid import Retriever
from rag.retrieve.terms import terms

_SHORT = r"[\"“'‘]?(?P<{}>[A-Za-z][\w-]{{0,11}}\w)[\"”'’]?"
_STANDS = re.compile(
    rf"\bwhat (?:does|do|did|is|are) (?:the )?(?:\w+ )?{_SHORT.format('a')} (?:stands?|short) for\b"
    rf"|\b(?:full|long|expanded) (?:form|name) of {_SHORT.format('b')}(?=\W*$)"
    rf"|\b(?:spell out|expand|expansion of) (?:the )?(?:\w+ )?{_SHORT.format('c')}(?=\W*$)"
    rf"|^what (?:is|are) {_SHORT.format('d')} an? (?:abbreviation|acronym) (?:of|for)\b",
    re.I,
)
_MEANS = re.compile(
    rf"^(?:what (?:is|are|does|do)|what['’]s|define|(?:the )?meaning of|definition of)"
    rf" (?:an? |the )?{_SHORT.format('a')}(?: mean)?\W*$",
    re.I,
)
_CAPITALS = 2
READ = 200
"""Papers at most in which the long form is looked for, best first."""


def spelling_out(question: str) -> str | None:
    """The abbreviation of which a question asks what it stands for and nothing else."""
    found = _STANDS.search(question)
    return next(filter(None, found.groups())) if found else None


def abbreviated(question: str) -> str | None:
    """What a question asks the meaning of, if it looks like an abbreviation."""
    found = _MEANS.search(question)
    if not found or sum(map(str.isupper, found["a"])) < _CAPITALS:
        return spelling_out(question)
    return found["a"]


def expansion(retriever: Retriever, short: str, rows: Sequence[int]) -> Evidence | None:
    """The sentence in which a paper of ``rows``, best first, spells an abbreviation out."""
    having = retriever.lexical.having(terms(short))
    places: dict[tuple[str, ...], list[tuple[int, int]]] = defaultdict(list)
    for row in [row for row in rows if having[row]][:READ]:
        found = _defined(retriever.snapshot.paper(row).text, short)
        if found:
            long, at = found
            places[tuple(terms(long))].append((row, at))
    if not places:
        return None
    meant = max(places.values(), key=len)
    return _sentence(retriever, *meant[0])


def _defined(text: str, short: str) -> tuple[str, int] | None:
    """The long form that a text gives for an abbreviation, and where; None if it gives none."""
    name = re.escape(short)
    for match in re.finditer(rf"\(\s?{name}s?\s?\)", text, re.I):
        before = text[max(match.start() - BEFORE, 0) : match.start()].rsplit("(", 1)[-1]
        if (long := long_form(before.rstrip(), short)) and len(terms(long)) > 1:
            return long, match.start()
    for match in re.finditer(
        rf"(?<!\w){name}s?,? (?:\(|(?:is )?short for |stands for )([^()]{{5,120}})", text
    ):
        inside = re.split(r"[).,;]", match[1])[0]
        if long_form(inside, short) == inside and len(terms(inside)) > 1:
            return inside, match.start()
    return None


def _sentence(retriever: Retriever, row: int, at: int) -> Evidence:
    spans = retriever.snapshot.spans(row)
    start, end = spans[max(bisect_right([start for start, _ in spans], at) - 1, 0)]
    text = retriever.snapshot.paper(row).text[start:end]
    return Evidence(row, start, end, text, 0.0)
