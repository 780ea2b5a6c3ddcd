"""Cases by hand: one of the last answer, proposals from chats and papers, what is wrong with them,
and the schema that editors check them with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rag.cli.drafts import draft
from rag.cli.evals import cases_folder
from rag.cli.expecting import at_terminal, expected, ids_of, refuse
from rag.cli.options import common
from rag.cli.terminal import FAILED, GATE, Terminal, dumps
from rag.errors import StoreError
from rag.evaluate.types import OUTCOMES, SUITES
from rag.opening import open_snapshot

if TYPE_CHECKING:
    from rag.evaluate.collect import Said
    from rag.evaluate.draft import Draft
    from rag.evaluate.lint import Index
    from rag.evaluate.papers import Names
    from rag.evaluate.rows import Problem
    from rag.types import Outcome

__all__ = ["add", "draft", "lint", "schema"]


@click.command()
@click.option("--good/--bad", default=True, help="Whether what came was right.  [default: good]")
@click.option("--id", "name", metavar="ID", help="Its name.  [default: from the question]")
@click.option("--gold", multiple=True, metavar="PAPER", help="A paper of a full answer.")
@click.option("--fact", "facts", multiple=True, metavar="TEXT", help="What has to be said.")
@click.option("--forbid", multiple=True, metavar="TEXT", help="What may not be said.")
@click.option("--outcome", type=click.Choice(OUTCOMES), help="What has to come of it.")
@click.option("--reference", default="", metavar="TEXT", help="A right answer in your own words.")
@click.option("--kind", metavar="KIND", help="The sort of question.  [default: as it was taken]")
@click.option("--tag", "tags", multiple=True, help="A word to choose cases by.")
@click.option("--dry-run", is_flag=True, help="Show the case, and write nothing.")
@cases_folder
@common
def add(
    terminal: Terminal,
    good: bool,
    name: str | None,
    gold: Sequence[str],
    facts: Sequence[str],
    forbid: Sequence[str],
    outcome: Outcome | None,
    reference: str,
    kind: str | None,
    tags: Sequence[str],
    dry_run: bool,
) -> None:
    """Make a case of the last answer of rag ask or rag chat.

    It goes into DIR/ask.jsonl. Of a good answer the case expects the papers cited, the outcome,
    and figures and names of its first sentence, if you give no facts. Of a bad one you say what is
    right: with the options, or asked at a terminal. PAPER is an id, handle or title, FILE#ORDINAL,
    or a key of papers.jsonl; TEXT may be a /pattern/. The options that say what to expect may be
    repeated.
    """
    from rag.evaluate.collect import draft_of, last_said
    from rag.evaluate.lint import Index
    from rag.evaluate.papers import Names
    from rag.evaluate.suite import Suite, case_row

    said = last_said(terminal.settings.store)
    names = Names(open_snapshot(terminal), terminal.settings.evals)
    index = Index(names)
    suite = Suite(terminal.settings.evals)
    case = draft_of(said, good=good, tags=tuple(tags))
    case = replace(
        case,
        gold=ids_of(names, gold) or case.gold,
        facts=tuple((fact,) for fact in facts) or case.facts,
        forbidden=tuple(forbid),
        outcome=outcome or case.outcome,
        reference=reference,
        kind=case.kind if kind is None else kind,
    )
    suite.check({"id": name, "question": case.question, "history": case.history})
    if not case.expects:
        case = _asked_for(case, said, index)
    row = case_row(case, name or suite.id_for(case.question), names)
    refuse(terminal, row, index)
    if good and not facts:
        _tell_guessed(terminal, case)
    _warn(terminal, case, said, good=good)
    if not dry_run:
        suite.add(row)
    if terminal.as_json:
        terminal.emit({"path": str(suite.path), "written": not dry_run, "case": row})
    else:
        click.echo(dumps(row))
    verb = "would go into" if dry_run else "added to"
    terminal.note(f"{row['id']} {verb} {suite.path}")


def _asked_for(case: Draft, said: Said, index: Index) -> Draft:
    """The case with what a person at the terminal says is right; raises UsageError without one."""
    if not at_terminal():
        message = (
            "say what would have been right with --gold, --fact, --forbid, --outcome or "
            "--reference; at a terminal you are asked"
        )
        raise click.UsageError(message, click.get_current_context())
    from rag.render import fill, safe

    click.echo(f"{safe(case.question)}\n{fill(safe(said.answer), indent='  ')}", err=True)
    return expected(case, index)


def _tell_guessed(terminal: Terminal, case: Draft) -> None:
    """Say which facts were guessed: the answer alone does not show what of it was asked for."""
    from rag.evaluate.types import REFUSED

    if case.facts:
        guessed = "; ".join(fact[0] for fact in case.facts)
        terminal.note(f"facts guessed: {guessed}; edit them, or give --fact")
    elif case.outcome not in REFUSED:
        terminal.note(
            "no fact could be guessed; give --fact TEXT, or the case only checks the papers"
        )


def _warn(terminal: Terminal, case: Draft, said: Said, *, good: bool) -> None:
    """Say so if the answer at hand does not fare by the case as it was judged."""
    from rag.evaluate.collect import would_pass

    if said.filtered:
        terminal.note("it was asked of some papers only; a case is always put to all of them")
    passes = would_pass(case, said)
    if good and not passes:
        terminal.note("the answer that you call good does not have all that this case expects")
    if not good and passes:
        terminal.note("the answer that you call bad has all that this case expects; expect more")


@click.command()
@click.argument("suites", nargs=-1, metavar="[SUITE|FILE]…")
@cases_folder
@common
def lint(terminal: Terminal, suites: Sequence[str]) -> None:
    """Say what is wrong with cases, and what to do about it.

    Such as ids used twice, papers that are not there, facts that no gold paper holds or that the
    question gives away. Exit status 3 if there is an error, 1 if a file cannot be read.

    In VS Code, a task with "command": "rag eval lint" and "problemMatcher": "$gcc" marks the lines.
    """
    from rag.evaluate.lint import WITHOUT_INDEX
    from rag.evaluate.lint import lint as problems_of

    folder, names = terminal.settings.evals, _names(terminal)
    if names is None:
        terminal.note(WITHOUT_INDEX)
    problems = problems_of(folder, suites, names)
    if terminal.as_json:
        terminal.emit({"problems": [problem.to_json() for problem in problems]})
    else:
        for problem in problems:
            click.echo(_problem(problem))
        if not problems:
            count = _count(folder, suites)
            click.echo(f"{count:,} {'case' if count == 1 else 'cases'}, nothing wrong")
    errors = [problem for problem in problems if problem.level == "error"]
    if errors:  # line 0 is a file that is not to be read at all
        raise SystemExit(GATE if all(problem.line for problem in errors) else FAILED)


def _names(terminal: Terminal) -> Names | None:
    """Names of the papers in the index; None without one that can be read."""
    from rag.evaluate.papers import Names

    try:
        return Names(open_snapshot(terminal), terminal.settings.evals)
    except StoreError as error:
        terminal.note(error.message)
        return None


def _problem(problem: Problem) -> str:
    from rag.render import safe

    place = f"{problem.path}:{problem.line}" if problem.line else problem.path
    id = f"{problem.id}: " if problem.id else ""
    return safe(f"{place}: {problem.level}: {id}{problem.text}\n  fix: {problem.fix}")


def _count(folder: Path, suites: Sequence[str]) -> int:
    from rag.evaluate.cases import load_suites

    return sum(map(len, load_suites(folder, suites).values()))


@click.command()
@click.argument("suite", type=click.Choice(SUITES), required=False)
@common
def schema(terminal: Terminal, suite: str | None) -> None:
    """Print the JSON Schema of a row of a suite, or of any.

    In VS Code, "json.schemas": [{"fileMatch": ["*.case.json"], "url": "./ask.schema.json"}] helps
    to write a case in a file of its own; JSON Lines it cannot check, but rag eval lint does.
    """
    import json

    from rag.evaluate.schema import schema as schema_of

    found = schema_of(suite)  # type: ignore[arg-type]
    if terminal.as_json:
        terminal.emit(found)
    else:
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
