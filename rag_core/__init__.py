"""The core of Brain Sync: everything that knows about notes, search and evaluation.

Here: chunking, embedding, retrieval, evaluation, storage, the HTTP API and the command line.
Not here: Dagster (``rag_assets``) and its resources (``resources``).
"""
