"""Runs as files in a folder: how they are named, found again, and written whole.

A document each, a sample a line, so that git shows which samples of a baseline differ. Knows
nothing of what scores mean.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from rag.digest.parts import parts
from rag.errors import SourceError
from rag.evaluate.as_json import FIX, as_ours, dumps, from_json, to_json
from rag.evaluate.types import Judged, Run, Sample
from rag.store.files import write_flushed

NAMED = 5
"""Runs that an error names, the newest."""


@dataclass(frozen=True, slots=True)
class History:
    """Stored runs, the oldest first; ``unreadable`` counts files that were left out."""

    runs: tuple[Run, ...]
    unreadable: int = 0


def new_id(now: datetime) -> str:
    """The id of a run that begins at a time."""
    return now.strftime("%Y%m%dT%H%M%S")


def save(run: Run, folder: Path) -> Path:
    """Write a run as ID.json into a folder; where that is taken, its id gets a number."""
    with _telling(folder):
        open_folder(folder)
        path = _claimed(folder, run.id)
    try:
        write(replace(run, id=path.stem), path)
    except BaseException:
        with suppress(OSError):
            path.unlink()
        raise
    return path


def write(run: Run, path: Path) -> None:
    """Write a run, all of it or nothing, over what is there; raises SourceError."""
    head = to_json(run)
    lines = ",\n".join(map(dumps, head.pop("samples")))
    text = f'{dumps(head, indent=1)[:-2]},\n "samples": [\n{lines}\n ]\n}}\n'
    with _telling(path):
        place = path.resolve()  # a link stays a link
        temporary = place.with_name(f".{place.name}.{os.getpid()}.tmp")
        try:
            write_flushed(temporary, text)
            temporary.replace(place)
        finally:
            temporary.unlink(missing_ok=True)


def load(path: Path) -> Run:
    """The run in a file; raises SourceError for a file that holds none, or not all of one."""
    with as_ours():
        found = list(parts(str(path)))
    if len(found) > 1:
        raise SourceError(f"{path} has several objects; a run is one.", FIX)
    return from_json(found[0].data, str(path))


def find(folder: Path, name: str) -> Path:
    """The file that a person means by "last", "last-1", an id, the beginning of one, or a path."""
    runs = _files(folder)
    if back := re.fullmatch(r"last(?:-(\d{1,6}))?", name):
        steps = int(back[1] or 0)
        if steps < len(runs):
            return runs[-1 - steps]
        raise _unknown(folder, f"There is no run {name}", runs)
    exact = [path for path in runs if path.stem == name]
    begun = exact or [path for path in runs if name and path.stem.startswith(name)]
    if len(begun) == 1:
        return begun[0]
    if re.search(r"[/\\.]", name) or _is_file(name):
        return Path(name)
    what = f"{len(begun)} runs begin with {name}" if begun else f"There is no run {name!r}"
    raise _unknown(folder, what, begun or runs)


def history(folder: Path, n: int = 50) -> History:
    """The newest ``n`` runs of a folder that can be read."""
    runs: list[Run] = []
    unreadable = 0
    for path in reversed(_files(folder)):
        if len(runs) == n:
            break
        try:
            runs.append(load(path))
        except SourceError:
            unreadable += 1
    return History(tuple(reversed(runs)), unreadable)


def as_baseline(run: Run, *, words: bool) -> Run:
    """The run as it is committed: without times, so that the difference of two baselines has a
    line for each case that came out otherwise and no more; and with ``words`` or without."""
    timeless = tuple(replace(sample, ms=0) for sample in run.samples)
    kept = replace(run, samples=timeless)
    return kept if words else without_words(kept)


def without_words(run: Run) -> Run:
    """The run without what papers say or are called, for a file that more people may see than
    the papers: scores, outcomes and hashes stay, and what the cases themselves say."""
    return replace(run, samples=tuple(map(_mute, run.samples)))


def open_folder(folder: Path) -> None:
    """Make the folder of runs, out of git's sight; raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError), (folder / ".gitignore").open("x", encoding="utf-8") as stream:
        stream.write("*\n")


@contextmanager
def _telling(path: Path) -> Iterator[None]:
    """Turn what the system refuses into SourceError."""
    try:
        yield
    except OSError as error:
        fix = "check that the folder can be written and has room"
        reason = error.strerror or str(error)
        raise SourceError(f"{path} cannot be written: {reason}.", fix) from error


def _claimed(folder: Path, wanted: str) -> Path:
    """A name that nobody has, taken by creating the file: others may be saving as well."""
    for name in (wanted, *(f"{wanted}-{number:02d}" for number in range(2, 100))):
        with suppress(FileExistsError):
            (folder / f"{name}.json").open("x").close()
            return folder / f"{name}.json"
    raise SourceError(f"{folder} has a hundred runs {wanted}.", "delete those of no use")


def _files(folder: Path) -> list[Path]:
    """The files of stored runs, the oldest first; of one second, ID before ID-02."""
    found = (path for path in folder.glob("[!.]*.json") if path.is_file())
    return sorted(found, key=lambda path: path.stem)


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except OSError:  # no file can be called so
        return False


def _unknown(folder: Path, what: str, runs: list[Path]) -> SourceError:
    newest = ", ".join(path.stem for path in reversed(runs[-NAMED:]))
    more = f" and {len(runs) - NAMED:,} older" if len(runs) > NAMED else ""
    there = f"there are {newest}{more}" if runs else "rag eval makes a run"
    return SourceError(f"{what} in {folder}.", there)


def _mute(sample: Sample) -> Sample:
    """What was raised keeps its kind, which stands before the colon."""
    judged = {name: Judged(verdict.score) for name, verdict in sample.judged.items()}
    kind = sample.error.partition(":")[0]
    return replace(sample, text="", quotes=(), papers=(), faults=(), judged=judged, error=kind)
