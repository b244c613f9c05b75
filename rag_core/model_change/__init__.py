"""Changing the embedding model while the old one serves: register, fill in, compare, promote, retire.

Here: the steps, in the order of ``registration``, ``backfill``, ``comparison``, ``promotion`` and ``retirement``.
Not here: the tables (``rag_core.storage.models``, ``rag_core.storage.model_vectors``), how a running process notices a
promotion (``rag_core.runtime.live_engine``), and the asset that fills in by batches (``rag_assets.model_vectors``).
"""
