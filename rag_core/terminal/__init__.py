"""Searches and questions of the terminal, answered in its own process or by the running API of the same home.

Here: what the terminal asks (``requests``), the events that answer it (``searching``, ``asking``), the proof that both sides are of one
home (``home_proof``), and the conversation with the API (``running_api``). Not here: what is printed (``rag_core.cli``) and the routes
(``rag_core.api.terminal``).
"""
