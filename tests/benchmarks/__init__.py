"""Measurements of ``make bench``: one module a figure, every figure with its floor taken in the same run.

``python -m tests.benchmarks`` from the repository's root. Here: ``corpus`` (notes and questions), ``scratch`` (homes and
processes that are gone afterwards), ``imports``, ``indexing``, ``searching``, ``backfilling``, ``bench_chunking``. A machine
shared with others is noisy, so ratios to the floor say more than bare figures. Not here: quality, which
``brain evaluate`` measures.
"""
