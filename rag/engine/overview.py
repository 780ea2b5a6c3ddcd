"""Questions about the whole collection: "What are the papers about?". No abstract answers those.

What is told is how many papers there are and, as far as they name any, their largest areas; a
digest says more, and the note says how to get one. Knows fields and no text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from rag.engine.question import Question
from rag.types import Answer, Paper

_ALL = (
    r"(?:(?:all|all of|each of) )?(?:it all|everything|every paper|all of (?:it|them)"
    r"|(?:(?:the|these|this|your|all) )+(?:whole |entire )?(?:papers|abstracts|works|articles"
    r"|publications|conference|corpus|collection|index|proceedings|workshop|store|library|database))"
    r"(?: (?:here|there|in (?:here|this \w+|the \w+)|at this \w+|together))?"
)
_WHOLE = re.compile(
    rf"^(?:so |please |can you |could you )*(?:"
    rf"what(?:['’]s| is| are| do| does)? {_ALL}(?: (?:all|mostly|mainly))?"
    rf" (?:about|deal with|cover|talk about|on)"
    rf"|(?:summari[sz]e|describe|sum up|(?:give|show)(?: me)? (?:an? |the )?(?:short |brief )?"
    rf"(?:overview|summary|digest) of|(?:an? )?(?:overview|summary) of|what is in|what['’]s in"
    rf"|tell me about) {_ALL}"
    rf"|(?:what|which) (?:are )?(?:the )?(?:main |major |biggest |largest |most common |key )?"
    rf"(?:topics|themes|subjects|areas|trends)"
    rf"(?: (?:are|do|does|is) (?:there|covered|discussed|represented|here|common|popular|hot"
    rf"|{_ALL}(?: (?:cover|about|treat|deal with|address))?)| (?:of|in|at|among|across) {_ALL}"
    rf"| there| here)+|(?:all )?(?:the )?papers by (?:area|topic|theme|subject))\W*$",
    re.I,
)
_COUNTED = re.compile(
    r"^(?:so |please |can you |could you )*(?:tell me )?(?:how many|what is the number of)"
    r" (?:papers|abstracts|works|articles|publications)(?: in total)?"
    r"(?: (?:are|is) (?:there|here|in (?:here|this \w+|the \w+))(?: in total)?"
    r"| do (?:you|we) have| have you got| did you read| are indexed)?\W*$",
    re.I,
)
SHOWN = 6
"""Areas that are named, the largest ones."""
LISTING = "rag list shows them, one a line"
NOTE = "For an overview of the largest topics, with a line on each paper, run: rag digest --auto"


def concerns_all(question: str) -> bool:
    """Whether a question asks about the collection, and of no paper in particular."""
    return bool(_WHOLE.match(question) or _COUNTED.match(question))


def overview(asked: Question, papers: Sequence[Paper]) -> Answer:
    """How many papers there are and in which areas, and where to read more."""
    areas = Counter(paper.area for paper in papers if paper.area)
    ranked = sorted(areas.items(), key=lambda area: (-area[1], area[0]))
    named = "; ".join(f"{area} ({number:,})" for area, number in ranked[:SHOWN])
    most = "The largest areas" if len(ranked) > SHOWN else "Their areas"
    counted = bool(_COUNTED.match(asked.standalone))
    whole = f"No one abstract says what all {len(papers):,} papers are about."
    told = [f"There are {len(papers):,} papers." if counted else whole]
    told += [f"{most}: {named}."] if named else []
    return Answer(
        question=asked.asked,
        standalone_question=asked.standalone,
        outcome="answered" if counted else "not_in_abstracts",
        kind="overview",
        text=" ".join(told),
        statements=(),
        sources=(),
        engine="extractive",
        notes=(LISTING if counted else NOTE,),
    )
