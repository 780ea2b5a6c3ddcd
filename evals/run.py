"""Put our questions to the sample notes and to the real lists, and print the figures.

    python evals/run.py [--lists FOLDER] [--by kind|split] [--failures]

The lists are read from FOLDER where it exists; the notes are always there. The indexes are
kept in index_store/evals, so that a second run embeds nothing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from rag.corpus import read_file
from rag.embed.minilm import MiniLM
from rag.engine.answer import Asker
from rag.evaluate.cases import keys_of, load_cases
from rag.evaluate.metrics import Scored, complete
from rag.evaluate.runner import confusion, run, table
from rag.retrieve.hybrid import Retriever
from rag.retrieve.lexical import write_bm25
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
        print(f"no lists in {lists}: measuring on the notes alone", file=sys.stderr)
    return {"notes": [NOTES], **({"lists": found} if found else {})}


def asker_over(name: str, files: Iterable[Path]) -> Asker:
    """An index of the files, made or brought up to date, with something to ask it."""
    embedder, store = MiniLM(), STORES / name
    readings = [read_file(str(file)) for file in files]
    batches = [Batch(r.path, r.file, r.records, whole=not r.rejected) for r in readings]
    ingest(store, batches, embedder, write_bm25, Notes())
    return Asker(Retriever(Snapshot.open(store), embedder))


def failures(scored: Iterable[Scored]) -> str:
    """The answerable cases that lack a fact and the others that were answered, one a line."""
    lines = []
    for s in scored:
        wrong = not complete([s]) if s.case.facts else s.answer.outcome == "answered"
        if wrong:
            quotes = " | ".join(statement.text[:60] for statement in s.answer.statements)
            lines.append(f"{s.case.id} {s.answer.outcome}: {s.case.question}\n    {quotes}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the answers to our questions.")
    parser.add_argument("--lists", type=Path, default=HERE.parent.parent / "shared" / "corpus")
    parser.add_argument("--by", choices=("kind", "split"), default="kind")
    parser.add_argument("--failures", action="store_true", help="also show what went wrong")
    options = parser.parse_args()
    cases = load_cases(HERE / "iclr2026.jsonl")
    for name, files in corpora(options.lists).items():
        asker = asker_over(name, files)
        keys = keys_of(asker.retriever.snapshot.papers(), HERE / "papers.jsonl")
        scored = run(asker, cases, keys)
        print(f"\n{name}: {len(cases)} questions\n{table(scored, options.by)}\n{confusion(scored)}")
        if options.failures:
            print(failures(scored))


if __name__ == "__main__":
    main()
