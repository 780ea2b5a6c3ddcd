"""The words of a question as they were meant: slips of the finger put right before it is read.

A word is taken for a slip if neither a paper has it nor English, as far as the embedder's
vocabulary and the words of known topics go; for which one, the papers decide before English
does. Names are for ``rag.engine.names``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from rag.retrieve.content import content_term
from rag.retrieve.kin import known_words
from rag.retrieve.spelling import LONGEST, SUBSTITUTED, near_slips, slips
from rag.retrieve.terms import stem

if TYPE_CHECKING:
    from rag.retrieve.lexical import Lexical

Rank = Callable[[str], int | None]
"""How many words of English are more frequent than a word; None for what is none."""
Said = Callable[[str], bool]
"""Whether a paper has a word, in just this form."""

CORRECTED = 20
"""Words of a question that are put right at most."""
COMMON, COMMONEST = 7_000, 2_500
"""Ranks up to which a word may have been meant that no paper has: a longer one, and a short one,
whose every letter makes another word of it."""

_WORD = re.compile(
    rf"(?<![\w'’./@])(?:(?:^|(?<=[.?!] ))[A-Z][a-z]{{4,{LONGEST}}}|[a-z]{{5,{LONGEST}}})(?![\w'’@])"
)


def corrected(question: str, lexical: Lexical, rank: Rank, said: Said) -> str:
    """The question with its slips put right, unless most of its words are unknown: that is
    another language."""
    words = dict.fromkeys(found[0].lower() for found in _WORD.finditer(question))
    strange = [word for word in words if lexical.strange(word) and not _of_the_field(word)]
    if not strange or 2 * len(strange) > len(question.split()):
        return question
    meant = {word: _meant(word, lexical, rank, said) for word in strange[:CORRECTED]}

    def put_right(found: re.Match[str]) -> str:
        word = meant.get(found[0].lower()) or found[0]
        return word.capitalize() if found[0][0].isupper() else word

    return _WORD.sub(put_right, question)


def _of_the_field(word: str) -> bool:
    return content_term(word) in known_words()


def _meant(word: str, lexical: Lexical, rank: Rank, said: Said) -> str | None:
    """The likeliest word one slip away; None if there is none."""
    short = len(word) < SUBSTITUTED
    found = near_slips(word) if short else slips(word)
    known = [slip for slip in found if lexical.knows(stem(slip))]
    own = [(_place(rank, slip), slip) for slip in known if rank(slip) is not None or said(slip)]
    english = ((_place(rank, slip), slip) for slip in found)
    common = [each for each in english if each[0] < (COMMONEST if short else COMMON)]
    return min(own or common, default=(0, None))[1]


def _place(rank: Rank, word: str) -> int:
    place = rank(word)
    return COMMON if place is None else place
