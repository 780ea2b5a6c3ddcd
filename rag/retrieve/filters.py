"""Which papers a question is put to: by area, venue, status, year or id."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rag.errors import QuestionError
from rag.types import Paper


@dataclass(frozen=True, slots=True)
class Filters:
    """Every field that is set must match: years and ids exactly, the others as a part of the
    value, in any case. Several ids mean any of them."""

    area: str | None = None
    venue: str | None = None
    status: str | None = None
    year: int | None = None
    papers: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self != Filters()

    def match(self, paper: Paper) -> bool:
        """Whether a paper passes."""
        texts = ((self.area, paper.area), (self.venue, paper.venue), (self.status, paper.status))
        return (
            all(want is None or want.casefold() in (have or "").casefold() for want, have in texts)
            and self.year in (None, paper.year)
            and (not self.papers or paper.paper_id in self.papers)
        )

    def rows(self, papers: Iterable[Paper]) -> list[int]:
        """Rows of the papers that pass; raises QuestionError, naming values, if none does."""
        everything = list(papers)
        rows = [row for row, paper in enumerate(everything) if self.match(paper)]
        if not rows:
            raise QuestionError("No paper passes the filters.", self._hint(everything))
        return rows

    def _hint(self, papers: Iterable[Paper]) -> str:
        """The values that the corpus has for the fields that were asked for."""
        parts = []
        for name in ("area", "venue", "status", "year"):
            if getattr(self, name) is not None:
                values = {str(v) for paper in papers if (v := getattr(paper, name)) is not None}
                known = "; ".join(sorted(values)[:20]) or "none of the papers has one"
                parts.append(f"--{name} can be: {known}")
        return ". ".join(parts) or "rag list shows the papers and their ids"
