"""How well a ranking finds the gold papers. The only module that knows ir_measures."""

from __future__ import annotations

from collections.abc import Sequence

DIGITS = 6
DEEPEST = 10
"""The last rank that a metric looks at, but for the first gold paper and as many as are gold."""


def ranking_scores(ranked: Sequence[str], gold: Sequence[str]) -> dict[str, float]:
    """The ranking metrics of one question; ``ranked`` best first, each paper once. Without gold
    papers there are none.

    ir_measures gets ranks for names, so that it meets no odd ones, and of a ranking no more than
    decides a metric, or a corpus of thousands would take it milliseconds.
    """
    wanted = dict.fromkeys(gold)
    if not wanted:
        return {}
    from ir_measures import RR, Qrel, R, ScoredDoc, nDCG, pytrec_eval

    rank_of = {name: rank for rank, name in enumerate(ranked, start=1)}
    relevant = [rank_of.get(name, -i) for i, name in enumerate(wanted)]  # below 1: not ranked
    first = min((rank for rank in relevant if rank > 0), default=0)
    depth = min(len(ranked), max(DEEPEST, len(wanted), first))
    measures = {
        "recall@gold": R @ len(wanted),
        "recall@5": R @ 5,
        "recall@10": R @ 10,
        "MRR": RR,
        "nDCG@10": nDCG @ 10,
    }
    qrels = [Qrel("", str(rank), 1) for rank in relevant]
    run = [ScoredDoc("", str(rank), float(-rank)) for rank in range(1, depth + 1)]
    found = pytrec_eval.iter_calc(list(dict.fromkeys(measures.values())), qrels, run)
    values = {each.measure: each.value for each in found}
    return {name: round(float(values[measure]), DIGITS) for name, measure in measures.items()}
