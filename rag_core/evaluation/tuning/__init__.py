"""The search for a better configuration on a golden set, and what it is worth on queries that it was not chosen on.

In the order of the work: the legs of every query are taken down once (``record``), then ranked again by the functions that
serve (``replay``) for the configurations there are (``space``) that are tried (``search``), fold by fold (``cross_validation``); the
whole is ``tune``, told by ``report`` and run in the background by ``job``. ``thresholds`` calibrates an embedding model's similarity
threshold the same way. Not here: what is served and promoted (``rag_core.configurations``), the fit of the re-ranker's weights
(``rag_core.reranking.fitting``).
"""
