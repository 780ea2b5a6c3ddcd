"""The sides of a comparison: which papers they are, and what is asked of each.

A side is named or described. Each is searched for by its own words, with what is compared; the
question is taken apart by rules on its wording, and where they find no two papers the best ones
for the whole question are compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from rag.engine.anaphora import content
from rag.engine.evidence import CONTRIBUTION, Evidence, evidence, introducing
from rag.engine.expectations import unknown_name
from rag.engine.extractive import SENTENCES
from rag.engine.names import TITLE
from rag.engine.outcome import Indications, doubt, indications
from rag.engine.question import Question
from rag.retrieve.hybrid import Retriever, Signals
from rag.retrieve.terms import terms, words

SPLITS, JOINTS = 4, 30
"""Places tried at most where a question may fall into sides, each of which takes two searches, and
looked at for that."""

PRESUMED = 0.5
"""Share of what is asked that a side called by name is taken to say: what two papers have in
common is put in the words of neither."""

INTRODUCES = 0.3
"""Bonus of the sentence that says what a side is; from 0.15 to 0.45 our comparisons do as well."""

NEAR = 30
"""Papers looked through for a name that is not quite that of one."""
MISSING = 0.8
"""Doubt from which on a described side is said to be missing: a few words are never near."""
CERTAIN = 0.2
"""Doubt up to which one side is found for sure, so that the other can be said to be missing."""

_CLAUSE = re.compile(
    r"(?<=[.?!:;]) |, (?:and|but|or|while|whereas) (?=(?:how|what|which|when|where|why|who|for)\b)"
    r"| and (?=(?:how|what|which|when|where|why)\b)",
    re.I,
)
_BETWEEN = re.compile(
    r"\b(?:versus|vs\.?|as opposed to|compared (?:to|with)|in contrast (?:to|with)|rather than"
    r"|unlike|whereas|while)(?!\w)|\b(?:and|or|with|from|than|to)\b|, (?=and\b)|[:;]",
    re.I,
)
_WEIGHED = re.compile(
    r"\b(?:the )?(?:pros and cons|strengths and weaknesses|(?:dis)?advantages?) of\b", re.I
)
"""Says of the first side alone what all are asked."""
_OPENING = re.compile(
    r"^(?:please |can you )?(?:compare|contrast|(?:(?:what (?:is|are)|what['’]s) )?(?:the )?"
    r"(?:differences?|similarit\w+) between|how (?:do|does|is|are)|what (?:do|does)|do|does|is|are)"
    r"\b\s*"
    r"|^(?:the )?(?:papers?|works?|stud(?:y|ies)|ones?|one|that) (?:on|about|of|that|which)\b\s*",
    re.I,
)
_SHARED = re.compile(
    r"\b(?:each|both|either|differ(?:s|ent|ently|ences?)?|compare[sd]?|respectively|versus|vs\.?)\b"
    r"(?:\W+(?:in|of them|of these|say about|says about|on|about)\b)?",
    re.I,
)
_EACH = re.compile(
    r"\b(?:(?:each|either|both) of (?:them|these|the two)|they each|each|they|them)\b", re.I
)
_BOTH = re.compile(r"\b(?:both|differently|differ|compared?|versus)\b", re.I)
_ONE = re.compile(r"\bwhich(?: one| of (?:them|the two))?\b|\bthe (?:other|former|latter)\b", re.I)
"""Asks for one of two, or of one of them."""
_ASKS = re.compile(r"\b(?:how|what|which|when|where|why|who|it|they|does|do|did)\b", re.I)
"""Makes a question of a part, which then is no side."""
_GAP = re.compile(
    r"\b(?:how|what|which|when|where|why) (?:in|by|for|from|with|under|on|at|of|according)\b", re.I
)
"""Asks what the other part has just asked, and does not repeat it: "and what in CESAR?"."""
_OTHERS = re.compile(
    r"\b(?:how|what|which|when|where|who|that|prior|previous|earlier|before|past|existing|current"
    r"|predecessors?|others?|standard|conventional|traditional|classic\w*|usual|baselines?|alternatives?|rest"
    r"|state[- ]of[- ]the[- ]art|sota|each|same)\b",
    re.I,
)
"""Means whatever else there is, of which a paper itself may speak."""
_AND = re.compile(r" (?:and|&) ")
_HELD_AGAINST = re.compile(
    r"\b(?:compare[sd]?|comparison|contrast\w*|differs?|different|versus|vs)\b.*?"
    r"\b(?:with|to|from|and|against|versus|vs\.?) ([^?]+?)[?.! ]*$",
    re.I,
)
"""What a question names last that a paper is compared with."""
_OTHER = re.compile(
    r"(?:\b(?:versus|vs\.?|with|from|than|to|unlike)\s+(?-i:([A-Z]\w+ (?:and|&) [A-Z]\w+))"
    r"|\b(?:and|or|versus|vs\.?|with|from|than|to|unlike)\s+((?-i:[A-Z])\w+))\b"
    r"(?!\s+(?-i:[A-Z]))",
    re.I,
)
"""What may be a name where another side stands: "from Fathom", "than Rise and Fall"."""


@dataclass(frozen=True, slots=True)
class Side:
    """``row`` is the paper of a side; ``question`` and ``signals`` are what is asked of it."""

    row: int
    question: Question
    signals: Signals
    named: bool


@dataclass(frozen=True, slots=True)
class Sides:
    """The ``found`` sides in the question's order; ``missing`` are those that no paper here is,
    as the question calls them."""

    found: Sequence[Side]
    missing: Sequence[str] = ()


def sides(
    retriever: Retriever,
    signals: Signals,
    question: Question,
    named: Sequence[int],
    focus: Sequence[int],
    rows: Sequence[int],
) -> Sides:
    """The sides among ``rows``, best first; ``named`` are called by name, and the conversation
    goes on about ``focus``."""
    text = question.standalone
    known = {row: retriever.snapshot.handles[row] for row in [*named, *focus]}
    known |= _mentioned(retriever, text, known, rows) if len(known) == 1 else {}
    absent = _absent(retriever, signals, text, known.values())
    if len(known) > 1 or (known and absent):
        called, told = [*known.values(), *absent], [*known][:SENTENCES]
        if len(known) == 2 and not absent and (clauses := _one_each(text, called)):
            return Sides(_shared_out(retriever, question, told, clauses))
        asked = [_asked_of(text, place, called) for place in range(len(told))]
        each = zip(told, asked, retriever.signals_of(asked), strict=True)
        return Sides([_called(question, *side) for side in each], absent)
    described = _described(retriever, question, named, rows)
    if described:
        return described
    best = list(dict.fromkeys([*known, *rows]))[:2]
    return Sides([Side(row, question, signals, row in known) for row in best])


def beside(retriever: Retriever, text: str, row: int) -> bool:
    """Whether a question holds a paper against something that the paper says nothing of, so that
    it has to be looked for elsewhere."""
    other = _HELD_AGAINST.search(text)
    own = set(terms(retriever.snapshot.paper(row).indexed_text))
    own |= set(terms(retriever.snapshot.handles[row]))
    said = set(terms(other[1])) if other and not _OTHERS.search(other[1]) else set()
    return bool(said) and not said & own


def side_by_side(retriever: Retriever, compared: Sides) -> list[Evidence]:
    """The best sentence of each side and the better of their second ones, side by side."""
    told = [_told(retriever, side)[:2] for side in compared.found]
    spare = max(SENTENCES - len(told), 0)
    seconds = sorted((s for side in told for s in side[1:]), key=lambda s: (-s.score, s.row))
    dropped = seconds[spare:]
    return [sentence for side in told for sentence in side if sentence not in dropped]


def _told(retriever: Retriever, side: Side) -> list[Evidence]:
    """The sentences of a side, most telling first; what it is belongs to how it compares."""
    sentences = evidence(retriever, side.signals, side.question, side.row, favour=CONTRIBUTION)
    return introducing(retriever.snapshot.paper(side.row), sentences, INTRODUCES)


def weighed(retriever: Retriever, compared: Sides, picked: Sequence[Evidence]) -> Indications:
    """What speaks for the side that is answered best: one that is not leaves a partial answer."""
    return min((_weight(retriever, side, picked) for side in compared.found), key=doubt)


def _weight(retriever: Retriever, side: Side, picked: Sequence[Evidence]) -> Indications:
    own = [sentence for sentence in picked if sentence.row == side.row]
    found = indications(retriever, side.signals, side.question, own, named=side.named)
    return replace(found, covered=max(found.covered, PRESUMED)) if side.named else found


def _one_each(text: str, called: Sequence[str]) -> list[str]:
    """The two clauses of "which one …, and which one …?", which each ask for one of two sides;
    none where there are no two such clauses."""
    clauses = [c for c in _CLAUSE.split(text) if not any(_says(c, name) for name in called)]
    return clauses if len(clauses) == 2 and all(map(_ONE.search, clauses)) else []


def _shared_out(
    retriever: Retriever, question: Question, rows: Sequence[int], clauses: Sequence[str]
) -> list[Side]:
    """Two sides with a clause of their own each, so that the sentences answer best."""
    asked = list(zip(clauses, retriever.signals_of(clauses), strict=True))
    ways = [
        [_called(question, row, *clause) for row, clause in zip(rows, order, strict=True)]
        for order in (asked, asked[::-1])
    ]
    return max(ways, key=lambda way: sum(_best(retriever, side) for side in way))


def _best(retriever: Retriever, side: Side) -> float:
    return evidence(retriever, side.signals, side.question, side.row)[0].score


def _called(question: Question, row: int, text: str, signals: Signals) -> Side:
    """A side that is called by name, and what is asked of it."""
    return Side(row, question.of(text), signals, named=True)


def _mentioned(
    retriever: Retriever, text: str, known: Mapping[int, str], rows: Sequence[int]
) -> dict[int, str]:
    """The paper, besides those ``known``, that alone of the nearest mentions a name of the
    question: it may go by a longer one."""
    for name in dict.fromkeys(TITLE.findall(text)):
        saying = [row for row in rows[:NEAR] if _says(retriever.snapshot.paper(row).text, name)]
        if len(saying) == 1 and saying[0] not in known:
            return {saying[0]: name}
    return {}


def _absent(
    retriever: Retriever, signals: Signals, text: str, called: Iterable[str]
) -> tuple[str, ...]:
    """The names in a question that the corpus lacks."""
    known = {word for name in called for word in words(name)}
    vocabulary = retriever.lexical.vocabulary
    others = [
        name
        for joined, alone in _OTHER.findall(text)
        for name in (_AND.split(joined) if known & {*words(joined)} else [joined or alone])
    ]
    return tuple(
        name
        for name in dict.fromkeys([*TITLE.findall(text), *others])
        if not known & set(words(name)) and unknown_name(f"on {name}", signals.repairs, vocabulary)
    )


def _asked_of(text: str, place: int, called: Sequence[str]) -> str:
    """What a question asks of the side that is called so: its clauses without those that speak of
    other sides only, and without the others' names."""
    clauses = _CLAUSE.split(text)
    others = [*called[:place], *called[place + 1 :]]
    own = [c for c in clauses if _says(c, called[place]) or not any(_says(c, o) for o in others)]
    own = [_without(clause, others) for clause in own]
    asked = " ".join(_EACH.sub("it", _BOTH.sub(" ", " ".join(own))).split())
    if len(own) < len(clauses) and _GAP.search(asked):
        return " ".join(_GAP.sub(" ", _without(text, others)).split())
    return asked if content(asked) else text


def _without(text: str, names: Sequence[str]) -> str:
    for name in names:
        text = _beside(name).sub(" ", text)
    return text


def _says(text: str, name: str) -> bool:
    return bool(_name(name).search(text))


def _name(name: str) -> re.Pattern[str]:
    between = r"\W*".join(map(re.escape, words(name)))
    return re.compile(rf"(?<!\w){between}(?!\w)", re.I)


def _beside(name: str) -> re.Pattern[str]:
    """A name and the word that joins it to the other's."""
    joint = r"(?:and|or|versus|vs\.?|with|from|than|to)"
    called = _name(name).pattern
    return re.compile(rf"{called},? {joint}\b,?|(?:,? \b{joint} )?{called}", re.I)


def _described(
    retriever: Retriever, question: Question, named: Sequence[int], rows: Sequence[int]
) -> Sides | None:
    """The two sides of a question whose parts find different papers most clearly; None if there
    are none such."""
    allowed = set(rows)
    best, clearest = None, 0.0
    splits = list(_splits(question.standalone))
    texts = [part for parts in splits for part in parts]
    signals = dict(zip(texts, retriever.signals_of(texts), strict=True))
    for parts in splits:
        found = [_nearest(retriever, question, p, signals[p], named, allowed) for p in parts]
        clear = min(float(side.signals.fused[side.row]) for side in found)
        if len({side.row for side in found}) == len(found) and clear > clearest + 1e-3:
            best, clearest = found, clear
    if best is None:
        return None
    doubts = [0.0 if side.named else _doubt(retriever, side) for side in best]
    known = [side for side, far in zip(best, doubts, strict=True) if far < MISSING]
    missing = [side.question.asked for side in best if side not in known]
    if not known or any(map(_ASKS.search, missing)) or (missing and min(doubts) > CERTAIN):
        return None
    absent = [side for side in missing if not _OTHERS.search(side)]
    return Sides(known if missing else _asked_alike(retriever, known), absent)


def _asked_alike(retriever: Retriever, pair: Sequence[Side]) -> list[Side]:
    """The two sides; one that has no question of its own is asked what the other is."""
    texts = {
        own.row: f"{_borrowed(retriever, own, other)} {own.question.text}"
        for own, other in (pair, pair[::-1])
        if not _ASKS.search(_GAP.sub(" ", own.question.text))
    }
    asked = dict(zip(texts, retriever.signals_of([*texts.values()]), strict=True))
    return [
        replace(side, question=side.question.of(texts[side.row]), signals=asked[side.row])
        if side.row in texts
        else side
        for side in pair
    ]


def _borrowed(retriever: Retriever, own: Side, other: Side) -> str:
    """What is asked of the other side, without the words that describe it: those that its paper
    has and this one has not."""
    has, lacks = (set(terms(retriever.snapshot.paper(s.row).indexed_text)) for s in (other, own))
    kept = (w for w in other.question.text.split() if not set(terms(w)) & (has - lacks))
    return " ".join(kept)


def _splits(text: str) -> Iterator[tuple[str, str]]:
    """The ways in which a question may fall into two sides, the plainest first."""
    text = _WEIGHED.sub(" ", text)
    places = sorted(_BETWEEN.finditer(text), key=lambda found: (len(found[0]) < 5, found.start()))
    tried = 0
    for found in places[:JOINTS]:
        left, right = _bare(text[: found.start()]), _bare(text[found.end() :])
        if tried < SPLITS and content(left) and content(right):
            tried += 1
            yield left, right


def _bare(part: str) -> str:
    """A part of a question without the words that only hold it against another."""
    part = _SHARED.sub(" ", part).strip(" ,;:?.!")
    return _OPENING.sub("", _OPENING.sub("", part)).strip()


def _nearest(
    retriever: Retriever,
    question: Question,
    part: str,
    signals: Signals,
    named: Sequence[int],
    allowed: Set[int],
) -> Side:
    own = [row for row in named if _says(part, retriever.snapshot.handles[row])]
    if own:
        return _called(question, own[0], part, signals)
    row = next(row for row in retriever.ranked(signals) if row in allowed)
    return Side(row, question.of(part), signals, named=False)


def _doubt(retriever: Retriever, side: Side) -> float:
    """How doubtful it is that anything here is about a side, as of a question of its own; no
    doubt is left where no paper has a word of it."""
    if not any(map(retriever.lexical.knows, side.signals.terms)):
        return 1.0
    sentences = evidence(retriever, side.signals, side.question, side.row)[:1]
    return doubt(indications(retriever, side.signals, side.question, sentences, named=False))
