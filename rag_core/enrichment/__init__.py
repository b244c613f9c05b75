"""Enrichment of texts by rules: type, topics, key phrases, a summary, reading ease, counts. Pure.

``reading`` cuts a text into words once for all; each other module reads one thing from that; ``enrich`` puts them together. Nothing
here asks a model or a database: see ``rag_core.indexing.enriching``.
"""
