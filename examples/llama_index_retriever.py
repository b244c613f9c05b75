"""Retrieve passages of the notes in LlamaIndex (the extra `llama-index`)."""

import os

from rag_core.client import BrainClient
from rag_core.client.llama_index import BrainLlamaIndexRetriever


def main() -> None:
    """Print what a query engine would give its language model."""
    client = BrainClient(os.environ.get("BRAIN_URL", "http://127.0.0.1:8000"), api_key=os.environ.get("BRAIN_KEY"))
    for found in BrainLlamaIndexRetriever(client, top_k=3).retrieve("¿Por qué se paró el ascensor?"):
        print(f"{found.score:.2f} {found.metadata['title']} ({found.metadata['source']}): {found.text[:80]}")


if __name__ == "__main__":
    main()
