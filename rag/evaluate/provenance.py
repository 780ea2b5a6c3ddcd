"""What a run was made from, and what of it is another than before.

Equal provenance has to mean equal samples where no model writes, so all that an answer can depend
on is in it: the papers, the settings, every library's version, and our own code as it stands.
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any

import rag
from rag.digest.build import fingerprint
from rag.evaluate.types import Provenance
from rag.store.snapshot import Snapshot

GIT_SECONDS = 2.0
SHOWN = 8
"""Hex digits that tell two hashes apart."""
CODE = {".py", ".json", ".toml"}
"""Endings of the files of the package that decide what an answer is."""


def provenance(
    snapshot: Snapshot,
    embedder_identity: str,
    engine: str,
    model: str | None = None,
    judge: str | None = None,
    prompts: Sequence[str] = (),
    settings: Mapping[str, Any] | None = None,
    code: Path | None = None,
) -> Provenance:
    """What samples of a snapshot are made from; ``code`` is the folder whose commit counts.

    ``settings`` are values that JSON has, without paths and keys.
    """
    return Provenance(
        corpus=fingerprint(snapshot),
        papers=len(snapshot),
        embedder=embedder_identity,
        engine=engine,
        model=model,
        judge=judge,
        prompts=tuple(sorted(prompts)),
        settings=json.loads(json.dumps(dict(settings or {}), sort_keys=True)),
        packages=packages(),
        commit=commit(code) if code else None,
    )


def packages() -> dict[str, str]:
    """Versions of Python, of this program and of what it requires, by name.

    The program's own has a hash of its files behind a "+": the number is the same through all the
    changes that somebody tries out. Without extras, which change no answer.
    """
    found = {"python": platform.python_version(), "rag": f"{rag.__version__}+{_code()}"}
    with suppress(metadata.PackageNotFoundError):  # run from a checkout without being installed
        for requirement in metadata.requires("rag") or ():
            name = re.split(r"[^\w.-]", requirement, maxsplit=1)[0]
            if "extra ==" not in requirement:
                with suppress(metadata.PackageNotFoundError):  # of use for another Python only
                    found[name] = metadata.version(name)
    return dict(sorted(found.items()))


def _code() -> str:
    digest = hashlib.sha256()
    root = Path(rag.__file__).parent
    for path in sorted(root.rglob("*")):
        if path.suffix in CODE:
            digest.update(f"{path.relative_to(root).as_posix()}\0".encode())
            digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()[:SHOWN]


def commit(folder: Path) -> str | None:
    """The commit that a folder is at, with "+" where a file that git knows was changed since.

    None where nobody can say in good time: no repository, no commit yet, no git.
    """
    told = _git(folder)
    head = re.search(r"^# branch\.oid ([0-9a-f]{40,64})$", told, re.M)
    changed = any(line[:1] not in ("", "#") for line in told.split("\n"))
    return head[1] + "+" * changed if head else None


def _git(folder: Path) -> str:
    """What git says of a folder, "" if nothing. It writes nothing and starts no monitor. What it
    does not know, such as an index or stored runs, is of no interest."""
    asked = "status --porcelain=v2 --branch --untracked-files=no --ignore-submodules"
    command = ["git", "--no-optional-locks", "-c", "core.fsmonitor=false", *asked.split()]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=GIT_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode("utf-8", "replace")


def causes(before: Provenance, after: Provenance) -> tuple[str, ...]:
    """What two runs were made from that differs, a sentence each; empty where nothing does."""
    return tuple(_causes(before, after))


def _causes(before: Provenance, after: Provenance) -> Iterator[str]:
    if before.corpus != after.corpus:
        yield _corpus(before, after)
    for name in ("embedder", "engine", "model", "judge"):
        old, new = getattr(before, name), getattr(after, name)
        if old != new:
            yield f"{name} {old or 'none'} → {new or 'none'}"
    for _, old, new in _differing(_by_name(before.prompts), _by_name(after.prompts)):
        yield f"prompt {_change(old, new)}"
    for name, old, new in _differing(_written(before.settings), _written(after.settings)):
        yield f"{name}: {old or 'default'} → {new or 'default'}"
    for name, old, new in _differing(before.packages, after.packages):
        yield f"{name} {_change(old, new)}"
    if before.commit != after.commit:
        yield f"commit {_short(before.commit)} → {_short(after.commit)}"


def _corpus(before: Provenance, after: Provenance) -> str:
    if before.papers != after.papers:
        return f"corpus: {before.papers:,} → {after.papers:,} papers"
    return f"corpus: {after.papers:,} papers as before, but not the same ones or texts"


def _differing(
    before: Mapping[str, str], after: Mapping[str, str]
) -> Iterator[tuple[str, str | None, str | None]]:
    """Names whose value is another, with both, None where there is none."""
    for name in sorted({*before, *after}):
        old, new = before.get(name), after.get(name)
        if old != new:
            yield name, old, new


def _change(old: str | None, new: str | None) -> str:
    if old is None:
        return f"{new} added"
    return f"{old} removed" if new is None else f"{old} → {new}"


def _by_name(prompts: Sequence[str]) -> dict[str, str]:
    return {prompt.partition("@")[0]: prompt for prompt in prompts}


def _written(settings: Mapping[str, Any]) -> dict[str, str]:
    """Values as JSON that is the same for equal ones, and whose true is not 1."""
    return {name: json.dumps(value, sort_keys=True) for name, value in settings.items()}


def _short(commit: str | None) -> str:
    """The commit as git shows it, a mark of changed files included."""
    return commit[:SHOWN] + "+" * commit.endswith("+") if commit else "none"
