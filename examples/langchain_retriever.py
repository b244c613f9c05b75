"""Retrieve passages of the notes in LangChain (the extra `langchain`)."""

import os

from rag_core.client import BrainClient
from rag_core.client.langchain import BrainLangChainRetriever


def main() -> None:
    """Print what a chain would give its language model."""
    client = BrainClient(os.environ.get("BRAIN_URL", "http://127.0.0.1:8000"), api_key=os.environ.get("BRAIN_KEY"))
    retriever = BrainLangChainRetriever(client=client, top_k=3)
    for document in retriever.invoke("¿Por qué se paró el ascensor?"):
        print(f"{document.metadata['title']} ({document.metadata['source']}): {document.page_content[:80]}")


if __name__ == "__main__":
    main()
