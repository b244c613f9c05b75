"""Evaluation of the retrieval: golden queries, runs over them, and the metrics of a run.

In the order of the work: ``golden_query`` is one query with the notes that answer it, ``golden_line`` one as a file
writes it, ``golden_spans`` are places in notes, ``golden_import`` and ``golden_set`` take sets in and out, ``golden_edits``
changes one query, ``golden_statistics`` counts what a set holds and lacks, ``runs`` asks every query of a set and stores what
came back, ``metrics`` are the formulas, ``results`` the values of a run, ``report`` shows one to a reader.
``baselines`` are the runs that others are compared with, by ``comparison`` and ``significance``; ``quality_check``
and ``fusion_check`` are the verdicts. ``answers`` are answers to golden queries with their scores, by words (``lexical``) and by
a chat model (``judges``); ``proposals`` thinks of queries for a person to accept.
All but ``golden_set``, ``golden_import``, ``golden_relevance``, ``golden_edits``, ``runs``, ``served``, ``baselines``
and, of ``proposals``, ``propose`` and ``decide`` do no I/O. Not here: searching itself, which a
caller hands to ``runs`` as a function, and SQL (``rag_core.storage.golden``,
``rag_core.storage.evaluations``).
"""
