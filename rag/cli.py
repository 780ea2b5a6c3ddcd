"""The command line: parses, calls, prints. The only module that prints or exits.

Imports nothing heavy before a command needs it, so that help is instant.
"""

from __future__ import annotations

import gc
import json
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rag import __version__
from rag.errors import RagError, SourceError, StoreError

if TYPE_CHECKING:
    from rag.batch import Row
    from rag.config import Settings
    from rag.corpus import FileReading
    from rag.embed.minilm import MiniLM
    from rag.engine.answer import Asker
    from rag.render import Style
    from rag.retrieve.filters import Filters
    from rag.retrieve.hybrid import Retriever
    from rag.store.ingest import Batch, IngestReport
    from rag.store.snapshot import Snapshot
    from rag.types import Answer, Rejection

UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""What JSON would leave as it is: C1 controls, separators, changes of direction, surrogates."""
OK, FAILED, USAGE, GATE, INTERRUPTED = 0, 1, 2, 3, 130

SAMPLE = "sample/iclr2026_notes.jsonl"
DEMO_QUESTIONS = (
    "How does FIRE measure plasticity?",
    "How many GPUs was DRIFT trained on?",
)
"""One that the sample answers and one that it does not."""

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass
class Terminal:
    """Where a command's output goes: answers to stdout, the rest to stderr."""

    settings: Settings
    as_json: bool
    quiet: bool

    def note(self, text: str) -> None:
        """Say something on stderr unless --quiet."""
        if not self.quiet:
            _say(text)

    def emit(self, data: Any) -> None:
        """Print one JSON document on a line of its own."""
        click.echo(dumps(data))

    @property
    def style(self) -> Style:
        from rag.render import Style

        return Style(sys.stdout.isatty() and "NO_COLOR" not in os.environ)


class Bar:
    """Progress of an ingest on stderr: a bar with rate and time left on a terminal, else a
    line at the start."""

    def __init__(self, terminal: Terminal) -> None:
        self.note = terminal.note
        self._quiet = terminal.quiet
        self._bar: Any = None

    def embedding(self, total: int) -> None:
        if not sys.stderr.isatty():
            self.note(f"embedding {total:,} abstracts …")
        from tqdm import tqdm

        self._bar = tqdm(
            total=total,
            desc="embedding",
            unit=" abstracts",
            disable=self._quiet or not sys.stderr.isatty(),
        )

    def advance(self, papers: int) -> None:
        self._bar.update(papers)
        if self._bar.n >= self._bar.total:
            self._bar.close()


def common(command: Command) -> Command:
    """The options that every command has; the command gets a Terminal instead of them."""

    @click.option("--store", metavar="DIR", help="Index folder.  [default: index_store]")
    @click.option("--json", "as_json", is_flag=True, help="JSON on stdout.")
    @click.option("-q", "--quiet", is_flag=True, help="No notes or progress on stderr.")
    @click.pass_context
    @wraps(command)
    def wrapper(
        context: click.Context,
        /,
        store: str | None,
        as_json: bool,
        quiet: bool,
        **rest: Any,
    ) -> Any:
        from rag.config import load

        before = context.obj or {}
        engine = rest.pop("engine", None)
        top_k = rest.pop("top_k", None)
        flags = {"store": store or before.get("store"), "engine": engine, "top_k": top_k}
        terminal = Terminal(
            load(flags),
            as_json or before.get("as_json", False),
            quiet or before.get("quiet", False),
        )
        return command(terminal, **rest)

    return wrapper  # type: ignore[return-value]


def filtered(command: Command) -> Command:
    """The options that narrow down the papers; the command gets Filters."""

    @click.option("--area", help="Only papers whose area contains this.")
    @click.option("--venue", help="Only papers whose venue contains this.")
    @click.option("--status", help="Only papers whose status contains this.")
    @click.option("--year", type=int, help="Only papers of this year.")
    @click.option("--paper", "papers", multiple=True, help="Only this paper_id; can be repeated.")
    @wraps(command)
    def wrapper(
        *args: Any,
        area: str | None,
        venue: str | None,
        status: str | None,
        year: int | None,
        papers: tuple[str, ...],
        **rest: Any,
    ) -> Any:
        from rag.retrieve.filters import Filters

        return command(*args, filters=Filters(area, venue, status, year, papers), **rest)

    return wrapper  # type: ignore[return-value]


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, "--version", prog_name="rag")
@click.option("--store", metavar="DIR", help="Index folder.  [default: index_store]")
@click.option("--json", "as_json", is_flag=True, help="JSON on stdout.")
@click.option("-q", "--quiet", is_flag=True, help="No notes or progress on stderr.")
@click.pass_context
def cli(context: click.Context, /, **options: Any) -> None:
    """Ask a list of paper abstracts. Every sentence of an answer is an exact quote.

    Start with `rag demo`, or with `rag ingest FILE` and `rag ask "…"`.
    """
    context.obj = options


@cli.command()
@common
def demo(terminal: Terminal) -> None:
    """Ingest the bundled sample and ask it two questions."""
    sample = _sample()
    _only_sample(terminal, sample.file)
    report = _ingest(terminal, [sample])
    terminal.note(f"{report.papers} notes on ICLR 2026 papers in {terminal.settings.store}\n")
    asker = _asker(terminal)
    for question in DEMO_QUESTIONS:
        answer = asker.ask(question)
        if not terminal.as_json:
            click.echo(terminal.style.dim(f"? {question}"))
        _show_answer(terminal, answer)
        if not terminal.as_json:
            click.echo()
    terminal.note(
        "The quotes are of notes that retell the abstracts.\n"
        'Next: rag ask "…", or rag ingest YOUR_LIST.txt --store my_index'
    )


@cli.command()
@click.argument("paths", nargs=-1, required=True, metavar="FILE…")
@click.option("--keep", is_flag=True, help="Keep papers that have gone from their file.")
@click.option("--no-wait", is_flag=True, help="Fail if another process is writing.")
@common
def ingest(terminal: Terminal, paths: Sequence[str], keep: bool, no_wait: bool) -> None:
    """Read lists of abstracts into the index.

    A file is a plain-text list (abstracts parted by blank lines), JSON Lines, or JSON. Reading
    a file again takes over its changes: new, changed and removed papers.
    """
    from time import perf_counter

    started = perf_counter()
    batches, rejected, failures = _read(terminal, paths)
    if len(failures) == len(set(paths)):
        raise failures[0]
    report = _ingest(terminal, batches, keep=keep, wait=not no_wait)
    seconds = round(perf_counter() - started, 1)
    _warn_of_sample(terminal)
    _show_report(terminal, report, rejected, failures, seconds)
    if failures:
        raise SystemExit(FAILED)


@cli.command()
@click.argument("paper_id")
@common
def show(terminal: Terminal, paper_id: str) -> None:
    """Show one paper: its clean text, and with --json also the raw one."""
    from rag.render import paper_text

    snapshot = _snapshot(terminal)
    paper = snapshot.paper(snapshot.find(paper_id))
    if terminal.as_json:
        terminal.emit({**paper.to_json(), "text": paper.text, "raw": paper.raw})
    else:
        click.echo(paper_text(paper, terminal.style))


@cli.command("list")
@click.option("--match", metavar="TERM", help="Only papers that mention this word or phrase.")
@filtered
@common
def list_papers(terminal: Terminal, match: str | None, filters: Filters) -> None:
    """List the papers, one a line."""
    from rag.render import list_line
    from rag.retrieve.lexical import mentions

    papers = list(_snapshot(terminal).papers())
    rows = filters.rows(papers) if filters else range(len(papers))
    found = [papers[row] for row in rows if match is None or mentions(papers[row], match)]
    for paper in found:
        if terminal.as_json:
            terminal.emit(paper.to_json())
        else:
            click.echo(list_line(paper))
    terminal.note(f"{len(found):,} of {len(papers):,} papers")


@cli.command()
@click.argument("query", nargs=-1)
@click.option("-k", "top_k", type=click.IntRange(min=1), help="How many papers.  [default: 10]")
@click.option("--batch", metavar="FILE.jsonl", help='Rows {"id", "question"}; JSON Lines out.')
@filtered
@common
def search(terminal: Terminal, query: Sequence[str], batch: str | None, filters: Filters) -> None:
    """Find the papers nearest to a query, each with its best passages."""
    from rag.render import hits_text

    k, text = terminal.settings.top_k, _question(query, batch)
    retriever = _retriever(terminal, text)
    if batch is not None:

        def results(row: Row) -> dict[str, Any]:
            hits = retriever.search(row.question, k, filters)
            return {"results": [hit.to_json() for hit in hits]}

        _run_batch(terminal, batch, results)
        return
    hits = retriever.search(text, k, filters)
    if terminal.as_json:
        for hit in hits:
            terminal.emit(hit.to_json())
    elif hits:
        click.echo(hits_text(hits, terminal.style))


@cli.command()
@click.argument("question", nargs=-1)
@click.option("--engine", help="Who writes the answer: extractive.")
@click.option(
    "--batch", metavar="FILE.jsonl", help='Rows {"id", "question", "history"}; JSON Lines out.'
)
@filtered
@common
def ask(terminal: Terminal, question: Sequence[str], batch: str | None, filters: Filters) -> None:
    """Answer a question with exact quotes, or say that the abstracts do not."""
    text = _question(question, batch)
    asker = _asker(terminal, text)
    if batch is not None:

        def reply(row: Row) -> dict[str, Any]:
            return asker.ask(row.question, row.history, filters).to_json()

        _run_batch(terminal, batch, reply)
        return
    _show_answer(terminal, asker.ask(text, filters=filters))


@cli.command()
@common
def doctor(terminal: Terminal) -> None:
    """Check the index and say how to mend what is wrong."""
    _check(terminal, {})


@cli.command()
@click.option("--no-wait", is_flag=True, help="Fail if another process is writing.")
@common
def rebuild(terminal: Terminal, no_wait: bool) -> None:
    """Make the index anew from the records that it keeps, without the original files."""
    from rag.retrieve.lexical import write_bm25
    from rag.store.ingest import rebuild as rebuild_store

    store = terminal.settings.store
    report = rebuild_store(store, _embedder(), write_bm25, Bar(terminal), wait=not no_wait)
    terminal.note(f"{report.papers:,} papers, {report.embedded:,} of them embedded again")
    _check(terminal, asdict(report))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and exit with its status; no traceback for anything a user can cause."""
    arguments = sys.argv[1:] if arguments is None else arguments
    _open_streams()
    as_json = "--json" in arguments
    try:
        cli.main(list(arguments), prog_name="rag", standalone_mode=False)
        sys.stdout.flush()
        status = OK
    except RagError as error:
        status = _fail(error.to_json(), FAILED, as_json)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        status = USAGE
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "rag"
        fix = f"{command} --help shows the usage"
        details = {"type": "UsageError", "message": error.format_message(), "fix": fix}
        status = _fail(details, USAGE, as_json)
    except click.exceptions.Exit as stop:
        status = stop.exit_code
    except SystemExit as stop:
        closed = isinstance(stop.__context__, BrokenPipeError)  # click has met it first
        status = OK if closed else int(stop.code or 0)
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        status = INTERRUPTED
    except BrokenPipeError:  # the reader of our output has left, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = OK
    except Exception as error:
        if os.environ.get("RAG_DEBUG"):
            raise
        details = {
            "type": "InternalError",
            "message": f"Something unforeseen: {type(error).__name__}: {error}",
            "fix": "rag doctor checks the index; RAG_DEBUG=1 shows where it happened",
        }
        status = _fail(details, FAILED, as_json)
    sys.exit(status)


def run() -> None:
    """The command ``rag``: like ``main``, but leaves at once. Taking the model down politely
    takes a tenth of the time of an answer; what Chroma has open is closed in order."""
    try:
        main()
    except SystemExit as stop:
        if "chromadb" in sys.modules:
            raise
        with suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(int(stop.code or 0))


def _open_streams() -> None:
    """Give a closed stream somewhere to go, and a narrow encoding a way to write anything."""
    for name in ("stdin", "stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            mode = "r" if name == "stdin" else "w"
            devnull = Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115
            setattr(sys, name, devnull)
        elif name != "stdin" and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _fail(error: Mapping[str, str], status: int, as_json: bool) -> int:
    with suppress(OSError):  # nobody may be listening
        if as_json:
            click.echo(dumps({"error": error}))
        _say(f"error: {error['message']}\n  fix: {error['fix']}")
    return status


def _say(text: str) -> None:
    """A line on stderr, without what could steer the terminal."""
    from rag.render import safe

    click.echo(safe(text), err=True)


def dumps(data: Any) -> str:
    """JSON on one line, in which no character can steer a terminal or be refused by it."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False)
    return UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _embedder(*, one_shot: bool = False) -> MiniLM:
    from rag.embed.minilm import MiniLM

    return MiniLM(one_shot=one_shot)


def _snapshot(terminal: Terminal) -> Snapshot:
    from rag.store.snapshot import Snapshot

    return Snapshot.open(terminal.settings.store)


def _retriever(terminal: Terminal, question: str = "") -> Retriever:
    """Search over the index; given the only ``question`` to come, its vector is computed while
    the rest is loaded."""
    if question:
        gc.disable()  # looking for garbage among all that is imported takes as long as searching
    worker = ThreadPoolExecutor(1)
    loading = worker.submit(_embedder, one_shot=bool(question))
    if question:
        worker.submit(lambda: loading.result().query(question))

    from rag.retrieve.hybrid import Retriever
    from rag.store.manifest import check_embedder

    snapshot = _snapshot(terminal)
    embedder = loading.result()
    check_embedder(terminal.settings.store, snapshot.manifest, embedder.identity)
    retriever = Retriever(snapshot, embedder)
    _ = retriever.lexical  # loaded now, since a writer may remove this generation any time
    return retriever


def _asker(terminal: Terminal, question: str = "") -> Asker:
    retriever = _retriever(terminal, question)

    from rag.engine.answer import Asker

    return Asker(retriever)


def _check(terminal: Terminal, report: Mapping[str, Any]) -> None:
    """Print every check of the index, after ``report`` in JSON; exit 3 if one fails."""
    from rag.store.doctor import diagnose

    checks = diagnose(terminal.settings.store, _embedder(one_shot=True), _open_bm25)
    if terminal.as_json:
        terminal.emit({**report, "checks": [asdict(check) for check in checks]})
    else:
        for check in checks:
            mark = "ok  " if check.ok else "BAD "
            fix = "" if check.ok else f"\n     fix: {check.fix}"
            click.echo(f"{mark} {check.name}: {check.detail}{fix}")
    if not all(check.ok for check in checks):
        raise SystemExit(GATE)


def _open_bm25(folder: Path) -> None:
    from rag.retrieve.lexical import Lexical

    Lexical(folder)


def _sample() -> Batch:
    """The bundled notes, under a name that does not tell where the package is installed."""
    from rag.corpus import read_file

    batch = _batch(read_file(str(Path(__file__).parent / SAMPLE)))
    records = [
        replace(paper, sources=tuple(replace(source, path=SAMPLE) for source in paper.sources))
        for paper in batch.records
    ]
    return replace(batch, path=SAMPLE, records=tuple(records))


def _batch(reading: FileReading) -> Batch:
    from rag.store.ingest import Batch

    whole = not reading.rejected
    return Batch(reading.path, reading.file, reading.records, whole, reading.digest)


def _read(
    terminal: Terminal, paths: Sequence[str]
) -> tuple[list[Batch], list[Rejection], list[SourceError]]:
    """Read every file that is not as it was; one that cannot be read costs only itself."""
    from rag.corpus import file_digest, read_file
    from rag.store.manifest import known_files
    from rag.types import Rejection

    known = known_files(terminal.settings.store)
    batches, rejected, failures = [], [], []
    for path in dict.fromkeys(paths):
        try:
            if known.get(str(Path(path).resolve())) == file_digest(path):
                continue
            reading = read_file(path)
        except SourceError as error:
            failures.append(error)
            rejected.append(Rejection(path, None, error.message))
            continue
        batches.append(_batch(reading))
        rejected += reading.rejected
    return batches, rejected, failures


def _ingest(
    terminal: Terminal, batches: Sequence[Batch], *, keep: bool = False, wait: bool = True
) -> IngestReport:
    from rag.retrieve.lexical import write_bm25
    from rag.store.ingest import ingest as ingest_batches

    store, bar = terminal.settings.store, Bar(terminal)
    return ingest_batches(store, batches, _embedder(), write_bm25, bar, keep=keep, wait=wait)


def _only_sample(terminal: Terminal, sample: str) -> None:
    """Refuse to mix the sample into somebody's own index."""
    from rag.errors import StoreMissing

    try:
        papers = _snapshot(terminal).papers()
    except StoreMissing:
        return
    if any(source.file != sample for paper in papers for source in paper.sources):
        message = f"{terminal.settings.store} holds papers of yours."
        raise StoreError(message, "rag demo --store demo_index")


def _warn_of_sample(terminal: Terminal) -> None:
    """Say so if somebody's own papers have come to stand beside the sample."""
    places = {source.path for paper in _snapshot(terminal).papers() for source in paper.sources}
    if SAMPLE in places and not places <= {SAMPLE}:
        store = terminal.settings.store
        terminal.note(f"{store} also holds the sample; for an index of your own name one: --store")


def _show_report(
    terminal: Terminal,
    report: IngestReport,
    rejected: Sequence[Rejection],
    failures: Sequence[SourceError],
    seconds: float,
) -> None:
    for rejection in rejected:
        line = f", line {rejection.line}" if rejection.line else ""
        terminal.note(f"not taken: {rejection.path}{line}: {rejection.reason}")
    for failure in failures:
        terminal.note(f"error: {failure.message}\n  fix: {failure.fix}")
    if terminal.as_json:
        rows = [asdict(rejection) for rejection in rejected]
        error = {"error": failures[0].to_json()} if failures else {}
        terminal.emit({**asdict(report), "rejected": rows, "seconds": seconds, **error})
        return
    counts = ("added", "updated", "unchanged", "removed", "merged")
    parts = [f"{getattr(report, name):,} {name}" for name in counts if getattr(report, name)]
    click.echo(f"{report.papers:,} papers in {terminal.settings.store} ({', '.join(parts)})")


def _show_answer(terminal: Terminal, answer: Answer) -> None:
    from rag.render import answer_text

    if terminal.as_json:
        terminal.emit(answer.to_json())
    else:
        click.echo(answer_text(answer, terminal.style))


def _question(words: Sequence[str], batch: str | None) -> str:
    """The question of a command; raises UsageError unless there is just one of words and batch."""
    text = " ".join(words)
    if text.strip() and batch is not None:
        message = "--batch takes its questions from the file"
        raise click.UsageError(message, click.get_current_context())
    if not text.strip() and batch is None:
        raise click.UsageError("a question is missing", click.get_current_context())
    return text


def _run_batch(terminal: Terminal, path: str, reply: Callable[[Row], dict[str, Any]]) -> None:
    """Answer each row of a JSON Lines file in order; a bad one costs only itself."""
    from tqdm import tqdm

    hidden = terminal.quiet or not sys.stderr.isatty()
    for row in tqdm(_rows(path), unit=" questions", disable=hidden):
        try:
            if row.error:
                raise row.error
            terminal.emit({"id": row.id, **reply(row)})
        except RagError as error:
            terminal.emit({"id": row.id, "error": error.to_json()})
            terminal.note(f"error: {error.message}\n  fix: {error.fix}")


def _rows(path: str) -> list[Row]:
    """The rows of a batch file, or of stdin for "-"."""
    from rag.batch import parse_rows

    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise SourceError(f"{path} cannot be read: {error}", "name a JSON Lines file") from error
    return list(parse_rows(text, path))
