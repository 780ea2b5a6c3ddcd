"""Answers that somebody liked or did not → drafts of cases. Asks nobody anything."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from rag.corpus.sentences import sentence_spans
from rag.engine.check.naming import names as names_in
from rag.engine.check.reading import read
from rag.engine.question import Turn
from rag.errors import QuestionError, SourceError
from rag.evaluate.as_json import utf8
from rag.evaluate.draft import Draft, Facts
from rag.evaluate.matching import missing, present
from rag.evaluate.quantities import quantities
from rag.evaluate.said import LAST
from rag.evaluate.types import REFUSED
from rag.retrieve.terms import terms
from rag.types import Outcome

FACTS = 3
"""Facts proposed of an answer, at most."""
_MARKERS = re.compile(r"\s?\[\d+\]")


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
    return utf8(value)


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
    first sentence says that the question does not; of a bad one a person has to say what is right.
    Only a follow-up needs its history."""
    quote = said.quotes[0] if said.quotes else ""
    history = said.history if said.follows_up else ()
    bare = Draft(said.question, (), (), said.kind, quote, why, tags, history)
    return expecting(bare, said) if good else bare


def expecting(draft: Draft, said: Said) -> Draft:
    """The draft with what an answer brought as its expectations, but for what was said before."""
    before = " ".join(text for turn in draft.history for text in turn[:2])
    facts = proposed_facts(said, f"{draft.question} {said.question} {said.standalone} {before}")
    return replace(draft, gold=said.cited, facts=facts, outcome=said.got)


def proposed_facts(said: Said, question: str) -> Facts:
    """Figures and then names of the sentence that an answer begins with, which is its most telling
    one; only if that has none, of the one that holds most of the question's words."""
    text = _MARKERS.sub("", said.answer)
    first, *later = [text[start:end] for start, end in sentence_spans(text)] or [""]
    asked = set(terms(question))
    nearest = max(later, key=lambda sentence: len(asked.intersection(terms(sentence))), default="")
    return _facts(first, said.quotes, question) or _facts(nearest, said.quotes, question)


def _facts(sentence: str, quotes: Sequence[str], question: str) -> Facts:
    """What a sentence says that the quotes hold and the question does not."""
    names = (name.shown for name in names_in(read(sentence)) if name.distinct and name.shown)
    told = dict.fromkeys([*quantities(sentence), *((name,) for name in names)])
    held = "\n".join(quotes)
    return tuple(fact for fact in missing([*told], question) if not missing([fact], held))[:FACTS]


def would_pass(draft: Draft, said: Said) -> bool:
    """Whether an answer has all that can be told without a judge of what a case expects of it."""
    return (
        (draft.outcome is None or (draft.outcome in REFUSED) == said.refused)
        and set(draft.gold) <= set(said.cited)
        and not missing(draft.facts, "" if said.refused else said.answer)
        and not present(draft.forbidden, said.answer)
    )
