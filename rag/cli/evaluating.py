"""Cases → figures, compared with a baseline: did a change make the answers worse?"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from rag.cli.evals import COMMANDS, cases_folder
from rag.cli.options import common, modelled, several
from rag.cli.output import check as check_writable
from rag.cli.output import save
from rag.cli.sampling import Wanted, estimate, present, sample
from rag.cli.terminal import GATE, Terminal, dumps, say
from rag.errors import NoCases, SourceError
from rag.evaluate.verdicts import SCALES

if TYPE_CHECKING:
    from rag.evaluate.types import Comparison, Failure, Run, SuiteName
    from rag.render import Style

SHAPES = (".html", ".md", ".xml", ".json", ".txt")
TREND = 50
"""Runs that a page's trend looks back on."""

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
@click.option("--dry-run", is_flag=True, help="Say what a model would cost, and ask none.")
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
    dry_run: bool,
) -> None:
    """Put cases of your own to the index: how good are the answers, and is that worse than before?

    A SUITE is retrieval, ask, summarize or digest, or a file of cases; without one, all that the
    folder of cases has are run. Each run is kept in its folder `runs`. The figures are compared
    with the baseline, if there is one.
    """
    wanted = Wanted(suites, filters, limit, repeat)
    _check_wanted(wanted, check, update_baseline)
    _check_outputs(outputs)
    if dry_run:
        _check_dry(check, update_baseline)
        estimate(terminal, wanted)
        return
    gate = Gate(terminal, thresholds, Path(baseline) if baseline else None, must=check)
    if update_baseline:
        check_writable(str(gate.place))
    before = None if update_baseline and not gate.place.exists() else gate.baseline()
    try:
        after = sample(terminal, wanted, tuple(SCALES) if "all" in judges else judges, jobs)
    except NoCases as error:  # that nothing was found to run must not look like a pass
        if not check:
            raise
        _shut(terminal, error)
    report = gate.report(before, after, present(terminal.settings.evals))
    _save(terminal, report, outputs)
    if not terminal.as_json:  # a person decides by it
        _print(terminal, report)
    if update_baseline:
        _replace(terminal, report, gate.place, words=not no_words, sure=yes)
    if terminal.as_json:  # last: if something fails, its error is the one document on stdout
        _print(terminal, report)
    if check and report.failures:
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
    _save(terminal, report, outputs)
    _print(terminal, report)
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
        if thresholds and not Path(thresholds).is_file():
            fix = "name a file that is there, or leave --thresholds out"
            raise SourceError(f"There is no file {thresholds}.", fix)
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


def _check_wanted(wanted: Wanted, check: bool, update: bool) -> None:
    """Raise UsageError for what would make a baseline of some cases, or is a command's name."""
    context = click.get_current_context()
    if update and check:
        message = (
            "--update-baseline makes a baseline of what --check would hold against the old one"
        )
        raise click.UsageError(f"{message}: take one of them", context)
    if update and (wanted.suites or wanted.filters or wanted.limit):
        message = "a baseline is of all cases: leave out SUITE, --filter and --limit"
        raise click.UsageError(message, context)
    for suite in wanted.suites:
        if suite in COMMANDS:
            raise click.UsageError(f"put the command first: rag eval {suite} …", context)


def _check_dry(check: bool, update: bool) -> None:
    """Raise UsageError for what would be taken for a pass, or for done, though nothing was run."""
    if check or update:
        message = "a dry run measures nothing: leave out --check and --update-baseline"
        raise click.UsageError(message, click.get_current_context())


def _check_outputs(outputs: Sequence[str]) -> None:
    """Raise before the work is done for what cannot be written after it."""
    for output in outputs:
        if Path(output).suffix.lower() not in SHAPES:
            message = f"{output}: give it a name that ends in {', '.join(SHAPES)}"
            raise click.UsageError(message, click.get_current_context())
        check_writable(output)


def _save(terminal: Terminal, report: Report, outputs: Sequence[str]) -> None:
    """The report in each file."""
    plain = replace(terminal.style, colour=False)
    for output in outputs:
        save(output, report.text(Path(output).suffix.lower(), terminal, plain))
        terminal.note(f"written: {output}")


def _print(terminal: Terminal, report: Report) -> None:
    shape = ".json" if terminal.as_json else ".txt"
    click.echo(report.text(shape, terminal, terminal.style), nl=False)


def _replace(terminal: Terminal, report: Report, place: Path, *, words: bool, sure: bool) -> None:
    """Make the run the baseline, unless somebody who has seen the difference says no."""
    from rag.evaluate.runs import as_baseline, write

    _check_sound(report.run)
    asked = place.exists() and not sure and sys.stdin.isatty() and sys.stderr.isatty()
    if asked and not click.confirm(f"Replace {place}?", err=True):
        terminal.note(f"{place} is as it was")
        return
    write(as_baseline(report.run, words=words), place)
    terminal.note(f"the baseline is now run {report.run.id}: {place}")


def _check_sound(run: Run) -> None:
    """Raise SourceError for a run that is no measure: what failed in it could fail for ever."""
    if raised := [sample for sample in run.samples if sample.error]:
        message = f"{len(raised)} samples raised an error, the first {raised[0].case}"
        fix = "mend that, or take the case out, then make the baseline"
        raise SourceError(f"This is no baseline: {message} ({raised[0].error}).", fix)


def _shut(terminal: Terminal, error: NoCases) -> NoReturn:
    """A gate through which nothing came is shut."""
    if terminal.as_json:
        terminal.emit({"error": error.to_json()})
    say(f"error: {error.message}\n  fix: {error.fix}")
    raise SystemExit(GATE)
