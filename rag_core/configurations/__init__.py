"""Which retrieval configuration is served: proposed by tuning or by hand, promoted when it proves no worse, taken back.

Here: what is served now (``served``), what may be (``proposals``, ``overrides`` by hand), the two measured against each other
(``trial``) and the change from one to the other (``promotion``). Not here: what a configuration is (``rag_core.configuration``),
how a better one is found (``rag_core.evaluation.tuning``), SQL (``storage.configurations``). ``served`` and ``proposals`` are
imported by the engine and know nothing of it; the others use the engine, ``trial`` the evaluation too.
"""
