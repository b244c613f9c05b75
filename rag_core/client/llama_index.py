"""Retriever for LlamaIndex over the HTTP API; needs the extra ``llama-index``."""

from typing import Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from rag_core.client.client import BrainClient


class BrainLlamaIndexRetriever(BaseRetriever):
    """Passages of the notes as nodes, best first; with ``is_cited_only`` the words that ``brain ask`` cites."""

    def __init__(
        self,
        client: BrainClient,
        *,
        top_k: int = 5,
        filters: dict[str, Any] | None = None,
        is_cited_only: bool = False,
    ) -> None:
        super().__init__()
        self._client = client
        self._top_k = top_k
        self._filters = filters
        self._is_cited_only = is_cited_only

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self._client.passages(
            query_bundle.query_str, top_k=self._top_k, filters=self._filters, is_cited_only=self._is_cited_only
        )
        return [
            NodeWithScore(
                node=TextNode(id_=passage.chunk_id, text=passage.text, metadata=passage.facts), score=passage.score
            )
            for passage in found
        ]
