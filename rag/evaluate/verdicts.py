"""What judges can be asked, when, and what their replies come to.

Knows no model. A reply without one clear verdict is unscored: it is no zero, since nothing was
found wrong with the answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from rag.evaluate.types import REFUSED, Case, Judged, Sample

SCALES: Mapping[str, Mapping[str, float]] = {
    "correctness": {str(mark): (mark - 1) / 4 for mark in range(1, 6)},
    "groundedness": {"yes": 1.0, "no": 0.0},
    "rubric": {"pass": 1.0, "fail": 0.0},
}
"""The judges by name, and what each of their verdicts is worth; their prompts say the same."""

REASON_CHARS = 400
"""Of a judge's reasons that are kept."""

_NEEDS: Mapping[str, Callable[[Sample, Case], object]] = {
    "correctness": lambda sample, case: case.reference,
    "groundedness": lambda sample, case: sample.quotes and sample.outcome not in REFUSED,
    "rubric": lambda sample, case: case.rubric,
}


def applies(name: str, sample: Sample, case: Case) -> bool:
    """Whether a judge has anything to say: of an answer or a summary that came, and was no
    refusal where one was expected."""
    refused = case.outcome in REFUSED and sample.outcome in REFUSED
    judged = case.suite in ("ask", "summarize") and sample.text.strip() and not sample.error
    return bool(judged and not refused and _NEEDS[name](sample, case))


def read_verdict(reply: str, mark: str, scale: Mapping[str, float]) -> Judged:
    """The verdict in a reply's last line, ``Verdict MARK: …``, with the reasons before it.

    ``mark`` is what nobody who wrote a part of the prompt can have foreseen: a verdict without it
    is somebody else's.
    """
    *before, last = reply.strip().splitlines() or [""]
    said = re.fullmatch(rf"verdict {mark}:(.*)", _plain(last))
    if not said:
        return Judged(None, f"no verdict stands in its last line: {_short(last) or 'nothing'}")
    word = said[1].strip()
    if word not in scale:
        return Judged(None, f"its verdict is none of {', '.join(scale)}: {_short(word)}")
    stated = re.findall(rf"verdict {mark}:\s*(\w+)", _plain(" ".join(before)))
    if {other for other in stated if other in scale} - {word}:
        return Judged(None, "it contradicts itself: it gives more than one verdict")
    return Judged(scale[word], _short(" ".join(before)))


def _plain(text: str) -> str:
    """Without emphasis, a full stop at the end, capitals and doubled blanks."""
    return " ".join(re.sub(r"[*_`]", "", text).casefold().split()).removesuffix(".")


def _short(text: str) -> str:
    """On one line, printable, and of a length to be read beside a score."""
    line = "".join(c for c in " ".join(text.split()) if c.isprintable())
    return line if len(line) <= REASON_CHARS else f"{line[: REASON_CHARS - 1]}…"
