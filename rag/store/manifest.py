"""What a store says of itself. Replacing this file is the moment at which a change happens."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from rag.errors import EmbedderMismatch, StoreDamaged, StoreError, StoreMissing, StoreTooNew
from rag.store.files import replace_json
from rag.types import Paper

FORMAT = 2
"""Raised when an older program could not read what a newer one writes."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """``hashes`` maps each paper_id to its text's hash; ``corpus`` is one digest over them.

    ``files`` maps the absolute path of each file that was taken over as it stands to its
    reading's digest: an equal one need not be read again.
    """

    format: int
    generation: int
    embedder: str
    dimensions: int
    papers: int
    chunks: int
    corpus: str
    hashes: dict[str, str]
    files: dict[str, str]

    @property
    def folder(self) -> str:
        """Name of the generation's folder."""
        return f"{self.generation:06d}"


def fingerprint(papers: Sequence[Paper]) -> str:
    """Hex digest of a corpus: equal for equal papers with equal texts, in any order."""
    lines = sorted(f"{paper.paper_id} {paper.text_hash}" for paper in papers)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def generations(store: Path) -> list[Path]:
    """The folders of finished generations, oldest first."""
    folders = (store / "generations").glob("[0-9]*")
    return sorted((f for f in folders if f.name.isdigit()), key=lambda f: int(f.name))


def unfinished(store: Path) -> Path:
    """The folder that a writer fills; it stays behind where a writer did not finish."""
    return store / "generations" / "unfinished"


def read_manifest(store: Path) -> Manifest:
    """The manifest of a store; raises StoreMissing, StoreTooNew or StoreDamaged."""
    try:
        return load_manifest(store)
    except (FileNotFoundError, NotADirectoryError):
        raise missing(store) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise damaged(store, f"manifest.json cannot be read ({error})") from error


def known_files(store: Path) -> dict[str, str]:
    """The manifest's ``files``; empty where no manifest can be read."""
    try:
        return read_manifest(store).files
    except StoreError:
        return {}


def load_manifest(folder: Path) -> Manifest:
    """The manifest in a folder; raises StoreTooNew or what reading a file and JSON raises."""
    data = json.loads((folder / "manifest.json").read_bytes())
    if data["format"] > FORMAT:
        raise _too_new(folder, data["format"])
    return _manifest(data)


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write ``manifest`` into a folder; into the store's own, it becomes valid at once."""
    replace_json(folder / "manifest.json", asdict(manifest))


def check_embedder(store: Path, manifest: Manifest, identity: str) -> None:
    """Raise EmbedderMismatch unless the store's vectors come from this embedder."""
    if manifest.embedder != identity:
        message = f"{store} was built with the embedder {manifest.embedder}, not {identity}."
        from rag.embed.remote import settings_for  # of no use where all is well

        rebuild = f"rag rebuild --store {store}"
        settings = settings_for(manifest.embedder, identity)
        fix = f"{settings} to ask it as it is, or {rebuild} to embed it anew"
        raise EmbedderMismatch(message, fix if settings else rebuild)


def missing(store: Path) -> StoreError:
    """The error for a folder without a manifest: empty, half ingested, or robbed of it."""
    if generations(store):
        return damaged(store, "manifest.json is gone")
    if unfinished(store).exists():
        message = f"{store} holds an ingest that did not finish."
        return StoreMissing(message, f"run the same rag ingest --store {store} again; it resumes")
    message = f"There is no index in {store}."
    return StoreMissing(message, f"rag ingest FILE… --store {store}, or rag demo to try a sample")


def damaged(store: Path, what: str) -> StoreDamaged:
    """The error for contradictions, with the command that makes a store whole again."""
    return StoreDamaged(f"The index in {store} is damaged: {what}.", f"rag rebuild --store {store}")


def _manifest(data: dict[str, Any]) -> Manifest:
    """Raises TypeError where a field is missing, unknown or of another type."""
    manifest = Manifest(**data)
    for field in fields(manifest):
        found, wanted = type(getattr(manifest, field.name)).__name__, str(field.type)
        if found != wanted.partition("[")[0]:
            raise TypeError(f"{field.name} is {found}, not {wanted}")
    return manifest


def _too_new(store: Path, found: int) -> StoreTooNew:
    message = f"{store} has format {found}; this version reads up to format {FORMAT}."
    return StoreTooNew(message, "upgrade this program (pip install --upgrade), or use --store")
