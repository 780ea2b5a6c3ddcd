"""One writer at a time among machines: a lease at the server that all of them write to.

Leases are numbered; who adds the next number holds it, and beats while he lives. Others see that it
beats, and need no clock that agrees with his: where it has not for a while by their own clock, he
is gone, and the next number is theirs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from platform import node
from threading import Event, Thread
from time import monotonic
from uuid import uuid4

from rag.errors import ServerError, StoreLocked
from rag.store.server import Server

LEASES = "leases"
ALIVE = 30.0
"""Seconds without a beat after which a holder is taken for gone."""
BEATS = 6
"""Beats in that time."""
KEPT = 3
"""Leases that stay behind to be looked at."""


@dataclass
class Lease:
    """What a writer holds while he writes."""

    server: Server
    number: int
    holder: str
    _over: Event = field(default_factory=Event)
    _beat: int = 0

    def check(self) -> None:
        """Raise ServerError if somebody else has taken over in the meantime."""
        if _numbers(self.server)[-1:] != [self.number]:
            message = f"Another machine took over writing to {self.server.address.url}."
            raise ServerError(message, "run the command again; what it had sent is used")

    def beat(self, every: float) -> None:
        """Say that the holder lives, until the lease is over."""
        while not self._over.wait(every):
            self._beat += 1
            try:
                self.server.change(LEASES, str(self.number), self._row("held"))
            except ServerError:  # the next beat may come through, and the holder will notice
                continue

    def end(self) -> None:
        """Let the next one write; where the server does not hear of it, he waits and sees."""
        self._over.set()
        with suppress(ServerError):
            self.server.change(LEASES, str(self.number), self._row("over"))
            self.server.delete(LEASES, map(str, _numbers(self.server)[:-KEPT]))

    def _row(self, state: str) -> dict[str, str | int]:
        return row(self.holder, state, self._beat)


def row(holder: str, state: str, beat: int) -> dict[str, str | int]:
    return {"holder": holder, "state": state, "beat": beat}


@contextmanager
def lease(
    server: Server, *, wait: bool, note: Callable[[str], None], alive: float = ALIVE
) -> Iterator[Lease]:
    """Hold the lease of a server. With ``wait`` a second writer says whom it waits for, then waits;
    without, it raises StoreLocked unless the holder is seen to be gone."""
    holder = f"process {os.getpid()} on {node() or 'a machine'} {uuid4().hex[:8]}"
    held = _taken(server, holder, wait, note, alive)
    beating = Thread(target=held.beat, args=[alive / BEATS], daemon=True)
    beating.start()
    try:
        yield held
    finally:
        held.end()
        beating.join()


def holder(server: Server) -> str | None:
    """Who holds the lease, as far as it says; None if nobody does."""
    numbers = _numbers(server)
    last = server.metadata(LEASES, str(numbers[-1])) if numbers else None
    return _called(last) if last and last["state"] == "held" else None


def _taken(
    server: Server, holder: str, wait: bool, note: Callable[[str], None], alive: float
) -> Lease:
    told = False
    while True:
        number = (_numbers(server) or [0])[-1]
        last = server.metadata(LEASES, str(number))
        if last and last["state"] == "held":
            if not told:
                note(f"waiting for {_called(last)} to finish with {server.address.url} …")
                told = True
            if _beats(server, number, last, alive):
                if not wait:
                    raise _locked(server, last)
                continue
        if server.claim(LEASES, str(number + 1), row(holder, "held", 0)):
            return Lease(server, number + 1, holder)


def _beats(server: Server, number: int, last: dict[str, object], alive: float) -> bool:
    """Whether a lease changes within the time in which whoever lives changes it."""
    began, pause = monotonic(), Event()
    while monotonic() - began < alive:
        pause.wait(alive / BEATS)
        if server.metadata(LEASES, str(number)) != last:
            return True
    return False


def _numbers(server: Server) -> list[int]:
    return sorted(int(id) for id in server.ids(LEASES))


def _called(last: dict[str, object]) -> str:
    return str(last["holder"]).rpartition(" ")[0]


def _locked(server: Server, last: dict[str, object]) -> StoreLocked:
    who, fix = _called(last), "wait for it to finish, or run again without --no-wait"
    return StoreLocked(f"{who[0].upper()}{who[1:]} is writing to {server.address.url}.", fix)
