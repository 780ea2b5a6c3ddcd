"""Many papers: in their order, several at once where a model is waited for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from rag.store.snapshot import Snapshot
from rag.summarize import Summarizer
from rag.types import Summary

Item = TypeVar("Item")
Made = TypeVar("Made")


def summaries(
    summarizer: Summarizer, snapshot: Snapshot, rows: Sequence[int], jobs: int = 1
) -> Iterator[Summary]:
    """The summaries of papers by row, in that order; see ``side_by_side``."""

    def summarize(row: int) -> Summary:
        return summarizer.summarize(snapshot.paper(row), snapshot.spans(row))

    return side_by_side(summarize, rows, jobs)


def side_by_side(
    make: Callable[[Item], Made], items: Sequence[Item], jobs: int = 1
) -> Iterator[Made]:
    """What is made of each item, in their order, ``jobs`` of them under way at once.

    An error of one is raised in its turn; those after it are not begun any more, and those
    under way are waited for, unless somebody interrupts.
    """
    if jobs == 1:
        yield from map(make, items)
        return
    pool, patient = ThreadPoolExecutor(jobs), True
    try:
        waiting = [pool.submit(make, item) for item in items]
        for done in waiting:
            yield done.result()
    except KeyboardInterrupt:
        patient = False
        raise
    finally:
        pool.shutdown(wait=patient, cancel_futures=True)
