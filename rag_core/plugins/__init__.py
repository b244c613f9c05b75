"""Registries of named entries, and the plugins that add entries to them.

Here: the generic registry, the loading of plugins by entry point and by ``BRAIN_PLUGINS``. Not here: any registry; each
stands in the package that looks its entries up (``rag_core.chunking.CHUNKERS``).
"""
