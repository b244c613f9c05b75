"""How good the retrieval is: golden queries, runs over them, and the metrics of a run.

In the order of the work: ``golden_query`` is one query with the notes that answer it, ``golden_set`` imports
and exports sets of them, ``golden_edits`` changes one, ``runs`` asks every query of a set and stores what
came back, ``metrics`` are the formulas, ``results`` the values of a run, ``report`` shows one to a reader.
``baselines`` are the runs that others are compared with, by ``comparison`` and ``significance``; ``quality_check``
and ``fusion_check`` are the verdicts. All but ``golden_set``, ``golden_edits``, ``runs``, ``served`` and
``baselines`` do no I/O. Not here: searching itself, which a
caller hands to ``runs`` as a function, and SQL (``rag_core.storage.golden``,
``rag_core.storage.evaluations``).
"""
