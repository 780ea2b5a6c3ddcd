"""Cases → a run: which are put to the index, what they would cost, and what of them is kept."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag.cli.costs import show_estimate
from rag.errors import NoCases, RagError, SourceError

if TYPE_CHECKING:
    from rag.cli.bench import Bench
    from rag.cli.terminal import Terminal
    from rag.evaluate.types import Case, Run, SuiteName

    Cases = Mapping[SuiteName, Sequence[Case]]

AGAIN = "a follow-up and what has no support take one more each, and judges come on top"


@dataclass(frozen=True)
class Wanted:
    """What of the cases is to be run, as the command line says it."""

    suites: Sequence[str] = ()
    filters: Sequence[str] = ()
    limit: int | None = None
    repeat: int = 1

    @property
    def files(self) -> list[str]:
        """The suites that are named by a file."""
        return [name for name in self.suites if name.endswith(".jsonl")]

    @property
    def selection(self) -> dict[str, Any]:
        """The same as a run keeps it, without what is not set."""
        suites = [name for name in self.suites if name not in self.files]
        told: dict[str, Any] = {"suites": suites, "files": self.files}
        told |= {"filter": [*self.filters], "limit": self.limit}
        return {name: value for name, value in {**told, "repeat": self.repeat}.items() if value}

    def chosen(self, cases: Cases) -> list[Case]:
        """The cases among all of the suites; raises NoCases or QuestionError."""
        from rag.evaluate.runner import select

        return select([case for each in cases.values() for case in each], self.filters, self.limit)


def sample(terminal: Terminal, wanted: Wanted, judges: Sequence[str], jobs: int | None) -> Run:
    """A run of the cases that are wanted, kept in the folder of runs. Raises NoCases, and what
    makes all further cases pointless."""
    from rag.cli.bench import open_bench
    from rag.evaluate.cases import load_suites
    from rag.evaluate.runs import new_id
    from rag.evaluate.types import Run

    began = datetime.now(timezone.utc)
    _check_prompts(terminal)
    folder = terminal.settings.evals
    cases = load_suites(folder, wanted.suites)
    chosen = wanted.chosen(cases)
    terminal = _repeating(terminal, wanted.repeat)
    bench = open_bench(terminal, {case.suite for case in chosen}, judges, jobs)
    empty = Run(
        id=new_id(began),
        made_from=bench.made_from,
        suites=_all_ids(folder, cases) if wanted.files else _ids(cases),
        selection=wanted.selection,
        samples=(),
    )
    return _sampled(terminal, bench, chosen, empty, wanted.repeat)


def estimate(terminal: Terminal, wanted: Wanted) -> None:
    """Print what the cases would cost at most with a model."""
    from rag.cli.bench import open_requests
    from rag.evaluate.cases import load_suites

    chosen = wanted.chosen(load_suites(terminal.settings.evals, wanted.suites))
    model, requests = open_requests(_repeating(terminal, wanted.repeat), chosen)
    show_estimate(terminal, model, requests * wanted.repeat, AGAIN, cases=len(chosen))


def _check_prompts(terminal: Terminal) -> None:
    """Say so where prompts are named that nobody reads; raises PromptError where there are none."""
    from rag.prompts import load_tasks

    settings = terminal.settings
    if settings.prompts and settings.engine == "extractive":
        load_tasks(settings.prompts)
        terminal.note("no model is set, so that no prompt is read")


def _repeating(terminal: Terminal, repeat: int) -> Terminal:
    """What repeats are made with: a reply that is kept would say how much a file varies."""
    if repeat == 1:
        return terminal
    return replace(terminal, settings=replace(terminal.settings, cache=False))


def _all_ids(folder: Path, cases: Cases) -> dict[SuiteName, tuple[str, ...]]:
    """The ids of all cases of the suites that some files belong to, the files' own among them."""
    from rag.evaluate.cases import load_suites

    there = [suite for suite in present(folder) if suite in cases]
    found, own = _ids(load_suites(folder, there) if there else {}), _ids(cases)
    return {suite: tuple(dict.fromkeys((*found.get(suite, ()), *own[suite]))) for suite in own}


def _ids(cases: Cases) -> dict[SuiteName, tuple[str, ...]]:
    return {suite: tuple(case.id for case in each) for suite, each in cases.items()}


def present(folder: Path) -> tuple[SuiteName, ...]:
    """The suites that have files in a folder."""
    from rag.evaluate.cases import suite_files

    try:
        return tuple(suite_files(folder))
    except NoCases:
        return ()


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
        try:
            samples = put(
                cases,
                bench.sample,
                repeat=repeat,
                jobs=bench.jobs,
                done=partial.done,
                keep=partial.keep,
                watch=terminal.watch,
            )
        except (RagError, KeyboardInterrupt):
            _tell_kept(terminal, folder / f".partial-{known}.jsonl", repeat * len(cases))
            raise
        run = replace(empty, samples=samples)
        try:
            return replace(run, id=keep_run(run, folder).stem)
        except SourceError as error:
            terminal.note(f"the run is not kept: {error.message}")
            return run


def _tell_kept(terminal: Terminal, path: Path, wanted: int) -> None:
    """Say how much of a run that was stopped is there to go on from: what its file really has."""
    from rag.evaluate.partial import Partial

    if kept := len(Partial(path, terminal.note).done):
        made = f"{kept:,} of {wanted:,} samples are made and kept"
        below = "\n" if sys.stderr.isatty() else ""  # the bar, which stays
        terminal.note(f"{below}{made}; run it again to go on")
