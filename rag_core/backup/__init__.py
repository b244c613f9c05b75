"""Backups: everything the database holds in one file, and back again.

Here: the file (``archive``), writing one (``create``) and putting one in the place of what is there (``restore``).
Not here: SQL (``rag_core.storage.backup``), and Dagster's own database, which no backup holds.
"""
