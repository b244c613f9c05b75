"""German words, a file a use; ``rag_core.language.languages`` loads them."""
