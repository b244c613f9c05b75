"""Taking over notes that another program kept whole: attached as they are, then chunked batch by batch, or back again.

The order of the work: ``attach`` → the pipeline over the legacy batches → ``control.finish``; ``control`` also stops, resumes
and rolls back, ``failures`` remembers the notes that would not, ``status`` tells how far it is. Between the steps every
note is found, chunked or whole. Not here: SQL (``storage``), chunking and embedding (``indexing``), Dagster.
"""
