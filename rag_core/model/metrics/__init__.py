"""Metrics of retrieval and of answers, a module a family; a module in this folder registers its metrics when it is imported.

Formulas over plain rankings are in ``rag_core.model.ranking_metrics``. Importing the package imports every module of it.
"""

from importlib import import_module
from pkgutil import iter_modules

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
