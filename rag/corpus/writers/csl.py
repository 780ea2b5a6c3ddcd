"""Papers as CSL-JSON, which Zotero, Pandoc and other processors of citations take.

What its fields cannot say exactly stands in ``custom``, which the format leaves to each program.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from rag.corpus.writers.json_lines import escaped
from rag.corpus.writers.values import abstract, is_exact
from rag.types import Paper


def csl(papers: Sequence[Paper]) -> str:
    """An array with an item a paper, each on a line of its own."""
    items = (escaped(json.dumps(_item(paper), ensure_ascii=False)) for paper in papers)
    return "[" + ",\n ".join(items) + "]\n"


def _item(paper: Paper) -> dict[str, object]:
    authors, keywords = list(map(_name, paper.authors)), ", ".join(paper.keywords)
    custom = {
        "status": paper.status,
        "area": paper.area,
        "arxiv": paper.arxiv,
        "authors": None if is_exact("authors", authors, paper.authors) else paper.authors,
        "keywords": None if is_exact("keywords", keywords, paper.keywords) else paper.keywords,
    }
    item = {
        "id": paper.paper_id,
        "type": "paper-conference" if paper.venue else "article",
        "title": paper.title,
        "author": authors,
        "abstract": abstract(paper),
        "container-title": paper.venue,
        "issued": {"date-parts": [[paper.year]]} if paper.year else None,
        "keyword": keywords,
        "DOI": paper.doi,
        "URL": paper.url,
        "custom": {name: value for name, value in custom.items() if value},
    }
    return {name: value for name, value in item.items() if value}


def _name(name: str) -> dict[str, str]:
    """A name in the parts that styles of citing need."""
    if name.count(",") == 1:
        family, given = (part.strip() for part in name.split(","))
    elif "," in name:
        return {"literal": name}
    else:
        given, _, family = name.rpartition(" ")
    return {"given": given, "family": family} if given and family else {"family": name}
