"""Figures of a run of cases. A case to which a figure does not apply stays out of its mean."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from rag.evaluate.cases import Case
from rag.types import Answer


@dataclass(frozen=True, slots=True)
class Scored:
    """A case with what came of it: ``ranked`` are the keys of the retrieved papers, best
    first, ``cited`` those of the answer's citations, one for each."""

    case: Case
    answer: Answer
    ranked: tuple[str, ...]
    cited: tuple[str, ...]


Metric = Callable[[Sequence[Scored]], float | None]


def recall_at(k: int | None) -> Metric:
    """Mean share of the gold papers among the first k; None: as many as there are gold."""

    def metric(scored: Sequence[Scored]) -> float | None:
        return _mean(
            len(set(s.ranked[: k or len(s.case.gold)]) & set(s.case.gold)) / len(s.case.gold)
            for s in scored
            if s.case.answerable
        )

    return metric


def facts(scored: Sequence[Scored]) -> float | None:
    """Mean share of the expected facts that stand in the answer's quotes."""
    return _mean(fmean(_facts(s)) for s in scored if s.case.facts)


def complete(scored: Sequence[Scored]) -> float | None:
    """Share of the answerable cases with every expected fact in the answer's quotes."""
    return _mean(float(all(_facts(s))) for s in scored if s.case.facts)


def refusal_precision(scored: Sequence[Scored]) -> float | None:
    """Share of the refused cases that have no answer."""
    return _mean(float(not s.case.answerable) for s in scored if _refused(s))


def refusal_recall(scored: Sequence[Scored]) -> float | None:
    """Share of the cases without an answer that were refused."""
    return _mean(float(_refused(s)) for s in scored if not s.case.answerable)


def citation_precision(scored: Sequence[Scored]) -> float | None:
    """Mean share of an answer's citations that name a gold paper."""
    return _mean(
        fmean(key in s.case.gold for key in s.cited)
        for s in scored
        if s.case.answerable and s.cited
    )


def citation_recall(scored: Sequence[Scored]) -> float | None:
    """Mean share of the gold papers that the answer cites; 0 for a refusal."""
    return _mean(
        len(set(s.cited) & set(s.case.gold)) / len(s.case.gold) for s in scored if s.case.answerable
    )


METRICS: dict[str, Metric] = {
    "recall@gold": recall_at(None),
    "recall@5": recall_at(5),
    "facts found": facts,
    "all facts": complete,
    "refusal precision": refusal_precision,
    "refusal recall": refusal_recall,
    "citation precision": citation_precision,
    "citation recall": citation_recall,
}


def _facts(scored: Scored) -> list[bool]:
    statements = scored.answer.statements
    return scored.case.found(" ".join(c.quote for s in statements for c in s.citations))


def _refused(scored: Scored) -> bool:
    return scored.answer.outcome in ("not_in_abstracts", "not_in_corpus")


def _mean(values: Iterable[float]) -> float | None:
    known = list(values)
    return fmean(known) if known else None
