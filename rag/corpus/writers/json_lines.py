"""Papers as JSON Lines: the public paper object with its text and its abstract as it stood."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from rag.corpus.writers.values import abstract
from rag.types import Paper

_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufffd]")
"""What JSON would leave as it is, and some program takes for the end of a line or for damage."""


def json_lines(papers: Sequence[Paper]) -> str:
    """An object a line."""
    return "".join(f"{escaped(json.dumps(_row(paper), ensure_ascii=False))}\n" for paper in papers)


def escaped(text: str) -> str:
    """JSON with its unprintable characters as escapes."""
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _row(paper: Paper) -> dict[str, object]:
    return {**paper.to_json(), "abstract": abstract(paper), "text": paper.text}
