"""The open resources of one process, and its live figures."""
