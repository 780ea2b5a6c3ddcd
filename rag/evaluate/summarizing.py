"""A paper → the line that ``rag summarize`` gives, as a Sample."""

from __future__ import annotations

from dataclasses import dataclass

from rag.digest.saved import Claim
from rag.digest.wording import Made
from rag.engine.check import Checker
from rag.evaluate.papers import Names
from rag.evaluate.rouge import rouge_scores
from rag.evaluate.scoring import (
    Marks,
    Result,
    fact_marks,
    forbidden_marks,
    quote_marks,
    quotes_of,
    sampled,
    support_marks,
    texts_of,
    timed,
    written_marks,
)
from rag.evaluate.types import Case, Sample
from rag.store.snapshot import Snapshot
from rag.summarize import MAX_WORDS, Summarizer
from rag.types import Summary


@dataclass(frozen=True)
class Summarizing:
    """Has papers of a snapshot summed up. A ``summarizer`` that keeps its lines must be a fresh
    one, or what is measured is how good they once were. ``checker`` is as for Asking."""

    summarizer: Summarizer
    snapshot: Snapshot
    names: Names
    checker: Checker | None = None

    def sample(self, case: Case, repeat: int = 0) -> Sample:
        """What comes of a paper; raises ``scoring.POINTLESS`` and nothing else."""
        return sampled(case, repeat, "", lambda: self._summed_up(case))

    def _summed_up(self, case: Case) -> Result:
        [row] = self.names.rows([case.subject])
        paper, spans = self.snapshot.paper(row), self.snapshot.spans(row)
        summary, ms = timed(lambda: self.summarizer.summarize(paper, spans))
        made: Made = "of a quote" if summary.engine == "extractive" else "freely"
        said = (summary.text, summary.citations, summary.supported, paper.paper_id)
        claim = Claim("", *said, made=made)
        marks = [
            _length_marks(summary),
            fact_marks(case, [summary.text]),
            forbidden_marks(case, [summary.text]),
            quote_marks([claim], texts_of(self.snapshot)),
            support_marks([claim], self.snapshot, self.checker),
            written_marks(summary.engine, summary.model),
            Marks(rouge_scores(summary.text, case.reference)),
        ]
        return Result(
            ms=ms,
            marks=marks,
            text=summary.text,
            quotes=quotes_of([claim], self.names),
            papers=(self.names.name(row),),
            usage=summary.usage,
        )


def _length_marks(summary: Summary) -> Marks:
    right = 1 <= summary.words <= MAX_WORDS
    return Marks({"length": float(right)}, [] if right else [f"has {summary.words} words"])
