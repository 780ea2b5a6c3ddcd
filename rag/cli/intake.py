"""Paths as a person gives them become what the files behind them hold.

Knows what costs only itself: a file that cannot be read, one that is no list of papers, one that
is as it was.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

from rag.cli.terminal import Terminal
from rag.errors import NoAbstracts, SourceError

if TYPE_CHECKING:
    from rag.corpus.contents import Content
    from rag.corpus.files import FileReading, ReadAs
    from rag.corpus.online.access import Access
    from rag.corpus.places import Place, Skipped
    from rag.types import Rejection


SHOWN_CHARS = 40
"""Of a reference, before its bar."""


@dataclass
class Intake:
    """What paths hold. ``known`` are the digests of files that need not be read again, ``access``
    is how papers online are asked for.

    ``readings`` are of files that were read, also of those with a ``problem``; ``failures`` are
    those that should have held papers, ``skipped`` what was found on the way.
    """

    terminal: Terminal
    read_as: ReadAs
    known: Mapping[str, str]
    access: Access
    readings: list[FileReading] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    failures: list[tuple[str, SourceError]] = field(default_factory=list)
    unchanged: int = 0
    _seen: set[str] = field(default_factory=set)

    def take(self, paths: Sequence[str]) -> None:
        """Read all that the paths stand for, what is online after what is here."""
        from rag.corpus.online import is_reference

        every = dict.fromkeys(paths)
        online = [path for path in every if is_reference(path) and not os.path.lexists(path)]
        with self.terminal.counting("reading", " records") as self._on_record:
            for path in every:
                if path not in online:
                    self._take(path)
        for reference in online:
            self._ask(reference)

    def _take(self, path: str) -> None:
        """Read what one path stands for."""
        from rag.corpus.places import Skipped, places

        for place in places(path):
            if isinstance(place, Skipped):
                self.skipped.append(place)
            elif isinstance(place, SourceError):
                self.failures.append((path, place))
            else:
                self._open(place)

    def _ask(self, reference: str) -> None:
        """Read what a reference names online."""
        from rag.corpus.online import read_reference

        try:
            shown = reference[:SHOWN_CHARS] + "…" * (len(reference) > SHOWN_CHARS)
            with self.terminal.reporting(shown) as progress:
                reading = read_reference(reference, replace(self.access, progress=progress))
        except SourceError as error:
            self.failures.append((reference, error))
            return
        if self.known.get(reading.file) == reading.digest:
            self.unchanged += 1
            return
        self.readings.append(reading)
        if reading.problem:
            self.failures.append((reference, reading.problem))

    def _open(self, place: Place) -> None:
        from rag.corpus.contents import contents
        from rag.corpus.places import Skipped

        try:
            for content in contents(place, self.terminal.note):
                if isinstance(content, Skipped):
                    self.skipped.append(content)
                else:
                    self._read(content)
        except SourceError as error:
            self.failures.append((place.path, error))

    def _read(self, content: Content) -> None:
        from rag.corpus.files import digest, read, writable

        if content.file in self._seen:
            return
        self._seen.add(content.file)
        if self.known.get(writable(content.file)) == digest(content, self.read_as):
            self.unchanged += 1
            return
        try:
            reading = read(content, self.read_as, self._on_record)
        except NoAbstracts as error:
            self._miss(content, error)
            return
        self.readings.append(reading)
        if reading.problem:
            self._miss(content, reading.problem)

    def _miss(self, content: Content, error: NoAbstracts) -> None:
        """Note a file without papers: an error only where a person named it."""
        from rag.corpus.files import writable
        from rag.corpus.places import Skipped

        if content.named:
            self.failures.append((content.path, error))
        else:
            reason = error.message.removeprefix(f"{writable(content.path)} ")
            self.skipped.append(Skipped(content.path, reason))

    @property
    def rejected(self) -> list[Rejection]:
        """What was not taken, and the files that could not be read."""
        from rag.types import Rejection

        files = [Rejection(path, None, error.message) for path, error in self.failures]
        return [*files, *(row for reading in self.readings for row in reading.rejected)]

    def check(self, paths: Sequence[str]) -> None:
        """Raise SourceError where a name that was told is nobody's, or nothing was found."""
        if not self.unchanged:
            for name in self.read_as.names.values():
                self._check_name(name)
        taken = self.unchanged or any(reading.records for reading in self.readings)
        if not taken and not self.failures:
            message = f"{' '.join(paths)} holds no papers"
            if self.skipped:
                message += f": {len(self.skipped):,} skipped, the first {self.skipped[0].path}"
                message += f" ({self.skipped[0].reason})"
            raise SourceError(message, "name a file of abstracts; --dry-run shows what is found")

    def _check_name(self, name: str) -> None:
        from rag.corpus.naming import squashed
        from rag.corpus.wanting import listed

        names = list(dict.fromkeys(n for reading in self.readings for n in reading.fields.names))
        if not self.readings or squashed(name) in map(squashed, names):
            return
        near = get_close_matches(name.casefold(), [n.casefold() for n in names], n=1)
        meant = next((f"; did you mean {n}?" for n in names if n.casefold() in near), "")
        has = f"the fields are: {listed(names)}" if names else "what was read has no named fields"
        raise SourceError(f"no record has a field {name}{meant}", has)
