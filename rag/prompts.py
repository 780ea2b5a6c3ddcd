"""The texts that models read: Markdown files, one a message, filled in strictly.

A task, such as ``answer``, is a folder of them. Names stand as ``{{name}}``; a text that lacks
one of the names it should have, or has another, is refused before anything is spent.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from rag.errors import PromptError

TASKS: Mapping[str, Mapping[str, frozenset[str]]] = {
    "answer": {
        "system": frozenset(),
        "question": frozenset({"abstracts", "question"}),
        "rewrite": frozenset({"statement", "faults", "quotes"}),
    },
    "follow_up": {
        "system": frozenset(),
        "question": frozenset({"turns", "question"}),
    },
    "search": {
        "system": frozenset(),
        "question": frozenset({"question"}),
    },
    "digest": {
        "system": frozenset(),
        "question": frozenset({"abstracts", "question"}),
        "rewrite": frozenset({"statement", "faults", "quotes"}),
    },
    "topic": {
        "system": frozenset(),
        "question": frozenset({"terms", "papers"}),
    },
    "summarize": {
        "system": frozenset(),
        "paper": frozenset({"abstract"}),
        "rewrite": frozenset({"abstract", "statement", "faults"}),
    },
    "draft": {
        "system": frozenset(),
        "paper": frozenset({"abstract", "name"}),
    },
    "judge_correctness": {
        "system": frozenset(),
        "question": frozenset({"question", "reference", "answer", "mark"}),
    },
    "judge_groundedness": {
        "system": frozenset(),
        "question": frozenset({"quotes", "answer", "mark"}),
    },
    "judge_rubric": {
        "system": frozenset(),
        "question": frozenset({"question", "rubric", "answer", "mark"}),
    },
}
"""The messages of each task, and the names in each."""

_NAME = re.compile(r"\{\{\s*(\w+)\s*\}\}")


@dataclass(frozen=True, slots=True)
class Prompt:
    """One message as its file has it; ``names`` are those that it has to have filled in."""

    path: Path
    text: str
    names: frozenset[str]

    def __post_init__(self) -> None:
        found = frozenset(_NAME.findall(self.text))
        for name in sorted(self.names - found):
            fix = f"write {{{{{name}}}}} where it belongs"
            raise PromptError(f"{self.path} lacks the name {name!r}.", fix)
        for name in sorted(found - self.names):
            known = ", ".join(sorted(self.names)) or "no names"
            raise PromptError(f"{self.path} has the name {name!r}.", f"it is given {known}")

    def render(self, **values: str) -> str:
        """The text with its names filled in; what is filled in is not looked into again."""
        if values.keys() != self.names:
            raise TypeError(f"{self.path} is given {sorted(values)}, not {sorted(self.names)}")
        return _NAME.sub(lambda found: values[found[1]], self.text)


@dataclass(frozen=True, slots=True)
class Task:
    """The messages of one task."""

    name: str
    messages: Mapping[str, Prompt]

    def __getitem__(self, part: str) -> Prompt:
        return self.messages[part]

    @property
    def identity(self) -> str:
        """Name and hash, such as ``answer@3f2a91c0``: equal for equal texts."""
        parts = (f"{part}\0{self.messages[part].text}\0" for part in sorted(self.messages))
        return f"{self.name}@{hashlib.sha256(''.join(parts).encode()).hexdigest()[:8]}"


def load_task(name: str, folder: Path | None = None) -> Task:
    """A task's messages out of ``folder``, by default the ones that come with the product.

    Raises PromptError for a file that is missing, unreadable or has not just its names.
    """
    place = (folder or shipped()) / name
    return Task(name, {part: _load(place, part, names) for part, names in TASKS[name].items()})


def load_tasks(folder: Path | None = None) -> Iterator[Task]:
    """Every task that the folder has; of the shipped ones, all."""
    place = folder or shipped()
    found = [name for name in TASKS if (place / name).is_dir()]
    if not found:
        fix = f"it should hold a folder for each task: {', '.join(TASKS)}"
        raise PromptError(f"There are no prompts in {place}.", fix)
    return (load_task(name, folder) for name in found)


def shipped() -> Path:
    """The folder of our own prompts: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).parent
    inside = package / "_prompts"
    return inside if inside.is_dir() else package.parent / "prompts"


def _load(folder: Path, part: str, names: frozenset[str]) -> Prompt:
    path = folder / f"{part}.md"
    try:
        # Read as text: a change of line ends or a byte-order mark is no change of prompt.
        text = path.read_text(encoding="utf-8-sig").strip()
    except (OSError, ValueError) as error:
        shown = f"rag prompts {folder.name} shows the one that comes with the product"
        raise PromptError(f"The prompt {path} cannot be read ({error}).", shown) from error
    if not text:
        raise PromptError(f"The prompt {path} is empty.", "write what the model should read")
    return Prompt(path, text, names)
