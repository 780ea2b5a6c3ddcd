"""What a case should expect, asked of a person at the terminal. Questions go to stderr."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from rag.cli.terminal import Terminal, say
from rag.errors import PaperNotFound, QuestionError
from rag.evaluate.types import OUTCOMES, REFUSED

if TYPE_CHECKING:
    from rag.evaluate.draft import Draft, Facts
    from rag.evaluate.lint import Index
    from rag.evaluate.papers import Names
    from rag.types import Outcome


def at_terminal() -> bool:
    """Whether somebody is there to be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def ids_of(names: Names, called: Iterable[str]) -> tuple[str, ...]:
    """The ids of papers by their names in cases; raises PaperNotFound."""
    rows = names.rows(called)
    return tuple(dict.fromkeys(names.snapshot.ids[row] for row in rows))


def refuse(terminal: Terminal, row: Mapping[str, Any], index: Index) -> None:
    """Raise QuestionError for a row that lint finds an error in; warnings are told."""
    from rag.evaluate.suite import remarks

    for remark in remarks(row, index):
        if remark.level == "error":
            raise QuestionError(f"This is no case: {remark.text}", remark.fix)
        terminal.note(f"{remark.text} ({remark.fix})")


def expected(draft: Draft, index: Index) -> Draft:
    """The draft with the outcome, papers and facts that a person gives; Ctrl-C leaves."""
    outcome: Outcome = click.prompt(
        "What should come of it",
        type=click.Choice(OUTCOMES),
        default="answered",
        err=True,
    )
    if outcome in REFUSED:
        return replace(draft, outcome=outcome)
    draft = replace(draft, outcome=outcome, gold=_papers(index.names))
    return replace(draft, facts=_facts(draft, index))


def _papers(names: Names) -> tuple[str, ...]:
    while True:
        given = _line("Papers that a full answer rests on, with ; between them")
        try:
            return ids_of(names, [name.strip() for name in given.split(";") if name.strip()])
        except PaperNotFound as error:
            say(f"{error.message}\n  fix: {error.fix}")


def _facts(draft: Draft, index: Index) -> Facts:
    """Facts until an empty line, each looked at at once."""
    facts: list[tuple[str, ...]] = []
    while given := _line("What has to be said, one thing at a time (Enter: nothing more)"):
        wrong = _wrong(replace(draft, facts=((given,),)), index)
        if wrong:
            say(wrong)
        else:
            facts.append((given,))
    return tuple(facts)


def _wrong(draft: Draft, index: Index) -> str:
    """What is wrong with a fact, as a line to show; "" if nothing is."""
    from rag.evaluate.suite import case_row, remarks

    found = remarks(case_row(draft, "new", index.names), index)
    errors = (f"{each.text}\n  fix: {each.fix}" for each in found if each.level == "error")
    return next(errors, "")


def _line(asked: str) -> str:
    given: str = click.prompt(asked, default="", show_default=False, err=True)
    return given.strip()
