"""Read a conference: ask a list of paper abstracts, get answers bound to exact quotes."""

from typing import Any

__version__ = "0.1.0"

__all__ = ["Corpus", "__version__", "open_corpus"]


def __getattr__(name: str) -> Any:
    """The library is loaded when it is used: the command line has no need of it."""
    if name in ("Corpus", "open_corpus"):
        from rag import library

        return getattr(library, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
