"""Sums of amounts that stand in tables and lists of notes: what is asked for, the rows, and the sum. Pure; money is decimal."""
