"""How much of the model's speed is left in a whole ingest?

Three ways through the same papers take turns in one process, so that a busy machine slows all
of them alike and the ratios hold: the bare model in a plain loop, our embedder alone, and an
ingest with everything (read, clean, embed, Chroma, BM25, manifest) into a fresh store.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count, islice
from pathlib import Path

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from rag.corpus import read_file
from rag.corpus.sentences import sentence_spans
from rag.embed import Document
from rag.embed.minilm import _MODEL, _TOKENIZER, BATCH_TOKENS, WINDOW, MiniLM, _verified
from rag.retrieve.lexical import write_bm25
from rag.store.ingest import Batch, ingest
from rag.types import Paper

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT.parent / "shared/data/iclr2026/iclr2026_accepted_12areas.jsonl"
SAMPLE = ROOT / "rag/sample/iclr2026_notes.jsonl"


class BareModel:
    """The model as its card says to run it: default session, one batch after the other."""

    def __init__(self) -> None:
        self._session = ort.InferenceSession(str(_verified(*_MODEL)))
        self._tokenizer = Tokenizer.from_file(str(_verified(*_TOKENIZER)))
        self._tokenizer.enable_truncation(WINDOW)
        self._tokenizer.no_padding()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One unit vector a text, shortest first; what is past the window is not read."""
        encodings = self._tokenizer.encode_batch(texts)
        batches = _batches(sorted(encodings, key=len))
        return np.vstack([self._means(batch) for batch in batches])

    def _means(self, batch: Sequence[Encoding]) -> NDArray[np.float32]:
        mask = np.zeros((len(batch), len(batch[-1])), np.int64)
        ids = np.zeros_like(mask)
        for row, encoding in enumerate(batch):
            mask[row, : len(encoding)] = 1
            ids[row, : len(encoding)] = encoding.ids
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        states = self._session.run(["last_hidden_state"], inputs)[0]
        sums = (states * mask[..., None]).sum(axis=1)
        means: NDArray[np.float32] = sums / np.linalg.norm(sums, axis=1, keepdims=True)
        return means


def _batches(encodings: Sequence[Encoding]) -> Iterator[list[Encoding]]:
    """Encodings, shortest first, in batches of the token budget that the embedder has."""
    batch: list[Encoding] = []
    for encoding in encodings:
        if batch and (len(batch) + 1) * len(encoding) > BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(encoding)
    if batch:
        yield batch


class Silent:
    """A Progress that shows nothing."""

    def note(self, text: str) -> None: ...

    def embedding(self, total: int) -> None: ...

    def advance(self, papers: int) -> None: ...


def ingest_all(source: Path, embedder: MiniLM) -> None:
    """What ``rag ingest`` does with a file, into a store that is thrown away."""
    with tempfile.TemporaryDirectory() as folder:
        read = read_file(str(source))
        batch = Batch(read.path, read.file, read.records, not read.rejected)
        ingest(Path(folder) / "index", [batch], embedder, write_bm25, Silent())


def embed_all(documents: Sequence[Document], embedder: MiniLM) -> None:
    """The embedder alone, sentences included."""
    for _ in embedder.documents(documents):
        pass


def document(paper: Paper) -> Document:
    """What an ingest hands to the embedder."""
    shift = len(paper.prefix)
    spans = ((start + shift, end + shift) for start, end in sentence_spans(paper.text))
    return Document(paper.indexed_text, tuple(spans))


def write_source(path: Path, papers: int) -> None:
    """The first records of the corpus or, without it, the sample notes over and over."""
    lines = _lines(CORPUS) if CORPUS.exists() else _copies()
    path.write_text("".join(islice(lines, papers)), encoding="utf-8")


def _lines(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8") as stream:
        yield from stream


def _copies() -> Iterator[str]:
    """The sample's records again and again, each told apart so that none is merged away."""
    records = [json.loads(line) for line in _lines(SAMPLE)]
    for number in count():
        for record in records:
            mark = {"id": f"{record['id']}-{number}", "url": None}
            text = f"{record['abstract']} This is copy {number}."
            yield json.dumps({**record, **mark, "abstract": text}) + "\n"


def measure(papers: int, repeat: int) -> dict[str, list[float]]:
    """Papers a second of each way, one figure a round."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "papers.jsonl"
        write_source(source, papers)
        records = read_file(str(source)).records
        bare, embedder = BareModel(), MiniLM()
        ways: dict[str, Callable[[], object]] = {
            "bare model": partial(bare.embed, [paper.indexed_text for paper in records]),
            "embedder": partial(embed_all, [document(paper) for paper in records], embedder),
            "ingest": partial(ingest_all, source, embedder),
        }
        bare.embed(["warm up"])
        embedder.query("warm up")
        rounds = [_round(ways, turn, len(records)) for turn in range(repeat)]
    return {name: [speeds[name] for speeds in rounds] for name in ways}


def _round(ways: dict[str, Callable[[], object]], turn: int, papers: int) -> dict[str, float]:
    """Each way once; who begins changes with the turn."""
    first = turn % len(ways)
    speeds = {}
    for name in [*ways][first:] + [*ways][:first]:
        print(f"round {turn + 1}: {name}", file=sys.stderr)
        begin = time.perf_counter()
        ways[name]()
        speeds[name] = papers / (time.perf_counter() - begin)
    return speeds


def summary(values: Sequence[float]) -> dict[str, float]:
    return {
        "min": round(min(values), 3),
        "median": round(statistics.median(values), 3),
        "max": round(max(values), 3),
    }


def report(speeds: dict[str, list[float]]) -> dict[str, dict[str, float]]:
    """Minimum, median and maximum of each speed, and of the ingest's ratio to the others."""
    rows = {f"{name}, papers/s": summary(values) for name, values in speeds.items()}
    for name in ("bare model", "embedder"):
        ratios = [a / b for a, b in zip(speeds["ingest"], speeds[name], strict=True)]
        rows[f"ingest / {name}"] = summary(ratios)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--papers", type=int, default=200, help="how many abstracts (200)")
    parser.add_argument("--repeat", type=int, default=3, help="rounds (3)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    rows = report(measure(options.papers, options.repeat))
    if options.json:
        print(json.dumps({"papers": options.papers, "repeat": options.repeat, "results": rows}))
        return
    print(f"{'':24}{'min':>8}{'median':>8}{'max':>8}")
    for name, row in rows.items():
        print(f"{name:24}" + "".join(f"{value:8.2f}" for value in row.values()))


if __name__ == "__main__":
    main()
