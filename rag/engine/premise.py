"""Whether a question takes for granted what its paper denies, and which sentence denies it.

"Why does it need 50 % of the labels?" is best answered by the sentence that says 5 %. A premise is
held to each sentence of the paper as the evidence checker holds a statement to its quotes: another
number in the same place, the opposite word, a "not" on one side alone. Knows the wording of
questions that presuppose something; a paper that says nothing on the matter denies nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rag.engine.evidence import Evidence
from rag.engine.question import Question
from rag.retrieve.hybrid import Retriever

if TYPE_CHECKING:
    from rag.engine.check.places import Mention
    from rag.engine.check.reading import Reading

CORRECTED = "The question presupposes something; the abstract says otherwise."

ALIKE = 0.5
"""Share of the premise's words of content from which on a sentence is on the same matter, whatever
stands between them."""
SAID = 0.8
"""The same from which on a sentence that does not deny the premise says as much."""
MARGIN = 0.45
"""See ``places.displaced``: what the evidence checker asks for opposites."""

_ENOUGH = re.compile(r"\benough\b", re.I)
"""What a paper would call sufficient, or insufficient."""
_FRAME = re.compile(
    r"^(?:(?:and|but|so|then),? )?(?:(?:why|how)(?: (?:is|are|was|were|do|does|did|has|have|had|can"
    r"|should)(?! not))|why|how come(?: that)?|given that|since|considering that|what explains|if"
    r"|(?:is|isn['’]t) it (?:true|correct|right|the case) that)\b",
    re.I,
)
"""How a question begins that asks for the reason of something, or starts from it."""
_TAG = re.compile(
    r"[,;]? (?:right|correct|true|no|(?:is|are|was|were|do|does|did|has|have|can|could|wo|would)"
    r"n['’]t (?:it|they|he|she|that|that so))\s*\?$",
    re.I,
)
"""How it ends if it asks to be agreed with."""
_SENTENCE = re.compile(r"(?<=[.?!;])\s+")


def denial(retriever: Retriever, question: Question, picked: Sequence[Evidence]) -> Evidence | None:
    """The sentence of the answer's first paper that denies what the question presupposes, with
    the score of the best one; None if none does, or the question is not about one paper."""
    if question.kind not in ("fact", "follow-up") or not picked:
        return None
    best = picked[0]
    paper = retriever.snapshot.paper(best.row)
    spans = retriever.snapshot.spans(best.row)
    texts = [paper.text[start:end] for start, end in spans]
    place = contradicting(question.asked, paper.handle, texts)
    if place is None:
        return None
    start, end = spans[place]
    return replace(best, start=start, end=end, text=texts[place])


def premises(question: str) -> list[str]:
    """What a question takes for granted, as far as its wording tells."""
    said = []
    for part in _SENTENCE.split(question):
        bare = _ENOUGH.sub("sufficient", part)
        bare = _FRAME.sub("", _TAG.sub("", bare)).strip(" ?")
        if bare and (_FRAME.match(part) or _TAG.search(part) or not part.endswith("?")):
            said.append(bare)
    return said if question.rstrip().endswith("?") else []


def contradicting(question: str, name: str, sentences: Sequence[str]) -> int | None:
    """Place of the sentence that denies what the question presupposes of the paper called
    ``name``: of several the one that shares most words with it; None if none does."""
    said = premises(question)
    if not said:
        return None
    from rag.engine.check.reading import read  # its patterns take a while to be compiled

    readings = [read(sentence) for sentence in sentences]
    found = [each for premise in said for each in _denials(read(premise), readings, read(name))]
    return -max(found)[1] if found else None


def _denials(
    premise: Reading, paper: Sequence[Reading], name: Reading
) -> Iterator[tuple[float, int]]:
    """The share and the place, below 0, of the sentences that deny a premise; none if another one
    says the same as it."""
    shares = [_shared(premise, sentence, name) for sentence in paper]
    denied = [
        bool(share) and _denied(premise, sentence, paper, share)
        for sentence, share in zip(paper, shares, strict=True)
    ]
    if any(share >= SAID and not denies for share, denies in zip(shares, denied, strict=True)):
        return
    for place, (share, denies) in enumerate(zip(shares, denied, strict=True)):
        if denies:
            yield share, -place


def _shared(premise: Reading, sentence: Reading, name: Reading) -> float:
    """Share of the premise's words, beyond the paper's name, that a sentence has."""
    asked = {word.stem for word in premise.words if word.content} - name.stems
    return len(asked & sentence.stems) / max(len(asked), 1)


def _denied(premise: Reading, sentence: Reading, paper: Sequence[Reading], shared: float) -> bool:
    """Whether a sentence speaks against a premise."""
    from rag.engine.check.opposites import opposites
    from rag.engine.check.places import displaced
    from rag.engine.check.polarity import contradictions

    stated = {mention.key for reading in paper for mention in _numbers(reading)}
    said = [mention for mention in _numbers(premise) if mention.key not in stated]
    held = [*_numbers(sentence)]
    kinds = {mention.kind for mention in held} - {""}
    return (
        any(displaced(said, held, MARGIN))
        or (shared >= ALIKE and any(mention.kind in kinds for mention in said))
        or any(displaced([*opposites(premise)], [*opposites(sentence)], MARGIN))
        or any(contradictions(premise, [sentence]))
    )


def _numbers(reading: Reading) -> Iterator[Mention]:
    """The numbers of a text as mentions, which can be confused with those of the same unit."""
    from rag.engine.check.numbers import numbers
    from rag.engine.check.places import Mention

    for number in numbers(reading):
        if not (number.name or number.item):
            last = max(reading.index(number.end), number.word + 1)
            key = (number.value, number.unit)
            yield Mention(key, number.unit, reading, number.word, last, new=True)
