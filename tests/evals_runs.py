"""Small runs of invented cases, to report on. Nothing is asked of anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

from rag.evaluate.types import (
    Changed,
    Comparison,
    Difference,
    Failure,
    Figure,
    Judged,
    Provenance,
    Quote,
    Run,
    Sample,
    SuiteName,
)
from rag.types import Usage

EVIL = (
    "<script>window.pwned = 1</script>",
    "![x](http://evil.example/p.png) | a | b | <b>",
    "\u202eright to left\u2066 \x1b[31mred\x07\x00",
    "lone \ud800 surrogate ]]> &amp; \ufffe",
    "数据集很小" * 40,
    "</title></script><img src=x onerror=window.pwned=1>",
)
"""Texts that are out to be more than text."""

MADE_FROM = Provenance(
    corpus="c0ffee",
    papers=38,
    embedder="minilm-int8",
    engine="extractive",
    model=None,
    judge=None,
    prompts=("answer@1a2b3c",),
    settings={"top_k": 8, "floor": 0.35},
    packages={"python": "3.11.9", "rag": "0.1.0"},
    commit="abc1234",
)


def sample(case: str, suite: SuiteName = "ask", **fields: Any) -> Sample:
    """A sample that has everything right unless ``fields`` say otherwise."""
    known: dict[str, Any] = {
        "subject": f"What does {case} weigh?",
        "kind": "number",
        "tags": ("measures",),
        "repeat": 0,
        "scores": {"facts": 1.0, "outcome": 1.0, "completed": 1.0},
        "expected": "answered",
        "outcome": "answered",
        "text": f"{case} weighs 4 grams [1].",
        "quotes": (Quote("Weighing Bees", f"{case} weighs 4 grams"),),
        "papers": ("Weighing Bees",),
        "ms": 12,
    }
    known |= fields
    hashed = repr([known[name] for name in ("outcome", "text", "quotes", "papers")])
    known.setdefault("words", sha256(hashed.encode(errors="replace")).hexdigest()[:12])
    return Sample(case=case, suite=suite, **known)


def run(samples: Sequence[Sample], id: str = "20260131T094512", **made_from: Any) -> Run:
    """A run of just these samples."""
    suites: dict[SuiteName, tuple[str, ...]] = {}
    for each in samples:
        known = suites.get(each.suite, ())
        suites[each.suite] = known if each.case in known else (*known, each.case)
    made = replace(MADE_FROM, **made_from)
    return Run(id, made, suites, {"filter": (), "limit": None, "repeat": 1}, tuple(samples))


def figure(value: float, cases: int = 40, spread: float | None = None) -> Figure:
    """A mean with an interval of 0.05 on either side, within 0 and 1."""
    return Figure(value, cases, max(value - 0.05, 0.0), min(value + 0.05, 1.0), spread)


def difference(
    suite: SuiteName, metric: str, before: float, after: float, **fields: Any
) -> Difference:
    """A metric that went from one value to another over 40 cases."""
    change = after - before
    known: dict[str, Any] = {
        "before": figure(before),
        "after": figure(after),
        "change": change,
        "low": change - 0.04,
        "high": change + 0.04,
        "paired": 40,
        "differing": 3,
        "verdict": "no difference",
        "gates": True,
    }
    return Difference(suite=suite, metric=metric, **(known | fields))


BEFORE = run(
    [
        *(sample(f"bee{n}") for n in range(6)),
        sample("wasp", kind="absent", expected="not_in_abstracts", outcome="not_in_abstracts"),
        sample("moth", kind="name"),
        sample("gnat", "retrieval", scores={"recall@5": 1.0, "MRR": 0.5, "completed": 1.0}),
    ],
    "20260130T080000",
)
AFTER = run(
    [
        sample(
            "bee0",
            text="No abstract says what bee0 weighs.",
            outcome="not_in_abstracts",
            quotes=(),
            scores={"facts": 0.0, "outcome": 0.0, "completed": 1.0},
            faults=("The fact “4 grams” is missing.", "It was refused."),
        ),
        *(sample(f"bee{n}") for n in range(1, 5)),
        sample("bee5", text="It weighs 4 grams: bee5 [1]."),
        sample("wasp", kind="absent", expected="not_in_abstracts", outcome="answered"),
        sample("moth", kind="name", scores={"completed": 0.0}, error="TimeoutError: 30 s", text=""),
        sample("gnat", "retrieval", scores={"recall@5": 1.0, "MRR": 1.0, "completed": 1.0}),
        sample(
            "fly",
            kind="name",
            judged={"correctness": Judged(0.75), "rubric": Judged(None, "no verdict in “maybe”")},
            usage=Usage(900, 100, 0.0012),
            ms=340,
        ),
    ],
    "20260131T094512",
    settings={"top_k": 1},
)


def comparison(**fields: Any) -> Comparison:
    """AFTER set beside BEFORE: facts of ask got worse, MRR of retrieval better."""
    old = {each.case: each for each in BEFORE.samples}
    new = {each.case: each for each in AFTER.samples}
    known: dict[str, Any] = {
        "before": BEFORE,
        "after": AFTER,
        "differences": (
            difference("retrieval", "MRR", 0.5, 1.0, verdict="better"),
            difference("ask", "facts", 0.78, 0.702, verdict="worse"),
            difference("ask", "outcome", 0.9, 0.9),
            difference("ask", "support", 0.8, 0.81, gates=False, verdict="too few cases to tell"),
        ),
        "changed": (
            Changed(old["bee5"], new["bee5"], (), ()),
            Changed(old["gnat"], new["gnat"], ("MRR",), ()),
            Changed(old["bee0"], new["bee0"], (), ("facts", "outcome")),
            Changed(None, new["fly"], (), ()),
        ),
        "causes": ("settings: top_k was 8 and is 1.", "settings: floor was 0.35 and is not set."),
        "failures": (
            Failure("worse", "facts in ask fell by 0.078; 0.010 is tolerated.", "ask", "facts"),
        ),
    }
    return Comparison(**(known | fields))


def hostile() -> Comparison:
    """A comparison whose every text is out to be more than text."""
    fields: dict[str, Any] = {"faults": EVIL, "tags": EVIL, "papers": EVIL, "text": "\n".join(EVIL)}
    quotes = tuple(Quote(text, text) for text in EVIL)
    judged = {EVIL[0]: Judged(None, EVIL[1])}
    before = [sample(t, subject=t, kind=t, quotes=quotes, **fields) for t in EVIL]
    after = [
        sample(t, subject=t, kind=t, error=t, judged=judged, outcome=t, expected=t, **fields)
        for t in EVIL
    ]
    made = {"corpus": EVIL[0], "prompts": EVIL, "settings": {EVIL[2]: EVIL[3]}, "model": EVIL[5]}
    runs = run(before, EVIL[0], **made), run(after, EVIL[5], **made)
    pairs = zip(before, after, strict=True)
    return comparison(
        before=runs[0],
        after=runs[1],
        changed=tuple(Changed(old, new, (), ("facts",)) for old, new in pairs),
        causes=EVIL,
        failures=tuple(Failure("worse", text, "ask", text) for text in EVIL),
    )
