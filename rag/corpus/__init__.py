"""Files become Papers. ``read_file`` reads one, ``merge`` joins what several hold.

``read_file`` is loaded when it is first used, so that importing ``rag.corpus.merge`` or
``rag.corpus.sentences`` loads no reader. The name ``rag.corpus.merge`` is the function; of
the module of that name it hides nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rag.corpus.merge import merge

if TYPE_CHECKING:
    from rag.corpus.files import FileReading, read_file

__all__ = ["FileReading", "merge", "read_file"]


def __getattr__(name: str) -> Any:
    if name in ("FileReading", "read_file"):
        from rag.corpus import files

        return getattr(files, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
