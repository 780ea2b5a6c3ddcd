"""The figures that abstracts give for what they found, each with a claim in the quote's own words.

A claim is a stretch of the quoted sentence, so nothing is said that the abstract does not say;
which stretch reads best is a matter of where clauses begin and end. Knows no model, no store.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rag.digest.figures import Figure, figures
from rag.types import Citation, Entry, Finding, Paper

A_PAPER = 3
"""Findings of one paper, at most."""
LONGEST, SHORTEST = 15, 4
"""Words of a claim."""
TRIED = 12
"""Figures of a paper that a claim is looked for."""
MAX_SENTENCES = 200
"""Of a text that are read; an abstract has about ten."""

_OWN = re.compile(
    r"\b(?:we|our|ours|this (?:paper|work|study|article)|experiments?|experimental|evaluations?|"
    r"results|here)\b",
    re.I,
)
_RESULT = re.compile(
    r"\b(?:improv|achiev|reduc|outperform|surpass|boost|gain|accura|fast|speed|scor|lower|higher|"
    r"better|exceed|increas|decreas|drop|fewer|less|sav|cut|accelerat|error|attain|reach|yield|"
    r"enhanc|retain|rais|rate|deliver|success|precision|recall|cheaper|smaller)\w*|\bF1\b|\bAU\w+",
    re.I,
)
_DATA = re.compile(
    r"\b(?:data ?sets?|benchmarks?|corpus|corpora|suite|collection|compris|contain|consist|collect|"
    r"curat|annotat|train|cover|span|releas|includ|construct|evaluat)\w*",
    re.I,
)
_BASELINE = re.compile(
    r"\b(?:baselines?|vs|versus|compared|than|surpass\w*|exceed\w*|outperform\w*|over|best)\b", re.I
)
_LAST = re.compile(r"[^(),;]*$")
_WORTH = {"change": 4.0, "gain": 3.0, "score": 2.0, "size": 0.0}

_LEAD = re.compile(
    r"(?:Finally|Furthermore|Moreover|Additionally|Specifically|Notably|Remarkably|Empirically|"
    r"Overall|Importantly|Consequently|Similarly|Meanwhile|First|Second|Third|Also|Thus|Here|"
    r"For (?:example|instance)|In (?:addition|particular|this (?:work|paper)|summary|total)|"
    r"To (?:this end|facilitate \w+)|As a result),? (?=\S)"
)
"""What a sentence begins with and a claim does not."""
_WORD = re.compile(r"\S+")
_VERB = re.compile(
    r"(?:achiev|improv|reduc|boost|outperform|surpass|exceed|increas|decreas|rais|lower|deliver|"
    r"yield|attain|reach|obtain|enhanc|accelerat|cut|sav|gain|show|retain|preserv|requir|us|rang|"
    r"compris|contain|consist|includ|cover|span|collect|curat|incur|provid|enabl|offer|demonstrat)"
    r"(?:e[sd]|s|ed|ing|ting)$",
    re.I,
)
_JOINS = frozenset("and but or while whereas yet although though".split())
_BREAKS = frozenset(
    "while whereas but which that compared relative demonstrating outperforming surpassing "
    "indicating suggesting highlighting showing without although despite thereby".split()
)
_EASES = frozenset("on in over for with across when using under at via from than through".split())
_OF_WHAT = re.compile(r"\W*(?:of|for|compared|over|on|in|with|and|to|vs|relative)\b")
"""Behind a figure that a stretch begins with: what it is of stands before that."""
_TAIL = re.compile(r"(?:on|in|for|over|with|across|by|at|than) [^,]*\b(?:and|or)\b[^,]*$", re.I)
"""A stretch that begins with the end of another claim."""
_COMMA = re.compile(r"[,;:—](?!\d)|\.\s|/\s")
_WEAK = frozenset("of by to and or the a an is are as than that which its their".split())


def findings(
    entries: Sequence[Entry], spans: Mapping[str, Sequence[tuple[int, int]]]
) -> tuple[Finding, ...]:
    """At most A_PAPER figures of each paper, the most telling first, in the entries' order.

    ``spans``: start and end of the sentences of each paper's text, by paper_id.
    """
    seen: dict[str, Entry] = {}
    for entry in entries:
        seen.setdefault(entry.paper.paper_id, entry)
    return tuple(
        finding
        for entry in seen.values()
        for finding in _of_paper(entry, spans.get(entry.paper.paper_id, ()))
    )


def _of_paper(entry: Entry, spans: Sequence[tuple[int, int]]) -> list[Finding]:
    """The figures of one paper, the worthiest first; no two from one stretch of its text."""
    ranked = sorted(_figures(entry.paper, spans), key=lambda found: -found.worth)
    chosen: list[tuple[tuple[int, int], Finding]] = []
    for found in ranked[:TRIED]:
        if len(chosen) == A_PAPER:
            break
        place = claim_of(found.sentence, found.figure, found.others)
        if not place:
            continue
        start, end = (found.start + offset for offset in place)
        if all(end <= begin or stop <= start for (begin, stop), _ in chosen):
            chosen.append(((start, end), found.finding(entry, place)))
    return [finding for _, finding in chosen]


@dataclass(frozen=True, slots=True)
class _Told:
    """A figure in its sentence, which begins at ``start``; ``others`` are told there as well."""

    sentence: str
    start: int
    figure: Figure
    others: Sequence[Figure]
    worth: float

    def finding(self, entry: Entry, place: tuple[int, int]) -> Finding:
        paper_id, end = entry.paper.paper_id, self.start + len(self.sentence)
        citation = Citation(entry.number, paper_id, self.sentence, self.start, end)
        shown = self.sentence[self.figure.start : self.figure.end]
        return Finding(paper_id, self.sentence[slice(*place)], shown, citation)


def _figures(paper: Paper, spans: Sequence[tuple[int, int]]) -> Iterator[_Told]:
    """Figures from where the paper's own work begins: those before are of others."""
    own = False
    for start, end in spans[:MAX_SENTENCES]:
        sentence = paper.text[start:end]
        own = own or bool(_OWN.search(sentence)) or bool(paper.handle and paper.handle in sentence)
        told = figures(sentence) if own else []
        for figure in told:
            if worth := _worth(sentence, figure):
                others = [other for other in told if other is not figure]
                yield _Told(sentence, start, figure, others, worth)


def _worth(sentence: str, figure: Figure) -> float:
    """How likely a figure is what a paper found, or how large what it made is."""
    if _of_a_rival(sentence, figure):
        return 0.0
    if figure.kind == "size":
        return 1.0 if _DATA.search(sentence) else 0.0
    return _WORTH[figure.kind] + bool(_RESULT.search(sentence))


def _of_a_rival(sentence: str, figure: Figure) -> bool:
    """Whether a figure in brackets is that of what the paper compares itself with."""
    if not sentence[: figure.start].endswith("("):
        return False
    clause = (
        sentence[: figure.start]
        if figure.kind == "score"
        else _LAST.findall(sentence[: figure.start - 1])[-1]
    )
    return bool(_BASELINE.search(clause))


def claim_of(sentence: str, figure: Figure, others: Sequence[Figure]) -> tuple[int, int] | None:
    """Start and end of the stretch of a sentence that best says what a figure is of."""
    words = [found.span() for found in _WORD.finditer(sentence)]
    starts = [start for start, _ in words]
    first = bisect_right(starts, figure.start) - 1
    last = bisect_right(starts, figure.end - 1) - 1
    best: tuple[float, tuple[int, int]] | None = None
    for begin, opening in _openings(sentence, words, first):
        for stop, closing in _closings(sentence, words, last):
            length = stop - begin + 1
            place = _trimmed(sentence, words[begin][0], words[stop][1], figure)
            if not SHORTEST <= length <= LONGEST or _broken(sentence, place, figure):
                continue
            score = opening + closing + _reading(sentence, place, figure, others) + 0.15 * length
            if best is None or score > best[0]:
                best = score, place
    return best[1] if best else None


def _openings(
    sentence: str, words: Sequence[tuple[int, int]], first: int
) -> Iterator[tuple[int, float]]:
    """Words up to the first of a figure at which a claim may begin, and how well."""
    lead = _LEAD.match(sentence)
    opens = bisect_right(words, (lead.end(), 0)) if lead else 0
    for index in range(max(opens, first - LONGEST + 1), first + 1):
        word = sentence[slice(*words[index])]
        before = sentence[slice(*words[index - 1])] if index else ""
        if before.lower() == "that":
            yield index, 3.0
        elif index == opens:
            yield index, 2.0
        elif word.lower() in _JOINS | {"that", "which"}:
            continue
        elif _VERB.match(word):
            yield index, 2.0
        elif before[-1] in ",;:—":
            yield index, 1.0
        elif word.lower() in _EASES - {"than"}:
            yield index, 0.0


def _closings(
    sentence: str, words: Sequence[tuple[int, int]], last: int
) -> Iterator[tuple[int, float]]:
    """Words from the last of a figure on at which a claim may end, and how well."""
    for index in range(last, min(len(words), last + LONGEST)):
        word = sentence[slice(*words[index])]
        after = sentence[slice(*words[index + 1])] if index + 1 < len(words) else ""
        if not after:
            yield index, 2.0
        elif word.lower() in _WEAK:
            continue
        elif word[-1] in ",;:)" or after[0] in "(—–" or after.lower().strip(",") in _BREAKS:
            yield index, 1.5
        elif after.lower() in _JOINS:
            following = sentence[slice(*words[index + 2])] if index + 2 < len(words) else ""
            yield index, 1.5 if _VERB.match(following) else 0.0
        elif after.lower() in _EASES:
            yield index, 0.5


def _trimmed(sentence: str, start: int, end: int, figure: Figure) -> tuple[int, int]:
    """Without the marks around it, but with all of the figure."""
    while end > figure.end and sentence[end - 1] in ",;:.—–":
        end -= 1
    if sentence[start] == "(" and ")" not in sentence[start:end] and start < figure.start:
        start += 1
    return start, max(end, figure.end)


def _broken(sentence: str, place: tuple[int, int], figure: Figure) -> bool:
    """Whether a stretch is cut so that it cannot be read by itself."""
    claim = sentence[slice(*place)]
    before, after = sentence[place[0] : figure.start], sentence[figure.end : place[1]]
    return (
        claim.count("(") != claim.count(")")
        or claim.count('"') % 2 == 1
        or claim.rsplit(None, 1)[-1].lower() in _EASES | _WEAK | _JOINS | _BREAKS
        or (not before.strip() and (figure.kind == "change" or bool(_OF_WHAT.match(after))))
        or bool(_TAIL.match(before))
    )


def _reading(
    sentence: str, place: tuple[int, int], figure: Figure, others: Sequence[Figure]
) -> float:
    """What a stretch gains by saying what happened, and loses by saying more than one thing."""
    start, end = place
    around = sentence[start : figure.start] + sentence[figure.end : end]
    crowded = sum(start <= other.start and other.end <= end for other in others)
    commas = len(_COMMA.findall(around))
    return 2.0 * bool(_RESULT.search(around)) - 4.0 * crowded - 0.7 * commas
