"""Verification of citations: claims of an answer held to the text of their sources."""
