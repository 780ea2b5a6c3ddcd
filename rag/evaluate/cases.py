"""What an evaluation asks and expects."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rag.engine.question import Turn
from rag.errors import SourceError
from rag.types import Outcome, Paper


@dataclass(frozen=True, slots=True)
class Case:
    """A question with what a right answer has to hold.

    ``gold`` are keys of the papers it needs. ``facts`` are groups of regular expressions; of
    each group one has to be found in the answer. ``split`` is dev, to tune on, or test.
    """

    id: str
    split: str
    kind: str
    question: str
    history: tuple[Turn, ...]
    gold: tuple[str, ...]
    facts: tuple[tuple[str, ...], ...]
    outcome: Outcome

    @property
    def answerable(self) -> bool:
        return self.outcome == "answered"

    def found(self, text: str) -> list[bool]:
        """For each fact whether the text holds it."""
        return [
            any(re.search(pattern, text, re.IGNORECASE) for pattern in group)
            for group in self.facts
        ]


def load_cases(path: Path) -> list[Case]:
    """Cases of a JSON Lines file; raises SourceError naming the line that is no case."""
    cases = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            cases.append(_case(json.loads(line)))
        except (ValueError, KeyError, TypeError, re.error) as error:
            message = f"{path}, line {number}: not an evaluation case ({error!r})."
            raise SourceError(message, "see evals/README.md for the fields") from error
    return cases


def _case(row: Mapping[str, object]) -> Case:
    fields = {name: row[name] for name in ("id", "split", "kind", "question", "outcome")}
    history = tuple(_turn(*turn) for turn in _rows(row["history"]))
    facts = tuple(tuple(group) for group in _rows(row["facts"]))
    for group in facts:
        for pattern in group:
            re.compile(pattern)
    gold = tuple(str(key) for key in _rows(row["gold"]))
    return Case(**fields, history=history, gold=gold, facts=facts)  # type: ignore[arg-type]


def _turn(question: str, answer: str, papers: Iterable[str] = ()) -> Turn:
    """A turn of a history; who has noted down a conversation knows the papers that were shown."""
    return Turn(question, answer, tuple(papers))


def _rows(value: object) -> Sequence[Sequence[str]]:
    if not isinstance(value, list):
        raise TypeError(f"expected a list, not {value!r}")
    return value


def keys_of(papers: Iterable[Paper], path: Path) -> dict[str, str]:
    """paper_id → key. ``path`` says in which list, at which ordinal each keyed paper stands;
    a paper whose own id is a key, like our notes, needs no such place."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    keys = {row["key"] for row in rows}
    places = {(row["list"], row["ordinal"]): row["key"] for row in rows}
    found = {}
    for paper in papers:
        if paper.paper_id in keys:
            found[paper.paper_id] = paper.paper_id
        for source in paper.sources:
            key = places.get((Path(source.path).name, source.ordinal))
            if key:
                found[paper.paper_id] = key
    return found
