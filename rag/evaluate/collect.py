"""Answers that somebody liked or did not → cases, in the folder of the evals.

Knows what a case can be made of and how it gets into ``ask.jsonl``; asks nobody anything.
"""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from rag.corpus.sentences import sentence_spans
from rag.digest.figures import figures
from rag.engine.check.naming import names as names_in
from rag.engine.check.reading import read
from rag.engine.question import Turn
from rag.errors import QuestionError, SourceError
from rag.evaluate.cases import read_case, read_suites, suite_files
from rag.evaluate.draft import Draft, Facts
from rag.evaluate.draft_figures import facts_of_figure
from rag.evaluate.lint import REFUSED, Index, Remark, of_case
from rag.evaluate.matching import found, missing, present
from rag.evaluate.said import LAST
from rag.evaluate.types import Case
from rag.retrieve.terms import STOP_WORDS, words
from rag.types import Outcome

FACTS = 3
"""Facts proposed of an answer, at most."""
SLUG_WORDS = 5
"""Words of a question in the id of its case."""


@dataclass(frozen=True, slots=True)
class Said:
    """A question and what came of it: ``cited`` and ``papers`` are paper_ids, ``quotes`` what the
    answer rests on; ``filtered`` if it was put to some of the papers only."""

    question: str
    standalone: str
    history: tuple[Turn, ...]
    kind: str
    got: Outcome
    cited: tuple[str, ...]
    papers: tuple[str, ...]
    quotes: tuple[str, ...]
    answer: str
    filtered: bool = False

    @property
    def refused(self) -> bool:
        return self.got in REFUSED

    @property
    def follows_up(self) -> bool:
        """Whether it was understood with the help of what was said before."""
        return self.standalone != self.question


def said_of(row: Mapping[str, Any]) -> Said:
    """What a kept row says; raises ValueError for what is no such row."""
    texts = {name: _whole(row.get(name)) for name in ("question", "kind", "got", "answer")}
    lists = {name: _texts(row.get(name, [])) for name in ("cited", "papers", "quotes")}
    standalone = _whole(row.get("standalone", texts["question"]))
    history = tuple(map(_turn, _list(row.get("history", []))))
    more = {"history": history, "filtered": row.get("filtered") is True}
    return Said(standalone=standalone, **texts, **lists, **more)  # type: ignore[arg-type]


def _whole(value: object) -> str:
    """A text without half characters, which no case may hold."""
    if not isinstance(value, str):
        raise ValueError(f"expected text, not {value!r}")
    return value.encode("utf-8", "replace").decode()


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"expected a list, not {value!r}")
    return value


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(_whole, _list(value)))


def _turn(value: object) -> Turn:
    match value:
        case [question, answer, papers, *rest]:
            return Turn(_whole(question), _whole(answer), _texts(papers), rest == [True])
    raise ValueError(f"expected a turn, not {value!r}")


def last_said(store: Path) -> Said:
    """What was last asked of an index; raises QuestionError where nothing was, or SourceError."""
    path = store / LAST
    try:
        return said_of(cast("dict[str, Any]", json.loads(path.read_bytes())))
    except FileNotFoundError as error:
        fix = 'ask something first: rag ask "…"'
        raise QuestionError(f"Nothing has been asked of {store} yet.", fix) from error
    except (OSError, ValueError, AttributeError, RecursionError) as error:
        raise SourceError(
            f"{path} cannot be read ({error}).", 'rag ask "…" writes it anew'
        ) from error


def draft_of(said: Said, *, good: bool, why: str = "", tags: tuple[str, ...] = ()) -> Draft:
    """A case of an answer. Of a good one it expects the papers cited, the outcome, and what the
    quotes say that the question does not; of a bad one a person has to say what is right. Only a
    follow-up needs its history."""
    quote = said.quotes[0] if said.quotes else ""
    history = said.history if said.follows_up else ()
    bare = Draft(said.question, (), (), said.kind, quote, why, tags, history)
    return expecting(bare, said) if good else bare


def expecting(draft: Draft, said: Said) -> Draft:
    """The draft with what an answer brought as its expectations."""
    facts = proposed_facts(said, f"{draft.question} {said.question} {said.standalone}")
    return replace(draft, gold=said.cited, facts=facts, outcome=said.got)


def proposed_facts(said: Said, question: str) -> Facts:
    """Figures of an answer's quotes and then names in them, as far as the answer says them and the
    question does not."""
    told = [fact for quote in said.quotes for fact in _figures(quote)]
    told += [(name,) for quote in said.quotes for name in _names(quote)]
    lacking = missing(told, question)
    said_too = (fact for fact in lacking if any(found(one, said.answer) for one in fact))
    return tuple(dict.fromkeys(said_too))[:FACTS]


def _figures(quote: str) -> Iterator[tuple[str, ...]]:
    for figure in figures(quote):
        yield from facts_of_figure(quote[figure.start : figure.end])


def _names(quote: str) -> Iterator[str]:
    return (name.shown for name in names_in(read(quote)) if name.distinct and name.shown)


def would_pass(draft: Draft, said: Said) -> bool:
    """Whether an answer has all that can be told without a judge of what a case expects of it."""
    return (
        (draft.outcome is None or (draft.outcome in REFUSED) == said.refused)
        and set(draft.gold) <= set(said.cited)
        and not missing(draft.facts, "" if said.refused else said.answer)
        and not present(draft.forbidden, said.answer)
    )


def row_of(draft: Draft, id: str, name_of: Callable[[str], str]) -> dict[str, Any]:
    """The row of a suite that a draft becomes, with names for the ids of papers; what it does not
    expect is left out."""
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


def remarks(row: Mapping[str, Any], index: Index | None = None) -> list[Remark]:
    """What is wrong with a row for suite ask: with a mistake in a field, no more than that."""
    case, wrong = read_case("ask", row)
    if case is None or wrong:
        return [Remark(error.message, error.fix) for error in wrong]
    return [*of_case(case), *(index.remarks(case) if index else ())]


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
        append_line(self.path, line_of(row))
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


_BREAKS = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""What some programs end a line at, or could make one read otherwise than it is."""


def line_of(row: Mapping[str, Any]) -> str:
    """A row as one line of JSON for people to edit."""
    text = json.dumps(row, ensure_ascii=False)
    return _BREAKS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


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
