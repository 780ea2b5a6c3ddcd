"""The papers that a conversation has shown and named, and what to call them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from rag.engine.names import Names
from rag.engine.question import Turn, context_of, kind_of
from rag.retrieve.terms import words
from rag.types import Paper

TURNS = 4
"""Turns looked back on."""
QUESTION_CHARS = 1_000
"""Of a question that leans on another or is leaned on; a longer one says enough."""
SHORT = 3
"""Words of a name that can stand in a sentence for a pronoun."""
SEVERAL = 5
"""Papers called by name at once."""


@dataclass(frozen=True)
class Past:
    """A conversation so far. Papers are rows of the index: ``paper`` gives the paper of a row,
    ``row_of`` the row of a paper_id or None, ``nearest`` the row that a text is most like."""

    history: Sequence[Turn]
    names: Names
    paper: Callable[[int], Paper]
    row_of: Callable[[str], int | None]
    nearest: Callable[[str], int]

    @cached_property
    def turns(self) -> list[Turn]:
        """The turns that count, the latest first."""
        return list(self.history[: -TURNS - 1 : -1])

    def shown(self, turn: Turn) -> list[int]:
        """The papers of a turn in the order in which a reader has them numbered."""
        rows = [row for key in turn.papers if (row := self.row_of(key)) is not None]
        return rows or self.names.rows(f"{turn.question} {turn.answer}")

    @cached_property
    def subjects(self) -> list[int]:
        """The papers of the latest turn that has any, the one it is about first; none where all
        that was asked has been refused."""
        told = [turn for turn in self.turns if self.about(turn) or not turn.refused][:2]
        rows = next(filter(None, map(self.about, told)), [])
        return rows or [self.nearest(context_of(told[::-1]))] if told else []

    def about(self, turn: Turn) -> list[int]:
        """The papers of a turn, those that the question names first."""
        shown = () if turn.refused else self.shown(turn)
        return list(dict.fromkeys([*self.named(turn.question), *shown]))

    @cached_property
    def last_two(self) -> list[int]:
        """The two papers that the turns were about one after the other, in that order; fewer
        where there were not two."""
        each = dict.fromkeys(rows[0] for turn in self.turns if (rows := self.about(turn)))
        return list(each)[1::-1]

    @cached_property
    def plural(self) -> bool:
        """Whether the last turn was about several papers together."""
        asked = self.turns[0].question
        several = kind_of(asked) in ("list", "count", "compare") and not self.turns[0].refused
        return len(self.named(asked)) > 1 or (several and len(self.subjects) > 1)

    def listed(self, least: int) -> list[int]:
        """The papers of the latest turn that showed so many; else of the latest that has any."""
        return self._latest(self.turns, least)

    def _latest(self, turns: Sequence[Turn], least: int) -> list[int]:
        shown = map(self.shown, turns)
        return next((rows for rows in shown if len(rows) >= least), self.subjects)

    @cached_property
    def together(self) -> list[int]:
        """The papers that "both" or "they" means."""
        named = self.named(self.turns[0].question)
        answered = [turn for turn in self.turns if not turn.refused]
        return named if len(named) > 1 else self._latest(answered or self.turns, 2)

    def named(self, text: str) -> list[int]:
        """Rows of the papers that a text calls by a handle or by what we have called them."""
        titled = [row for row, title in self._titles.items() if title in text]
        for row in titled:
            text = text.replace(self._titles[row], " ")
        return list(dict.fromkeys([*titled, *self.names.rows(text)]))

    def mention(self, text: str, row: int) -> tuple[int, int] | None:
        """Where a text calls a paper by name, its last mention; None where it does not."""
        handle = r"[\W_]*".join(map(re.escape, words(self.paper(row).handle)))
        either = "|".join(filter(None, (re.escape(self.call(row)), handle)))
        found = re.finditer(rf"(?<!\w)(?:{either})(?!\w)", text, re.I)
        return max((mention.span() for mention in found), default=None)

    def call(self, row: int) -> str:
        """What to call a paper: by its handle if that is one word, else by its title."""
        paper = self.paper(row)
        return paper.name if " " in paper.handle else paper.handle

    def joined(self, rows: Sequence[int]) -> str | None:
        """Names that can stand in a sentence; None where they are too long or too many."""
        called = [self.call(row) for row in rows]
        if len(rows) > SEVERAL or any(len(name.split()) > SHORT for name in called):
            return None
        return " and ".join(filter(None, [", ".join(called[:-1]), called[-1]]))

    def before(self, rows: Sequence[int], question: str) -> str:
        """The question with the names of its papers before it."""
        called = [self.call(row) for row in rows[:SEVERAL]]
        more = f" and {len(rows) - SEVERAL} more" if len(rows) > SEVERAL else ""
        return f"{'; '.join(called)}{more}: {question}"

    def ask_about(self, rows: Sequence[int]) -> str:
        """The question what papers are about, for who only points at them."""
        called = [self.call(row) for row in rows[:SEVERAL]]
        names = " and ".join(filter(None, [", ".join(called[:-1]), called[-1]]))
        return f"What {'is' if len(called) == 1 else 'are'} {names} about?"

    @cached_property
    def _titles(self) -> dict[int, str]:
        """What the papers shown have been called, where that is no handle."""
        keys = dict.fromkeys(key for turn in self.turns for key in turn.papers)
        rows = [row for key in keys if (row := self.row_of(key)) is not None]
        return {row: name for row in rows if " " in (name := self.call(row))}
