"""The Dagster project: what is materialised, checked and scheduled. Thin; the work is ``rag_core.indexing``'s.

One module a stage (``notes`` → ``chunks`` → ``embeddings`` → ``fulltext_index`` → ``knowledge_graph`` → ``evaluation_report``),
then partitions, checks, jobs, schedules and sensors; ``definitions.build_definitions`` puts them together. ``indexing``
runs the same definitions in this process for ``brain index``. An asset loads, calls the core and returns counts and a fingerprint.
Not here: SQL, chunking, embedding, metrics.
"""

import warnings

# Ranges of partitions in one run and links from the UI to the code: Dagster says at every import that they may change in a
# minor version.
for beta in (
    "Parameter `backfill_policy`",
    "Function `with_source_code_references`",
    "Class `.*CodeReference",
    "Parameter `owners`",
):
    warnings.filterwarnings("ignore", message=beta)
