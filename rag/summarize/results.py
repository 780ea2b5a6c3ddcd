"""What a system achieves or does: a clause of another sentence that completes a short line.

Knows the words that report results; the clause is a piece of its sentence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.summarize.cuts import cuts
from rag.summarize.naming import MARK, short_form
from rag.summarize.openings import opened
from rag.summarize.plain import plain
from rag.summarize.verbs import OUTCOMES, base, is_known, third

LEAST = 4
"""Words of a clause."""

_OUTCOME = "|".join(map(third, OUTCOMES))
_OURS = (
    r"(?:our|the proposed|this|the resulting) (?:[\w-]+ ){0,2}?(?:method|approach|framework|model|"
    r"algorithm|system|technique|pipeline|strategy|architecture|policy|agent)|it"
)
_REPORTED = r"\b(?:that|shows?|demonstrates?|reveals?|indicates?|confirms?) |, "
_WHERE = r"(?:in|for|when|where|under|with|at|on|across|over|among|within|if|given|once|after)"
_CONDITION = re.compile(rf"^(?P<condition>{_WHERE}\b[^,]{{3,90}}), (?P<rest>.+)$", re.I)
_CONDITIONED = re.compile(rf"(?:^|[,\s]){_WHERE}\s[^,]{{3,90}},\s*$", re.I)
"""Stands between "show that" and the system: "…, in calm weather, TideNet …"."""
_LIMITS = re.compile(
    r"\b(?:when|where|if|under|only|unless|but|except|whenever|provided|given)\b|^(?:in|on|for|at|with|"
    r"within)\b.{0,60}\b(?:cases?|settings?|noise|regimes?|scenarios?|conditions?|environments?|"
    r"tasks?|data|datasets?|benchmarks?|domains?)\b"
)
"""What a claim holds under, and so may not be cut off."""
_EVERYWHERE = re.compile(r" \w+ (?:all|every|each|extensive|comprehensive)\b")
"""No condition, but what was tried."""
_OWN = rf"(?P<own>{MARK}|{_OURS})"
_RESULT = re.compile(
    rf"(?:^|{_REPORTED}){_OWN}(?:,? \w+ly)? (?P<verb>{_OUTCOME})\b(?P<rest> .+)$", re.I
)
_ACTION = re.compile(rf"^{_OWN}(?: first)?(?: \w+ly)? (?P<verb>[a-z]+s)\b(?P<rest> .+)$", re.I)
_POINTS = re.compile(r"\b(?:this|these|those|such|its?|they|their|them|our|we|us)\b|\s/\s|:", re.I)
_ANNOUNCED = re.compile(
    r"\b(?:two|three|four|five|six|several) (?:[\w-]+ ){0,3}(?:innovation|"
    r"component|contribution|insight|module|stage|challenge|technique|step|part|mechanism|design|"
    r"feature)s$|\bthe following\b"
)
"""What is only counted and not told."""
_MORE = re.compile(
    r"(?:, (?:\w+ing|which|while|with|and \w+ing|even|thereby|thus|e\.g|i\.e)\b|;).*$"
)


def result(sentences: Sequence[str], handle: str, room: int) -> tuple[int, str] | None:
    """Index of the first sentence that reports a result of the system of that name, and the
    clause, of at most ``room`` words, with the system left out: "outperforms …"."""
    return _first(_RESULT, sentences, handle, room)


def action(sentences: Sequence[str], handle: str, room: int) -> tuple[int, str] | None:
    """The same for the first sentence that begins with the system and what it does."""
    return _first(_ACTION, sentences, handle, room)


def _first(
    pattern: re.Pattern[str], sentences: Sequence[str], handle: str, room: int
) -> tuple[int, str] | None:
    for i, sentence in enumerate(sentences):
        text = opened(plain(short_form(sentence, handle))).replace(handle, MARK)
        clause = _held(pattern, text, room).replace(MARK, handle)
        fits = LEAST <= len(clause.split()) <= room
        if fits and not _POINTS.search(clause) and not _ANNOUNCED.search(clause):
            return i, clause
    return None


def _held(pattern: re.Pattern[str], text: str, room: int) -> str:
    """What a sentence claims of the system, with the condition that it begins with at the end;
    empty if it claims nothing or where its condition cannot be told."""
    led = _CONDITION.match(text)
    condition = f" {led['condition'][0].lower()}{led['condition'][1:]}" if led else ""
    found = pattern.search(led["rest"] if led else text)
    if not found or not is_known(base(found["verb"].lower())):
        return ""
    if _CONDITION.match(found.string) or _CONDITIONED.search(found.string[: found.start("own")]):
        return ""
    claim = found["verb"] + found["rest"]
    held = _clause(claim, room - len(condition.split()))
    if held:
        return held + condition
    return _clause(claim, room) if _EVERYWHERE.match(condition) else ""


def _clause(text: str, room: int) -> str:
    """The first clause of a text or what of it can stand in ``room`` words; empty if nothing."""
    text = _MORE.sub("", text)
    if len(text.split()) <= room:
        return text
    fitting = (cut.text for cut in cuts(text) if cut.words <= room)
    return next((cut for cut in fitting if not _LIMITS.search(text[len(cut) :].lstrip(" ,"))), "")
