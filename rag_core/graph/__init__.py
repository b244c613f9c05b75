"""Cause and effect read from a note's sentences, the entities they are about, and what notes name.

The order of the work: ``rules`` (or ``llm``, where a chat model is) reads causal statements from a note's sentences,
``entities`` names what a statement's sides are about and says which phrases mean the same. Beside it
``mentions`` finds what is named in a note, persons, organisations, dates and more, by ``parsed_names`` and ``proper_names``, and
``resolution`` tells which names are one thing. Text in, values out: all
positions are code points of the note. Not here: storing the graph (``storage.graph``), keeping it up to date
(``indexing.graph``), walking it for a question (``retrieval.graph_paths``).
"""
