"""Uploaded documents: taken at once, parsed and indexed by a job.

Here: receiving a file, the job, the state of a document, pictures of the pages of originals, those of folders too. Not here:
parsing of formats (``rag_core.parsing``), routes and pages (``rag_core.api``).
"""
