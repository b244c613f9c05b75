"""The contract of the Hybrid pipeline: POST /api/query, feedback and conversations."""
