"""Papers as comma separated values, for spreadsheets too.

Every cell stands in quotes on one line, so that no value can be taken for another format.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from rag.corpus.formulas import guarded
from rag.corpus.writers.values import abstract_line, listed
from rag.types import Paper

COLUMNS = "paper_id title abstract authors venue year status area keywords url doi arxiv".split()


def table(papers: Sequence[Paper]) -> str:
    """A header and a row a paper; no cell is a formula."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
    rows.writerow(COLUMNS)
    rows.writerows(map(guarded, _cells(paper)) for paper in papers)
    return out.getvalue()


def _cells(paper: Paper) -> list[str]:
    written = {
        "abstract": abstract_line(paper),
        "authors": listed("authors", paper.authors, "; "),
        "keywords": listed("keywords", paper.keywords, "; "),
    }
    return [written.get(name, str(getattr(paper, name, None) or "")) for name in COLUMNS]
