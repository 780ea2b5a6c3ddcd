"""One writer at a time among machines: a lease, which ends when its holder no longer renews it.

A lease is a collection of the server, ``rag-lease-N``: a name is taken once, so of several who
want it one has it. Its holder changes it every few seconds. Whoever waits takes the next number
once nothing has changed for a whole term by its own clock; no two clocks need agree.

With the lease goes a draft, ``rag-draft-N``: the collection that is renamed into the next
generation. Taking a lease removes all other drafts, so a holder that was taken for dead, and goes
on, has nothing left to publish.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Event, Thread
from time import localtime, monotonic, sleep, strftime, time
from typing import TYPE_CHECKING, Any

from rag.errors import ServerFailed, StoreLocked
from rag.store.server import Server, guarded

if TYPE_CHECKING:
    import chromadb

TERM = 30.0
"""Seconds without a sign of life after which a holder is taken for dead."""
SIGNS = 5
"""Signs of life in a term."""
LEASE, DRAFT = "rag-lease-", "rag-draft-"


@dataclass
class Lease:
    """The right to write, while ``alive``; ``draft`` will be the next generation."""

    server: Server
    number: int
    term: float
    collection: chromadb.Collection
    draft: chromadb.Collection = field(init=False)
    _renewed: float = field(default_factory=monotonic)
    _ended: Event = field(default_factory=Event)

    @property
    def alive(self) -> bool:
        """Whether nobody can have taken it over yet."""
        return monotonic() - self._renewed < self.term / 2

    def renew(self, sign: int) -> None:
        """Show that the holder lives. Raises ServerFailed, also where it was taken over."""
        begin = monotonic()
        with guarded(self.server.address):
            self.collection.modify(metadata={**_holder(), "sign": sign})
        self._renewed = begin

    def keep(self) -> None:
        """Renew it until it ends; a server that is away for a moment is asked again."""
        sign = 0
        while not self._ended.wait(self.term / SIGNS):
            sign += 1
            with suppress(ServerFailed):
                self.renew(sign)

    def end(self) -> None:
        """Give it up, with what it has not published."""
        self._ended.set()
        with suppress(ServerFailed):  # somebody will take it over
            if self.server.collections().get(f"{LEASE}{self.number}") == str(self.collection.id):
                self.server.drop(f"{DRAFT}{self.number}")
                self.server.drop(f"{LEASE}{self.number}")


@contextmanager
def leased(
    server: Server, *, wait: bool, note: Callable[[str], None], term: float = TERM
) -> Iterator[Lease]:
    """Hold the lease of a server. Without ``wait`` a second writer raises StoreLocked; with it, it
    says whom it waits for, and waits. Raises ServerFailed."""
    lease = _taken(server, term, wait=wait, note=note)
    try:
        lease.draft = _fresh_draft(server, lease.number)
        Thread(target=lease.keep, daemon=True).start()
        yield lease
    finally:
        lease.end()


def holder(server: Server) -> str | None:
    """Who holds the lease, as far as that can be told; None if nobody does."""
    number = max(_numbers(server), default=None)
    if number is None:
        return None
    with suppress(ServerFailed), guarded(server.address):
        found = server.client.get_collection(f"{LEASE}{number}", embedding_function=None)
        return _named(dict(found.metadata or {}))
    return "another client"


def lost(server: Server) -> StoreLocked:
    """The error for a holder that finds that it is none any more."""
    message = f"Another client took over writing to {server.address.place}, as this one was silent."
    fix = "run the same command again; what was embedded is kept on the server"
    return StoreLocked(message, fix)


def _taken(server: Server, term: float, *, wait: bool, note: Callable[[str], None]) -> Lease:
    seen: tuple[int, object] | None = None
    since, told = monotonic(), False
    while True:
        number = max(_numbers(server), default=0)
        sign = _sign(server, number) if number else None
        if sign is None or monotonic() - since > term:
            if lease := _claim(server, number, term):
                return lease
        elif not wait:
            who = _named(sign)
            message = f"{who[0].upper()}{who[1:]} is writing to {server.address.place}."
            raise StoreLocked(message, "wait for it to finish, or run again without --no-wait")
        elif not told:
            note(f"waiting for {_named(sign)} to finish with {server.address.place} …")
            told = True
        if seen != (number, sign):
            seen, since = (number, sign), monotonic()
        sleep(min(term / 10, 1.0))


def _claim(server: Server, before: int, term: float) -> Lease | None:
    """Take the number after one that is free or dead; None if somebody else was quicker."""
    begin, number = monotonic(), before + 1
    collection = server.create(f"{LEASE}{number}", {**_holder(), "sign": -1})
    if collection is None:
        return None
    if any(other > before and other != number for other in _numbers(server)):
        server.drop(f"{LEASE}{number}")  # of somebody who looked a long time ago
        return None
    for old in _numbers(server):
        if old <= before:
            server.drop(f"{LEASE}{old}")
    return Lease(server, number, term, collection, _renewed=begin)


def _fresh_draft(server: Server, number: int) -> chromadb.Collection:
    """The only draft: whoever has another one can publish it no more."""
    for name in server.collections():
        if name.startswith(DRAFT) and name.removeprefix(DRAFT).isdecimal():
            server.drop(name)
    draft = server.create(f"{DRAFT}{number}", _holder())
    if draft is None:
        raise lost(server)
    return draft


def _numbers(server: Server) -> list[int]:
    names = (name.removeprefix(LEASE) for name in server.collections() if name.startswith(LEASE))
    return [int(name) for name in names if name.isdecimal()]


def _sign(server: Server, number: int) -> dict[str, Any] | None:
    """What the holder says of itself, other at each sign of life; None if it has just ended."""
    try:
        with guarded(server.address):
            found = server.client.get_collection(f"{LEASE}{number}", embedding_function=None)
    except ServerFailed:
        if number in _numbers(server):
            raise
        return None
    return dict(found.metadata or {})


def _holder() -> dict[str, str | int]:
    return {"process": os.getpid(), "host": platform.node() or "a machine", "at": int(time())}


def _named(sign: dict[str, Any]) -> str:
    """The sign's time is that of its machine."""
    try:
        at = strftime("%H:%M:%S", localtime(sign["at"]))
        return f"process {sign['process']} on {sign['host']} (last sign of life {at})"
    except (KeyError, TypeError, ValueError, OverflowError, OSError):
        return "another client"
