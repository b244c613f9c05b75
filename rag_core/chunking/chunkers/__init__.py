"""One file a chunker, registered under the file's name in ``rag_core.chunking.CHUNKERS``."""
