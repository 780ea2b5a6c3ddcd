"""Does what was saved still stand in today's index?"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from rag.cli.options import common
from rag.cli.terminal import GATE, Terminal
from rag.opening import open_built_in, open_snapshot

if TYPE_CHECKING:
    from rag.digest.saved import Saved
    from rag.digest.verify import Recheck

STATUSES = ("ok", "moved", "gone", "unsupported")
FIXES = {
    "moved": "the quote still stands; make the file again to have its place right",
    "gone": "do not repeat it; make the file again from what the index holds now",
    "unsupported": "do not repeat it; read the quote, or make the file again",
}
MANY = 100
"""Citations from which on a bar shows how far it is."""


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE.json…")
@common
def verify(terminal: Terminal, files: Sequence[str]) -> None:
    """Check saved answers, summaries or digests against today's index.

    \b
    Each citation of a FILE (or of stdin, for -) is
      ok           the quote stands where it was and carries its sentence
      moved        the quote stands elsewhere in the paper
      gone         the paper, or the quote, is not there any more
      unsupported  the quotes stand, but do not carry the sentence
    and the exit status is 3 unless all of them are ok. Sentences that a file itself marks as
    unsupported are only asked for their quotes; those that were made without a model are held to
    the words of their quotes. With --json, one FILE gives its report, {"path", "ok", …,
    "citations"}, and several give {"files": [a report each], "ok"}.
    """
    from rag.digest.saved import read_saved

    saved = [read_saved(file) for file in files]
    found = _rechecked(terminal, saved)
    reports = [_report(*each) for each in zip(saved, found, strict=True)]
    whole = all(report["ok"] for report in reports)
    if terminal.as_json:
        terminal.emit(reports[0] if len(files) == 1 else {"files": reports, "ok": whole})
    else:
        for report, rechecks in zip(reports, found, strict=True):
            _show(terminal, report, rechecks)
    _tell(terminal, saved, reports)
    if not whole:
        raise SystemExit(GATE)


def _rechecked(terminal: Terminal, saved: Sequence[Saved]) -> list[list[Recheck]]:
    """What has become of each file's citations. The checker has the built-in embedder, as when
    answers and digests are made: what passed there must not fail here."""
    from tqdm import tqdm

    from rag.digest.verify import verify as verify_saved
    from rag.engine.check import Checker

    snapshot, checker = open_snapshot(terminal), Checker(open_built_in())
    total = sum(len(claim.citations) for file in saved for claim in file.claims)
    hidden = terminal.quiet or total <= MANY or not sys.stderr.isatty()
    with tqdm(total=total, unit=" citations", disable=hidden) as bar:
        found: list[list[Recheck]] = []
        for file in saved:
            found.append([])
            for recheck in verify_saved(file, snapshot, checker):
                found[-1].append(recheck)
                bar.update()
    return found


def _report(saved: Saved, rechecks: Sequence[Recheck]) -> dict[str, Any]:
    counts = Counter[str](each.status for each in rechecks)
    return {
        "path": saved.path,
        "ok": counts["ok"] == len(rechecks),
        "checked": len(rechecks),
        "counts": {status: counts[status] for status in STATUSES},
        "marked": saved.marked,
        "citations": [each.to_json() for each in rechecks],
    }


def _show(terminal: Terminal, report: dict[str, Any], rechecks: Sequence[Recheck]) -> None:
    """How many citations are what, then each that is not ok and what to do about it."""
    from rag.render import fill, safe

    citations = "1 citation" if report["checked"] == 1 else f"{report['checked']:,} citations"
    counts = ", ".join(f"{count:,} {status}" for status, count in report["counts"].items())
    click.echo(safe(f"{report['path']}: {citations}: {counts}"))
    for each in rechecks:
        if each.status != "ok":
            head = f"{each.status.upper()} {each.where}, paper {each.paper_id}"
            click.echo(f"\n{terminal.style.bold(safe(head))}")
            quoted = [] if each.quote is None else [f"quote: “{each.quote}”"]
            for line in (each.text, *quoted, each.detail, f"fix: {FIXES[each.status]}"):
                click.echo(fill(safe(line), indent="    "))


def _tell(terminal: Terminal, saved: Sequence[Saved], reports: Sequence[dict[str, Any]]) -> None:
    """What a reader might take for checked and is not, and where all of a file is gone, why."""
    for file, report in zip(saved, reports, strict=True):
        notes = {
            "nothing to verify": not report["checked"],
            f"nothing of it is in {terminal.settings.store}; --store names another index": (
                report["checked"] and report["counts"]["gone"] == report["checked"]
            ),
            f"sentences marked as unsupported in it: {file.marked:,}": file.marked,
            f"rows that hold an error, left out: {file.failed:,}": file.failed,
        }
        for note, applies in notes.items():
            if applies:
                terminal.note(f"{file.path}: {note}")
