"""The sentences of a reply, each with the ids that stand at it, from its tokens.

A sentence is complete when the first word of the next one is there: until then ids may follow.
Knows lists, tables and headings; judges nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from rag.corpus.sentences import OPENERS, sentence_spans
from rag.engine.reply.markers import Id, marker
from rag.engine.reply.tokens import Token

MARK = "\x00"
"""Stands in a sentence where ids stood; no token has one."""
WALL = 700
"""Characters after which what has no end is no sentence; only its tail is kept."""

_TAIL, _PROBE = 80, 30  # characters that decide what a bracket is, and whether a stop is an end
_DRESS = "\x00*_ "
_UNDRESSED = str.maketrans("", "", "\x00*_")
_STOPS = tuple(".!?…。！？")
_WIDE = tuple("。！？")
_CLOSERS = "\"'”’)]」』）"
_OPENS_IDS = "([,;"
_JOINS = re.compile(r"[.,;:!?&)\]*_–-]+|and")
_BULLET = re.compile(r"[-*+•‣▪◦●○·–—]|\d{1,2}[.)]|\(\d{1,2}\)|\(?[a-z]\)")
_HEADING = re.compile(r"#{1,6}|#{2,6}\w\S*")
_LINE = re.compile(rf"(?:{_BULLET.pattern}|{_HEADING.pattern})$|[|>•‣▪◦●○]")
_CARRY = frozenset(
    "a an the of and or by with to in on for from that which is are at as than its their our named"
    " called per via into".split()
)
_ASIDE = re.compile(r"\W*(?:sources?|citations?|references?|refs?)\W*:\W*", re.I)
_LINK = re.compile(r"\((?:#|https?:|www\.|\.?/)")
_GLUED = re.compile(r"([.!?]+)([^\W\d].*)", re.DOTALL)
_LANGUAGE = re.compile(r"json\w?|te?xt|plain\w*|markdown|md|python|x?html|xml|yaml|latex|tex|none")


@dataclass
class Sentence:
    """What stands between two sentence ends, ``text`` as written but for MARK in place of ids.

    ``kind`` is "text", "item", "row" or "heading"; ``begun``: it has a letter or digit;
    ``leading``: ids stand before it; ``wall``: it is too long, and only its tail is left.
    """

    kind: str = "text"
    text: str = ""
    ids: list[Id] = field(default_factory=list)
    begun: bool = False
    leading: bool = False
    wall: bool = False

    @property
    def tail(self) -> str:
        """Its last characters."""
        return self.text[-_TAIL:]

    @property
    def bare(self) -> str:
        """Its tail without ids and emphasis at the end."""
        return self.tail.rstrip(_DRESS)

    @property
    def core(self) -> str:
        """Its tail without ids, emphasis, quotes and brackets at the end."""
        core = self.tail.rstrip(_DRESS + _CLOSERS)
        return core.rstrip(_DRESS + _OPENS_IDS) if MARK in self.tail[len(core) :] else core

    @property
    def stopped(self) -> bool:
        """Whether it ends as a sentence does."""
        return self.core.endswith(_STOPS)

    @property
    def marked(self) -> bool:
        """Whether it ends with ids."""
        return MARK in self.text[len(self.text.rstrip(_DRESS)) :]

    def add(self, gap: str, piece: str) -> None:
        self.text += f" {piece}" if gap and self.text else piece
        self.begun = self.begun or any(map(str.isalnum, piece))
        if len(self.text) > WALL:
            self.text, self.wall = self.text[-_TAIL:], True


class Lines:
    """Makes sentences of tokens. ``now`` is the one that is being read."""

    def __init__(self) -> None:
        self._trailing = False  # whether this model puts ids behind its sentences
        self._reset()

    def _reset(self) -> None:
        self.now = Sentence()
        self._gap = "\n"  # the white space since the last word; only line ends, if any
        self._between: list[Id] = []  # ids between two sentences: the next word tells whose
        self._aside = ""  # "Source:" on its own line: ids may follow, or a list of papers
        self._fence = False

    @property
    def open(self) -> bool:
        """Whether something else than a sentence may begin here."""
        return "\n" in self._gap or not self.now.begun or self.now.text.endswith(":")

    def take(self, token: Token) -> Iterator[Sentence]:
        """The sentences that ``token`` shows to be complete."""
        fence, self._fence = self._fence, token.kind == "tick" and len(token.raw) > 2
        if token.kind == "space":
            self._gap = self._gap or " "
        elif token.kind == "newline":
            yield from self._line_end()
        elif self._fence:
            self._gap = "\n"
        elif token.kind in ("bracket", "super", "cut"):
            yield from self._bracket(token)
        elif token.kind != "tick" and not (fence and _LANGUAGE.fullmatch(token.raw)):
            yield from self._word(token.raw)

    def _bracket(self, token: Token) -> Iterator[Sentence]:
        ids = marker(token.raw, self.now.tail)
        link = not self._gap and self.now.marked and _LINK.match(token.raw)
        if ids is not None:
            self._mark(ids)
        elif token.kind != "cut" and not link:
            yield from self._word(token.raw)

    def finish(self) -> Iterator[Sentence]:
        """What has been read of a sentence, if anything; what follows is on a new line."""
        self._settle()
        now = self.now
        self._reset()
        if now.begun or now.ids or now.kind == "row":
            yield now

    def _settle(self) -> None:
        """Give ids that no sentence followed to the one before."""
        if self._between:
            self.now.ids += self._between
            self.now.add(" ", MARK)
            self._between = []

    def _line_end(self) -> Iterator[Sentence]:
        if self._between:
            self._aside = ""
        self._settle()
        self._gap = self._gap.strip(" ") + "\n"
        if self.now.kind in ("row", "heading"):
            yield from self.finish()

    def _mark(self, ids: list[Id]) -> None:
        """Ids belong to the sentence that they end, or to the one that they begin."""
        now, gap, self._gap = self.now, self._gap, ""
        ended = now.stopped and (now.leading or "\n" in gap and not self._trailing)
        new_line = "\n" in gap and (now.ids or now.text.endswith(":") or gap.count("\n") > 1)
        if now.begun and (ended or new_line) or self._between or self._aside:
            self._between += ids
            return
        now.leading = now.leading or not now.begun
        self._trailing = self._trailing or not now.leading
        now.ids += ids
        now.add(gap, MARK)

    def _word(self, word: str) -> Iterator[Sentence]:
        glued = _GLUED.match(word) if self.now.marked and not self._gap else None
        if glued:
            yield from self._word(glued[1])
            self._gap, word = " ", glued[2]
        if (self._between or self._aside) and _JOINS.fullmatch(word):
            if self._aside or word[0] not in ".!?:":
                return
            if word[0] != ":":
                self._settle()
        if self._aside:
            self._between = []  # they are of a list of papers
            yield self._next(self._aside)
        elif self._between:
            yield self._next(MARK)
        elif self.now.begun and self._begins(word):
            if _ASIDE.fullmatch(word):
                self._aside, self._gap = word, ""
                return
            yield self._next()
        if "\n" in self._gap and not self.now.begun:
            word = self._opened(word)
        self.now.add(self._gap, word)
        self._gap = ""

    def _next(self, text: str = "") -> Sentence:
        """Begin another sentence, with ``text`` and the ids that wait for it; returns the last."""
        last, ids = self.now, self._between
        self.now = Sentence(text=text, ids=ids, leading=bool(ids))
        self._between, self._aside = [], ""
        return last

    def _begins(self, word: str) -> bool:
        """Whether a sentence ends where ``word`` comes next."""
        if "\n" not in self._gap:
            return self._ends(word)
        blank_line = self._gap.count("\n") > 1
        announced = self.now.text.endswith(":")
        return blank_line or announced or bool(_LINE.match(word)) or self._breaks(word)

    def _breaks(self, word: str) -> bool:
        """Whether a line's end before ``word`` is more than a wrapped line."""
        if self.now.stopped or self.now.marked:
            return True
        last = " ".join(self.now.bare.split()[-1:]).lower()
        first = word.lstrip("*_\"“'‘")[:1]
        carried = last in _CARRY or last.endswith(",")
        return not carried and (not first or first.isalpha() and not first.islower())

    def _ends(self, word: str) -> bool:
        """Whether a sentence ends before ``word`` on the same line."""
        now, core = self.now, self.now.core
        if not now.stopped:
            return now.marked and word in OPENERS
        if core.endswith(_WIDE):
            return True
        if not (self._gap or now.marked) or not any(map(str.isalnum, word)):
            return False
        tail, word = core[-_PROBE:].translate(_UNDRESSED), word.lstrip("*_")
        if MARK in now.tail[len(core) - 2 :]:  # ids beside a stop: also small letters may follow
            word = word.capitalize()
        return sentence_spans(f"{tail} {word}")[-1][0] == len(tail) + 1

    def _opened(self, word: str) -> str:
        """What is left of the first word of a line without that which says its kind."""
        if _BULLET.fullmatch(word):
            self.now.kind = "item"
            return ""
        if _HEADING.fullmatch(word):
            self.now.kind = "heading"
            return word.lstrip("#")
        if word.startswith("|"):
            self.now.kind = "row"
        return word.lstrip(">•‣▪◦●○")
