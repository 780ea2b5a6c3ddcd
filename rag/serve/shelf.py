"""Digests that were made in the browser, kept in the index's folder: as JSON to be verified and
compared, and as the page that they are read on."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rag.errors import DigestNotFound
from rag.store.files import write_flushed, writing
from rag.types import Digest

FOLDER = "digests"
_ID = re.compile(r"[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Line:
    """A paper in a digest that is kept."""

    paper_id: str
    name: str
    line: str


@dataclass(frozen=True, slots=True)
class Kept:
    """A digest that is kept; ``corpus`` is the fingerprint of the papers that it was made of."""

    id: str
    topic: str
    corpus: str
    lines: tuple[Line, ...]

    @property
    def listed(self) -> int:
        return len(self.lines)


class Shelf:
    """The digests of one index. Equal digests have one place."""

    def __init__(self, store: Path) -> None:
        self._store = store
        self._folder = store / FOLDER

    def put(self, digest: Digest, page: str) -> str:
        """Keep a digest; returns its id. Raises StoreUnwritable."""
        text = json.dumps({"digests": [digest.to_json()]}, ensure_ascii=False)
        id = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]
        with writing(self._store):
            self._folder.mkdir(exist_ok=True)
            for suffix, content in ((".html", page), (".json", text)):
                temporary = self._folder / f".{id}{suffix}.tmp"
                write_flushed(temporary, content)
                temporary.replace(self._folder / f"{id}{suffix}")
        return id

    def page(self, id: str) -> str:
        """The page of a digest; raises DigestNotFound."""
        return self._text(id, ".html")

    def get(self, id: str) -> Kept:
        """A digest that is kept; raises DigestNotFound."""
        return _kept(id, json.loads(self._text(id, ".json")))

    def all(self) -> list[Kept]:
        """Every digest, by topic."""
        return sorted(self._readable(), key=lambda kept: (kept.topic.casefold(), kept.id))

    def _readable(self) -> Iterator[Kept]:
        for path in self._folder.glob("*.json"):
            try:
                yield self.get(path.stem)
            except (DigestNotFound, ValueError, KeyError, TypeError):
                continue  # something else that lies there

    def _text(self, id: str, suffix: str) -> str:
        try:
            if not _ID.fullmatch(id):
                raise FileNotFoundError
            return (self._folder / f"{id}{suffix}").read_text(encoding="utf-8")
        except (OSError, ValueError):
            raise DigestNotFound("There is no such digest.", "make one at /digests") from None


def _kept(id: str, data: dict[str, Any]) -> Kept:
    (digest,) = data["digests"]
    lines = (
        Line(entry["paper_id"], entry["title"] or entry["handle"], entry["line"])
        for entry in digest["entries"]
    )
    return Kept(id, digest["topic"], digest["made_from"]["corpus"], tuple(lines))
