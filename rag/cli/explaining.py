"""What ``--explain`` adds to an answer or a search: text on stderr or, with ``--json``, values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from rag.cli.terminal import say

if TYPE_CHECKING:
    from rag.engine.answer import Asker
    from rag.engine.explaining import Explanation
    from rag.engine.quoting import Considered
    from rag.retrieve.filters import Filters
    from rag.retrieve.hybrid import Retriever
    from rag.types import Answer, Hit

explainable = click.option(
    "--explain", is_flag=True, help="Say why: these papers, these sentences, or a refusal."
)


UNSEARCHED = {
    "record": "the record of the paper says it, not its abstract",
    "overview": "the question is about all papers, whose records were counted",
}
"""Kinds of answers that no search is behind, and what is."""


class Why:
    """Explains an answer, if that is ``wanted``: it hears what the answer is made of, and keeps it
    until the answer is there."""

    def __init__(self, asker: Asker, *, wanted: bool) -> None:
        self.hear = self._hear if wanted else None
        self._asker = asker
        self._considered: Considered | None = None

    def json(self, answer: Answer) -> dict[str, Any]:
        """The answer's object, with ``explain`` if that is wanted: null where nothing was
        searched for."""
        if not self.hear:
            return answer.to_json()
        found = self._explanation(answer)
        return {**answer.to_json(), "explain": found.to_json() if found else None}

    def tell(self, answer: Answer) -> None:
        if found := self._explanation(answer):
            say(f"\n{explanation_text(found)}")
        elif self.hear and answer.kind in UNSEARCHED:
            say(f"\nNothing was searched for: {UNSEARCHED[answer.kind]}.")

    def _hear(self, considered: Considered) -> None:
        self._considered = considered

    def _explanation(self, answer: Answer) -> Explanation | None:
        return self._asker.explain(self._considered, answer) if self._considered else None


def search_explanation(
    retriever: Retriever, query: str, hits: Sequence[Hit], filters: Filters
) -> Explanation:
    """Why a search has these hits, of which there is at least one."""
    from rag.engine.explaining import explain_search

    signals = retriever.signals(query, filters)
    passed = len(retriever.ranked(signals, filters))
    return explain_search(retriever, query, signals, hits, passed)


def explanation_text(found: Explanation) -> str:
    """For stderr, where a file may be as well as a terminal, so without emphasis."""
    from rag.engine.explaining import told
    from rag.render import explained

    return explained(told(found))
