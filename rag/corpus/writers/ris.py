"""Papers as RIS, for reference managers; written by ``rispy``.

What RIS has no tag for stands labelled in its free ones, and so does the id: programs put their
own numbers under ``ID``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from rag.corpus.writers.values import abstract_line
from rag.types import Paper


def ris(papers: Sequence[Paper]) -> str:
    """An entry a paper."""
    return str(_writer().formats([_fields(paper) for paper in papers]))


@cache
def _writer() -> Any:
    """The library's, which would put a number before each entry and join addresses."""
    import rispy

    class Writer(rispy.RisWriter):  # type: ignore[misc]
        def set_header(self, count: int) -> str:
            return ""

    return Writer(delimiter_tags_mapping={})


def _fields(paper: Paper) -> dict[str, object]:
    fields = {
        "type_of_reference": "CPAPER" if paper.venue else "GEN",
        "id": paper.paper_id,
        "title": paper.title,
        "authors": paper.authors,
        "abstract": abstract_line(paper),
        "secondary_title": paper.venue,
        "year": paper.year,
        "keywords": paper.keywords,
        "doi": paper.doi,
        "urls": [paper.url] if paper.url else (),
        "custom1": f"status: {paper.status}" if paper.status else None,
        "custom2": f"area: {paper.area}" if paper.area else None,
        "custom3": f"arxiv: {paper.arxiv}" if paper.arxiv else None,
        "custom4": f"paperid: {paper.paper_id}",
    }
    return {name: value for name, value in fields.items() if value}
