"""Every figure of how good answers and search are, in one table.

    python evals/quality.py [--shared FOLDER] [--only SECTION ...] [--questions FILE ...] [--json]

Ours beside plain BM25, plain MiniLM and the fusion of their ranks, all in the same run. The gain
is over the best of the three, with the 95 % interval of a paired bootstrap over the questions;
``--json`` has the gain over each. Sections:

    asking     our questions put to the real lists: facts, papers, citations, refusals
    search     SciFact's claims and SciTLDR's one-liners, to find the abstracts they are about
    rationales three sentences of the right abstract, of SciFact; weights from other abstracts
    conference our questions put to the lists inside a conference, where 31 of the 38 papers stand
    speed      how long ``ask`` takes there, and with a process of its own at 38 papers

What the folder of data lacks is left out, and why is said on stderr. The first run embeds 12,700
abstracts, a quarter of an hour; the indexes stay in index_store/evals. Later runs take minutes.
Times aside, equal code gives equal figures.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import numpy as np
from comparing import Row, compared, watched
from indexes import HERE, STORES, asker_over
from plain import WAYS, PlainAsker, best_first, by_minilm
from search import CACHE, OURS, PLAIN, claims, measured, one_liners, rank_fusion, retriever_over
from sentences import by_bm25, crossed, ours, scifact

from rag.engine.answer import Asker
from rag.engine.question import Turn
from rag.evaluate.asking import Asking
from rag.evaluate.cases import load_suites
from rag.evaluate.matching import missing
from rag.evaluate.papers import Names
from rag.evaluate.types import OUTCOMES, REFUSED, Case, Sample, SuiteName

SHARED = HERE.parent.parent / "shared"
ICLR = "data/iclr2026/iclr2026_accepted_12areas.jsonl"
SHOWN = 3
"""Sentences in which a fact has to stand, but for lists."""
SEARCHED: tuple[SuiteName, ...] = ("retrieval", "ask")
COLD = 5
"""Processes that are timed."""
LISTS = ("list", "count")
"""Kinds of our cases that any number of papers answers."""

# --- our questions


@dataclass(frozen=True)
class Ground:
    """What sections work on: the folder of data, and the cases by suite."""

    shared: Path
    cases: Mapping[SuiteName, Sequence[Case]]

    def askers(self, name: str, files: Sequence[Path]) -> dict[str, Asker]:
        """Ours and the plain ones over one index."""
        asker = asker_over(name, files)
        plain = {way: PlainAsker(asker.retriever, way=way) for way in WAYS}
        return {**plain, OURS: asker}

    @property
    def lists(self) -> list[Path]:
        return sorted((self.shared / "corpus").glob("*.txt"))


def asked(askers: Mapping[str, Asker], cases: Sequence[Case]) -> dict[str, list[Sample]]:
    """What each asker makes of the cases. An error ends the run: as a zero of a plain asker it
    would be a gain of ours."""
    names = Names(askers[OURS].retriever.snapshot, HERE)
    samples = {
        way: [Asking(asker, names).sample(case) for case in watched(f"  {way}", cases)]
        for way, asker in askers.items()
    }
    for way, each in samples.items():
        if broken := next((sample for sample in each if sample.error), None):
            raise SystemExit(f"{way} fails at {broken.case}: {broken.error}")
    return samples


def facts(case: Case, sample: Sample) -> float | None:
    """The share of the expected facts in the first three sentences."""
    if not case.facts or case.outcome in REFUSED or case.kind in LISTS:
        return None
    if sample.outcome in REFUSED:
        return 0.0
    said = " ".join(quote.text for quote in sample.quotes[:SHOWN])
    return 1 - len(missing(case.facts, said)) / len(case.facts)


def listed_facts(case: Case, sample: Sample) -> float | None:
    """The same of a list, which has a line for each paper, in all of it."""
    return sample.scores.get("facts") if case.kind in LISTS else None


def papers_f1(case: Case, sample: Sample) -> float | None:
    """Of lists and counts: whether all gold papers are cited and no others."""
    if case.kind not in LISTS:
        return None
    recall, precision = (sample.scores.get(f"citation {m}") for m in ("recall", "precision"))
    if recall is None:
        return None
    return 2 * recall * precision / (recall + precision) if recall and precision else 0.0


def scored(name: str) -> Callable[[Case, Sample], float | None]:
    return lambda case, sample: sample.scores.get(name)


METRICS: dict[str, Callable[[Case, Sample], float | None]] = {
    "facts in three sentences": facts,
    "facts in lists": listed_facts,
    "F1 of papers": papers_f1,
    **{
        name: scored(name)
        for name in (
            "citation precision",
            "citation recall",
            "refusal precision",
            "refusal recall",
            "outcome",
        )
    },
}


BY_TAG = ("refusal precision", "refusal recall", "outcome")
"""Metrics that a single kind, which has answers or has none, says nothing by."""


def groups(cases: Sequence[Case]) -> dict[str, list[int]]:
    """Places of the cases by set: all, each kind, each tag."""
    found: dict[str, list[int]] = defaultdict(list)
    for i, case in enumerate(cases):
        for name in ("all", case.kind, *(f"tag {tag}" for tag in case.tags)):
            found[name].append(i)
    return dict(sorted(found.items(), key=lambda group: (group[0] != "all", "tag " in group[0])))


def rows_of(
    title: str,
    cases: Sequence[Case],
    samples: Mapping[str, Sequence[Sample]],
    metrics: Iterable[str],
) -> Iterator[Row]:
    """Each metric over each set of cases that it applies to."""
    for metric in metrics:
        for group, places in groups(cases).items():
            values = {
                way: [METRICS[metric](cases[i], each[i]) for i in places]
                for way, each in samples.items()
            }
            if metric in BY_TAG and group != "all" and "tag " not in group:
                continue
            if any(value is not None for value in values[OURS]):
                yield compared(f"{title}: {group}", metric, values)


def confusion(cases: Sequence[Case], samples: Sequence[Sample]) -> list[str]:
    """A table of what was expected and what came of it, by us."""
    counts = Counter((c.outcome, s.outcome) for c, s in zip(cases, samples, strict=True))
    head = f"| expected ↓ came → | {' | '.join(OUTCOMES)} |"
    lines = (f"| {w} | {' | '.join(str(counts[w, got]) for got in OUTCOMES)} |" for w in OUTCOMES)
    return ["", head, "|---" * (1 + len(OUTCOMES)) + "|", *lines]


# --- sections


@dataclass(frozen=True)
class Found:
    """What a section comes to; ``notes`` stand below the table."""

    rows: Sequence[Row]
    notes: Sequence[str] = ()


def asking(ground: Ground) -> Found:
    cases = ground.cases["ask"]
    samples = asked(ground.askers("lists", ground.lists), cases)
    rows = [*rows_of("lists", cases, samples, METRICS)]
    return Found(rows, confusion(cases, samples[OURS]))


def search(ground: Ground) -> Found:
    sets = (
        ("SciFact claims", "scifact", ("nDCG@10", "recall@10")),
        ("SciTLDR reviewers", "scitldr", ("nDCG@10", "recall@5")),
        ("SciTLDR authors", "scitldr", ("nDCG@10", "recall@5")),
    )
    opened = cache(lambda name: retriever_over(name, ground.shared, CACHE))
    rows = []
    for title, collection, metrics in sets:
        if collection == "scifact":
            questions = [
                q for half in (False, True) for q in claims(ground.shared, learnt_from=half)
            ]
        else:
            questions = one_liners(ground.shared, title.split()[1].rstrip("s"))
        parts = [[question] for question in questions]
        by_way: dict[str, list[dict[str, float]]] = defaultdict(list)
        for part in watched(f"  {title}", parts):
            for way, scores in measured(*opened(collection), part).items():
                by_way[way] += scores
        for metric in metrics:
            values = {
                way: [score[metric] for score in by_way[there]]
                for way, there in zip((*WAYS, OURS), (*PLAIN, OURS), strict=True)
            }
            rows.append(compared(title, metric, values))
    return Found(rows)


def rationales(ground: Ground) -> Found:
    examples = [*scifact(ground.shared / "data/scifact")]
    asker = asker_over("lists", ground.lists)
    own = [e for e in ours(asker, ground.cases["ask"]) if e.source.startswith("dev")]
    learnt = [*examples, *own]
    scorers = {
        "BM25": by_bm25,
        "MiniLM": by_minilm,
        "rank fusion": lambda e: rank_fusion([by_bm25(e), by_minilm(e)]),
        OURS: crossed(learnt, [*learnt[0].features]),
    }
    values: dict[str, list[float | None]] = defaultdict(list)
    for example in watched("  rationales", examples):
        for way, scorer in scorers.items():
            best = best_first(scorer(example))[:SHOWN]
            values[way].append(float(any(r <= {*best} for r in example.rationales)))
    return Found([compared("SciFact rationales", "whole in three sentences", values)])


def conference(ground: Ground) -> Found:
    askers = ground.askers("union", [*ground.lists, ground.shared / ICLR])
    snapshot = askers[OURS].retriever.snapshot
    cases = [
        case
        for suite in SEARCHED
        for case in ground.cases[suite]
        if case.gold and case.outcome not in REFUSED
    ]
    names = Names(snapshot, HERE)
    found: dict[str, list[float | None]] = {
        way: [_recall(asker, names, case) for case in watched(f"  recall, {way}", cases)]
        for way, asker in askers.items()
    }
    rows = [
        compared(
            f"{len(snapshot):,} papers: {group}",
            "recall@10",
            {way: [each[i] for i in places] for way, each in found.items()},
        )
        for group, places in groups(cases).items()
    ]
    told = [case for case in cases if case.facts and case.kind not in LISTS]
    samples = asked(askers, told)
    title = f"{len(snapshot):,} papers"
    return Found([*rows, *rows_of(title, told, samples, ["facts in three sentences"])])


def _recall(asker: Asker, names: Names, case: Case) -> float:
    """The share of the gold papers among the first ten."""
    gold = {*names.rows(case.gold)}
    return len(gold.intersection([*asker.rank(case.subject, _turns(names, case))][:10])) / len(gold)


def _turns(names: Names, case: Case) -> list[Turn]:
    ids = names.snapshot.ids
    return [t._replace(papers=tuple(ids[r] for r in names.rows(t.papers))) for t in case.history]


def speed(ground: Ground) -> Found:
    """Every question once to warm up, then once more by the clock."""
    asker = asker_over("union", [*ground.lists, ground.shared / ICLR])
    names = Names(asker.retriever.snapshot, HERE)
    took: dict[str, list[float]] = defaultdict(list)
    for clocked in (False, True):
        for case in watched("  timed" if clocked else "  warming up", ground.cases["ask"]):
            history, started = _turns(names, case), time.perf_counter()
            answer = asker.ask(case.subject, history)
            if clocked:
                for group in ("all", answer.kind):
                    took[group].append(1000 * (time.perf_counter() - started))
    lines = [
        f"| {kind} | {len(ms)} | {np.percentile(ms, 50):.0f} | {np.percentile(ms, 95):.0f} "
        f"| {max(ms):.0f} |"
        for kind, ms in took.items()
    ]
    papers = f"{len(asker.retriever.snapshot):,}"
    head = f"| warm `ask` at {papers} papers | questions | p50, ms | p95, ms | slowest, ms |"
    cold = f"A process of its own at 38 papers: {_cold(ground):.2f} s, the median of {COLD}."
    return Found([], ["", head, "|---|---|---|---|---|", *lines, "", cold])


def _cold(ground: Ground) -> float:
    """Seconds from the command line to its end."""
    asker_over("lists", ground.lists)
    question = ground.cases["ask"][0].subject
    command = [sys.executable, "-m", "rag", "ask", question, "--store", str(STORES / "lists")]
    took = []
    for _ in range(COLD):
        started = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, cwd=HERE.parent)
        took.append(time.perf_counter() - started)
    return float(np.median(took))


SECTIONS: dict[str, tuple[Callable[[Ground], Found], tuple[str, ...]]] = {
    "asking": (asking, ("corpus",)),
    "search": (search, ("data/scifact", "data/scitldr_knownitem")),
    "rationales": (rationales, ("data/scifact", "corpus")),
    "conference": (conference, ("corpus", ICLR)),
    "speed": (speed, ("corpus", ICLR)),
}
"""Each section and what of the data it needs."""

HEAD = (
    "| set | metric | questions | BM25 | MiniLM | rank fusion | ours | gain over the best [95 %] |",
    "|---|---|---|---|---|---|---|---|",
)


def run(ground: Ground, wanted: Sequence[str]) -> Iterator[tuple[str, Found]]:
    for name in wanted:
        section, needs = SECTIONS[name]
        if absent := [need for need in needs if not (ground.shared / need).exists()]:
            print(f"{name}: left out, no {absent[0]} in {ground.shared}", file=sys.stderr)
            continue
        print(f"{name} …", file=sys.stderr)
        started = time.perf_counter()
        yield name, section(ground)
        print(f"{name}: {time.perf_counter() - started:.0f} s", file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description="Print every figure of quality.")
    parser.add_argument("--shared", type=Path, default=SHARED)
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=[*SECTIONS])
    parser.add_argument("--questions", nargs="+", default=["ask"], help="files of ask*.jsonl")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    cases = load_suites(HERE, ["retrieval", *options.questions])
    found = dict(run(Ground(options.shared, cases), options.only))
    if options.json:
        print(json.dumps({name: asdict(each) for name, each in found.items()}, indent=1))
        return
    rows = [row.markdown() for each in found.values() for row in each.rows]
    print(*([*HEAD, *rows] if rows else []), sep="\n")
    print(*(note for each in found.values() for note in each.notes), sep="\n")


if __name__ == "__main__":
    main()
