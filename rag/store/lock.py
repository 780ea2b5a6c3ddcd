"""One writer at a time. The kernel drops the lock when its process dies, however it dies."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import localtime, strftime, time

from filelock import FileLock, Timeout

from rag.errors import StoreLocked
from rag.store.files import replace_json, writing

GLANCE = 0.3
"""Seconds to try before somebody is said to be writing: a look at the lock takes it, too."""


@contextmanager
def write_lock(store: Path, *, wait: bool, note: Callable[[str], None]) -> Iterator[None]:
    """Hold the write lock of ``store``, creating the folder.

    With ``wait`` a second writer says whom it waits for, then waits; without, it raises
    StoreLocked. Two processes writing at once corrupt Chroma, so nobody writes without this.
    """
    with writing(store):
        store.mkdir(parents=True, exist_ok=True)
        lock = FileLock(store / "lock")
        try:
            lock.acquire(timeout=GLANCE)
        except Timeout:
            if not wait:
                raise _locked(store) from None
            note(f"waiting for {_holder(store)} to finish with {store} …")
            lock.acquire()
    try:
        with writing(store):
            replace_json(store / "writer.json", {"pid": os.getpid(), "since": time()})
        yield
    finally:
        with suppress(OSError):  # whatever went wrong before is what counts
            (store / "writer.json").unlink(missing_ok=True)
        lock.release()


def writer(store: Path) -> str | None:
    """Who is writing to ``store`` at this moment; None if nobody is. Changes nothing."""
    path = store / "lock"
    if not path.is_file():
        return None
    try:
        with FileLock(path, timeout=0):
            return None
    except Timeout:
        return _holder(store)
    except OSError:  # a lock that we may not take, in a folder that we may only read
        return None


def _holder(store: Path) -> str:
    """Who is writing, as far as the writer has said so."""
    try:
        holder = json.loads((store / "writer.json").read_text(encoding="utf-8"))
        since = strftime("%H:%M:%S", localtime(holder["since"]))
        return f"process {holder['pid']} (since {since})"
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return "another process"


def _locked(store: Path) -> StoreLocked:
    fix = "wait for it to finish, or run again without --no-wait"
    who = _holder(store)
    return StoreLocked(f"{who[0].upper()}{who[1:]} is writing to {store}.", fix)
