"""Retriever for LangChain over the HTTP API; needs the extra ``langchain``."""

from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict

from rag_core.client.client import BrainClient


class BrainLangChainRetriever(BaseRetriever):
    """Passages of the notes as documents, best first; with ``is_cited_only`` the words that ``brain ask`` cites."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    client: BrainClient
    top_k: int = 5
    filters: dict[str, Any] | None = None
    is_cited_only: bool = False

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        del run_manager
        found = self.client.passages(query, top_k=self.top_k, filters=self.filters, is_cited_only=self.is_cited_only)
        return [
            Document(id=passage.chunk_id, page_content=passage.text, metadata={**passage.facts, "score": passage.score})
            for passage in found
        ]
