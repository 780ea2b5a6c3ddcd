"""What a path argument stands for: a file, all files in a folder, those that match a pattern.

Knows which files are no papers by their names alone, and opens none of them.
"""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath

from rag.errors import SourceError

STDIN = "-"

_KINDS = {
    "an image": "avif bmp eps gif heic ico jpeg jpg png psd svg tif tiff webp",
    "sound or video": "avi flac m4a mkv mov mp3 mp4 ogg wav webm",
    "an archive": "7z bz2 dmg iso jar rar tar tbz2 tgz txz xz zst",
    "a program or its settings": "bash bat c cc cfg cff class conf cpp cs css dll exe go h hpp ini"
    " ipynb java js jsx kt lock lua m map mjs o php pl ps1 py pyc r rb rs scala sh so sql swift tex"
    " toml ts tsx yaml yml",
    "a web page": "htm html mht xhtml",
    "a document of another program": "doc docx key mobi epub odp ods odt pages ppt pptx rtf xls",
    "data of another program": "bin db ckpt h5 log npy npz onnx parquet pickle pkl pt pth sqlite"
    " safetensors",
    "a font": "otf ttf woff woff2",
    "a leftover": "aux bak bbl blg orig part swp tmp",
}
_KIND_OF = {suffix: kind for kind, suffixes in _KINDS.items() for suffix in suffixes.split()}
_SETTINGS = frozenset(
    ("package.json", "package-lock.json", "composer.json", "tsconfig.json", "requirements.txt")
)
_ABOUT = ("license", "licence", "copying", "notice", "readme", "changelog", "contributing")
_OTHERS_FOLDERS = frozenset(("node_modules", "__pycache__", "venv", "site-packages"))


@dataclass(frozen=True, slots=True)
class Place:
    """A file: ``named`` by a person, or found in a folder or by a pattern, where files that hold
    no papers are to be expected."""

    path: str
    named: bool


@dataclass(frozen=True, slots=True)
class Skipped:
    """What was found and is not read, or was and holds no paper, and why."""

    path: str
    reason: str


def places(path: str) -> Iterator[Place | Skipped | SourceError]:
    """The files that a path stands for, in sorted order; each only once, whatever the links.

    A pattern is one that the shell has not replaced, as where it was quoted.
    """
    if path != STDIN and Path(path).is_dir():
        yield from _within(path, {os.path.realpath(path)})
    elif glob.has_magic(path) and not os.path.lexists(path):
        yield from _matching(path)
    else:
        yield Place(path, named=True)


def _matching(pattern: str) -> Iterator[Place | Skipped | SourceError]:
    root = Path(pattern).anchor or "."
    try:
        # Unlike the module glob's, a ** of pathlib follows no links, which may lead in circles.
        found = sorted(map(str, Path(root).glob(str(Path(pattern).relative_to(root)))))
    except (OSError, ValueError, IndexError):
        found = []
    if not found:
        yield SourceError(f"no file matches {pattern}", "check the path and the pattern")
    seen: set[str] = set()
    for path in found:
        yield from _entry(path, seen)


def _within(folder: str, seen: set[str]) -> Iterator[Place | Skipped | SourceError]:
    try:
        names = sorted(found.name for found in Path(folder).iterdir())
    except OSError as error:
        yield SourceError(f"{folder} cannot be read: {error.strerror}", f"chmod u+rx {folder}")
        return
    if {"manifest.json", "generations"} <= set(names):
        yield Skipped(folder, "an index of rag")
        return
    for name in names:
        yield from _entry(str(Path(folder) / name), seen)


def _entry(path: str, seen: set[str]) -> Iterator[Place | Skipped | SourceError]:
    """What stands in a folder; ``seen`` are the real paths of what has been met."""
    real = os.path.realpath(path)
    if real in seen:
        return
    seen.add(real)
    if reason := no_paper(path):
        yield Skipped(path, reason)
    elif Path(path).is_dir():
        yield from _within(path, seen)
    elif reason := _special(path):
        yield Skipped(path, reason)
    else:
        yield Place(path, named=False)


def no_paper(path: str) -> str | None:
    """Why a file or folder that nobody named holds no papers, as far as its name says."""
    name = PurePath(path).name.lower()
    if name.startswith((".", "~$")):
        return "hidden"
    if name in _OTHERS_FOLDERS:
        return "a folder of other programs"
    if name in _SETTINGS:
        return "a program or its settings"
    return _KIND_OF.get(PurePath(name).suffix[1:])


def is_about(path: str) -> bool:
    """Whether a file is called like those that say something of the others, as a licence."""
    return PurePath(path).name.lower().startswith(_ABOUT)


def _special(path: str) -> str | None:
    """Why something can't be read to its end: a pipe, a device, a link to nowhere."""
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError):
        return "a link to nowhere"
    return None if stat.S_ISREG(mode) else "a pipe or device"
