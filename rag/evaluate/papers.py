"""The names by which cases call papers ↔ rows of a snapshot.

A case may name a paper by its id, its handle or title, the file and place where it stood
(FILE#ORDINAL), or a key that ``papers.jsonl`` gives such a place: so the same cases can be put to
papers whose ids nobody would write by hand. A paper is read only where its name demands it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from rag.errors import PaperNotFound, SourceError
from rag.evaluate.rows import Problem, read_rows
from rag.store.snapshot import Snapshot
from rag.types import Paper

Place = tuple[str, int]
"""Base name of a file, and the ordinal of a record in it."""

_Name = TypeVar("_Name", str, Place)
_PLACE = re.compile(r"(.+)#(\d{1,9})")


class Names:
    """Names of a snapshot's papers; ``folder`` is that of the cases.

    Raises SourceError if its papers.jsonl is not what it should be.
    """

    def __init__(self, snapshot: Snapshot, folder: Path) -> None:
        self.snapshot = snapshot
        self._keys = _keys(folder / "papers.jsonl")
        self._place_of = {key: place for place, key in self._keys.items()}
        self._rows: dict[str, int] = {}
        self._names: dict[int, str] = {}

    def rows(self, names: Iterable[str]) -> list[int]:
        """The row of each name, in their order. Raises PaperNotFound, naming near ones."""
        return [self._row(name) for name in names]

    def name(self, row: int) -> str:
        """What to call a paper: its key, else its handle, else its id: no other is called so."""
        if row not in self._names:
            names = (*self._keys_of(row), self.snapshot.handles[row])
            own = (name for name in names if self._exactly(name) == [row])
            self._names[row] = next(own, self.snapshot.ids[row])
        return self._names[row]

    def name_of(self, paper_id: str) -> str:
        """The same by id; an id that is not in the snapshot stays as it is."""
        row = self.snapshot.row_of.get(paper_id)
        return paper_id if row is None else self.name(row)

    def _keys_of(self, row: int) -> list[str]:
        return list(_keys_at(self.snapshot.paper(row), self._keys)) if self._keys else []

    def _row(self, name: str) -> int:
        if name not in self._rows:
            rows = self._exactly(name) or self._placed(name) or self._called.get(name.casefold())
            if rows and len(rows) > 1:
                ids = ", ".join(self.snapshot.ids[row] for row in rows[:10])
                raise PaperNotFound(f"{len(rows)} papers go by {name!r}.", f"give an id: {ids}")
            self._rows[name] = rows[0] if rows else self._sought(name)
        return self._rows[name]

    def _exactly(self, name: str) -> list[int]:
        """Rows that go by an id, else a key, else a handle. No paper is read but for a key."""
        if name in self.snapshot.row_of:
            return [self.snapshot.row_of[name]]
        keyed = self._stood.get(self._place_of[name]) if name in self._place_of else None
        return keyed or self._handled.get(name, [])

    def _placed(self, name: str) -> list[int]:
        """Rows of what stood at FILE#ORDINAL."""
        return self._stood.get(place, []) if (place := _place(name)) else []

    def _sought(self, name: str) -> int:
        """The row of what goes by no name that is known here; raises PaperNotFound, saying why."""
        near = get_close_matches(name, self._place_of, n=3)
        if name in self._place_of:
            stood = "{}#{}".format(*self._place_of[name])
            message = f"{name!r} is {stood} in papers.jsonl, which is not in the index."
            raise PaperNotFound(message, "ingest that file, or correct papers.jsonl")
        if near:
            raise PaperNotFound(f"No paper goes by {name!r}.", f"near ones are {', '.join(near)}")
        if place := _place(name):
            raise PaperNotFound(f"No paper stood at {name}.", self._stood_there(place))
        return self.snapshot.find(name)

    def _stood_there(self, place: Place) -> str:
        """What there is in the file of a place or, if nothing is, which files there are."""
        ordinals = [ordinal for file, ordinal in self._stood if file == place[0]]
        if ordinals:
            return f"{place[0]} has papers #{min(ordinals)} to #{max(ordinals)}"
        files = list(dict.fromkeys(file for file, _ in self._stood))
        return f"papers come from {', '.join(files[:5])}{' …' if files[5:] else ''}"

    @cached_property
    def _handled(self) -> dict[str, list[int]]:
        return _listed((handle, row) for row, handle in enumerate(self.snapshot.handles))

    @cached_property
    def _stood(self) -> dict[Place, list[int]]:
        """The rows of what stood at each place; all papers are read, once."""
        papers = enumerate(self.snapshot.papers())
        return _listed((place, row) for row, paper in papers for place in _places(paper))

    @cached_property
    def _called(self) -> dict[str, list[int]]:
        """Rows by id, handle and title, in lower case; all papers are read, once."""
        papers = enumerate(self.snapshot.papers())
        called = (
            (paper.paper_id, paper.handle, paper.title or paper.handle, row)
            for row, paper in papers
        )
        return _listed((name.casefold(), row) for *names, row in called for name in names)


def read_keys(path: Path, problems: list[Problem]) -> dict[Place, str]:
    """The key of each place that a papers.jsonl names; none without the file.

    Its rows are ``{"key", "list", "ordinal"}``; what is wrong with them is added to ``problems``.
    """
    keys: dict[Place, str] = {}
    for line, row in read_rows(path, problems) if path.exists() else ():
        match row:
            case {"key": str(key), "list": str(file), "ordinal": int(ordinal)} if key and file:
                place = (Path(file).name, ordinal)
                if place in keys or key in keys.values():
                    text = "its key or its place stands in an earlier line, too."
                    problems.append(Problem(str(path), line, key, text, "keep one of them"))
                keys.setdefault(place, key)
            case _:
                text = "it does not say which paper has which key."
                fix = 'write {"key": "a name", "list": "file.txt", "ordinal": 1}'
                problems.append(Problem(str(path), line, "", text, fix))
    return keys


def keys_of(papers: Iterable[Paper], path: Path) -> dict[str, str]:
    """paper_id → key of the papers that have one; they need not be in a store.

    Raises SourceError if papers.jsonl, at ``path``, is not what it should be.
    """
    keys = _keys(path)
    named = ((paper.paper_id, next(_keys_at(paper, keys), "")) for paper in papers)
    return {paper_id: key for paper_id, key in named if key}


def _keys_at(paper: Paper, keys: Mapping[Place, str]) -> Iterator[str]:
    """The keys of the places where a paper stood; its own id may be one, as in our notes."""
    yield from (keys[place] for place in _places(paper) if place in keys)
    if paper.paper_id in keys.values():
        yield paper.paper_id


def _keys(path: Path) -> dict[Place, str]:
    """What ``read_keys`` gives, if nothing is wrong with it; else raises SourceError."""
    problems: list[Problem] = []
    keys = read_keys(path, problems)
    if problems:
        raise SourceError(str(problems[0]), problems[0].fix)
    return keys


def _place(name: str) -> Place | None:
    """The place that FILE#ORDINAL names; None if it is another kind of name."""
    match = _PLACE.fullmatch(name)
    return (Path(match[1]).name, int(match[2])) if match else None


def _places(paper: Paper) -> list[Place]:
    return [(Path(source.path).name, source.ordinal) for source in paper.sources]


def _listed(pairs: Iterable[tuple[_Name, int]]) -> dict[_Name, list[int]]:
    """The rows of each name, in order, each once."""
    listed: dict[_Name, dict[int, None]] = {}
    for name, row in pairs:
        listed.setdefault(name, {})[row] = None
    return {name: list(rows) for name, rows in listed.items()}
