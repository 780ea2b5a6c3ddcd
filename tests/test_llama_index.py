"""LlamaIndex's own classes on our index, and ours inside LlamaIndex's."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path

import chromadb
import numpy as np
import pytest
from chromadb.config import Settings as ChromaSettings
from llama_index.core import Settings, VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import ResponseMode, get_response_synthesizer
from llama_index.core.schema import Document, MetadataMode
from llama_index.vector_stores.chroma import ChromaVectorStore

from rag.embed.llama import BuiltInEmbedding
from rag.embed.minilm import MiniLM
from rag.retrieve.filters import Filters
from rag.retrieve.hybrid import Retriever
from rag.retrieve.llama import HybridRetriever, SentenceParser
from rag.store.chroma import COLLECTION
from rag.store.snapshot import Snapshot
from tests.corpus import PAPERS, QUESTIONS

TEXT_OF = {paper.paper_id: paper.text for paper in PAPERS}


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any attempt to reach another machine fails the test."""

    def refuse(*arguments: object, **more: object) -> None:
        raise AssertionError(f"a connection was tried: {arguments}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture(scope="module")
def embedding(minilm: MiniLM) -> BuiltInEmbedding:
    return BuiltInEmbedding(minilm)


@pytest.fixture
def collection(built: Path) -> Iterator[chromadb.Collection]:
    """Our collection through a client of its own, as another program would open it."""
    client = chromadb.PersistentClient(
        str(built / "chroma"), ChromaSettings(anonymized_telemetry=False)
    )
    yield client.get_collection(COLLECTION, embedding_function=None)
    client.close()


@pytest.fixture
def stock(collection: chromadb.Collection, embedding: BuiltInEmbedding) -> BaseRetriever:
    """LlamaIndex's retriever over our collection."""
    store = ChromaVectorStore(chroma_collection=collection)
    index = VectorStoreIndex.from_vector_store(store, embed_model=embedding)
    return index.as_retriever(similarity_top_k=3)


@pytest.mark.parametrize(("question", "paper_id"), QUESTIONS.items())
def test_a_stock_index_finds_the_paper(stock: BaseRetriever, question: str, paper_id: str) -> None:
    assert stock.retrieve(question)[0].node.metadata["paper_id"] == paper_id


def test_a_stock_node_is_the_text_at_its_offsets(stock: BaseRetriever) -> None:
    for found in stock.retrieve(next(iter(QUESTIONS))):
        meta = found.node.metadata
        text = TEXT_OF[meta["paper_id"]]
        assert found.node.get_content() == text[meta["start"] : meta["end"]]


def test_a_stock_node_belongs_to_its_paper(stock: BaseRetriever) -> None:
    node = stock.retrieve(next(iter(QUESTIONS)))[0].node
    assert node.ref_doc_id == node.metadata["paper_id"]


def test_a_text_embeds_to_the_vector_of_the_store(built: Path, embedding: BuiltInEmbedding) -> None:
    snapshot = Snapshot.open(built)
    for row, paper in enumerate(PAPERS):
        vector = embedding.get_text_embedding(paper.indexed_text)
        assert np.abs(vector - snapshot.vectors[row]).max() <= 2.0**-11


def test_a_question_embeds_as_in_our_search(embedding: BuiltInEmbedding, minilm: MiniLM) -> None:
    assert embedding.get_query_embedding("sea level") == minilm.query("sea level").tolist()


def test_a_batch_comes_back_in_order(embedding: BuiltInEmbedding) -> None:
    texts = [PAPERS[0].text, "short", PAPERS[1].text, "a little longer"]
    alone = [embedding.get_text_embedding(text) for text in texts]
    assert np.allclose(embedding.get_text_embedding_batch(texts), alone, atol=2.0**-11)


def test_async_gives_the_same_vectors(embedding: BuiltInEmbedding) -> None:
    texts = ["sea level", "robots"]
    query = asyncio.run(embedding.aget_query_embedding(texts[0]))
    batch = asyncio.run(embedding.aget_text_embedding_batch(texts))
    assert query == embedding.get_query_embedding(texts[0])
    assert np.allclose(batch, embedding.get_text_embedding_batch(texts), atol=2.0**-11)


def test_the_model_is_named_by_identity() -> None:
    assert BuiltInEmbedding().model_name == MiniLM.identity


def test_an_embedding_comes_back_from_its_dict() -> None:
    assert BuiltInEmbedding.from_dict(BuiltInEmbedding().to_dict()).model_name == MiniLM.identity


@pytest.mark.parametrize(("question", "paper_id"), QUESTIONS.items())
def test_hybrid_nodes_are_ranked_as_our_search(
    retriever: Retriever, question: str, paper_id: str
) -> None:
    nodes = HybridRetriever(retriever, top_k=4).retrieve(question)
    hits = retriever.search(question, 4)
    assert [found.node.metadata["paper_id"] for found in nodes] == [h.paper.paper_id for h in hits]
    assert [found.score for found in nodes] == [hit.score for hit in hits]
    assert nodes[0].node.metadata["paper_id"] == paper_id


def test_a_hybrid_node_is_the_best_passage(retriever: Retriever) -> None:
    question = next(iter(QUESTIONS))
    (found,) = HybridRetriever(retriever, top_k=1).retrieve(question)
    best = retriever.search(question, 1)[0].passages[0]
    assert found.node.get_content() == best.text
    assert (found.node.metadata["start"], found.node.metadata["end"]) == (best.start, best.end)


def test_a_whole_node_is_the_abstract(retriever: Retriever) -> None:
    (found,) = HybridRetriever(retriever, top_k=1, whole=True).retrieve("honeybees dancing")
    assert found.node.get_content() == TEXT_OF["bees"]


def test_a_hybrid_node_knows_its_paper(retriever: Retriever) -> None:
    (found,) = HybridRetriever(retriever, top_k=1, whole=True).retrieve("sea level gauges")
    assert found.node.ref_doc_id == "tide"
    assert found.node.metadata == {
        "paper_id": "tide",
        "title": "TideNet: Filling the Gaps of Storm-Struck Sea Level Gauges",
        "url": "https://example.org/tide",
        "area": "earth science",
        "venue": "Toy Conference 2031",
        "start": 0,
        "end": len(TEXT_OF["tide"]),
    }


def test_metadata_is_not_embedded(retriever: Retriever) -> None:
    (found,) = HybridRetriever(retriever, top_k=1).retrieve("sea level gauges")
    assert found.node.get_content(MetadataMode.EMBED) == found.node.get_content(MetadataMode.NONE)


def test_a_model_reads_the_title_but_no_offsets(retriever: Retriever) -> None:
    (found,) = HybridRetriever(retriever, top_k=1).retrieve("sea level gauges")
    shown = found.node.get_content(MetadataMode.LLM)
    assert "TideNet: Filling" in shown
    assert "start:" not in shown


def test_filters_narrow_the_nodes(retriever: Retriever) -> None:
    narrowed = HybridRetriever(retriever, filters=Filters(area="biology"))
    found = {node.node.metadata["paper_id"] for node in narrowed.retrieve("language models")}
    assert found == {"bees", "cells"}


def test_a_stock_query_engine_answers_from_our_nodes(retriever: Retriever) -> None:
    engine = RetrieverQueryEngine(
        HybridRetriever(retriever, top_k=2),
        get_response_synthesizer(llm=MockLLM(), response_mode=ResponseMode.COMPACT),
    )
    response = engine.query("How can a robot pick strawberries without bruising them?")
    assert "strawberries without bruising" in str(response)
    assert response.source_nodes[0].node.metadata["paper_id"] == "grip"


def test_global_settings_stay_untouched(retriever: Retriever, stock: BaseRetriever) -> None:
    HybridRetriever(retriever).retrieve("sea level")
    stock.retrieve("sea level")
    assert (Settings._embed_model, Settings._llm) == (None, None)


def test_sentences_have_exact_offsets() -> None:
    text = "We know that it works. It works.  It works. Nobody asked why."
    nodes = SentenceParser().get_nodes_from_documents([Document(text=text)])
    spans = [(node.start_char_idx, node.end_char_idx) for node in nodes]
    assert spans == [(0, 22), (23, 32), (34, 43), (44, 61)]


def test_a_sentence_inside_another_is_not_mistaken_for_it() -> None:
    text = "One asks (Why?) and waits. Why?"
    nodes = SentenceParser().get_nodes_from_documents([Document(text=text)])
    assert nodes[-1].start_char_idx == text.rindex("Why?")


def test_sentences_keep_the_metadata_of_their_document() -> None:
    document = Document(text="One. Two.", metadata={"paper_id": "p"})
    nodes = SentenceParser().get_nodes_from_documents([document])
    assert [node.metadata["paper_id"] for node in nodes] == ["p"] * len(nodes)
