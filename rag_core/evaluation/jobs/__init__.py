"""Evaluation jobs that a server works off in the background."""
