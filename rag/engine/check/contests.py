"""Who beats whom: the one thing in which a sentence may not be turned round.

"A beats B" has all the words of "B beats A", and of "A is beaten by B". Only the side on which a
paper's own system stands is looked at: what stands on the other is paraphrased too freely.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rag.engine.check.reading import Reading, read

_BEATS = re.compile(
    r"\b(?:beat(?:s|en|ing)?|outperform(?:s|ed|ing)?|surpass(?:es|ed|ing)?|outdo(?:es)?|outdid"
    r"|exceed(?:s|ed|ing)?|outscor(?:es?|ed|ing))\b"
    r"|\b(?:better|stronger|faster|more \w+) than\b|\bsuperior to\b|\bwins? (?:over|against)\b",
    re.I,
)
_PASSIVE = re.compile(r"\b(?:is|are|was|were|be|been|being|gets?|got)\s+(?:\w+ly\s+)?$", re.I)
_BY = re.compile(r"\s+by\b", re.I)
_AUTHORS = r"we|our \w+|ours|the (?:proposed )?(?:method|model|system|approach|framework)"
_CLAUSE = re.compile(r"[,;:.?!]\s|\b(?:and|but|while|whereas|which|that)\b", re.I)


def reversed_contest(said: Reading, quoted: Sequence[tuple[Reading, str]]) -> bool:
    """Whether a statement has a system lose where its quotes only have it win, or the reverse.

    ``quoted`` are quotes with the handle of their paper.
    """
    for handle in {handle for _, handle in quoted if handle}:
        stated = {*_sides(said, re.escape(read(handle).text))}
        own = rf"{re.escape(read(handle).text)}|{_AUTHORS}"
        found = {side for quote, of in quoted if of == handle for side in _sides(quote, own)}
        if len(stated) == 1 and len(found) == 1 and stated != found:
            return True
    return False


def _sides(reading: Reading, own: str) -> Iterator[bool]:
    """For each contest in which ``own`` (a pattern) is, whether it is the winner."""
    name = re.compile(rf"(?<!\w)(?:{own})(?!\w)", re.I)
    for contest in _BEATS.finditer(reading.text):
        before = _CLAUSE.split(reading.text[: contest.start()])[-1]
        behind = _CLAUSE.split(reading.text[contest.end() :])[0]
        passive = bool(_PASSIVE.search(before) and _BY.match(behind))
        first, second = bool(name.search(before)), bool(name.search(behind))
        if first != second:
            yield first != passive
