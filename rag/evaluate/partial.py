"""What has been sampled so far, on disk, so that a run that was stopped goes on where it was.

A file in the folder of runs for each set of cases and all that their samples depend on, a line a
sample, gone once the run is saved. One process at a time goes on from a file; another that
runs the same begins anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from filelock import BaseFileLock, FileLock, Timeout

from rag.digest.parts import Part
from rag.errors import SourceError
from rag.evaluate.as_json import sample_from_json, sample_to_json
from rag.evaluate.runner import Key, Known
from rag.evaluate.runs import open_folder
from rag.evaluate.types import Case, Provenance, Sample
from rag.store.files import added_lines, append_line

KEPT = 10
"""Files of stopped runs that stay, the newest; whoever changed the code will not need theirs."""


class Partial:
    """``done`` is what was there; ``keep`` adds a sample, at once and for good. Without ``path``
    nothing is there and nothing is kept."""

    def __init__(self, path: Path | None, note: Callable[[str], None]) -> None:
        self.done: Known = dict(_read(path)) if path else {}
        self._path = path
        self._note = note

    def keep(self, sample: Sample) -> None:
        """Where the disk refuses, say so once: the run itself can go on."""
        if self._path:
            try:
                append_line(self._path, json.dumps(sample_to_json(sample)))
            except OSError as error:
                self._note(f"samples are not kept: {error.strerror} ({self._path.parent})")
                self._path = None


def key(
    made_from: Provenance, cases: Sequence[Case], selection: Mapping[str, Any], also: str = ""
) -> str:
    """Hex digits that are equal where samples may be taken over; ``also`` is what else they
    depend on, such as the names that cases have for papers.

    Not on the commit: a hash of the code is among the packages.
    """
    made = asdict(replace(made_from, commit=None))
    known = [made, [asdict(case) for case in cases], dict(selection), also]
    return hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()[:16]


@contextmanager
def resuming(
    folder: Path, key: str, note: Callable[[str], None] = lambda text: None
) -> Iterator[Partial]:
    """What there is under a key, forgotten when the block is left, unless by an error.

    ``note`` is told where nothing can be kept or taken over; that stops nobody's work.
    """
    path, lock = folder / f".partial-{key}.jsonl", FileLock(folder / f".partial-{key}.lock")
    if (refused := _refused(lock, folder)) is not None:
        note(refused)
        yield Partial(None, note)
        return
    try:
        _forget_oldest(folder)
        partial = Partial(path, note)
        if partial.done:
            note(f"{len(partial.done):,} samples are there from a run that was stopped")
        yield partial
        with suppress(OSError):
            path.unlink()
    finally:
        # Whoever has opened this lock by now may hold it beside the next one's. Both then add
        # whole lines to one file, which does no harm.
        with suppress(OSError):
            Path(lock.lock_file).unlink()
        lock.release()


def _refused(lock: BaseFileLock, folder: Path) -> str | None:
    """Take a lock; what it says is why that cannot be, None where it was taken."""
    try:
        open_folder(folder)
        lock.acquire(timeout=0)
    except Timeout:
        return "another process runs the same evals; this one begins anew"
    except (OSError, NotImplementedError) as error:  # the latter: a disk that knows no locks
        return f"this run cannot be resumed if it is stopped: {error}"
    return None


def _read(path: Path) -> Iterator[tuple[Key, Sample]]:
    """The samples of a file; none without one. A line that is torn or damaged is made again, and
    so is what failed: that may have been the moment."""
    for line in added_lines(path):
        try:
            sample = sample_from_json(Part(str(path), "", json.loads(line)))
        except (SourceError, ValueError, RecursionError, AttributeError):
            continue
        if not sample.error:
            yield (sample.suite, sample.case, sample.repeat), sample


def _forget_oldest(folder: Path) -> None:
    """Leave the newest files; another process may be doing the same."""
    ages: list[tuple[float, Path]] = []
    for path in folder.glob(".partial-*.jsonl"):
        with suppress(OSError):
            ages.append((path.stat().st_mtime, path))
    for _, path in sorted(ages)[:-KEPT]:
        with suppress(OSError):
            path.unlink()
            path.with_suffix(".lock").unlink(missing_ok=True)
