"""Opens what evaluations put cases to: the same parts as the commands do, but for lines that are
kept, which would hide that new ones are worse. Knows, too, what it would cost to put them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from threading import local
from typing import TYPE_CHECKING, Any

from rag.cli.costs import NO_MODEL, requests_for_lines
from rag.errors import ConfigError, ContextOverflow, PaperNotFound, QuestionError
from rag.evaluate.scoring import POINTLESS
from rag.models.wrapped import Wrapped
from rag.opening import (
    at_once,
    open_asker,
    open_built_in,
    open_editor,
    open_fresh_summarizer,
    open_judges,
    open_purse,
    open_summarizer,
)

if TYPE_CHECKING:
    from rag.cli.costs import Request
    from rag.cli.terminal import Terminal
    from rag.config import Settings
    from rag.digest.editor import Editor
    from rag.engine.answer import Asker
    from rag.engine.writer import Writer
    from rag.evaluate.asking import Asking
    from rag.evaluate.judges import Judges
    from rag.evaluate.papers import Names
    from rag.evaluate.types import Case, Judged, Provenance, Sample, SuiteName
    from rag.models import Message, Model, OnText, Reply
    from rag.models.budget import Purse

    Sampler = Callable[[Case, int], Sample]

BEARING = ("reword", "strict", "top_k", "window")
"""Settings that answers depend on and that no other field of a run's provenance tells."""
WRITERS: Mapping[str, Sequence[str]] = {
    "ask": ("answer", "follow_up", "search"),
    "summarize": ("summarize",),
    "digest": ("summarize", "digest", "topic"),
}
"""The tasks of a model in each suite."""


@dataclass(frozen=True)
class Bench:
    """``sample`` puts a case and has it judged; ``jobs`` cases may be under way at once."""

    samplers: Mapping[SuiteName, Sampler]
    refusals: Refusals
    judges: Judges | None
    made_from: Provenance
    jobs: int
    also: str
    """What samples depend on beside their provenance: which server, and what names stand for."""
    note: Callable[[str], None]
    dismissed: list[str] = field(default_factory=list)
    """Why the judges are not asked any more, once there is a reason."""

    def sample(self, case: Case, repeat: int) -> Sample:
        """What comes of a case; raises what the sampler raises, and what a writer has met and
        gone on without."""
        from rag.evaluate.fingerprint import expects

        self.refusals.last = None
        sample = replace(self.samplers[case.suite](case, repeat), expects=expects(case))
        if self.refusals.last:
            raise self.refusals.last
        if self.judges is None or sample.error:
            return sample
        return replace(sample, judged=self._judged(self.judges, sample, case))

    def _judged(self, judges: Judges, sample: Sample, case: Case) -> dict[str, Judged]:
        """The judges' verdicts; they only advise, and so one who cannot be asked stops nothing."""
        if not self.dismissed:
            try:
                return judges.judge(sample, case)
            except POINTLESS as error:
                self.dismissed.append(f"not asked any more: {error.message}")
                self.note(f"the judges are {self.dismissed[0]}")
        return judges.absent(sample, case, self.dismissed[0])


class Refusals(local):
    """What ends a run and was met in this thread since it was last None."""

    last: Exception | None = None


class Attentive(Wrapped):
    """A model whose refusals are not forgotten. Where a sentence cannot be rewritten, since there
    is no money left or nobody there, a writer shows what it has; a sample of that would be kept,
    and be taken for what the model can do."""

    def __init__(self, model: Model, refusals: Refusals) -> None:
        super().__init__(model)
        self._refusals = refusals

    def reply(
        self, messages: Sequence[Message], limit: int, on_text: OnText | None = None
    ) -> Reply:
        try:
            return self._model.reply(messages, limit, on_text)
        except POINTLESS as error:
            self._refusals.last = error
            raise


def open_bench(
    terminal: Terminal, suites: Collection[SuiteName], judges: Sequence[str], jobs: int | None
) -> Bench:
    """A bench for some suites over the index of the settings, all paid out of one purse."""
    from rag.engine.check import Checker
    from rag.evaluate.asking import Asking
    from rag.evaluate.papers import Names

    purse, refusals = open_purse(terminal), Refusals()
    asker = open_asker(terminal, purpose="eval", purse=purse)
    if asker.writer:
        asker = replace(asker, writer=_attentive(asker.writer, refusals))
    names = Names(asker.retriever.snapshot, terminal.settings.evals)
    checker = Checker(open_built_in())  # not what the product checks with, which may be at fault
    asking = Asking(asker, names, terminal.settings.top_k, checker)
    samplers: dict[SuiteName, Sampler] = {"retrieval": asking.sample, "ask": asking.sample}
    wordings: list[str] = []
    if {"summarize", "digest"} & set(suites):
        more, wordings = _line_samplers(terminal, asking, purse, refusals)
        samplers |= more
    opened = open_judges(terminal, judges, purse) if judges else None
    wordings += opened.prompts if opened else ()
    made_from = _provenance(terminal, asker, suites, opened, wordings)
    together, also = _together(terminal, opened, jobs), _also(terminal)
    return Bench(samplers, refusals, opened, made_from, together, also, terminal.note)


def _attentive(writer: Writer, refusals: Refusals) -> Writer:
    return replace(writer, model=Attentive(writer.model, refusals))


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
    terminal: Terminal, asking: Asking, purse: Purse, refusals: Refusals
) -> tuple[dict[SuiteName, Sampler], list[str]]:
    """What samples lines and digests, and the identity of what writes their lines."""
    from rag.evaluate.digesting import Digesting
    from rag.evaluate.summarizing import Summarizing

    names, checker, retriever = asking.names, asking.checker, asking.asker.retriever
    snapshot = retriever.snapshot
    summarizer = open_fresh_summarizer(terminal, purse, cached=terminal.settings.cache)
    editor = open_editor(terminal, snapshot, 1, purse, summarizer)
    if writing := editor.writing:
        overviews = _attentive(writing.writer, refusals)
        editor = replace(editor, writing=replace(writing, writer=overviews))
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
    defaults = {each.name: each.default for each in fields(settings)}
    values = {name: getattr(settings, name) for name in BEARING}
    return {name: value for name, value in values.items() if value != defaults[name]}


def open_requests(terminal: Terminal, cases: Iterable[Case]) -> tuple[Model, list[Request]]:
    """A model, and what it would be asked first if each case were put once and nothing that was
    made before were there. Raises ConfigError without a model."""
    from rag.evaluate.papers import Names
    from rag.summarize.extractive import Extractive

    purse = open_purse(terminal)
    asker = open_asker(terminal, purpose="eval", purse=purse)
    if not asker.writer:
        raise ConfigError(*NO_MODEL)
    snapshot = asker.retriever.snapshot
    offline = open_editor(terminal, snapshot, 1, purse, Extractive(asker.writer.checker))
    foreseen = _Foreseen(asker, Names(snapshot, terminal.settings.evals), offline)
    for case in cases:
        with suppress(QuestionError, PaperNotFound, ContextOverflow):  # there nothing is asked
            foreseen.put(case)
    # Where replies are kept, a paper's line is asked for once however many cases want it.
    rows = dict.fromkeys(foreseen.rows) if terminal.settings.cache else foreseen.rows
    anew = replace(terminal, settings=replace(terminal.settings, cache=False))
    model, lines = requests_for_lines(open_summarizer(anew, purse), snapshot, rows)
    return model, foreseen.requests + lines


@dataclass(frozen=True)
class _Foreseen:
    """What a model would be asked about cases: ``requests``, and lines for the papers of
    ``rows``. The editor's lines are made offline, in place of those that are not there yet."""

    asker: Asker
    names: Names
    editor: Editor
    requests: list[Request] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)

    def put(self, case: Case) -> None:
        """Raises what the case would."""
        if case.suite == "ask":
            self._ask(case)
        elif case.suite == "summarize":
            self.rows.extend(self.names.rows([case.subject]))
        elif case.suite == "digest":
            self._digest(case.subject)

    def _ask(self, case: Case) -> None:
        ids = self.names.snapshot.ids
        history = [
            turn._replace(papers=tuple(ids[row] for row in self.names.rows(turn.papers)))
            for turn in case.history
        ]
        messages = self.asker.messages(case.subject, history)
        if messages and self.asker.writer:
            self.requests.append((messages, self.asker.writer.limit))

    def _digest(self, topic: str) -> None:
        from rag.digest.select import on_topic

        selection = on_topic(self.asker.retriever, " ".join(topic.split()), None, None)
        self.rows.extend(selection.rows)
        self.requests.extend(self.editor.requests([selection]))
