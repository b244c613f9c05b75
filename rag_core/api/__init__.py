"""HTTP: the API of Brain Sync and its web page, on loopback.

Here: a folder a contract (``brain_sync``, ``aurora``, ``hybrid``, ``rag_v2``, ``operation``, ``pages``), found by ``contracts``;
what they share (``searching``, ``comparing``, ``asking``, ``schemas``); what is refused before any of them runs (``guard``), and the
one place that turns errors into answers (``errors``). ``app`` puts them together.
Not here: SQL, searching, indexing; a router reads the request, calls the core and writes the answer.
Nothing else imports FastAPI, and nothing here imports the database driver.
"""
