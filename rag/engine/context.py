"""Abstracts as numbered sentences for a model, as many as there is room for.

Knows nothing of models: whoever asks gives the room and a way to count. What a model reads is
cleaned; what is quoted is the paper's own text, by offsets.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from rag.engine.reply.markers import ids_in
from rag.engine.reply.tokens import UNSEEN
from rag.types import Paper

LONGEST_NAME = 200
"""Characters of a paper's name in its heading."""

_MAX_PASSES = 8

_HEADING = re.compile(r"^\s*#+\s+|(?<!\w)#{2,}\s*|`{3,}", re.M)
_ROLE = re.compile(
    r"(?:^|(?<=[.!?]\s))([\W_]*(?:system|assistant|user|human|ai|developer|tool|question|answer"
    r"|instructions?))[\W_]*[:：]",
    re.I | re.M,
)
_TAG = re.compile(
    r"[<＜](?=[a-z|｜!?/]|\s+(?:[|｜/]|abstracts?\b|papers?\b|think))|◁(?=/?think)", re.I
)
_BRACKET = re.compile(r"[\[【［]([^\[\]【】［］]{0,400})[\]】］]")
_TURN = re.compile(r"/?\s?(?:inst|think)", re.I)
_REFUSAL = re.compile(r"\bnot[\s_-]+in[\s_-]+the[\s_-]+(abstracts?)\b", re.I)

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Shown:
    """A paper as a model sees it: its row in the snapshot and the sentences shown of it, as
    offsets in ``paper.text``."""

    row: int
    paper: Paper
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Context:
    """What a model is shown. ``text`` goes into the prompt, fences included; it is empty if there
    is no room for a single sentence. Sentence s of paper p is [p.s], both from 1."""

    papers: tuple[Shown, ...]
    text: str

    def sentence(self, p: int, s: int) -> tuple[Paper, int, int] | None:
        """The paper, and where in its text sentence [p.s] stands; None if none was shown so."""
        if not (1 <= p <= len(self.papers) and 1 <= s <= len(self.papers[p - 1].spans)):
            return None
        shown = self.papers[p - 1]
        return (shown.paper, *shown.spans[s - 1])


def pack(
    candidates: Sequence[Shown],
    room: int,
    count: Callable[[str], int],
    prefer: Mapping[int, Sequence[Span]] | None = None,
) -> Context:
    """As much of the candidates, best first, as fits into ``room`` tokens.

    First of each the sentences that ``prefer`` names by its row, most telling first; then whole
    papers, in order. If not even the first fits whole, it is filled up from its beginning.
    """
    packing = _Packing(candidates, room, count)
    for place, shown in enumerate(candidates):
        for span in (prefer or {}).get(shown.row, ()):
            packing.add(place, [span])
    whole = [packing.add(place, shown.spans) for place, shown in enumerate(candidates)]
    if whole and not whole[0]:
        for span in candidates[0].spans:
            packing.add(0, [span])
    return packing.context()


class _Packing:
    """Sentences chosen so far, and the tokens that are left."""

    def __init__(self, candidates: Sequence[Shown], room: int, count: Callable[[str], int]) -> None:
        self._candidates = candidates
        self._room = room
        self._count = count
        self._left = room - count(_fenced(""))
        self._chosen: dict[tuple[int, Span], None] = {}  # place of the paper, sentence; as added

    def add(self, place: int, spans: Sequence[Span]) -> bool:
        """Take these sentences of a candidate, all or none; False if they do not fit."""
        shown = self._candidates[place]
        new = [s for s in spans if s in shown.spans and (place, s) not in self._chosen]
        # Numbers are not known before all is chosen; these are as long or longer.
        lines = [_line(shown.paper, s, place + 1, shown.spans.index(s) + 1) for s in new]
        if new and all(at != place for at, _ in self._chosen):
            lines.append(_heading(shown.paper, place + 1))
        cost = sum(self._count(f"{line}\n") for line in lines)
        if cost > self._left:
            return False
        self._left -= cost
        self._chosen.update(dict.fromkeys((place, span) for span in new))
        return True

    def context(self) -> Context:
        """What was chosen, in order; less the last of it where lines together cost more."""
        while self._chosen:
            papers = self._papers()
            text = _written(papers)
            if self._count(text) <= self._room:
                return Context(papers, text)
            self._chosen.popitem()
        return Context((), "")

    def _papers(self) -> tuple[Shown, ...]:
        chosen = (
            replace(shown, spans=tuple(s for s in shown.spans if (place, s) in self._chosen))
            for place, shown in enumerate(self._candidates)
        )
        return tuple(shown for shown in chosen if shown.spans)


def _written(papers: Sequence[Shown]) -> str:
    lines = []
    for p, shown in enumerate(papers, start=1):
        lines.append(_heading(shown.paper, p))
        lines += [_line(shown.paper, span, p, s) for s, span in enumerate(shown.spans, start=1)]
    return _fenced("\n".join(lines).strip())


def _heading(paper: Paper, p: int) -> str:
    return f"\n## Paper {p}: {cleaned(paper.name[:LONGEST_NAME])}"


def _line(paper: Paper, span: Span, p: int, s: int) -> str:
    return f"[{p}.{s}] {cleaned(paper.text[slice(*span)])}"


def _fenced(text: str) -> str:
    """The text between fences that nobody who wrote it can have foreseen."""
    name = f"abstracts {hashlib.sha256(text.encode()).hexdigest()[:8]}"
    return f"<{name}>\n{text}\n</{name}>"


def cleaned(text: str) -> str:
    """A file's text for a model's eyes: one line, without what imitates our ids and fences, a
    chat's roles and turns, or our refusal. Other brackets and comparisons stay. Idempotent."""
    # What one pass uncovers the next removes.
    for _ in range(_MAX_PASSES):
        before, text = text, _pass(text)
        if text == before:
            break
    return text


def _pass(text: str) -> str:
    text = _HEADING.sub(" ", UNSEEN.sub("", text))
    text = " ".join(_ROLE.sub(r"\1 –", text).split())
    text = _BRACKET.sub(_unbracketed, _TAG.sub("‹", text))
    return _REFUSAL.sub(r"missing from the \1", text)


def _unbracketed(match: re.Match[str]) -> str:
    """Round brackets, if these could be taken for an id or for a turn of a chat."""
    imitates = ids_in(match[1]) is not None or _TURN.fullmatch(match[1])
    return f"({match[1]})" if imitates else match[0]
