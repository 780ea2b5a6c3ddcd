"""Which sentences of a reply are its answer, and when it is safe to give them out.

Drops talk, repeats and walls of text, and keeps apart what the model says is missing. What a
later sentence could turn into thoughts or a refusal is held back until it cannot any more.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag.engine.reply.lines import Sentence
from rag.engine.reply.markers import Id
from rag.engine.reply.tidy import tidied
from rag.engine.reply.wordings import (
    asks,
    is_marker,
    is_musing,
    is_talk,
    opens_sources,
    parted,
)

LONGEST = 600
"""Characters of a sentence; what is longer is no sentence."""
REPEATS = 3
"""Repeated sentences in a row after which nothing new is expected."""
TURNS, LONGEST_TURN = 4, 12
"""Times that the same words, at most so many, stand in a row when a model runs in circles."""

_FOOTNOTE = re.compile(r"\x00\s*:")
_BOLD_LINE = re.compile(r"(\*{2,3}|__)[^*]*[^*.!?]\1:?")


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence of a reply, without markers, list marks and emphasis.

    ``ids`` are those that it cites, as written, unknown ones included, without repeats: (paper,
    sentence), or (paper, None) where only the paper is named.
    """

    text: str
    ids: tuple[tuple[int, int | None], ...]


class Sieve:
    """Takes sentences in; ``taken`` gives out those of the answer.

    ``over``: nothing that follows belongs to the reply. ``remarks``: what it says is missing.
    ``refused``: once settled, that it does not answer at all.
    """

    def __init__(self) -> None:
        self.refused = False
        self._given: list[str] = []  # what has been given out and cannot be taken back
        self._out: list[Said] = []
        self.forget()

    def forget(self) -> None:
        """Begin anew with what has not been given out: it was thought, not said."""
        self.over = False
        self.remarks: list[str] = []
        self._marker = False
        self._musing = False
        self._held: list[Said] = []
        self._row: Sentence | None = None  # a table's row, which may be its header
        self._spare = ""
        self._seen = set(self._given)
        self._repeats = 0

    @property
    def empty(self) -> bool:
        """Whether nothing has been said so far."""
        return not (self._given or self._held)

    def put(self, sentence: Sentence, beside: Sequence[Id] = (), *, whole: bool = True) -> None:
        """The next sentence; ``beside``: its ids if it has none itself; not ``whole``: cut off."""
        if self.over:
            return
        row, self._row = self._row, None
        if row and (sentence.kind != "row" or sentence.begun):  # else it was the table's header
            self._read(row)
        if self.over:
            return
        if sentence.kind == "row" and whole:
            self._row = sentence if sentence.begun else None
        else:
            self._read(sentence, beside, whole)

    def settle(self) -> None:
        """The reply has ended: decide on what was held back."""
        row, self._row = self._row, None
        if row and not self.over:
            self._read(row)
        if self._spare and self.empty and not self.remarks:
            self._held.append(Said(self._spare, ()))
        self._musing = False
        self._release()
        self.refused = bool(self.remarks) and not self._given

    def taken(self) -> list[Said]:
        """What may be given out now, and has not been before."""
        out, self._out = self._out, []
        return out

    def _read(self, sentence: Sentence, beside: Sequence[Id] = (), whole: bool = True) -> None:
        text, own = tidied(sentence)
        ids = own or list(beside)
        if sentence.wall or len(text) > LONGEST or not any(map(str.isalnum, text)):
            return
        if self._is_around(sentence, text):
            return
        missing, text = parted(text, cited=bool(own))
        if missing and self._is_new(missing):
            self.remarks.append(missing)
            self._marker = self._marker or is_marker(missing)
        if not text or not ids and self._announces(sentence, text):
            return
        self._musing = self._musing or (self.empty and is_musing(text))
        if (own or not is_talk(text)) and self._is_new(text) and (whole or self._ends(sentence)):
            self._held.append(Said(text, tuple(dict.fromkeys(ids))))
            self._release()

    def _is_around(self, sentence: Sentence, text: str) -> bool:
        """Whether it is a heading, or begins what is no part of the reply any more."""
        heading = sentence.kind == "heading"
        ends = sentence.kind != "item" and (opens_sources(text) or asks(text, heading=heading))
        defines = _FOOTNOTE.match(sentence.text) and not any(s for _, s in sentence.ids)
        self.over = ends and not self.empty
        return heading or ends or bool(defines) and not self.empty

    def _announces(self, sentence: Sentence, text: str) -> bool:
        """Whether it only leads to what follows: a line in bold, or one with a colon at its end.
        A bold line may turn out to be all there is."""
        bold = bool(_BOLD_LINE.fullmatch(sentence.text.strip()))
        if bold and self.empty:
            self._spare = text
        return bold or sentence.bare.endswith(":")

    def _is_new(self, text: str) -> bool:
        """Whether it says something new; a model that runs in circles is over."""
        words = _squashed(text).split()
        plain = " ".join(words)
        circles = _runs_in_circles(words)
        repeated = plain in self._seen
        self._repeats = self._repeats + 1 if repeated else 0
        self._seen.add(plain)
        self.over = circles or self._repeats >= REPEATS
        return not (circles or repeated)

    def _ends(self, sentence: Sentence) -> bool:
        """Whether the last sentence of a reply that was cut off is whole; ids may be missing."""
        cited = bool(sentence.ids) and (sentence.stopped or sentence.marked)
        return cited or self.empty and sentence.stopped

    def _release(self) -> None:
        """Give out what is held back, if nothing can turn it into thoughts or a refusal."""
        cited = any(said.ids for said in self._held)
        beyond_remark = len(self._held) > 1 and not self._marker
        if not self._musing and (not self.remarks or self._given or cited or beyond_remark):
            self._given += [_squashed(said.text) for said in self._held]
            self._out += self._held
            self._held = []


def _squashed(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _runs_in_circles(words: Sequence[str]) -> bool:
    """Whether the same few words stand in a row again and again."""
    for length in range(1, LONGEST_TURN + 1):
        run = 0
        for word, earlier in zip(words[length:], words, strict=False):
            run = run + 1 if word == earlier else 0
            if run >= length * (TURNS - 1):
                return True
    return False
