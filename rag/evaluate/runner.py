"""Puts cases to an index and prints nothing: a table is text that the caller shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from rag.engine.answer import Asker
from rag.evaluate.cases import Case
from rag.evaluate.metrics import METRICS, Scored


def run(asker: Asker, cases: Iterable[Case], keys: Mapping[str, str]) -> list[Scored]:
    """Ask every case; ``keys`` maps paper_id to the keys that the cases use."""
    return [_score(asker, case, keys) for case in cases]


def _score(asker: Asker, case: Case, keys: Mapping[str, str]) -> Scored:
    answer = asker.ask(case.question, case.history)
    ids = [keys.get(paper_id, "") for paper_id in asker.retriever.snapshot.ids]
    ranked = tuple(ids[row] for row in asker.rank(case.question, case.history))
    citations = [c for statement in answer.statements for c in statement.citations]
    return Scored(case, answer, ranked, tuple(keys.get(c.paper_id, "") for c in citations))


def table(scored: Sequence[Scored], by: str = "kind") -> str:
    """The metrics over all cases and for each value of a field of the cases, as aligned text."""
    groups: dict[str, list[Scored]] = {"all": list(scored)}
    for s in scored:
        groups.setdefault(getattr(s.case, by), []).append(s)
    names = [f"{name:>{len(name) + 2}}" for name in METRICS]
    lines = ["".join([f"{'':18}{'cases':>6}", *names])]
    for name, members in groups.items():
        values = [metric(members) for metric in METRICS.values()]
        texts = ["—" if value is None else f"{value:.3f}" for value in values]
        cells = "".join(f"{text:>{len(head)}}" for text, head in zip(texts, names, strict=True))
        lines.append(f"{name:18}{len(members):>6}{cells}")
    return "\n".join(lines)


def confusion(scored: Iterable[Scored]) -> str:
    """How often each expected outcome came out as which, one line each."""
    counts = Counter((s.case.outcome, s.answer.outcome) for s in scored)
    return "\n".join(
        f"expected {want:17} got {got:17} {n:4}" for (want, got), n in sorted(counts.items())
    )
