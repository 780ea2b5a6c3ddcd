"""What a clause makes of a line whose subject changes."""

from __future__ import annotations

import pytest

from rag.digest.clauses import clause
from rag.types import Citation, Entry
from tests.fakes import paper


@pytest.mark.parametrize(
    ("line", "does"),
    [
        (
            "We construct harbour maps for pilots of ferries and fine-tune Albatross models.",
            "constructs harbour maps for pilots of ferries",
        ),
        (
            "We construct harbour maps for pilots of ferries and rank the buoys.",
            "constructs harbour maps for pilots of ferries",
        ),
        (
            "We construct harbour maps to find and rank the buoys.",
            "constructs harbour maps to find and rank the buoys",
        ),
    ],
)
def test_a_second_verb_that_goes_with_we_is_left_out(line: str, does: str) -> None:
    entry = Entry(
        number=1,
        paper=paper("maps", line, handle=""),
        line=line,
        supported=True,
        relevance=1.0,
        citations=(Citation(1, "maps", line, 0, len(line)),),
    )
    made = clause(entry)
    assert made and made.does == does
