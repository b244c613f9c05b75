"""Comparison of two runs: effects, significance, gates."""
