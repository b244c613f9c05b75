"""Promotion of a retrieval configuration: trial against the served one, change, and the way back."""
