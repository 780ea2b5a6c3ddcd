"""One generation as readers see it: read-only, never changing under them.

A new generation is a new folder, and all parts are mapped or opened with a snapshot, so
whoever has the old one open keeps a whole corpus even after its folder is gone.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rag.corpus.status import unaccepted
from rag.errors import PaperNotFound
from rag.store.files import OpenFile, write_flushed
from rag.store.manifest import Manifest, damaged, read_manifest
from rag.types import Paper, Source

if TYPE_CHECKING:
    from numpy.typing import NDArray


UNREADABLE = (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError)
"""What reading a generation's files raises where one is not there or not what was written."""

REMEMBERED = 5_000
"""Papers kept once they are read: some twenty megabytes."""

UNACCEPTED = "unaccepted.json"
"""Is there only where there are such papers."""

_FIELDS = [field.name for field in fields(Paper)]


@dataclass(frozen=True)
class Snapshot:
    """The papers of a store in ingest order, with their vectors.

    ``vectors`` (rows, dimensions) float32, unit length: first a row for each paper, in order,
    then one for each sentence. ``sentences`` (n, 3) int32: paper's row, start, end in its
    text; ``vectors[len(papers) + i]`` belongs to ``sentences[i]``.
    """

    store: Path
    manifest: Manifest

    @classmethod
    def open(cls, store: Path) -> Snapshot:
        """The valid generation; raises the errors of ``read_manifest`` or StoreDamaged."""
        snapshot = cls(store, read_manifest(store))
        try:
            snapshot.check()
        except UNREADABLE as error:
            newer = read_manifest(store)
            if newer != snapshot.manifest:  # a writer moved on between the two reads
                return cls.open(store)
            raise damaged(store, f"generation {snapshot.manifest.folder}: {error}") from error
        return snapshot

    @property
    def folder(self) -> Path:
        return self.store / "generations" / self.manifest.folder

    @cached_property
    def vectors(self) -> NDArray[np.float32]:
        return self._array("vectors")

    @cached_property
    def sentences(self) -> NDArray[np.int32]:
        return self._array("sentences")

    @cached_property
    def ids(self) -> list[str]:
        """The paper_id of each row."""
        return list(json.loads((self.folder / "ids.json").read_bytes()))

    @cached_property
    def handles(self) -> list[str]:
        """The handle of each row."""
        return list(json.loads((self.folder / "handles.json").read_bytes()))

    @cached_property
    def unaccepted(self) -> frozenset[int]:
        """Rows of the papers that do not count unless they are asked for: see
        ``rag.corpus.status``."""
        try:
            return frozenset(json.loads((self.folder / UNACCEPTED).read_bytes()))
        except FileNotFoundError:
            return frozenset()

    @cached_property
    def row_of(self) -> dict[str, int]:
        return {paper_id: row for row, paper_id in enumerate(self.ids)}

    def __len__(self) -> int:
        return self.manifest.papers

    def paper(self, row: int) -> Paper:
        """The paper of a row; one line is read, not the file. Raises StoreDamaged."""
        return self._kept(row)

    def _read(self, row: int) -> Paper:
        begin, end = self._offsets[row : row + 2]
        try:
            return paper_from(json.loads(self._lines.read(begin, end)))
        except UNREADABLE as error:
            raise damaged(self.store, f"paper {row} cannot be read ({error})") from error

    def papers(self) -> Iterator[Paper]:
        """All papers, in row order."""
        return map(self._read, range(len(self)))

    def records(self) -> Iterator[Paper]:
        """What the sources said, before merging: one Paper with one Source each."""
        try:
            yield from read_papers(self.folder / "records.jsonl")
        except UNREADABLE as error:
            raise damaged(self.store, f"records.jsonl cannot be read ({error})") from error

    def find(self, name: str) -> int:
        """Row of the paper with an id or, if no other goes by it, a handle or title, in any case.

        Raises PaperNotFound, naming the ids where several have the name, else the nearest names.
        """
        if name in self.row_of:
            return self.row_of[name]
        called = self._called(name)
        if len(called) == 1:
            return called[0]
        if called:
            ids = ", ".join(self.ids[row] for row in called[:10])
            raise PaperNotFound(f"{len(called)} papers go by {name!r}.", f"give an id: {ids}")
        from rapidfuzz import process, utils

        known = dict.fromkeys([*self.ids, *self.handles])
        matches = process.extract(name, known.keys(), processor=utils.default_process, limit=3)
        near = [match for match, *_ in matches]
        fix = f"rag list --store {self.store}; near ones are {', '.join(near)}"
        raise PaperNotFound(f"No paper goes by {name!r}.", fix)

    def _called(self, name: str) -> list[int]:
        """Rows of the papers with a handle, else with an id, handle or title in another case."""
        exact = [row for row, handle in enumerate(self.handles) if handle == name]
        if exact:
            return exact
        wanted = name.casefold()
        return [
            row
            for row, (paper_id, handle) in enumerate(zip(self.ids, self.handles, strict=True))
            if wanted in (paper_id.casefold(), handle.casefold())
            or wanted == (self.paper(row).title or "").casefold()
        ]

    def sentence_rows(self, row: int) -> slice:
        """Which entries of ``sentences`` belong to a paper."""
        return slice(*self._bounds[row : row + 2])

    def paper_vectors(self, row: int) -> NDArray[np.float32]:
        """Vectors of one paper, shape (1 + its sentences, dimensions)."""
        rows = self.sentence_rows(row)
        return np.vstack([self.vectors[row], self.vectors[len(self) :][rows]])

    def read_vectors(self, rows: Sequence[slice]) -> NDArray[np.float32]:
        """Slices of ``vectors``, one after the other, read and not mapped. Raises StoreDamaged."""
        count = sum(part.stop - part.start for part in rows)
        found = np.empty((count, self.manifest.dimensions), np.float32)
        target, width, begin = memoryview(found.data).cast("B"), found.strides[0], 0
        for part in rows:
            end = begin + (part.stop - part.start) * width
            place = self._header + part.start * width
            if self._file.fill(target[begin:end], place) < end - begin:
                raise damaged(self.store, "vectors.npy is shorter than it was")
            begin = end
        return found

    def spans(self, row: int) -> list[tuple[int, int]]:
        """Start and end of each sentence of a paper's text."""
        return [(s, e) for _, s, e in self.sentences[self.sentence_rows(row)].tolist()]

    def check(self) -> None:
        """Map or open all parts; raises ``UNREADABLE`` where they are missing or do not fit."""
        want = (self.manifest.chunks, self.manifest.dimensions)
        if self.vectors.shape != want:
            raise ValueError(f"vectors have shape {self.vectors.shape}, not {want}")
        if self.vectors.dtype != np.float32 or not self.vectors.flags.c_contiguous:
            raise ValueError("vectors.npy does not list float32 row by row")
        if self.sentences.shape != (self.manifest.chunks - len(self), 3):
            raise ValueError(f"{len(self.sentences)} sentences do not fit the manifest")
        if not self._in_order():
            raise ValueError("sentences.npy does not list the sentences of each paper in turn")
        if len(self._offsets) != len(self) + 1 or self._offsets[-1] != self._lines.size:
            raise ValueError("papers.jsonl is not the file that was written")
        if not all(isinstance(row, int) and 0 <= row < len(self) for row in self.unaccepted):
            raise ValueError(f"{UNACCEPTED} does not list rows")
        if [type(handle) for handle in self.handles] != [str] * len(self):
            raise ValueError("handles.json does not name each paper")
        if self.manifest.hashes.keys() != self.row_of.keys():
            raise ValueError("ids.json does not name the papers of the manifest")
        if self._header <= 0:
            raise ValueError("vectors.npy is not the file that was written")

    def _in_order(self) -> bool:
        """Whether every paper has sentences, papers come in turn, and no sentence is empty."""
        rows, starts, ends = self.sentences.T
        steps = np.diff(rows, prepend=-1, append=len(self))
        whole = bool(np.isin(steps, (0, 1)).all())
        return whole and rows.dtype == np.int32 and bool(((starts >= 0) & (starts < ends)).all())

    @cached_property
    def _bounds(self) -> list[int]:
        """Where the sentences of each paper begin, and where the last ones end."""
        bounds: list[int] = np.searchsorted(self.sentences[:, 0], range(len(self) + 1)).tolist()
        return bounds

    @cached_property
    def _kept(self) -> Callable[[int], Paper]:
        """``_read``, with the last papers remembered."""
        return lru_cache(maxsize=REMEMBERED)(self._read)

    @cached_property
    def _offsets(self) -> NDArray[np.int64]:
        return self._array("offsets")

    @cached_property
    def _lines(self) -> OpenFile:
        return OpenFile(self.folder / "papers.jsonl")

    @cached_property
    def _file(self) -> OpenFile:
        return OpenFile(self.folder / "vectors.npy")

    @property
    def _header(self) -> int:
        """Bytes in the file before the vectors."""
        return self._file.size - self.vectors.nbytes

    def _array(self, name: str) -> NDArray[Any]:
        path = self.folder / f"{name}.npy"
        array: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
        return array.view(np.ndarray)  # mapped as well, and quicker to take parts of


def write_generation(
    folder: Path,
    records: Iterable[Paper],
    papers: Sequence[Paper],
    spans: Mapping[str, Sequence[tuple[int, int]]],
    vectors: Mapping[str, NDArray[np.float32]],
    dimensions: int,
) -> int:
    """Write a generation's files to ``folder``; returns the number of chunks.

    ``spans`` and ``vectors`` are keyed by paper_id; vectors has shape (1 + spans, dimensions).
    """
    _write_papers(folder / "records.jsonl", records)
    offsets = _write_papers(folder / "papers.jsonl", papers)
    heads = [vectors[paper.paper_id][:1] for paper in papers]
    tails = [vectors[paper.paper_id][1:] for paper in papers]
    rows = [(i, *span) for i, paper in enumerate(papers) for span in spans[paper.paper_id]]
    matrix = np.vstack([np.zeros((0, dimensions), np.float32), *heads, *tails])
    _write_array(folder / "vectors.npy", matrix)
    _write_array(folder / "sentences.npy", np.array(rows, np.int32).reshape(-1, 3))
    _write_array(folder / "offsets.npy", np.array(offsets, np.int64))
    write_flushed(folder / "ids.json", json.dumps([paper.paper_id for paper in papers]))
    write_flushed(folder / "handles.json", json.dumps([paper.handle for paper in papers]))
    if rows_left_out := unaccepted([paper.status for paper in papers]):
        write_flushed(folder / UNACCEPTED, json.dumps(rows_left_out))
    return len(matrix)


def is_unit(vectors: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Which rows are finite and have length 1, up to half precision."""
    unit: NDArray[np.bool_] = np.abs(np.linalg.norm(vectors, axis=1) - 1) < 1e-2
    return unit


def read_papers(path: Path) -> Iterator[Paper]:
    """Papers of a JSON Lines file of this store; raises ``UNREADABLE``."""
    with path.open("rb") as stream:
        for line in stream:
            yield paper_from(json.loads(line))


def paper_from(data: dict[str, Any]) -> Paper:
    """The Paper that ``data`` is a row of."""
    sources = tuple(Source(**source) for source in data.pop("sources"))
    authors, keywords = tuple(data.pop("authors")), tuple(data.pop("keywords"))
    return Paper(sources=sources, authors=authors, keywords=keywords, **data)


def line_of(paper: Paper, *, ascii: bool = False) -> str:
    """The paper as JSON in one line; ``paper_from`` makes a paper of it again."""
    row = {name: getattr(paper, name) for name in _FIELDS}  # asdict takes ten times longer
    return json.dumps(row, default=asdict, ensure_ascii=ascii)


def _write_papers(path: Path, papers: Iterable[Paper]) -> list[int]:
    """Write papers as JSON Lines; returns the byte offset of each line and of the end."""
    offsets = [0]
    with path.open("wb") as stream:
        for paper in papers:
            line = line_of(paper).encode() + b"\n"
            stream.write(line)
            offsets.append(offsets[-1] + len(line))
        stream.flush()
        os.fsync(stream.fileno())
    return offsets


def _write_array(path: Path, array: NDArray[Any]) -> None:
    with path.open("wb") as stream:
        np.save(stream, array, allow_pickle=False)
        stream.flush()
        os.fsync(stream.fileno())
