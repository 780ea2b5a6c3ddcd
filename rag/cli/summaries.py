"""Papers in a line each: some by name, or all, as text, Markdown, CSV, JSON Lines or BibTeX."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rag.cli.costs import requests_for_lines, show_estimate, spent
from rag.cli.opening import at_once, open_snapshot, open_summarizer
from rag.cli.options import common, filtered, modelled, several
from rag.cli.output import check, save
from rag.cli.terminal import Terminal, dumps
from rag.errors import RagError
from rag.types import Usage

if TYPE_CHECKING:
    from rag.render import Style
    from rag.retrieve.filters import Filters
    from rag.store.snapshot import Snapshot
    from rag.summarize.kept import Kept
    from rag.types import Summary

    Render = Callable[[Sequence[Summary]], str]

FORMATS = {".txt": "text", ".md": "md", ".csv": "csv", ".jsonl": "jsonl", ".bib": "bib"}
"""The format of a file by how its name ends."""
AGAIN = "papers that have a line cost nothing, and one with faults is asked for once more"
TOLD = 3
"""Papers up to which each note is told for itself; of more, how many there are of a kind."""


@click.command()
@click.argument("paper_ids", nargs=-1, metavar="PAPER_ID…")
@click.option("--all", "everything", is_flag=True, help="All papers that pass the filters.")
@click.option(
    "--format",
    "shape",
    type=click.Choice([*FORMATS.values()]),
    help="What to write.  [default: by the name of the file, else text]",
)
@click.option("-o", "--output", metavar="FILE", help="Write to this file.")
@several
@click.option("--dry-run", is_flag=True, help="Say what a model would cost, and ask none.")
@modelled
@filtered
@common
def summarize(
    terminal: Terminal,
    paper_ids: Sequence[str],
    everything: bool,
    shape: str | None,
    output: str | None,
    jobs: int | None,
    dry_run: bool,
    filters: Filters,
) -> None:
    """Say in at most 25 words what each paper brings, with the quotes that the line rests on.

    A PAPER_ID is an id, or a name or title as rag list shows it. A line is kept in the index when
    it is made: what was stopped goes on where it was.
    """
    shape = _shape(shape, output, terminal.as_json)
    _check_choice(paper_ids, everything, filters)
    if output is not None:
        check(output)
    snapshot = open_snapshot(terminal)
    rows = _rows(terminal, snapshot, paper_ids, filters)
    summarizer = open_summarizer(terminal)
    if dry_run:
        model, asked = requests_for_lines(summarizer, snapshot, rows)
        show_estimate(terminal, model, asked, AGAIN, papers=len(rows))
        return
    streamed = output is None and shape in ("text", "jsonl")
    style = terminal.style if output is None else replace(terminal.style, colour=False)
    render = _renderer(shape, style, whole=not everything)
    made, shown = [], []
    for summary in _made(terminal, summarizer, snapshot, rows, at_once(terminal, jobs), streamed):
        made.append(summary)
        if summary.supported or not terminal.settings.strict:
            shown.append(summary)
            if streamed:
                click.echo(render([summary]), nl=False)
    if output is not None:
        save(output, render(shown))
        terminal.note(f"{len(shown):,} lines in {output}")
    elif not streamed:
        click.echo(render(shown), nl=False)
    _tell(terminal, made, left_out=len(made) - len(shown))


def _shape(shape: str | None, output: str | None, as_json: bool) -> str:
    """The format asked for; raises UsageError where two are, or where a file's name tells none."""
    context = click.get_current_context()
    if as_json and shape not in (None, "jsonl"):
        raise click.UsageError(f"--json is not --format {shape}", context)
    ending = Path(output or "").suffix.lower()
    named = FORMATS.get(ending)
    if ending and not (as_json or shape or named):
        message = f"{output}: give --format, or a name that ends in {', '.join(FORMATS)}"
        raise click.UsageError(message, context)
    return "jsonl" if as_json else shape or named or "text"


def _check_choice(paper_ids: Sequence[str], everything: bool, filters: Filters) -> None:
    """Raise UsageError unless it is said just once which papers are meant."""
    context = click.get_current_context()
    if paper_ids and (everything or filters):
        raise click.UsageError("name papers, or take --all with filters, not both", context)
    if not paper_ids and not everything:
        raise click.UsageError("name papers, or take --all", context)


def _rows(
    terminal: Terminal, snapshot: Snapshot, paper_ids: Sequence[str], filters: Filters
) -> Sequence[int]:
    """Rows of the papers meant, each once. Raises PaperNotFound, or QuestionError if none of the
    papers that there are passes the filters."""
    if paper_ids:
        return list(dict.fromkeys(map(snapshot.find, paper_ids)))
    if not len(snapshot):
        terminal.note(f"there are no papers in {terminal.settings.store}")
        return []
    from rag.retrieve.filters import passing, told_left_out

    rows = passing(snapshot, filters)
    if note := told_left_out(snapshot, filters):
        terminal.note(note)
    return rows


def _renderer(shape: str, style: Style, *, whole: bool) -> Render:
    """What makes a format of summaries: text has more of each where they were named."""
    from rag.publish import summaries

    if shape == "jsonl":
        return lambda found: "".join(f"{dumps(summary.to_json())}\n" for summary in found)
    if shape == "text":
        one = summaries.summary_text if whole else summaries.summary_line
        end = "\n\n" if whole else "\n"
        return lambda found: "".join(f"{one(summary, style)}{end}" for summary in found)
    return {
        "md": summaries.as_markdown,
        "csv": summaries.as_csv,
        "bib": summaries.as_bibtex,
    }[shape]


def _made(
    terminal: Terminal,
    summarizer: Kept,
    snapshot: Snapshot,
    rows: Sequence[int],
    jobs: int,
    streamed: bool,
) -> Iterator[Summary]:
    """The summaries in the order of the papers, with a bar unless they show themselves how far
    it is. What stops them is raised after it was said that nothing made so far is lost."""
    from tqdm import tqdm

    from rag.summarize.many import summaries

    found = summaries(summarizer, snapshot, rows, jobs)
    shown = sys.stderr.isatty() and not (streamed and sys.stdout.isatty())
    bar = tqdm(found, total=len(rows), unit=" papers", disable=terminal.quiet or not shown)
    done = 0
    try:
        for summary in bar:
            done += 1
            yield summary
    except (RagError, KeyboardInterrupt):
        bar.close()
        if done:
            made = f"{done:,} of {len(rows):,} lines are made and kept"
            terminal.note(f"{made}; run it again to go on")
        raise


def _tell(terminal: Terminal, made: Sequence[Summary], left_out: int) -> None:
    """How the lines came about, what they took, and what is missing."""
    noted = [(summary, note) for summary in made for note in summary.notes]
    if len(noted) <= TOLD:
        for summary, note in noted:
            terminal.note(f"{summary.paper.name}: {note}")
    else:
        for kind, count in Counter(note.partition(":")[0] for _, note in noted).items():
            terminal.note(f"{kind}: {count:,} papers")
    if any(summary.model and summary.engine == "extractive" for summary in made):
        terminal.note("these lines are kept, too; --no-cache asks the model for new ones")
    if left_out:
        papers = "1 paper is" if left_out == 1 else f"{left_out:,} papers are"
        terminal.note(f"{papers} left out, for want of a line that the abstract supports")
    usage = sum((summary.usage for summary in made), Usage())
    if usage.input_tokens:
        terminal.note(f"{made[0].model}: {spent(usage)}")
