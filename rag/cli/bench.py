"""Opens what evaluations put cases to: the same parts as the commands do, but for lines that are
kept, which would hide that new ones are worse."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag.cli.opening import (
    at_once,
    open_asker,
    open_built_in,
    open_editor,
    open_fresh_summarizer,
    open_judges,
    open_purse,
)

if TYPE_CHECKING:
    from rag.cli.terminal import Terminal
    from rag.config import Settings
    from rag.engine.answer import Asker
    from rag.evaluate.asking import Asking
    from rag.evaluate.judges import Judges
    from rag.evaluate.types import Case, Provenance, Sample, SuiteName
    from rag.models.budget import Purse

    Sampler = Callable[[Case, int], Sample]

BEARING = ("strict", "top_k", "window")
"""Settings that answers depend on and that no other field of a run's provenance tells."""
WRITERS: Mapping[str, Sequence[str]] = {
    "ask": ("answer", "follow_up"),
    "summarize": ("summarize",),
    "digest": ("summarize", "digest", "topic"),
}
"""The tasks of a model in each suite."""


@dataclass(frozen=True)
class Bench:
    """``sample`` puts a case and has it judged; ``jobs`` cases may be under way at once."""

    samplers: Mapping[SuiteName, Sampler]
    judges: Judges | None
    made_from: Provenance
    jobs: int
    also: str
    """What samples depend on beside their provenance: which server, and what names stand for."""

    def sample(self, case: Case, repeat: int) -> Sample:
        """What comes of a case; raises what the sampler or a judge raises."""
        from rag.evaluate.fingerprint import expects

        sample = replace(self.samplers[case.suite](case, repeat), expects=expects(case))
        if self.judges is None or sample.error:
            return sample
        return replace(sample, judged=self.judges.judge(sample, case))


def open_bench(
    terminal: Terminal, suites: Collection[SuiteName], judges: Sequence[str], jobs: int | None
) -> Bench:
    """A bench for some suites over the index of the settings, all paid out of one purse."""
    from rag.engine.check import Checker
    from rag.evaluate.asking import Asking
    from rag.evaluate.papers import Names

    purse = open_purse(terminal)
    asker = open_asker(terminal, purpose="eval", purse=purse)
    names = Names(asker.retriever.snapshot, terminal.settings.evals)
    checker = Checker(open_built_in())  # not what the product checks with, which may be at fault
    asking = Asking(asker, names, terminal.settings.top_k, checker)
    samplers: dict[SuiteName, Sampler] = {"retrieval": asking.sample, "ask": asking.sample}
    wordings: list[str] = []
    if {"summarize", "digest"} & set(suites):
        more, wordings = _line_samplers(terminal, asking, purse)
        samplers |= more
    opened = open_judges(terminal, judges, purse) if judges else None
    wordings += opened.prompts if opened else ()
    made_from = _provenance(terminal, asker, suites, opened, wordings)
    return Bench(samplers, opened, made_from, _together(terminal, opened, jobs), _also(terminal))


def _together(terminal: Terminal, judges: Judges | None, jobs: int | None) -> int:
    """How many cases are under way at once; a judge on this machine takes one at a time."""
    from rag.config import judge_endpoint

    judge = judge_endpoint(terminal.settings) if judges else None
    if judge and judge.local and not jobs:
        return 1
    return jobs or at_once(terminal, None)


def _also(terminal: Terminal) -> str:
    names = terminal.settings.evals / "papers.jsonl"
    known = names.read_text(encoding="utf-8") if names.exists() else ""
    return f"{terminal.settings.base_url or ''}\0{known}"


def _line_samplers(
    terminal: Terminal, asking: Asking, purse: Purse
) -> tuple[dict[SuiteName, Sampler], list[str]]:
    """What samples lines and digests, and the identity of what writes their lines."""
    from rag.evaluate.digesting import Digesting
    from rag.evaluate.summarizing import Summarizing

    names, checker, retriever = asking.names, asking.checker, asking.asker.retriever
    snapshot = retriever.snapshot
    summarizer = open_fresh_summarizer(terminal, purse, cached=terminal.settings.cache)
    editor = open_editor(terminal, snapshot, 1, purse, summarizer)
    return {
        "summarize": Summarizing(summarizer, snapshot, names, checker).sample,
        "digest": Digesting(editor, retriever, names, checker=checker).sample,
    }, [summarizer.identity]


def _provenance(
    terminal: Terminal,
    asker: Asker,
    suites: Collection[SuiteName],
    judges: Judges | None,
    wordings: Sequence[str],
) -> Provenance:
    from rag.evaluate.provenance import provenance

    settings = terminal.settings
    return provenance(
        asker.retriever.snapshot,
        asker.retriever.snapshot.manifest.embedder,
        settings.engine,
        model=asker.writer.model.name if asker.writer else None,
        judge=judges.model.name if judges else None,
        prompts=sorted({*wordings, *_prompts(settings, suites)}),
        settings=_bearing(settings),
        code=Path(),
    )


def _prompts(settings: Settings, suites: Collection[SuiteName]) -> list[str]:
    """``name@hash`` of all that the model of the settings is given."""
    if settings.engine == "extractive":
        return []
    from rag.prompts import load_task

    tasks = {task for suite in suites for task in WRITERS.get(suite, ())}
    return [load_task(task, settings.prompts).identity for task in tasks]


def _bearing(settings: Settings) -> dict[str, Any]:
    """The settings that answers depend on, where they are not the default."""
    defaults = {field.name: field.default for field in fields(settings)}
    values = {name: getattr(settings, name) for name in BEARING}
    return {name: value for name, value in values.items() if value != defaults[name]}
