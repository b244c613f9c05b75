"""Python client of the HTTP API, and retrievers of other frameworks over it.

Here: the typed client (``client``), and a retriever each for LangChain (``langchain``) and LlamaIndex (``llama_index``), whose packages
are the extras of these names. Nothing else of the program is imported, so that a program elsewhere needs no database.
"""

from rag_core.client.client import BrainClient, ClientAnswer, ClientError, ClientPassage

__all__ = ["BrainClient", "ClientAnswer", "ClientError", "ClientPassage"]
