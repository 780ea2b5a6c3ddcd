"""Selections → digests: has every line written once, then each digest put together.

With a model, several requests are under way at once; without, everything is quoted. Lines and
replies are kept by those who write them, so that after a failure only the rest is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rag.digest.build import Builder, made_from
from rag.digest.select import Selection, renamed
from rag.digest.written import Namer, Overviewer
from rag.engine.check import Checker
from rag.engine.writer import Writer
from rag.models import Message
from rag.prompts import Task
from rag.store.snapshot import Snapshot
from rag.summarize import Summarizer
from rag.summarize.many import side_by_side, summaries
from rag.types import Digest, Summary

Watch = Callable[[str, int], Callable[[], None]]
"""Told what is to be done and how often; what it returns is called each time that it was."""


def unwatched(what: str, total: int) -> Callable[[], None]:
    """Watches nothing."""
    return lambda: None


@dataclass(frozen=True)
class Writing:
    """What a model adds: overviews after the prompts of ``writer``, names after ``naming``."""

    writer: Writer
    naming: Task


@dataclass(frozen=True)
class Editor:
    """Makes digests over one snapshot. ``jobs`` requests to a model are under way at once."""

    snapshot: Snapshot
    summarizer: Summarizer
    checker: Checker
    writing: Writing | None = None
    strict: bool = False
    jobs: int = 1
    watch: Watch = unwatched

    def digests(
        self, selections: Sequence[Selection], settings: Mapping[str, Any], rename: bool = False
    ) -> list[Digest]:
        """A digest of each selection; ``rename`` lets a model, if there is one, name them.

        Raises EndpointError's kinds and BudgetError with a model; nothing else.
        """
        lines = self._lines(selections)
        if rename and self.writing:
            selections = renamed(selections, self._names(self.writing, selections, lines))
        builder = self._builder(lines, settings)
        return self._each(builder.digest, selections, "digests")

    def requests(
        self, selections: Sequence[Selection], rename: bool = False
    ) -> Iterator[tuple[list[Message], int]]:
        """What a model would be asked for names and overviews, with the most tokens of each reply;
        the lines are written for it, so they should cost nothing."""
        lines = self._lines(selections)
        if not self.writing:
            return
        namer = Namer(self.writing.writer.model, self.writing.naming, lines)
        builder = self._builder(lines, {})
        for selection in selections:
            if rename:
                yield namer.messages(selection), namer.limit
            messages = builder.messages(selection)
            if messages:
                yield messages, self.writing.writer.limit

    def rows(self, selections: Sequence[Selection]) -> list[int]:
        """Rows of the papers that are in any of the selections."""
        return sorted({row for selection in selections for row in selection.rows})

    def _lines(self, selections: Sequence[Selection]) -> dict[int, Summary]:
        """The line of every paper that is in any of the selections."""
        rows = self.rows(selections)
        done = self.watch("lines", len(rows))
        lines = {}
        written = summaries(self.summarizer, self.snapshot, rows, self.jobs)
        for row, line in zip(rows, written, strict=True):
            lines[row] = line
            done()
        return lines

    def _names(
        self, writing: Writing, selections: Sequence[Selection], lines: Mapping[int, Summary]
    ) -> list[str]:
        namer = Namer(writing.writer.model, writing.naming, lines)
        return self._each(namer.name, selections, "names")

    def _builder(self, lines: Mapping[int, Summary], settings: Mapping[str, Any]) -> Builder:
        prompts, model, overviewer = [self.summarizer.identity], None, None
        if self.writing:
            prompts += [self.writing.writer.task.identity, self.writing.naming.identity]
            model = self.writing.writer.model.name
            overviewer = Overviewer(self.writing.writer, self.snapshot)
        made = made_from(self.snapshot, settings, prompts, model)
        return Builder(self.snapshot, lines, self.checker, made, overviewer, self.strict)

    def _each(
        self,
        make: Callable[[Selection], Any],
        selections: Sequence[Selection],
        what: str,
    ) -> list[Any]:
        """What ``make`` makes of each selection, in order."""
        done = self.watch(what, len(selections))
        made = []
        for each in side_by_side(make, selections, self.jobs):
            made.append(each)
            done()
        return made
