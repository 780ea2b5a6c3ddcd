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
    lines = ["".join([f"{'':20}{'cases':>6}", *(f"{_short(name):>9}" for name in METRICS)])]
    for name, members in groups.items():
        values = [metric(members) for metric in METRICS.values()]
        cells = "".join(f"{'—' if v is None else format(v, '.3f'):>9}" for v in values)
        lines.append(f"{name:20}{len(members):>6}{cells}")
    return "\n".join(lines)


def confusion(scored: Iterable[Scored]) -> str:
    """How often each expected outcome came out as which, one line each."""
    counts = Counter((s.case.outcome, s.answer.outcome) for s in scored)
    return "\n".join(
        f"expected {want:17} got {got:17} {n:4}" for (want, got), n in sorted(counts.items())
    )


def _short(name: str) -> str:
    return (
        name.replace("refusal ", "ref. ")
        .replace("citation ", "cit. ")
        .replace("recision", "r.")[:9]
    )
