"""One file a format, registered under the file's name in ``rag_core.parsing.FORMATS``."""
