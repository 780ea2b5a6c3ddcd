"""Proposed cases, one by one for a person to accept, or all at once into a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rag.cli.evals import cases_folder
from rag.cli.expecting import at_terminal, expected, refuse
from rag.cli.opening import open_snapshot
from rag.cli.options import common, modelled
from rag.cli.output import save
from rag.cli.terminal import Terminal, say
from rag.errors import QuestionError

if TYPE_CHECKING:
    from rag.evaluate.draft import Draft
    from rag.evaluate.lint import Index
    from rag.evaluate.review import Reviewed
    from rag.evaluate.suite import Suite
    from rag.store.snapshot import Snapshot

MANY = 20
"""Proposals by default."""
CHOICES = "[a]ccept, [e]dit the question, [s]kip for good, [q]uit"


@click.command()
@click.option(
    "--from",
    "source",
    type=click.Choice(("corpus", "chats")),
    default="corpus",
    help="What to make them of.  [default: corpus]",
)
@click.option(
    "-n", "count", type=click.IntRange(min=1), default=MANY, help=f"How many.  [default: {MANY}]"
)
@click.option("--paper", "papers", multiple=True, help="Only of this paper; can be repeated.")
@click.option("-o", "--output", metavar="FILE", help="Write all of them to this new file.")
@modelled
@cases_folder
@common
def draft(
    terminal: Terminal, source: str, count: int, papers: Sequence[str], output: str | None
) -> None:
    """Propose cases from the papers, or from chats that went wrong.

    At a terminal each is shown with what it rests on, and goes into DIR/ask.jsonl once you accept
    it. With -o they are written as a suite to edit, with --json as JSON Lines on stdout. Offline
    they ask for figures, for what systems are or do and for what letters stand for; with a model,
    for what it finds worth asking; from chats, what was put again at once, corrected, or given a
    thumb.
    """
    from rag.evaluate.lint import Index
    from rag.evaluate.papers import Names
    from rag.evaluate.review import Reviewed
    from rag.evaluate.suite import Suite

    asks = output is None and not terminal.as_json
    if asks and not at_terminal():
        message = "nobody is here to accept cases: give -o FILE for a suite to edit, or --json"
        raise click.UsageError(message, click.get_current_context())
    if output is not None and Path(output).exists():
        message = f"{output} is there already; name a new file"
        raise click.UsageError(message, click.get_current_context())
    snapshot, folder = open_snapshot(terminal), terminal.settings.evals
    index = Index(Names(snapshot, folder))
    desk = Desk(terminal, index, Suite(folder), Reviewed(folder))
    found = _proposals(terminal, snapshot, source, papers, count)
    proposals = islice(desk.sifted(found), count)
    if asks:
        desk.review(proposals)
    else:
        desk.write(proposals, output)


def _proposals(
    terminal: Terminal, snapshot: Snapshot, source: str, papers: Sequence[str], count: int
) -> Iterator[Draft]:
    if source == "chats":
        from rag.evaluate.chats import chat_drafts

        return chat_drafts(terminal.settings.store, terminal.note)
    from rag.evaluate.draft import drafts
    from rag.retrieve.filters import passing

    rows = [*map(snapshot.find, papers)] if papers else passing(snapshot, None)
    if terminal.settings.engine == "extractive":
        from rag.evaluate.draft_figures import figure_drafts
        from rag.evaluate.draft_terms import term_drafts

        return _with_rest(terminal, drafts(snapshot, (figure_drafts, term_drafts), rows), len(rows))
    return _by_model(terminal, snapshot, rows, count)


def _with_rest(terminal: Terminal, found: Iterator[Draft], papers: int) -> Iterator[Draft]:
    """The proposals, and after the last one how many of the ``papers`` gave none."""
    asked: set[str] = set()
    for each in found:
        asked.update(each.gold)
        yield each
    if silent := papers - len(asked):
        what = "1 abstract" if silent == 1 else f"{silent:,} abstracts"
        terminal.note(f"{what} gave no sure question; write those by hand")


def _by_model(
    terminal: Terminal, snapshot: Snapshot, rows: Sequence[int], count: int
) -> Iterator[Draft]:
    from rag.cli.opening import open_checker, open_model, open_purse
    from rag.evaluate.draft import drafts
    from rag.evaluate.draft_model import PAPERS_A_DRAFT, ModelDrafter
    from rag.prompts import load_task

    model = open_model(terminal, "draft", open_purse(terminal))
    drafter = ModelDrafter(model, load_task("draft", terminal.settings.prompts), open_checker())
    most = count * PAPERS_A_DRAFT
    yield from drafts(snapshot, (drafter,), rows, most)
    asked = f"{model.name} was asked about {min(most, len(rows)):,} papers"
    terminal.note(f"{asked}; what their abstracts do not bear out is left out")


class Desk:
    """Where proposals are looked at: those that are cases already, were decided on before or could
    not be cases are left out."""

    def __init__(self, terminal: Terminal, index: Index, suite: Suite, reviewed: Reviewed) -> None:
        self.terminal = terminal
        self._index, self._suite, self._reviewed = index, suite, reviewed

    def sifted(self, found: Iterable[Draft]) -> Iterator[Draft]:
        from rag.evaluate.suite import remarks

        for each in found:
            if each in self._reviewed or self._suite.has(each):
                continue
            wrong = remarks(self._row(each), self._index) if each.expects else ()
            if not any(remark.level == "error" for remark in wrong):
                yield each
        self.terminal.note("there is nothing more to propose")

    def write(self, proposals: Iterable[Draft], output: str | None) -> None:
        """All proposals on stdout, or to a file in which those without expectations are notes."""
        lines: list[str] = []
        for each in proposals:
            row = self._row(each)
            self._suite.take(row)
            if output is None:
                self.terminal.emit({"case": row, "quote": each.quote, "why": each.why})
            else:
                lines += _as_lines(each, row)
        if output is not None:
            save(output, "".join(f"{line}\n" for line in lines))
            self.terminal.note(f"{len(lines) // 2:,} proposals in {output}{self._hint(output)}")

    def _hint(self, output: str) -> str:
        stem, folder = Path(output).stem, self._suite.path.parent
        if stem.startswith("ask-"):
            return ""
        return f"; only {folder}/ask.jsonl and {folder}/ask-*.jsonl are read as cases"

    def review(self, proposals: Iterable[Draft]) -> None:
        """Show proposals one by one, until there are none or somebody has had enough."""
        accepted = skipped = 0
        for number, each in enumerate(proposals, start=1):
            self._show(number, each)
            taken = self._decided(each)
            if taken is None:
                break
            accepted, skipped = accepted + taken, skipped + (not taken)
        self.terminal.note(f"{accepted} accepted into {self._suite.path}, {skipped} skipped")

    def _show(self, number: int, each: Draft) -> None:
        from rag.render import fill, safe

        style, row = self.terminal.style, self._row(each)
        lines = ["", style.bold(fill(safe(f"{number}. {each.question}")))]
        lines += [fill(safe(f"after: {turn.question}"), "   ") for turn in each.history]
        lines += [fill(f"“{safe(each.quote)}”", "   ")] if each.quote else []
        for field in ("outcome", "gold", "facts"):
            if field in row:
                lines.append(safe(f"   {field}: {_shown(row[field])}"))
        click.echo("\n".join([*lines, style.dim(safe(f"   {each.why}"))]), err=True)

    def _decided(self, each: Draft) -> bool | None:
        """Whether it was accepted; None where somebody leaves."""
        case = each
        while True:
            choice = click.prompt(
                CHOICES, type=click.Choice(("a", "e", "s", "q")), show_choices=False, err=True
            )
            if choice == "q":
                return None
            if choice == "s":
                self._reviewed.add(each)
                return False
            try:
                if choice == "e":
                    case = self._edited(case)
                    continue
                self._accept(case)
            except QuestionError as error:
                say(f"{error.message}\n  fix: {error.fix}")
                continue
            self._reviewed.add(each)
            return True

    def _edited(self, case: Draft) -> Draft:
        question = click.prompt("Question", default=case.question, err=True)
        return replace(case, question=" ".join(question.split()))

    def _accept(self, case: Draft) -> None:
        """Write a case; raises QuestionError for one that cannot be."""
        case = case if case.expects else expected(case, self._index)
        row = self._row(case)
        refuse(self.terminal, row, self._index)
        self._suite.add(row)

    def _row(self, each: Draft) -> dict[str, Any]:
        from rag.evaluate.suite import case_row

        return case_row(each, self._suite.id_for(each.question), self._index.names)


def _as_lines(each: Draft, row: dict[str, Any]) -> tuple[str, str]:
    """A proposal in a suite: a note with what it rests on, then the case; as a note, too, if it
    still has to be said what it expects."""
    from rag.evaluate.as_json import dumps
    from rag.render import safe

    parts = [each.why, f"“{each.quote}”" if each.quote else ""]
    parts += [] if each.expects else ["say what it should expect (gold, facts, outcome)"]
    note = safe(" ".join(" — ".join(filter(None, parts)).split()))
    return f"// {note}", dumps(row) if each.expects else f"// {dumps(row)}"


def _shown(value: object) -> str:
    if isinstance(value, list):
        return "; ".join(" | ".join(one) if isinstance(one, list) else str(one) for one in value)
    return str(value)
