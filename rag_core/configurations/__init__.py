"""Which retrieval configuration is served: proposed by tuning or by hand, promoted when it proves no worse, taken back.

Here: what is served now (``served``), what may be (``proposals``), and the change from one to the other (``promotion``). Not
here: what a configuration is (``rag_core.configuration``), how a better one is found (``rag_core.evaluation.tuning``), SQL
(``storage.configurations``). ``served`` and ``proposals`` are imported by the engine and know nothing of it; ``promotion`` uses
the engine and the evaluation.
"""
