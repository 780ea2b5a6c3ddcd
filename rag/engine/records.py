"""Questions that a paper's record answers and its abstract does not: who wrote it, where and when.

What is told stands in the record, so it has no quote; the paper is its source. Knows no search.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from rag.engine.question import Question
from rag.types import Answer, Paper

_OUT = r"(?:published|presented|released|printed|accepted|out|appear|come out)"
_FIELDS: dict[str, tuple[str, Callable[[Paper], str]]] = {
    "authors": (
        r"who (?:all |else )?(?:wrote|authored|created|made|is behind|are behind) @"
        r"|(?:who )?(?:(?:is|are|was|were) )?(?:first |last |all )?authors? of @"
        r"|@ (?:is|was) (?:written )?by (?:who|whom)|by (?:who|whom) (?:is|was) @(?: written)?",
        lambda paper: _joined(paper.authors),
    ),
    "year": (
        rf"(?:when|(?:in )?(?:what|which) year) (?:was|is|did) @(?: first)? {_OUT}"
        rf"|(?:what|which) year is @ from|(?:publication )?(?:year|date)(?: of publication)? of @"
        rf"|how old is @",
        lambda paper: str(paper.year or ""),
    ),
    "venue": (
        rf"(?:where|(?:in |at )?(?:what|which) (?:venue|conference|journal|workshop))"
        rf" (?:was|is|did) @(?: first)? {_OUT}|(?:venue|conference|journal|workshop) of @",
        lambda paper: paper.venue or "",
    ),
    "decision": (
        r"(?:is|was) @ (?:accepted|rejected|withdrawn|an? (?:oral|poster|spotlight))"
        r"(?: (?:or|and) (?:an? )?\w+)?|(?:decision|status) (?:on|of) @",
        lambda paper: paper.status or "",
    ),
    "DOI": (r"doi (?:of|for) @|@ doi", lambda paper: paper.doi or ""),
    "arXiv number": (
        r"arxiv (?:id|number|identifier) (?:of|for) @",
        lambda paper: f"arXiv:{paper.arxiv}" if paper.arxiv else "",
    ),
    "link": (
        r"(?:link|url|web ?page|address) (?:of|for|to) @|where (?:can|do) (?:i|we) (?:find|read) @",
        lambda paper: paper.url or (f"https://doi.org/{paper.doi}" if paper.doi else ""),
    ),
    "keywords": (r"key ?words (?:of|for) @", lambda paper: _joined(paper.keywords)),
    "area": (
        r"(?:in |to )?(?:what|which) (?:\w+ )?(?:area|track|category) (?:is|does|was) @"
        r"(?: in| belong(?: to)?| submitted to)?|(?:\w+ )?(?:area|track|category) of @",
        lambda paper: paper.area or "",
    ),
}
"""Field → how a question asks for it of the paper ``@``, and what a record has."""
_POLITE = (
    r"(?:please |so |and |can you |could you |tell me |give me |show me |list )*"
    r"(?:(?:what|who)(?:['’]s| is| are| was| were) )?(?:the )?"
)
_KIND = r"(?:paper|work|article|abstract)"
_PAPER = rf"(?:(?:the|this) )?(?:{_KIND}(?: on| about| called)? )?@(?: {_KIND})?"


def recorded(asked: Question, paper: Paper, called: str) -> Answer | None:
    """The answer to a question that the record of a paper, ``called`` so in it, answers."""
    field = field_asked(asked.standalone, called)
    return told(asked, field, paper) if field else None


def field_asked(question: str, called: str) -> str | None:
    """The field of its record that a question asks for, and nothing else, of the paper that it
    calls so."""
    name = re.compile(rf"(?<!\w){re.escape(called)}(?!\w)", re.I)
    if "@" in question or not name.search(question):
        return None
    bare = " ".join(re.sub(_PAPER, "@", name.sub("@", question), flags=re.I).split())
    return next((field for field in _FIELDS if _asks(field).fullmatch(bare)), None)


@cache
def _asks(field: str) -> re.Pattern[str]:
    return re.compile(rf"{_POLITE}(?:{_FIELDS[field][0]})\W*", re.I)


def told(asked: Question, field: str, paper: Paper) -> Answer:
    """What the record of a paper has in a field, or that it has nothing there."""
    value = _FIELDS[field][1](paper)
    several = field in ("authors", "keywords") and len(getattr(paper, field)) > 1
    what = field if several else field.removesuffix("s")
    has = f"The {what} of {paper.handle} {'are' if several else 'is'} {value}. [1]"
    lacks = f"The record of {paper.handle} has no {field}, nor do abstracts give that. [1]"
    return Answer(
        question=asked.asked,
        standalone_question=asked.standalone,
        outcome="answered" if value else "not_in_abstracts",
        kind="record",
        text=has if value else lacks,
        statements=(),
        sources=(paper,),
        engine="extractive",
    )


def _joined(names: tuple[str, ...]) -> str:
    *others, last = names or ("",)
    return f"{', '.join(others)} and {last}" if others else last
