"""The routes of RAG V2, ``/api/v2``: its own words and shapes, and messages in German, over the same core."""
