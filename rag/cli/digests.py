"""What happened on a topic: digests as text, Markdown, a page, JSON and pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rag.cli.costs import requests_for_lines, show_estimate, spent
from rag.cli.opening import open_editor, open_retriever, open_snapshot
from rag.cli.options import common, filtered, modelled, several
from rag.cli.output import check, save
from rag.cli.terminal import Terminal, dumps
from rag.errors import BudgetError, EndpointError
from rag.types import Usage

if TYPE_CHECKING:
    from rag.digest.editor import Editor
    from rag.digest.saved import Saved
    from rag.digest.select import Field, Selection
    from rag.retrieve.filters import Filters
    from rag.store.snapshot import Snapshot
    from rag.types import Atlas, Digest

SHAPES = {".md": "md", ".html": "html", ".htm": "html", ".json": "json", ".txt": "text"}
PICTURES = (".svg", ".png")
LONGEST_TOPIC = 500
"""Characters: it heads a page."""


@click.command()
@click.argument("topics", nargs=-1, metavar="TOPIC…")
@click.option(
    "--auto",
    type=click.IntRange(min=0),
    is_flag=False,
    flag_value=0,
    metavar="[N]",
    help="A digest for each topic that the papers fall into, N if given.",
)
@click.option(
    "--by",
    type=click.Choice(["area", "venue", "status", "year"]),
    help="A digest for each value of this field.",
)
@click.option(
    "--floor",
    type=click.FloatRange(0, 1),
    help="How surely a paper has to be on a topic.  [default: 0.25]",
)
@click.option("--format", "shape", type=click.Choice(["text", "md", "html", "json"]))
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    metavar="FILE",
    help="Write a .md, .html, .json or .txt, and print nothing; can be repeated.",
)
@click.option(
    "--plot", "plots", multiple=True, metavar="FILE", help="Draw a .svg or .png, likewise."
)
@click.option("--since", metavar="OLD.json", help="Say what has changed since an earlier digest.")
@several
@click.option("--dry-run", is_flag=True, help="Say what a model would cost, and ask none.")
@modelled
@filtered
@common
def digest(
    terminal: Terminal,
    topics: Sequence[str],
    auto: int | None,
    by: Field | None,
    floor: float | None,
    shape: str | None,
    outputs: Sequence[str],
    plots: Sequence[str],
    since: str | None,
    jobs: int | None,
    dry_run: bool,
    filters: Filters,
) -> None:
    """What the papers on a topic say: an overview, a line for each paper, its figures.

    Each TOPIC gets a digest; quote one of several words. How many papers it lists depends on
    how surely they are on the topic, not on a number.
    """
    _check_choice(topics, auto, by, floor)
    if terminal.as_json and shape not in (None, "json"):
        raise click.UsageError(f"--json is not --format {shape}", click.get_current_context())
    shapes = {output: _shape(output, shape) for output in outputs}
    _check_pictures(plots)
    for file in (*outputs, *plots):
        check(file)
    old = _saved(since, topics)
    selections, editor = _selected(terminal, topics, auto, by, floor, filters, jobs)
    if dry_run:
        _estimate(terminal, editor, selections, rename=auto is not None)
        return
    floor = _floor(topics) if floor is None else floor
    found = None if auto is None else auto or True
    settings = _settings(terminal, filters, floor=floor, auto=found, by=by)
    digests = _made(terminal, editor, selections, settings, rename=auto is not None)
    if old is not None:
        from rag.digest.since import compared

        digests = compared(old, digests, editor.snapshot.ids, asked=bool(topics))
    press = _Press(terminal, editor.snapshot, digests)
    for output, kind in shapes.items():
        save(output, press.text(kind))
    for plot in plots:
        save(plot, press.picture(Path(plot).suffix.lower()))
    shown = "json" if terminal.as_json else shape or ("" if outputs or plots else "text")
    if shown:
        click.echo(press.text(shown), nl=False)
    _tell(terminal, press.digests, [*outputs, *plots])


@dataclass(frozen=True)
class _Press:
    """Digests in the shapes that they are asked for."""

    terminal: Terminal
    snapshot: Snapshot
    digests: Sequence[Digest]
    remark: str = ""

    def text(self, shape: str) -> str:
        """As text, md, html or json, with a line end."""
        if shape == "json":
            return dumps({"digests": [digest.to_json() for digest in self.digests]}) + "\n"
        if shape == "html":
            from rag.publish.html import digest_page

            return digest_page(self.digests, self.atlas, remark=self.remark)
        if shape == "md":
            from rag.publish.markdown import digest_markdown

            return digest_markdown(self.digests)
        from rag.publish.text import digest_text

        return digest_text(self.digests, self.terminal.style)

    def picture(self, suffix: str) -> bytes:
        """As an .svg or .png file."""
        from rag.publish.figures import plot_svg

        svg = plot_svg(self.atlas)
        if suffix == ".svg":
            return svg.encode()
        from rag.publish.png import png

        return png(svg)

    @cached_property
    def atlas(self) -> Atlas:
        from rag.digest.atlas import atlas_of

        return atlas_of(self.digests, self.snapshot)


def _made(
    terminal: Terminal,
    editor: Editor,
    selections: Sequence[Selection],
    settings: Mapping[str, Any],
    *,
    rename: bool,
) -> list[Digest]:
    """The digests; what stops a model is raised after it was said that nothing is lost."""
    try:
        return editor.digests(selections, settings, rename)
    except (EndpointError, BudgetError):
        if terminal.settings.cache:
            terminal.note("what was made is kept; run it again to go on")
        raise


def write_page(terminal: Terminal, snapshot: Snapshot, path: Path, remark: str) -> None:
    """Write a page with a digest of each topic that the papers fall into, and a remark on top."""
    from rag.digest.select import by_cluster
    from rag.retrieve.filters import Filters

    editor = open_editor(terminal, snapshot, None)
    settings = _settings(terminal, Filters(), auto=True)
    digests = editor.digests(by_cluster(snapshot, None, None), settings, rename=True)
    save(str(path), _Press(terminal, snapshot, digests, remark).text("html"))


def _check_choice(
    topics: Sequence[str], auto: int | None, by: str | None, floor: float | None
) -> None:
    """Raise UsageError unless there is just one of topics, --auto and --by, and it makes sense."""
    context = click.get_current_context()
    if sum([bool(topics), auto is not None, by is not None]) != 1:
        raise click.UsageError("give topics, --auto or --by, and only one of these", context)
    if floor is not None and (not topics or isnan(floor)):
        raise click.UsageError("--floor is a number from 0 to 1, and for topics", context)
    for topic in topics:
        if not any(map(str.isalnum, topic)):
            raise click.UsageError(f"no topic: {topic!r}", context)
        if len(topic) > LONGEST_TOPIC:
            message = f"a topic has at most {LONGEST_TOPIC} characters, not {len(topic):,}"
            raise click.UsageError(message, context)


def _shape(output: str, shape: str | None) -> str:
    """The format that a file's name asks for, else the one asked for by itself; text where
    neither asks for any."""
    ending = Path(output).suffix.lower()
    named = SHAPES.get(ending, shape)
    if ending and named is None:
        message = f"{output}: give --format, or a name that ends in {', '.join(SHAPES)}"
        raise click.UsageError(message, click.get_current_context())
    return named or "text"


def _check_pictures(plots: Sequence[str]) -> None:
    """Raise before the work is done where a picture could not be drawn after it."""
    for plot in plots:
        if Path(plot).suffix.lower() not in PICTURES:
            message = f"{plot}: pictures are {' or '.join(PICTURES)} files"
            raise click.UsageError(message, click.get_current_context())
        if plot.lower().endswith(".png"):
            from rag.publish.png import check_installed

            check_installed()


def _selected(
    terminal: Terminal,
    topics: Sequence[str],
    auto: int | None,
    by: Field | None,
    floor: float | None,
    filters: Filters,
    jobs: int | None,
) -> tuple[list[Selection], Editor]:
    """The papers of each digest, and what makes digests of them; one snapshot for both."""
    from rag.digest import select

    if topics:
        retriever = open_retriever(terminal)
        snapshot = retriever.snapshot
        named = dict.fromkeys(" ".join(topic.split()) for topic in topics)
        found = [select.on_topic(retriever, topic, filters, floor) for topic in named]
    else:  # what is in the index is enough: no embedder, no index of words
        snapshot = open_snapshot(terminal)
        if by:
            found = select.by_field(snapshot, by, filters)
        else:
            terminal.note("finding topics in the papers …")
            found = select.by_cluster(snapshot, auto or None, filters)
    return found, open_editor(terminal, snapshot, jobs)


def _settings(terminal: Terminal, filters: Filters, **chosen: Any) -> dict[str, Any]:
    """What the command line and the settings say of how to make digests."""
    return {**chosen, **asdict(filters), "strict": terminal.settings.strict or None}


def _floor(topics: Sequence[str]) -> float | None:
    """The floor where none was given, as far as there is one."""
    from rag.topics.membership import FLOOR

    return FLOOR if topics else None


def _saved(since: str | None, topics: Sequence[str]) -> Saved | None:
    """The earlier digests; raises SourceError if they lack a topic, before any work is done."""
    if since is None:
        return None
    from rag.digest.saved import read_digests
    from rag.digest.since import on_topic

    saved = read_digests(since)
    for topic in topics:
        on_topic(saved, topic)
    return saved


def _estimate(
    terminal: Terminal, editor: Editor, selections: Sequence[Selection], *, rename: bool
) -> None:
    """Print what the digests would cost at most with a model, going by the offline lines."""
    from rag.summarize.extractive import Extractive

    rows = editor.rows(selections)
    model, lines = requests_for_lines(editor.summarizer, editor.snapshot, rows)
    offline = replace(editor, summarizer=Extractive(editor.checker))
    requests = [*lines, *offline.requests(selections, rename)]
    show_estimate(terminal, model, requests, "what has no support is asked for once more")


def _tell(terminal: Terminal, digests: Sequence[Digest], files: Sequence[str]) -> None:
    """How the digests came about, what they took and where they are."""
    for each in digests:
        for note in each.notes:
            terminal.note(f"{each.topic}: {note}")
    usage = sum((each.usage for each in digests), Usage())
    if usage.input_tokens:
        terminal.note(f"overviews: {spent(usage)}")
    for file in files:
        terminal.note(f"written: {file}")
