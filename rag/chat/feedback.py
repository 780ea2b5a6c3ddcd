"""A reader's verdict on an answer, noted down as a case for the evals to be."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rag.engine.question import Turn
from rag.errors import StoreUnwritable
from rag.evaluate.said import row_of
from rag.types import Answer

FILE = "feedback.jsonl"


def feedback(
    answer: Answer, history: Sequence[Turn], good: bool, remark: str = ""
) -> dict[str, Any]:
    """The fields of an evaluation case, then what came and from whom.

    ``outcome`` is None for a bad answer: what a good one would be is for a person to fill in, as
    are the facts. ``gold`` are paper_ids, ``remark`` what the reader said. The id depends on what
    was asked and answered: of two verdicts on one answer both are kept, under one id, and a
    reader of the file takes the later.
    """
    row = row_of(answer, history)
    said = json.dumps([answer.question, row["history"], answer.text])
    return {
        "id": f"feedback-{hashlib.sha256(said.encode()).hexdigest()[:12]}",
        "split": "feedback",
        **row,
        "gold": row["cited"] if good else [],
        "facts": [],
        "outcome": answer.outcome if good else None,
        "verdict": "good" if good else "bad",
        "remark": remark,
    }


def store_feedback(store: Path, row: Mapping[str, Any]) -> None:
    """Add a row to an index's feedback; raises StoreUnwritable."""
    line = json.dumps(row) + "\n"  # as ASCII: a model may have written half a character
    try:
        with (store / FILE).open("a", encoding="ascii") as stream:
            stream.write(line)
    except OSError as error:
        reason = error.strerror or str(error)
        fix = "check the file's permissions and the room on its disk"
        raise StoreUnwritable(f"Cannot write {store / FILE}: {reason}.", fix) from error
