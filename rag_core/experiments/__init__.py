"""Experiments on live queries: a candidate configuration beside what is served, and what readers make of it.

Here: which side answers a query (``serving``), how two rankings become one (``interleaving``), how alike they are
(``agreement``), and what the records tell (``statistics``, ``report``). Not here: what is served without an experiment
(``rag_core.configurations``), and comparisons on golden sets (``rag_core.evaluation``). No words of a query are kept.
"""
