"""Drafts → rows of the suite of questions, ``ask.jsonl``, to which cases are added.

Knows what may stand in it beside what is there; not what makes a case worth having.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from rag.corpus.sentences import sentence_spans
from rag.engine.question import Turn
from rag.errors import PaperNotFound, QuestionError, SourceError
from rag.evaluate.as_json import dumps
from rag.evaluate.cases import read_case, read_suites, suite_files
from rag.evaluate.draft import Draft
from rag.evaluate.lint import Index, Remark, of_case
from rag.evaluate.papers import Names
from rag.evaluate.schema import LINE
from rag.evaluate.types import Case
from rag.retrieve.terms import STOP_WORDS, words

SLUG_WORDS = 5
"""Words of a question in the id of its case."""


def written_name(names: Names, paper_id: str) -> str:
    """How a case that is written here calls a paper: by the key of papers.jsonl if it has one, else
    by its title if no other paper goes by it, else by its handle if no other does, else by its id.

    A title stays what it is when a list is read again, and tells more than an id; a handle may be
    a title cut short."""
    row = names.snapshot.row_of.get(paper_id)
    name = names.name_of(paper_id)
    if row is None or name not in (names.snapshot.handles[row], paper_id):
        return name
    title = names.snapshot.paper(row).title or ""
    with suppress(PaperNotFound):
        if re.fullmatch(LINE, title) and names.rows([title]) == [row]:
            return title
    return name


def case_row(draft: Draft, id: str, names: Names) -> dict[str, Any]:
    """The row of a suite that a draft becomes, with names for the ids of papers; what it does not
    expect is left out."""
    name_of = partial(written_name, names)
    row = {
        "id": id,
        "kind": draft.kind,
        "question": draft.question,
        "history": [_written(turn, name_of) for turn in draft.history],
        "gold": [*map(name_of, draft.gold)],
        "facts": [list(fact) if len(fact) > 1 else fact[0] for fact in draft.facts],
        "forbidden": list(draft.forbidden),
        "outcome": draft.outcome,
        "reference": draft.reference,
        "tags": list(draft.tags),
    }
    return {name: value for name, value in row.items() if value}


def _written(turn: Turn, name_of: Callable[[str], str]) -> list[Any]:
    """A turn of a row. Of one that was refused no more than the refusal: what was near to it would
    be taken for what it was about."""
    if turn.refused:
        start, end = next(iter(sentence_spans(turn.answer)), (0, 0))
        return [turn.question, turn.answer[start:end], []]
    return [turn.question, turn.answer, [*map(name_of, turn.papers)]]


def remarks(row: Mapping[str, Any], index: Index) -> list[Remark]:
    """What is wrong with a row for suite ask: with a mistake in a field, no more than that."""
    case, wrong = read_case("ask", row)
    if case is None or wrong:
        return [Remark(error.message, error.fix) for error in wrong]
    return [*of_case(case), *index.remarks(case)]


class Suite:
    """The cases of suite ask that a folder has, to which others are added.

    Raises SourceError where one of its files is not what it should be.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / "ask.jsonl"
        self._ids: set[str] = set()
        self._asked: dict[tuple[str, ...], str] = {}
        for case in _cases(folder):
            self._note(case.id, case.subject, [turn.question for turn in case.history])

    def has(self, draft: Draft) -> bool:
        """Whether a case asks the same after the same questions."""
        return _asked(draft.question, [turn.question for turn in draft.history]) in self._asked

    def id_for(self, question: str) -> str:
        """An id that no case has, from the words of a question."""
        telling = [word for word in words(question) if word not in STOP_WORDS]
        plain = unicodedata.normalize("NFKD", "-".join(telling[:SLUG_WORDS]))
        slug = re.sub(r"[^a-z0-9]+", "-", plain.encode("ascii", "ignore").decode()).strip("-")
        slug = slug[:60] or "case"
        numbered = (f"{slug}-{n}" for n in range(2, len(self._ids) + 3))
        return slug if slug not in self._ids else next(n for n in numbered if n not in self._ids)

    def check(self, row: Mapping[str, Any]) -> None:
        """Raise QuestionError where the suite has its id, or its question after its history."""
        if row["id"] in self._ids:
            raise QuestionError(f"There is a case {row['id']!r} already.", "give another with --id")
        turns = [turn[0] for turn in row.get("history", ())]
        known = self._asked.get(_asked(row["question"], turns))
        if known:
            message = f"The case {known!r} asks just that already."
            raise QuestionError(message, f"change it in {self.path.parent}, or ask something else")

    def add(self, row: Mapping[str, Any]) -> None:
        """Write a row; raises QuestionError as ``check`` does, and SourceError."""
        self.check(row)
        append_line(self.path, dumps(row))
        self.take(row)

    def take(self, row: Mapping[str, Any]) -> None:
        """Count a row among the cases without writing it."""
        self._note(row["id"], row["question"], [turn[0] for turn in row.get("history", ())])

    def _note(self, id: str, question: str, turns: Sequence[str]) -> None:
        self._ids.add(id)
        self._asked.setdefault(_asked(question, turns), id)


def _cases(folder: Path) -> list[Case]:
    try:
        files = suite_files(folder, ["ask"])
    except SourceError:  # there is none yet
        return []
    suites, problems = read_suites(files)
    if problems:
        raise SourceError(str(problems[0]), problems[0].fix)
    return [placed.case for placed in suites["ask"]]


def _asked(question: str, turns: Sequence[str]) -> tuple[str, ...]:
    return tuple(" ".join(words(text)) for text in (question, *turns))


def append_line(path: Path, line: str) -> None:
    """Add a line to a file, whole or not at all; its folder is made. Raises SourceError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab+", buffering=0) as stream:
            size = stream.seek(0, os.SEEK_END)
            stream.seek(max(0, size - 1))
            unended = size and stream.read(1) != b"\n"
            data = f"{chr(10) if unended else ''}{line}\n".encode()
            if stream.write(data) != len(data):
                stream.truncate(size)
                raise OSError("no room left")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        fix = "check the folder's permissions and the room on its disk"
        raise SourceError(f"{path} cannot be written: {reason}.", fix) from error
