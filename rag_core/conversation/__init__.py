"""Conversations and the records of questions.

``sessions`` begins, lists and ends conversations, ``records`` records how a question went, ``feedback`` keeps ratings of answers. Words
are stored in turns alone, which belong to a session and are deleted with it; the rest of a record is figures and keyed hashes. Not
here: answering (``rag_core.answering``).
"""
