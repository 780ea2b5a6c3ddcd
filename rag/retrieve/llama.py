"""Our search and our sentences as LlamaIndex's ``BaseRetriever`` and ``NodeParser``.

Knows no store and no model, and never touches LlamaIndex's global Settings.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.node_parser.interface import NodeParser
from llama_index.core.node_parser.node_utils import build_nodes_from_splits
from llama_index.core.schema import (
    BaseNode,
    Document,
    MetadataMode,
    NodeRelationship,
    NodeWithScore,
    QueryBundle,
    RelatedNodeInfo,
    TextNode,
)

from rag.corpus.sentences import sentence_spans
from rag.retrieve.filters import Filters
from rag.retrieve.hybrid import Retriever
from rag.types import Hit, Paper


class HybridRetriever(BaseRetriever):
    """The ``top_k`` best papers of a question, a node each, best first.

    A node is the paper's best passage or, with ``whole``, its abstract; its character offsets
    count in the paper's text. Scores are the fused z-scores of ``Retriever.search``.
    """

    def __init__(
        self,
        retriever: Retriever,
        top_k: int = 10,
        *,
        whole: bool = False,
        filters: Filters | None = None,
    ) -> None:
        super().__init__()
        self._retriever = retriever
        self._top_k = top_k
        self._whole = whole
        self._filters = filters

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        hits = self._retriever.search(query_bundle.query_str, self._top_k, self._filters)
        return [NodeWithScore(node=self._node(hit), score=hit.score) for hit in hits]

    def _node(self, hit: Hit) -> TextNode:
        best = hit.passages[0]
        span = (0, len(hit.paper.text)) if self._whole else (best.start, best.end)
        return cited_node(hit.paper, *span)


class SentenceParser(NodeParser):
    """Splits documents into the sentences that the store keeps, with exact offsets."""

    def _parse_nodes(
        self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any
    ) -> list[BaseNode]:
        return [sentence for node in nodes for sentence in self._sentences(node)]

    def _sentences(self, node: BaseNode) -> list[TextNode]:
        text = node.get_content(metadata_mode=MetadataMode.NONE)
        spans = sentence_spans(text)
        splits = [text[start:end] for start, end in spans]
        sentences = build_nodes_from_splits(splits, node, id_func=self.id_func)
        for sentence, span in zip(sentences, spans, strict=True):
            sentence.start_char_idx, sentence.end_char_idx = span
        return sentences

    def _postprocess_parsed_nodes(
        self, nodes: list[BaseNode], parent_doc_map: dict[str, Document]
    ) -> list[BaseNode]:
        """The base class searches each sentence's text, and may find it inside another one."""
        sentences = [node for node in nodes if isinstance(node, TextNode)]
        spans = [(sentence.start_char_idx, sentence.end_char_idx) for sentence in sentences]
        done = super()._postprocess_parsed_nodes(nodes, parent_doc_map)
        for sentence, span in zip(sentences, spans, strict=True):
            sentence.start_char_idx, sentence.end_char_idx = span
        return done


def cited_node(paper: Paper, start: int, end: int) -> TextNode:
    """A stretch of a paper's text as a node that says where it stands."""
    metadata = _metadata(paper, start, end)
    return TextNode(
        id_=f"{paper.paper_id}:{start}-{end}",
        text=paper.text[start:end],
        start_char_idx=start,
        end_char_idx=end,
        metadata=metadata,
        excluded_embed_metadata_keys=list(metadata),
        excluded_llm_metadata_keys=["paper_id", "start", "end"],
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=paper.paper_id)},
    )


def _metadata(paper: Paper, start: int, end: int) -> dict[str, str | int]:
    """What a node tells of its paper; a field that is not known is left out."""
    fields = {
        "paper_id": paper.paper_id,
        "title": paper.name,
        "url": paper.url,
        "area": paper.area,
        "venue": paper.venue,
        "start": start,
        "end": end,
    }
    return {key: value for key, value in fields.items() if value is not None}
