"""An index as one file, to keep elsewhere, and back.

A zip archive: the valid generation's records, papers and vectors, and what was kept beside it
(lines, digests, replies, chats), each with its SHA-256 in ``pack.json``. Chroma's folder and the
index of words are left out: both are made of these at unpacking, with nothing embedded, which is
smaller and trusts no database from elsewhere. Knows no command line and no embedder.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import IO, Any
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

from rag.errors import SourceError, StoreUnwritable
from rag.store.files import writing
from rag.store.ingest import Indexer, draft_of
from rag.store.lock import write_lock
from rag.store.manifest import (
    Manifest,
    generations,
    load_manifest,
    unfinished,
    write_manifest,
)
from rag.store.snapshot import UNREADABLE, Snapshot, read_papers
from rag.store.sync import sync

CONTENTS = "pack.json"
FORMAT = 1
"""Of ``pack.json``; raised when an older program could not unpack what a newer one packs."""
GENERATION, KEPT = "generation", "kept"
"""The archive's two folders."""
PARTS = (
    *("manifest.json", "records.jsonl", "papers.jsonl", "vectors.npy", "sentences.npy"),
    *("offsets.npy", "ids.json", "handles.json"),
)
"""What a generation is packed of."""
OWN = frozenset({"chroma", "generations", "lock", "manifest.json", "writer.json"})
"""Names in an index folder that are not kept, as they are made."""
BLOCK = 1 << 20
MOST_RATIO, SMALL = 100, 10_000_000
"""How many times larger a file may be than in the archive, from so many bytes on: texts and
vectors shrink to a quarter, and a bomb to a thousandth."""
MOST_FILES = 100_000


@dataclass(frozen=True, slots=True)
class PackReport:
    """What a pack holds; ``bytes`` is the size of the archive."""

    papers: int
    files: int
    bytes: int


# --- pack -----------------------------------------------------------------------------------------


def pack(store: Path, file: Path) -> PackReport:
    """Write the index to ``file``, whole or not at all, in the place of an earlier one.

    A store that is being written is packed as it was before: all parts are opened before any is
    read, and nobody changes them. Raises StoreError's kinds, and SourceError for the file.
    """
    snapshot = Snapshot.open(store)
    if file.absolute().is_relative_to(store.absolute()):
        raise SourceError(f"{file} lies in the index itself.", "name a file elsewhere")
    aside = file.with_name(f".{file.name[:100]}.{os.getpid()}.tmp")
    with _told(file):
        try:
            with ZipFile(aside, "x", ZIP_DEFLATED, compresslevel=1) as archive:
                files = _packed(snapshot, archive)
            _flush(aside)
            aside.replace(file)
        except BaseException:
            with suppress(OSError):
                aside.unlink(missing_ok=True)
            raise
        return PackReport(len(snapshot), files, file.stat().st_size)


def _packed(snapshot: Snapshot, archive: ZipFile) -> int:
    """Write all files, and what they are; returns how many."""
    contents: dict[str, Any] = {}
    for name, stream in _opened(snapshot):
        with stream, archive.open(name, "w", force_zip64=True) as target:
            contents[name] = _copy(stream, os.fstat(stream.fileno()).st_size, target.write)
    about = {"format": FORMAT, "files": contents}
    archive.writestr(CONTENTS, json.dumps(about, ensure_ascii=False, indent=1))
    return len(contents)


def _opened(snapshot: Snapshot) -> Iterator[tuple[str, IO[bytes]]]:
    """The files to pack. A generation may be removed once two more are written, but not what is
    open of it."""
    try:
        parts = {name: (snapshot.folder / name).open("rb") for name in PARTS}
    except FileNotFoundError:
        yield from _opened(Snapshot.open(snapshot.store))
        return
    yield from ((f"{GENERATION}/{name}", stream) for name, stream in parts.items())
    for path in sorted(snapshot.store.rglob("*")):
        relative = path.relative_to(snapshot.store)
        passing = relative.parts[0] in OWN or path.suffix in (".tmp", ".lock")
        if path.is_file() and not path.is_symlink() and not passing:
            with suppress(FileNotFoundError):  # such as a reply that was pushed out
                yield f"{KEPT}/{relative.as_posix()}", path.open("rb")


def _copy(stream: IO[bytes], size: int, write: Callable[[bytes], object]) -> dict[str, Any]:
    """Copy ``size`` bytes at most, since a file may grow; returns their number and SHA-256."""
    digest, left = hashlib.sha256(), size
    while left and (block := stream.read(min(BLOCK, left))):
        digest.update(block)
        write(block)
        left -= len(block)
    return {"bytes": size - left, "sha256": digest.hexdigest()}


def _flush(path: Path) -> None:
    with path.open("rb") as stream:
        os.fsync(stream.fileno())


# --- unpack ---------------------------------------------------------------------------------------


def unpack(
    file: Path, store: Path, indexer: Indexer, note: Callable[[str], None], *, force: bool = False
) -> PackReport:
    """Make an index of a pack, or with ``force`` put it in the place of the one that is there.

    All is checked before the folder is touched, and again as it is written; the pack becomes the
    next generation, so that readers of the index before go on, and a crash leaves one or the
    other. Raises SourceError for what is no whole pack, and StoreError's kinds.
    """
    with _told(file), ZipFile(file) as archive:
        contents = _checked(file, archive)
        _require_room(store, sum(archive.getinfo(name).file_size for name in contents))
        with write_lock(store, wait=True, note=note), writing(store):
            if generations(store) and not force:
                message = f"There is an index in {store} already."
                raise StoreUnwritable(message, "--force replaces it; or name another with --store")
            manifest = _taken_over(archive, contents, store, indexer)
        return PackReport(manifest.papers, len(contents), file.stat().st_size)


def _checked(file: Path, archive: ZipFile) -> dict[str, Any]:
    """What is in the archive, once every file is just what ``pack.json`` says."""
    infos = archive.infolist()
    names = [info.filename for info in infos]
    if len(names) > MOST_FILES or names.count(CONTENTS) != 1 or len(set(names)) != len(names):
        raise _no_pack(file, "it is not a list of files with one pack.json")
    for info in infos:
        if problem := _problem(info):
            raise _no_pack(file, problem)
    about = json.loads(archive.read(CONTENTS))
    if about["format"] > FORMAT:
        raise _no_pack(file, f"it has format {about['format']}, made by a newer version")
    contents = dict(about["files"])
    if contents.keys() != set(names) - {CONTENTS}:
        raise _no_pack(file, "its files are not those that pack.json names")
    if lacking := [name for name in PARTS if f"{GENERATION}/{name}" not in contents]:
        raise _no_pack(file, f"it lacks {', '.join(lacking)}")
    for name in contents:
        _unpacked(archive, name, contents, lambda block: None)
    return contents


def _problem(info: ZipInfo) -> str | None:
    """What is wrong with a file's name, kind or size; nothing that comes of a pack has any."""
    name, path = info.filename, PurePosixPath(info.filename)
    if name == CONTENTS:
        return "pack.json is too large" if info.file_size > MOST_FILES * 1_000 else None
    plain = path.as_posix() == name and "\\" not in name and ":" not in name and "\0" not in name
    in_kept = path.parts[0] == KEPT and len(path.parts) > 1 and path.parts[1] not in OWN
    known = in_kept or (path.parts[0] == GENERATION and path.parts[1:] in {(n,) for n in PARTS})
    if not (plain and known) or path.is_absolute() or ".." in path.parts:
        return f"{name!r} is no name of a file in a pack"
    mode = info.external_attr >> 16
    if info.is_dir() or (stat.S_IFMT(mode) not in (0, stat.S_IFREG)):
        return f"{name!r} is no plain file"
    if info.file_size > max(SMALL, MOST_RATIO * info.compress_size):
        return f"{name!r} would become {info.file_size:,} bytes out of {info.compress_size:,}"
    return None


def _unpacked(
    archive: ZipFile, name: str, contents: dict[str, Any], write: Callable[[bytes], object]
) -> None:
    """Hand a file on in blocks; raises BadZipFile unless it is the one that was packed."""
    with archive.open(name) as stream:
        found = _copy(stream, archive.getinfo(name).file_size, write)
    if found != contents[name]:
        raise BadZipFile(f"{name} is not what was packed")


def _taken_over(
    archive: ZipFile, contents: dict[str, Any], store: Path, indexer: Indexer
) -> Manifest:
    """Write the pack as the next generation, make Chroma fit it, then make it the valid one."""
    draft, aside = draft_of(store), unfinished(store).with_name("unpacking")
    shutil.rmtree(aside, ignore_errors=True)
    try:
        for name in contents:
            top, _, rest = name.partition("/")
            _write(archive, name, contents, (draft if top == GENERATION else aside) / rest)
        snapshot = _numbered(draft, store, indexer)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        shutil.rmtree(aside, ignore_errors=True)
        raise
    draft_of(store)  # marks that Chroma is being changed: the index before is valid till the end
    try:
        sync(snapshot)
    except BaseException:
        shutil.rmtree(snapshot.folder, ignore_errors=True)
        shutil.rmtree(aside, ignore_errors=True)
        raise
    _move_in(aside, store)
    write_manifest(store, snapshot.manifest)
    for folder in (draft, *generations(store)[:-2]):
        shutil.rmtree(folder, ignore_errors=True)
    return snapshot.manifest


def _numbered(draft: Path, store: Path, indexer: Indexer) -> Snapshot:
    """Make the draft the next generation, if its parts fit each other; raises StoreDamaged."""
    last = max((int(folder.name) for folder in generations(store)), default=0)
    try:
        manifest = replace(load_manifest(draft), generation=last + 1)
        papers = list(read_papers(draft / "papers.jsonl"))
    except UNREADABLE as error:
        raise BadZipFile(f"its papers cannot be read ({error})") from error
    write_manifest(draft, manifest)
    indexer(draft, papers)
    snapshot = Snapshot(store, manifest)
    draft.rename(snapshot.folder)
    try:
        snapshot.check()
    except UNREADABLE as error:
        shutil.rmtree(snapshot.folder, ignore_errors=True)
        raise BadZipFile(f"its parts do not fit each other ({error})") from error
    return snapshot


def _move_in(aside: Path, store: Path) -> None:
    """Put what was kept in the place of what is."""
    for path in aside.iterdir() if aside.exists() else ():
        place = store / path.name
        if place.is_dir():
            shutil.rmtree(place)
        path.replace(place)
    shutil.rmtree(aside, ignore_errors=True)


def _write(archive: ZipFile, name: str, contents: dict[str, Any], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as stream:
        _unpacked(archive, name, contents, stream.write)
        stream.flush()
        os.fsync(stream.fileno())


def _require_room(store: Path, size: int) -> None:
    """Twice the vectors' size is what Chroma takes of them again."""
    folder = store.absolute()
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    if free < 3 * size:
        message = f"{free / 1e6:,.0f} MB are free, and the pack needs {3 * size / 1e6:,.0f} MB."
        raise StoreUnwritable(message, "free some space, or name another disk with --store")


@contextmanager
def _told(file: Path) -> Iterator[None]:
    """Turn what a file and an archive can be of into SourceError."""
    try:
        yield
    except (BadZipFile, zlib.error) as error:
        raise _no_pack(file, str(error)) from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise SourceError(f"{file}: {reason}.", "name another file") from error
    except (*UNREADABLE, NotImplementedError, RuntimeError) as error:
        raise _no_pack(file, f"{type(error).__name__}: {error}") from error


def _no_pack(file: Path, why: str) -> SourceError:
    return SourceError(f"{file} is no whole pack: {why}.", "take another copy of it")
