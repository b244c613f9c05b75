"""Sources into fewer words: what is left of a note when not all of it can be read.

``extractive`` keeps the sentences nearest to the question, ``abstractive`` has a chat model say what matters of each source, ``fetch``
chooses between them and holds the budget. A compressed source keeps its number, its order and its ``original``, to which whatever is
claimed of it is held. Not here: numbering and cutting (``rag_core.answering.sources.context``).
"""

from rag_core.answering.sources.compression.fetch import fetch_context

__all__ = ["fetch_context"]
