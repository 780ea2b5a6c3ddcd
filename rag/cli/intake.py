"""Paths as a person gives them become what the files behind them hold.

Knows what costs only itself: a file that cannot be read, one that is no list of papers, one that
is as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from rag.corpus.contents import Content, contents
from rag.corpus.files import FileReading, ReadAs, digest, read, writable
from rag.corpus.naming import squashed
from rag.corpus.places import Place, Skipped, places
from rag.corpus.wanting import listed
from rag.errors import NoAbstracts, SourceError
from rag.types import Rejection


@dataclass
class Intake:
    """What paths hold. ``known`` are the digests of files that need not be read again; ``note``
    hears what is waited for, ``on_record`` of each record that was read.

    ``readings`` are of files that were read, also of those with a ``problem``; ``failures`` are
    those that should have held papers, ``skipped`` what was found on the way.
    """

    read_as: ReadAs
    known: Mapping[str, str]
    note: Callable[[str], None]
    on_record: Callable[[], object]
    readings: list[FileReading] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    failures: list[tuple[str, SourceError]] = field(default_factory=list)
    unchanged: int = 0
    _seen: set[str] = field(default_factory=set)

    def take(self, paths: Sequence[str]) -> None:
        """Read all that the paths stand for."""
        for path in dict.fromkeys(paths):
            self._take(path)

    def _take(self, path: str) -> None:
        """Read what one path stands for: the place for what is no path, such as an address."""
        for place in places(path):
            if isinstance(place, Skipped):
                self.skipped.append(place)
            elif isinstance(place, SourceError):
                self.failures.append((path, place))
            else:
                self._open(place)

    def _open(self, place: Place) -> None:
        try:
            for content in contents(place, self.note):
                if isinstance(content, Skipped):
                    self.skipped.append(content)
                else:
                    self._read(content)
        except NoAbstracts as error:
            self._miss(place, error)
        except SourceError as error:
            self.failures.append((place.path, error))

    def _read(self, content: Content) -> None:
        if content.file in self._seen:
            return
        self._seen.add(content.file)
        if self.known.get(writable(content.file)) == digest(content, self.read_as):
            self.unchanged += 1
            return
        try:
            reading = read(content, self.read_as, self.on_record)
        except NoAbstracts as error:
            self._miss(content, error)
            return
        self.readings.append(reading)
        if reading.problem:
            self._miss(content, reading.problem)

    def _miss(self, place: Place | Content, error: NoAbstracts) -> None:
        """Note a file without papers: an error only where a person named it."""
        if place.named:
            self.failures.append((place.path, error))
        else:
            reason = error.message.removeprefix(f"{writable(place.path)} ")
            if "--map" in error.fix:
                reason += f"; {error.fix}"
            self.skipped.append(Skipped(place.path, reason))

    @property
    def rejected(self) -> list[Rejection]:
        """What was not taken, and the files that could not be read."""
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
        names = list(dict.fromkeys(n for reading in self.readings for n in reading.fields.names))
        if not self.readings or squashed(name) in map(squashed, names):
            return
        near = get_close_matches(name.casefold(), [n.casefold() for n in names], n=1)
        meant = next((f"; did you mean {n}?" for n in names if n.casefold() in near), "")
        has = f"the fields are: {listed(names)}" if names else "--format NAME where there are some"
        formats = ", ".join(dict.fromkeys(reading.format for reading in self.readings))
        raise SourceError(f"no record has a field {name} (read as {formats}){meant}", has)
