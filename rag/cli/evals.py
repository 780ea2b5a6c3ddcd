"""Cases → figures, compared with a baseline: did a change make the answers worse?"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from rag.cli.options import common, modelled, several
from rag.cli.output import check as check_writable
from rag.cli.output import save
from rag.cli.terminal import GATE, Terminal, dumps, say
from rag.errors import NoCases, SourceError
from rag.evaluate.verdicts import SCALES

if TYPE_CHECKING:
    from rag.cli.bench import Bench
    from rag.evaluate.types import Case, Comparison, Failure, Run, SuiteName
    from rag.render import Style

    Cases = Mapping[SuiteName, Sequence[Case]]

COMMANDS = {
    "lint": "cases:lint",
    "schema": "cases:schema",
    "add": "cases:add",
    "draft": "cases:draft",
    "compare": "evals:compare_runs",
    "run": "evals:run",
}
"""Commands under ``rag eval``; where none is named, ``run`` is meant."""
SHAPES = (".html", ".md", ".xml", ".json", ".txt")
TREND = 50
"""Runs that a page's trend looks back on."""


class Evals(click.Group):
    """``rag eval`` runs the cases itself unless its first word is one of its commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for name in COMMANDS if name != "run"]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, function = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(import_module(f"rag.cli.{module}"), function)
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not (args and args[0] in COMMANDS or set(args) & {"-h", "--help"}):
            args = ["run", *args]
        return super().parse_args(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The help of ``run``, then the other commands."""
        run.format_help(ctx, formatter)
        self.format_commands(ctx, formatter)


@click.group("eval", cls=Evals)
def evals() -> None:
    """Measure the answers on questions of your own, and say whether they got worse."""


cases_folder = click.option(
    "--cases", "evals", metavar="DIR", help="Folder of cases.  [default: evals]"
)
thresholds_file = click.option(
    "--thresholds", metavar="FILE", help="What is asked of a run.  [default: DIR/thresholds.toml]"
)
outputs = click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    metavar="FILE",
    help="Also write a .html, .md, .xml (JUnit), .json or .txt; can be repeated.",
)


@click.command("eval")
@click.argument("suites", nargs=-1, metavar="[SUITE…]")
@click.option("--check", is_flag=True, help="Exit with 3 where it is worse than the baseline.")
@click.option(
    "--baseline", metavar="FILE", help="The run to compare with.  [default: DIR/baseline.json]"
)
@click.option(
    "--update-baseline", is_flag=True, help="Show the difference, then make this the baseline."
)
@click.option("--no-words", is_flag=True, help="Leave texts and quotes out of the new baseline.")
@click.option("--yes", is_flag=True, help="Do not ask before the baseline is replaced.")
@thresholds_file
@click.option(
    "--filter",
    "filters",
    multiple=True,
    metavar="FIELD=VALUE",
    help="Only cases with this tag, kind, id, outcome or suite; can be repeated.",
)
@click.option("--limit", type=click.IntRange(min=1), help="Only so many cases of each suite.")
@click.option(
    "--repeat",
    type=click.IntRange(1, 100),
    default=1,
    help="Put each case so often, for a model that varies.",
)
@click.option(
    "--judge",
    "judges",
    multiple=True,
    type=click.Choice([*SCALES, "all"]),
    help="Also ask the model of RAG_JUDGE_MODEL for its opinion; can be repeated.",
)
@cases_folder
@outputs
@several
@modelled
@common
def run(
    terminal: Terminal,
    suites: Sequence[str],
    check: bool,
    baseline: str | None,
    update_baseline: bool,
    no_words: bool,
    yes: bool,
    thresholds: str | None,
    filters: Sequence[str],
    limit: int | None,
    repeat: int,
    judges: Sequence[str],
    outputs: Sequence[str],
    jobs: int | None,
) -> None:
    """Put cases of your own to the index: how good are the answers, and is that worse than before?

    A SUITE is retrieval, ask, summarize or digest, or a file of cases; without one, all that the
    folder of cases has are run. Each run is kept in its folder `runs`. The figures are compared
    with the baseline, if there is one.
    """

    _check_whole(update_baseline, suites, filters, limit)
    _check_outputs(outputs)
    gate = Gate(terminal, thresholds, Path(baseline) if baseline else None, must=check)
    if update_baseline:
        check_writable(str(gate.place))
    before = None if update_baseline and not gate.place.exists() else gate.baseline()
    try:
        after = _run(terminal, suites, filters, limit, repeat, judges, jobs)
    except NoCases as error:  # that nothing was found to run must not look like a pass
        if not check:
            raise
        _shut(terminal, error)
    report = gate.report(before, after, _present(terminal.settings.evals))
    _show(terminal, report, outputs)
    if update_baseline:
        _replace(terminal, report, gate.place, words=not no_words, sure=yes)
    elif check and report.failures:
        raise SystemExit(GATE)


@click.command("compare")
@click.argument("runs", nargs=-1, metavar="[RUN RUN]")
@click.option("--check", is_flag=True, help="Exit with 3 where the second is worse.")
@thresholds_file
@cases_folder
@outputs
@common
def compare_runs(
    terminal: Terminal,
    runs: Sequence[str],
    check: bool,
    thresholds: str | None,
    outputs: Sequence[str],
) -> None:
    """Set two runs side by side, the earlier first: the last two, unless others are named.

    A RUN is an id or its beginning, `last`, `last-1` and so on, or a file such as the baseline.
    """
    from rag.evaluate.runs import find, load

    if len(runs) not in (0, 2):
        message = "name two runs, or none for the last two"
        raise click.UsageError(message, click.get_current_context())
    _check_outputs(outputs)
    kept = terminal.settings.evals / "runs"
    gate = Gate(terminal, thresholds)
    before, after = (load(find(kept, name)) for name in runs or ("last-1", "last"))
    report = gate.report(before, after, None)
    _show(terminal, report, outputs)
    if check and report.failures:
        raise SystemExit(GATE)


class Gate:
    """The baseline's place and what is asked of a run, read before anything is run. Where there
    ``must`` be a baseline, a run without one does not pass."""

    def __init__(
        self,
        terminal: Terminal,
        thresholds: str | None,
        baseline: Path | None = None,
        *,
        must: bool = False,
    ) -> None:
        from rag.evaluate.thresholds import load_thresholds

        folder = terminal.settings.evals
        self.place = baseline or folder / "baseline.json"
        self._named, self._must = baseline is not None, must
        self._asked = load_thresholds(Path(thresholds or folder / "thresholds.toml"))

    def baseline(self) -> Run | None:
        """The baseline; None where there is none, unless it was named. Raises SourceError."""
        from rag.evaluate.runs import load

        return load(self.place) if self._named or self.place.exists() else None

    def report(self, before: Run | None, after: Run, present: Sequence[SuiteName] | None) -> Report:
        """What there is to say of a run; ``present`` are the suites that have files now."""
        from rag.evaluate.gate import compare, gate

        if before is None:
            failures = gate(None, after, self._asked, present)
            missing = () if self._must else ("no-baseline",)
            return Report(after, None, tuple(f for f in failures if f.kind not in missing))
        comparison = compare(before, after, self._asked, present)
        return Report(after, comparison, comparison.failures)


@dataclass(frozen=True)
class Report:
    """A run, what it is compared with, and why it may not pass."""

    run: Run
    comparison: Comparison | None
    failures: tuple[Failure, ...]

    def text(self, shape: str, terminal: Terminal, style: Style) -> str:
        """In the shape that a file's ending names."""
        if shape == ".html":
            from rag.evaluate.runs import history
            from rag.publish.evals.page import page

            past = history(terminal.settings.evals / "runs", TREND)
            return page(self.run, self.comparison, past.runs, self.failures)
        if shape == ".md":
            from rag.publish.evals.markdown import markdown

            return markdown(self.run, self.comparison, self.failures)
        if shape == ".xml":
            from rag.publish.evals.junit import junit

            return junit(self.run, self.comparison, self.failures)
        if shape == ".json":
            from rag.publish.evals.data import data

            return dumps(data(self.run, self.comparison, self.failures)) + "\n"
        from rag.publish.evals.text import text

        return text(self.run, self.comparison, style, self.failures)


def _check_whole(
    update: bool, suites: Sequence[str], filters: Sequence[str], limit: int | None
) -> None:
    """Raise UsageError for what would make a baseline of some cases, or is a command's name."""
    context = click.get_current_context()
    if update and (suites or filters or limit):
        message = "a baseline is of all cases: leave out SUITE, --filter and --limit"
        raise click.UsageError(message, context)
    for suite in suites:
        if suite in COMMANDS:
            raise click.UsageError(f"put the command first: rag eval {suite} …", context)


def _check_outputs(outputs: Sequence[str]) -> None:
    """Raise before the work is done for what cannot be written after it."""
    for output in outputs:
        if Path(output).suffix.lower() not in SHAPES:
            message = f"{output}: give it a name that ends in {', '.join(SHAPES)}"
            raise click.UsageError(message, click.get_current_context())
        check_writable(output)


def _run(
    terminal: Terminal,
    suites: Sequence[str],
    filters: Sequence[str],
    limit: int | None,
    repeat: int,
    judges: Sequence[str],
    jobs: int | None,
) -> Run:
    """A run of the cases that are wanted, kept in the folder of runs."""
    from rag.cli.bench import open_bench
    from rag.evaluate.cases import load_suites
    from rag.evaluate.runner import select
    from rag.evaluate.runs import new_id
    from rag.evaluate.types import Run

    began = datetime.now(timezone.utc)
    folder = terminal.settings.evals
    cases = load_suites(folder, suites)
    chosen = select([case for each in cases.values() for case in each], filters, limit)
    if repeat > 1:  # a reply that is kept would say how much a file varies
        terminal = replace(terminal, settings=replace(terminal.settings, cache=False))
    bench = open_bench(terminal, {case.suite for case in chosen}, _judges(judges), jobs)
    files = [name for name in suites if name.endswith(".jsonl")]
    selection = {"files": files, "filter": list(filters), "limit": limit, "repeat": repeat}
    after = Run(
        id=new_id(began),
        made_from=bench.made_from,
        suites=_ids(folder, cases) if files else _ids_of(cases),
        selection={name: value for name, value in selection.items() if value},
        samples=(),
    )
    return _sampled(terminal, bench, chosen, after, repeat)


def _ids(folder: Path, cases: Cases) -> dict[SuiteName, tuple[str, ...]]:
    """The ids of all cases of the suites that some files belong to, the files' own among them."""
    from rag.evaluate.cases import load_suites

    there = [suite for suite in _present(folder) if suite in cases]
    found, own = _ids_of(load_suites(folder, there) if there else {}), _ids_of(cases)
    return {suite: tuple(dict.fromkeys((*found.get(suite, ()), *own[suite]))) for suite in own}


def _ids_of(cases: Cases) -> dict[SuiteName, tuple[str, ...]]:
    return {suite: tuple(case.id for case in each) for suite, each in cases.items()}


def _present(folder: Path) -> tuple[SuiteName, ...]:
    """The suites that have files in a folder."""
    from rag.evaluate.cases import suite_files

    try:
        return tuple(suite_files(folder))
    except NoCases:
        return ()


def _judges(names: Sequence[str]) -> Sequence[str]:
    return tuple(SCALES) if "all" in names else names


def _sampled(
    terminal: Terminal, bench: Bench, cases: Sequence[Case], empty: Run, repeat: int
) -> Run:
    """The run with its samples; those of one that was stopped are taken over."""
    from rag.evaluate.partial import key, resuming
    from rag.evaluate.runner import run as put
    from rag.evaluate.runs import save as keep_run

    folder = terminal.settings.evals / "runs"
    known = key(bench.made_from, cases, empty.selection, bench.also)
    with resuming(folder, known, terminal.note) as partial:
        samples = put(
            cases,
            bench.sample,
            repeat=repeat,
            jobs=bench.jobs,
            done=partial.done,
            keep=partial.keep,
            watch=terminal.watch,
        )
        run = replace(empty, samples=samples)
        try:
            return replace(run, id=keep_run(run, folder).stem)
        except SourceError as error:
            terminal.note(f"the run is not kept: {error.message}")
            return run


def _show(terminal: Terminal, report: Report, outputs: Sequence[str]) -> None:
    """The report on stdout, and in each file."""
    shape = ".json" if terminal.as_json else ".txt"
    click.echo(report.text(shape, terminal, terminal.style), nl=False)
    plain = replace(terminal.style, colour=False)
    for output in outputs:
        save(output, report.text(Path(output).suffix.lower(), terminal, plain))
        terminal.note(f"written: {output}")


def _replace(terminal: Terminal, report: Report, place: Path, *, words: bool, sure: bool) -> None:
    """Make the run the baseline, unless somebody who has seen the difference says no."""
    from rag.evaluate.runs import as_baseline, write

    asked = place.exists() and not sure and sys.stdin.isatty() and sys.stderr.isatty()
    if asked and not click.confirm(f"Replace {place}?", err=True):
        terminal.note(f"{place} is as it was")
        return
    write(as_baseline(report.run, words=words), place)
    terminal.note(f"the baseline is now run {report.run.id}: {place}")


def _shut(terminal: Terminal, error: NoCases) -> NoReturn:
    """A gate through which nothing came is shut."""
    if terminal.as_json:
        terminal.emit({"error": error.to_json()})
    say(f"error: {error.message}\n  fix: {error.fix}")
    raise SystemExit(GATE)
