"""Make the indexes that our suites are put to, or bring them up to date.

    python evals/indexes.py [--lists FOLDER]

index_store/evals/notes holds the sample notes, index_store/evals/lists the original abstracts,
where FOLDER has them. A second run embeds nothing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from rag.corpus import read_file
from rag.embed.minilm import MiniLM
from rag.engine.answer import Asker
from rag.retrieve.hybrid import Retriever
from rag.retrieve.indexing import write_index
from rag.store.ingest import Batch, ingest
from rag.store.snapshot import Snapshot

HERE = Path(__file__).parent
NOTES = HERE.parent / "rag" / "sample" / "iclr2026_notes.jsonl"
STORES = HERE.parent / "index_store" / "evals"


class Notes:
    """Progress of an ingest as lines on stderr."""

    def note(self, text: str) -> None:
        print(text, file=sys.stderr)

    def embedding(self, total: int) -> None:
        self.note(f"embedding {total} abstracts …")

    def advance(self, papers: int) -> None:
        """Too short to show."""


def corpora(lists: Path) -> dict[str, list[Path]]:
    """The files of each corpus that is there."""
    found = sorted(lists.glob("*.txt"))
    if not found:
        print(f"no lists in {lists}: the notes alone", file=sys.stderr)
    return {"notes": [NOTES], **({"lists": found} if found else {})}


def asker_over(name: str, files: Iterable[Path]) -> Asker:
    """An index of the files, made or brought up to date, with something to ask it."""
    embedder, store = MiniLM(), STORES / name
    readings = [read_file(str(file)) for file in files]
    batches = [Batch(r.path, r.file, r.records, whole=not r.rejected) for r in readings]
    ingest(store, batches, embedder, write_index, Notes())
    return Asker(Retriever(Snapshot.open(store), embedder))


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the indexes that our suites are put to.")
    parser.add_argument("--lists", type=Path, default=HERE.parent.parent / "shared" / "corpus")
    for name, files in corpora(parser.parse_args().lists).items():
        papers = len(asker_over(name, files).retriever.snapshot)
        print(f"{STORES / name}: {papers} papers")


if __name__ == "__main__":
    main()
