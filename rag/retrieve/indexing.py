"""What searching wants of an index besides its vectors: written once, when papers come in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rag.retrieve.concordance import write_concordance
from rag.retrieve.lexical import write_bm25
from rag.types import Paper


def write_index(folder: Path, papers: Sequence[Paper]) -> None:
    """Write the files of papers into the folder of their generation."""
    write_bm25(folder, papers)
    write_concordance(folder, papers)
