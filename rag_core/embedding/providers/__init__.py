"""One file a provider, registered under the file's name in ``rag_core.embedding.EMBEDDING_PROVIDERS``."""
