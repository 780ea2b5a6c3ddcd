"""Work that requests ask for, done by threads: a bounded number at once, and a bounded line.

Knows nothing of HTTP. Who finds the line full is told when to come again; who leaves stops what
was being written for them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any, Generic, TypeVar

import anyio

Made = TypeVar("Made")
Piece = TypeVar("Piece")
RETRY_AFTER = 2
"""Seconds after which a line that was full has most often moved on."""
LAST = 3.0
"""Seconds that work which nobody waits for has to come to an end when all is closed."""


class Busy(Exception):
    """The line is full."""


class TooLong(Exception):
    """The work took longer than anybody should wait."""


class Gone(Exception):
    """Nobody waits for the work any more; raised within it, where it next writes something."""


class Lane:
    """At most ``workers`` jobs at once, and ``waiting`` more in line; none takes over ``seconds``
    of anybody's time, its wait included.

    Its threads keep no process alive: one may be waiting for a server that never answers."""

    def __init__(self, workers: int, waiting: int, seconds: float) -> None:
        self._jobs: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        self._threads = [Thread(target=self._work, daemon=True) for _ in range(workers)]
        for thread in self._threads:
            thread.start()
        self._room = workers + waiting
        self._seconds = seconds
        self._lock = Lock()

    async def run(self, job: Callable[[], Made]) -> Made:
        """What a job returns; raises Busy, TooLong and what the job raises."""
        future = self._begin(job)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), self._seconds)
        except asyncio.TimeoutError:
            raise TooLong from None

    async def stream(
        self, job: Callable[[Callable[[Piece], None]], Made]
    ) -> AsyncIterator[Piece | Done[Made]]:
        """The pieces that a job writes as they come, at last what it returns.

        A job whose reader leaves, or waits too long, meets Gone where it next writes.
        """
        loop, pieces, left = asyncio.get_running_loop(), asyncio.Queue[Piece | None](), Event()

        def write(piece: Piece) -> None:
            if left.is_set():
                raise Gone
            loop.call_soon_threadsafe(pieces.put_nowait, piece)

        def told() -> Made:
            try:
                return job(write)
            finally:
                loop.call_soon_threadsafe(pieces.put_nowait, None)

        future = self._begin(told)
        try:
            with anyio.fail_after(self._seconds):
                while (piece := await pieces.get()) is not None:
                    yield piece
                yield Done(await asyncio.wrap_future(future))
        except TimeoutError:
            raise TooLong from None
        finally:
            left.set()
            future.cancel()

    def close(self) -> None:
        """Wait a little for what is under way; what has not begun is dropped."""
        with suppress(Empty):
            while job := self._jobs.get_nowait():
                job[0].cancel()
        for _ in self._threads:
            self._jobs.put(None)
        end = monotonic() + LAST
        for thread in self._threads:
            thread.join(max(0.0, end - monotonic()))

    def _work(self) -> None:
        while job := self._jobs.get():
            future, work = job
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(work())
                except BaseException as error:
                    future.set_exception(error)
            del job, future, work  # an answer is not kept until the next one

    def _begin(self, job: Callable[[], Made]) -> Future[Made]:
        with self._lock:
            if not self._room:
                raise Busy
            self._room -= 1
        future: Future[Made] = Future()
        future.add_done_callback(self._leave)
        self._jobs.put((future, job))
        return future

    def _leave(self, future: Future[Made]) -> None:
        with self._lock:
            self._room += 1


@dataclass(frozen=True, slots=True)
class Done(Generic[Made]):
    """The end of a stream, and what came of it."""

    value: Made
