"""What a text tells of itself by rules: its type, topics, key phrases, a summary, how hard it reads, counts. Pure.

``reading`` cuts a text into words once for all; each other module reads one thing from that; ``enrich`` puts them together. Nothing here
asks a model or a database: see ``rag_core.indexing.enriching``.
"""
