"""Analysis of a query: its intent, its parts, the times it names, and a hypothetical answer to search with.

``transformation.transform`` is the whole of it; the other modules are its steps. Here: rules over the language packs
of ``rag_core.language``, without input or output; only ``hyde`` asks a chat model, through its protocol.
Not here: searching (``rag_core.retrieval``).
"""
