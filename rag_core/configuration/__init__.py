"""Retrieval configurations: the schema, the one that is served, proposals and overrides."""
