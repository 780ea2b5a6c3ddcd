"""The systems that ``compare.py`` compares, each doing one thing in a process of its own.

    python bench/systems.py SYSTEM STAGE --papers FILE --folder FOLDER
                            [--replay INDEX] [--questions FILE]

Prints one JSON object: seconds, peak memory, and what the stage finds. All embed with the built-in
model or, with ``--replay``, take vectors for known sentences out of an index, which no system then
has to wait for.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag.corpus import read_file
from rag.corpus.sentences import sentence_spans
from rag.embed import Document, Embedder
from rag.embed.minilm import MiniLM
from rag.types import Paper

K = 10
BATCH = 5_000
"""Rows at once: Chroma takes 5,461, and LlamaIndex's store asks for more and stores nothing."""

BARE = 200
"""Papers at least by which the bare model's speed is measured, if there are as many."""

Vectors = NDArray[np.float32]


class Replay:
    """An embedder that has read it all before: a sentence's vector is that of an index, an
    abstract's the mean of its sentences'. Questions are embedded as ever."""

    def __init__(self, index: Path) -> None:
        from rag.store.snapshot import Snapshot

        snapshot = Snapshot.open(index)
        self._model = MiniLM()
        manifest = snapshot.manifest
        self.identity, self.dimensions = manifest.embedder, manifest.dimensions
        self._known: dict[bytes, Vectors] = {}
        sentences = snapshot.vectors[len(snapshot) :]
        for row, (paper, start, end) in enumerate(snapshot.sentences.tolist()):
            text = snapshot.paper(paper).text[start:end]
            self._known[_digest(text)] = np.asarray(sentences[row])

    def query(self, text: str) -> Vectors:
        return self._model.query(text)

    def documents(self, documents: Sequence[Document]) -> Iterator[tuple[int, Vectors]]:
        for index, document in enumerate(documents):
            spans = document.spans or sentence_spans(document.text)
            each = np.stack([self._sentence(document.text[s:e]) for s, e in spans])
            whole = each.sum(0) / np.linalg.norm(each.sum(0))
            yield index, np.vstack([whole, each]) if document.spans else whole[None]

    def _sentence(self, text: str) -> Vectors:
        known = self._known.get(_digest(text))
        if known is not None:
            return known
        seed = int.from_bytes(_digest(text)[:8])
        vector = np.random.default_rng(seed).normal(size=self.dimensions)
        return np.asarray(vector / np.linalg.norm(vector), np.float32)


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


class Ours:
    """``rag``: an ingest with sentences, exact search with BM25, answers by quoting."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self.folder, self.embedder = folder, embedder

    def ingest(self, file: Path, papers: Sequence[Paper]) -> None:
        from ingest import Silent

        from rag.cli.ingesting import batch_of
        from rag.cli.intake import Intake
        from rag.corpus.files import AS_FOUND
        from rag.retrieve.indexing import write_index
        from rag.store.ingest import ingest
        from rag.store.manifest import known_files

        intake = Intake(AS_FOUND, known_files(self.folder), lambda _: None, bool)
        intake.take([str(file)])
        batches = [batch_of(reading) for reading in intake.readings if reading.records]
        ingest(self.folder, batches, self.embedder, write_index, Silent())

    @cached_property
    def _asker(self) -> Any:
        from rag.engine.answer import Asker
        from rag.retrieve.hybrid import Retriever
        from rag.store.snapshot import Snapshot

        return Asker(Retriever(Snapshot.open(self.folder), self.embedder))

    def search(self, question: str) -> list[str]:
        return [hit.paper.paper_id for hit in self._asker.retriever.search(question, K)]

    def ask(self, question: str) -> object:
        return self._asker.ask(question)


class PlainChroma:
    """chromadb as its first page shows it, one vector an abstract."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self.folder, self.embedder = folder, embedder

    @cached_property
    def collection(self) -> Any:
        import chromadb

        settings = chromadb.config.Settings(anonymized_telemetry=False)
        client = chromadb.PersistentClient(str(self.folder / "chroma"), settings)
        configuration = {"hnsw": {"space": "cosine"}}
        return client.get_or_create_collection(
            "papers", configuration=configuration, embedding_function=None
        )

    def ingest(self, file: Path, papers: Sequence[Paper]) -> None:
        documents = [Document(paper.indexed_text, ()) for paper in papers]
        vectors = np.zeros((len(papers), self.embedder.dimensions), np.float32)
        for index, found in self.embedder.documents(documents):
            vectors[index] = found[0]
        for begin in range(0, len(papers), BATCH):
            part = papers[begin : begin + BATCH]
            self.collection.upsert(
                ids=[paper.paper_id for paper in part],
                embeddings=vectors[begin : begin + BATCH],
                documents=[paper.text for paper in part],
            )

    def search(self, question: str) -> list[str]:
        vector = self.embedder.query(question)
        found = self.collection.query(query_embeddings=[vector], n_results=K, include=["documents"])
        return list(found["ids"][0])


class Stock:
    """LlamaIndex on Chroma: a vector index and its BM25, fused by ranks; one node an abstract."""

    sentences = False

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self.folder, self.embedder = folder, embedder

    @cached_property
    def _model(self) -> Any:
        from rag.embed.llama import BuiltInEmbedding

        return BuiltInEmbedding(self.embedder)

    @cached_property
    def _vectors(self) -> Any:
        from llama_index.vector_stores.chroma import ChromaVectorStore

        return ChromaVectorStore(
            chroma_collection=PlainChroma(self.folder, self.embedder).collection
        )

    def ingest(self, file: Path, papers: Sequence[Paper]) -> None:
        from llama_index.core import StorageContext, VectorStoreIndex
        from llama_index.retrievers.bm25 import BM25Retriever

        nodes = [node for paper in papers for node in self._nodes(paper)]
        storage = StorageContext.from_defaults(vector_store=self._vectors)
        VectorStoreIndex(
            nodes, storage_context=storage, embed_model=self._model, insert_batch_size=BATCH
        )
        words = BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=K)
        words.persist(str(self.folder / "bm25"))

    def _nodes(self, paper: Paper) -> list[Any]:
        from llama_index.core.schema import TextNode

        spans = sentence_spans(paper.text) if self.sentences else []
        texts = [paper.indexed_text, *(paper.text[start:end] for start, end in spans)]
        known = {"metadata": {"paper_id": paper.paper_id}}
        known["excluded_embed_metadata_keys"] = ["paper_id"]
        return [TextNode(text=t, id_=f"{paper.paper_id}:{i}", **known) for i, t in enumerate(texts)]

    @cached_property
    def _retriever(self) -> Any:
        from llama_index.core import VectorStoreIndex
        from llama_index.core.llms import MockLLM
        from llama_index.core.retrievers import QueryFusionRetriever
        from llama_index.retrievers.bm25 import BM25Retriever

        depth = 3 * K if self.sentences else K
        index = VectorStoreIndex.from_vector_store(self._vectors, embed_model=self._model)
        words = BM25Retriever.from_persist_dir(str(self.folder / "bm25"))
        words.similarity_top_k = depth
        both = [index.as_retriever(similarity_top_k=depth), words]
        return QueryFusionRetriever(
            both,
            llm=MockLLM(),
            similarity_top_k=depth,
            num_queries=1,
            mode="reciprocal_rerank",
            use_async=False,
        )

    def search(self, question: str) -> list[str]:
        found = self._retriever.retrieve(question)
        return list(dict.fromkeys(each.node.metadata["paper_id"] for each in found))[:K]


class StockSentences(Stock):
    """The same with a node for each sentence as well, which is what ours holds."""

    sentences = True


SYSTEMS: dict[str, Callable[[Path, Embedder], Any]] = {
    "ours": Ours,
    "stock": Stock,
    "stock, sentences": StockSentences,
    "chromadb": PlainChroma,
}


def ingested(system: Any, file: Path) -> dict[str, Any]:
    """One ingest, the model loaded before; reading the file belongs to it."""
    next(iter(system.embedder.documents([Document("One sentence.", ((0, 13),))])))
    began = time.perf_counter()
    papers = [] if isinstance(system, Ours) else read_file(str(file)).records
    system.ingest(file, papers)
    return {"seconds": time.perf_counter() - began}


def bare(file: Path) -> dict[str, Any]:
    """Papers a second of the model in a plain loop, over some of the papers."""
    from ingest import BareModel

    texts = [paper.indexed_text for paper in read_file(str(file)).records]
    some, model = texts[:: max(len(texts) // BARE, 1)], BareModel()
    model.embed(["warm up"])
    began = time.perf_counter()
    model.embed(some)
    return {"speed": len(some) / (time.perf_counter() - began)}


def warm(system: Any, questions: Sequence[str]) -> dict[str, Any]:
    """Milliseconds of each question, the second time that all are asked."""
    ways = {"search": system.search, **({"ask": system.ask} if hasattr(system, "ask") else {})}
    took: dict[str, list[float]] = {}
    for name, way in ways.items():
        for question in questions:
            way(question)
        took[name] = []
        for question in questions:
            began = time.perf_counter()
            way(question)
            took[name].append(1000 * (time.perf_counter() - began))
    return took


def main() -> None:
    parser = argparse.ArgumentParser(description="One system doing one thing.")
    parser.add_argument("system", choices=SYSTEMS)
    parser.add_argument("stage", choices=["bare", "ingest", "warm", "first", "found"])
    parser.add_argument("--papers", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--replay", type=Path)
    parser.add_argument("--questions", type=Path)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    stage = options.stage
    replay = options.replay if stage == "ingest" else None
    embedder = Replay(replay) if replay else MiniLM()
    system = SYSTEMS[options.system](options.folder, embedder)
    questions = json.loads(options.questions.read_text()) if options.questions else []
    if stage == "bare":
        told = bare(options.papers)
    elif stage == "ingest":
        told = ingested(system, options.papers)
    elif stage == "warm":
        told = warm(system, questions)
    else:
        told = {"found": [system.search(question) for question in questions]}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({**told, "peak_mb": round(peak)}))


if __name__ == "__main__":
    main()
