"""What the core knows of Spanish, German and English, as data.

Here: function words, abbreviations, clause connectors, and the guess of a text's language.
Not here: the rules that use them (``rag_core.chunking``, ``rag_core.query``). Imports ``rag_core.model``.
"""
