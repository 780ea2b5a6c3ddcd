"""Are answers out of a Chroma server those of the index folder? Each case is asked in both modes.

A copy of the index is put onto a real ``chroma run`` on localhost, another folder takes it from
there, and what both answer is compared as JSON, all but the timings.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.scaling import running
from rag.config import load
from rag.engine.question import Turn
from rag.library import Corpus, Program
from rag.opening import open_home
from rag.retrieve.indexing import write_index
from rag.store.ingest import rebuild


class Silent:
    """A Progress that says nothing."""

    def note(self, text: str) -> None: ...

    def embedding(self, total: int) -> None: ...

    def advance(self, papers: int) -> None: ...


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("store", type=Path, help="an index folder; it is left as it is")
    parser.add_argument("cases", type=Path, nargs="+", help="JSON Lines with a question in each")
    options = parser.parse_args()
    cases = [json.loads(line) for file in options.cases for line in file.open() if line.strip()]
    with tempfile.TemporaryDirectory() as scratch, running(Path(scratch) / "chroma") as (url, _):
        own, moved, other = (Path(scratch) / name for name in ("own", "moved", "other"))
        for folder in (own, moved):
            shutil.copytree(options.store, folder)
        alone = corpus_at(own)
        there = {"chroma_url": url}
        home = open_home(corpus_at(moved, **there).host)
        embedder = alone.asker.retriever._embedder
        rebuild(moved, embedder, write_index, Silent(), home=home)
        pairs = zip(answers(alone, cases), answers(corpus_at(other, **there), cases), strict=True)
        differing = [case for case, (a, b) in zip(cases, pairs, strict=True) if a != b]
    print(f"{len(cases):,} questions, {len(differing):,} answered otherwise out of the server")
    for case in differing:
        print(f"  {case['question']}")
    sys.exit(1 if differing else 0)


def corpus_at(store: Path, **settings: Any) -> Corpus:
    return Corpus(Program(load({"store": str(store), **settings}), lambda text: None))


def answers(corpus: Corpus, cases: Sequence[dict[str, Any]]) -> Iterator[str]:
    for case in cases:
        history = [Turn(*turn) for turn in case.get("history", ())]
        answer = asdict(corpus.ask(case["question"], history))
        yield json.dumps({**answer, "timings_ms": None}, default=str, sort_keys=True)


if __name__ == "__main__":
    main()
