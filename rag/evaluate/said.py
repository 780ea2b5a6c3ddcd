"""What was asked and answered, as a row that a case can be made of, and the last one of an index.

Knows nothing of cases: every ``rag ask`` loads this, so it is small.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rag.engine.question import Turn
    from rag.types import Answer

LAST = "last.json"
PAPERS = 20
"""Papers shown that a row names."""


def row_of(
    answer: Answer, history: Sequence[Turn] = (), *, filtered: bool = False
) -> dict[str, Any]:
    """An answer and the turns that it was given, as far as cases need them.

    ``got`` is its outcome, ``cited`` and ``papers`` are paper_ids of what it quotes and shows;
    ``filtered`` if not all papers were to answer it.
    """
    citations = [c for statement in answer.statements for c in statement.citations]
    return {
        "kind": answer.kind,
        "question": answer.question,
        "history": [list(turn) for turn in history],
        "standalone": answer.standalone_question,
        "filtered": filtered,
        "got": answer.outcome,
        "cited": list(dict.fromkeys(c.paper_id for c in citations)),
        "papers": [paper.paper_id for paper in answer.sources[:PAPERS]],
        "quotes": list(dict.fromkeys(c.quote for c in citations)),
        "answer": answer.text,
        "engine": answer.engine,
        "model": answer.model,
        "prompt": answer.prompt,
    }


def remember(store: Path, row: Mapping[str, Any]) -> None:
    """Keep a row as the last one. Where the index cannot be written there is none: that is no
    reason to withhold an answer."""
    with suppress(OSError):
        replace_private(store / LAST, json.dumps(row).encode("ascii"))


def replace_private(path: Path, data: bytes) -> None:
    """Write a file for its owner's eyes only, all of it or nothing, over what is there; raises
    OSError."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as f:
            f.write(data)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
