"""What fields are called in the file at hand: names that a person told, and those that were met.

In force while one file is read, as a context variable: readers hand over fields and lines, and
need not know of it. Knows no format and none of our own names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TypeGuard

PROSE_WORDS = 20
"""Words that a field has on average where it may well be the abstract."""

_NOT_LETTER = re.compile(r"[\W_]+")


def squashed(name: str) -> str:
    """A name as it is compared: letters and digits only, none of them capital."""
    return _NOT_LETTER.sub("", name.casefold())


@dataclass(frozen=True, slots=True)
class Fields:
    """The named fields of a file: those that each of ours was taken from, those that were not
    used, and of these the ones that look like prose; in the order in which they were met."""

    taken: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unused: tuple[str, ...] = ()
    prose: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All of them."""
        taken = (name for names in self.taken.values() for name in names)
        return tuple(dict.fromkeys([*taken, *self.unused]))


@dataclass(slots=True)
class Naming:
    """``told`` is our field → the file's name for it, squashed, as are all names in here."""

    told: Mapping[str, str] = field(default_factory=dict)
    _written: dict[str, str] = field(default_factory=dict)
    _words: Counter[str] = field(default_factory=Counter)
    _filled: Counter[str] = field(default_factory=Counter)
    _taken: dict[str, dict[str, None]] = field(default_factory=dict)

    def names_of(
        self, ours: str, usual: Sequence[str], named: Mapping[str, object]
    ) -> Sequence[str]:
        """The names to look for a field under: the told one alone in a record that has it."""
        told = self.told.get(ours)
        if told is not None and told in named:
            return (told,)
        others = set(self.told.values())
        return [name for name in usual if name not in others]

    def meet(
        self,
        fields: Mapping[str, object],
        named: Mapping[str, object],
        short: Callable[[str], str] = squashed,
    ) -> None:
        """Remember what a record has: ``fields`` as they stood, ``named`` by ``short`` names."""
        if not named.keys() <= self._written.keys():
            told = frozenset(self.told.values())
            for name in _keys(fields):
                plain = squashed(name)
                self._written.setdefault(plain if plain in told else short(name), name)
        for name, value in named.items():
            if text := " ".join(filter(_is_text, value if isinstance(value, list) else [value])):
                self._words[name] += text.count(" ") + 1
                self._filled[name] += 1

    def take(self, ours: str, name: str) -> None:
        """Remember that a field of ours was found under ``name``."""
        self._taken.setdefault(ours, {})[name] = None

    def fields(self) -> Fields:
        """What was met so far."""
        used = {name for names in self._taken.values() for name in names}
        unused = [name for name in self._written if name not in used]
        return Fields(
            {
                ours: tuple(self._written.get(name, name) for name in names)
                for ours, names in self._taken.items()
            },
            tuple(self._written[name] for name in unused),
            tuple(self._written[name] for name in unused if self._is_prose(name)),
        )

    def _is_prose(self, name: str) -> bool:
        return self._words[name] >= PROSE_WORDS * max(self._filled[name], 1)


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str)


def _keys(fields: Mapping[str, object]) -> Iterator[str]:
    """Names as they are written, also those inside of others."""
    for name, value in fields.items():
        inner = isinstance(value, dict) and "value" not in value
        if inner and isinstance(value, dict):
            yield from _keys(value)
        yield str(name)


_IN_FORCE: ContextVar[Naming | None] = ContextVar("naming", default=None)


def in_force() -> Naming:
    """The naming of the file that is being read; one without a memory where none is."""
    return _IN_FORCE.get() or Naming()


@contextmanager
def naming(told: Mapping[str, str]) -> Iterator[Naming]:
    """Names that hold for the records that are read inside."""
    names = Naming({ours: squashed(name) for ours, name in told.items()})
    token = _IN_FORCE.set(names)
    try:
        yield names
    finally:
        _IN_FORCE.reset(token)
