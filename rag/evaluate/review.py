"""Which proposals somebody has decided on, so that nobody is asked twice."""

from __future__ import annotations

from pathlib import Path

from rag.errors import SourceError
from rag.evaluate.draft import Draft
from rag.evaluate.suite import append_line


class Reviewed:
    """A text file beside the runs: the key of a proposal a line, and its question for people.
    Raises SourceError where it cannot be read or written."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "runs" / "reviewed.txt"
        self._keys = _keys(self.path)

    def __contains__(self, draft: Draft) -> bool:
        return draft.key in self._keys

    def add(self, draft: Draft) -> None:
        self._keys.add(draft.key)
        append_line(self.path, f"{draft.key} {' '.join(draft.question.split())}")


def _keys(path: Path) -> set[str]:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, NotADirectoryError):
        return set()
    except OSError as error:
        fix = "remove it: then all is proposed again"
        raise SourceError(f"{path} cannot be read: {error.strerror}.", fix) from error
    return {line.split(" ", 1)[0] for line in text.splitlines()}
